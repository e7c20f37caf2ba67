"""The server of ntlm.py and acceptor.py: HTTP on loopback, with logins on connections.

    --tls PATH      speaks TLS with the certificate PATH.pem and the key PATH.key
    --bound PATH    requires that logins are bound to the certificate PATH.pem
    --hash NAME     by this hash of it (default: sha256)

A path that begins with /close/ ends its connection. Prints the port, then a line for each request:
the user or -, the path, the status, whether TLS was resumed, and the client's token or -; ends with
its input.
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
    scheme = begin = None
    login = user = None

    def log_message(self, *words):
        pass

    def take(self, token):
        """Takes a client's token, and returns the server's."""
        if self.login is None or self.user:
            self.login, self.user = type(self).begin(), None
        try:
            answer, self.user = self.login.step(token)
        except Refused as error:
            self.login, answer = None, error.args[0]
        return answer

    def do_GET(self):
        name, _, field = self.headers.get("Authorization", "").partition(" ")
        token = base64.b64decode(field) if name == self.scheme else b""
        answer = self.take(token) if token else b""
        body = b"a page\n" if self.user else b"no\n"
        status = 200 if self.user else 401
        self.send_response(status)
        if answer or not self.user:
            text = base64.b64encode(answer).decode()
            self.send_header("WWW-Authenticate", f"{self.scheme} {text}".rstrip())
        self.send_header("Content-Length", str(len(body)))
        if self.user and self.path.startswith("/close/"):
            self.send_header("Connection", "close")
        self.end_headers()
        resumed = getattr(self.connection, "session_reused", False)
        print(self.user or "-", self.path, status, resumed, field or "-", flush=True)
        self.wfile.write(body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def serve(arguments, scheme, begin):
    """Serves until the input ends.

    begin() begins a login, whose step(token) returns the server's token and the user, who is None
    before the last round; it raises Refused for a login that is not accepted.
    """
    Handler.scheme, Handler.begin = scheme, staticmethod(begin)
    server = Server(("127.0.0.1", 0), Handler)
    if arguments.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments.tls + ".pem", arguments.tls + ".key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
