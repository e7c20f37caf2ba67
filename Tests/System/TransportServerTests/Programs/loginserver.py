"""The server of ntlm.py and acceptor.py: HTTP on loopback, with logins on connections.

    --tls PATH      speaks TLS with the certificate PATH.pem and the key PATH.key
    --bound PATH    requires that logins are bound to the certificate PATH.pem
    --hash NAME     by this hash of it (default: sha256)

A path that begins with /close/ ends its connection; /order/A,B has these schemes offered in this
order. Prints the port, then a line for each request: the user or -, the path, the status, whether
TLS was resumed, and the client's scheme and token or twice -; ends with its input.
"""
import argparse
import base64
import hashlib
import http.server
import socketserver
import ssl
import sys
import threading


def options(description):
    """Returns a parser of a program's arguments, which may add its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tls")
    parser.add_argument("--bound")
    parser.add_argument("--hash", default="sha256")
    return parser


def binding(arguments):
    """Returns the data that logins are bound to (RFC 5929); None for none."""
    if not arguments.bound:
        return None
    with open(arguments.bound + ".pem", encoding="ascii") as file:
        certificate = ssl.PEM_cert_to_DER_cert(file.read())
    return b"tls-server-end-point:" + hashlib.new(arguments.hash, certificate).digest()


class Refused(Exception):
    """A login that is not accepted, with the server's last token."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Set for all connections by serve().
    schemes = {}
    login = user = None

    def log_message(self, *words):
        pass

    def take(self, scheme, token):
        """Takes a client's token, and returns the server's."""
        if self.login is None or self.user:
            self.login, self.user = self.schemes[scheme](), None
        try:
            answer, self.user = self.login.step(token)
        except Refused as error:
            self.login, answer = None, error.args[0]
        return answer

    def do_GET(self):
        scheme, _, token = self.headers.get("Authorization", "- -").partition(" ")
        answer = self.take(scheme, token) if scheme in self.schemes else ""
        body = b"a page\n" if self.user else b"no\n"
        status = 200 if self.user else 401
        self.send_response(status)
        if answer:
            self.send_header("WWW-Authenticate", f"{scheme} {answer}")
        elif not self.user:
            order = self.path[7:].split(",") if self.path.startswith("/order/") else self.schemes
            for name in order:
                challenge = getattr(self.schemes[name], "challenge", "")
                self.send_header("WWW-Authenticate", f"{name} {challenge}".rstrip())
        self.send_header("Content-Length", str(len(body)))
        if self.user and self.path.startswith("/close/"):
            self.send_header("Connection", "close")
        self.end_headers()
        resumed = getattr(self.connection, "session_reused", False)
        token = token.replace(" ", "")
        print(self.user or "-", self.path, status, resumed, scheme, token, flush=True)
        self.wfile.write(body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class TokenLogin:
    """A login by tokens in Base64; take(token) is as step(token), with bytes."""

    def step(self, token):
        try:
            answer, user = self.take(base64.b64decode(token))
        except Refused as error:
            raise Refused(base64.b64encode(error.args[0]).decode()) from error
        return base64.b64encode(answer).decode(), user


def serve(arguments, schemes):
    """Serves until the input ends.

    schemes has a function for each scheme that begins a login. The login's step(token) returns the
    server's token and the user, who is None before the last round; it raises Refused for a login
    that is not accepted. The function's `challenge` is what the scheme's challenge says.
    """
    Handler.schemes = schemes
    server = Server(("127.0.0.1", 0), Handler)
    if arguments.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments.tls + ".pem", arguments.tls + ".key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
