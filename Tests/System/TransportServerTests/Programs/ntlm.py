"""A server that asks for NTLM, of another make than Apache's: pyspnego's.

    ntlm.py USERS [CERTIFICATE [HASH]]

USERS has lines DOMAIN:user:password. With CERTIFICATE.pem and .key it speaks TLS, and with a hash it
requires that logins are bound to the certificate by that hash. Prints the port, then a line for each
request: the user or -, the path, the status, and the length of the token; ends with its input.
"""
import base64
import hashlib
import http.server
import os
import socketserver
import ssl
import sys
import threading

import spnego
import spnego.channel_bindings

os.environ["NTLM_USER_FILE"] = sys.argv[1]
binding = None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    context = None
    user = None

    def log_message(self, *words):
        pass

    def take(self, token):
        """Takes a client's token, and returns the server's."""
        if self.context is None or self.user:
            bindings = binding and spnego.channel_bindings.GssChannelBindings(application_data=binding)
            self.context = spnego.server(protocol="ntlm", channel_bindings=bindings)
            self.user = None
        try:
            answer = self.context.step(token)
        except spnego.exceptions.SpnegoError:
            self.context = None
            return None
        if self.context.complete:
            self.user = self.context.client_principal
        return answer

    def do_GET(self):
        field = self.headers.get("Authorization", "")
        token = base64.b64decode(field[5:]) if field.startswith("NTLM ") else b""
        answer = self.take(token) if token else None
        body = b"a page\n" if self.user else b"no\n"
        status = 200 if self.user else 401
        self.send_response(status)
        if status == 401:
            name = base64.b64encode(answer).decode() if answer else ""
            self.send_header("WWW-Authenticate", f"NTLM {name}".rstrip())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        print(self.user or "-", self.path, status, len(token), flush=True)
        self.wfile.write(body)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2] + ".pem", sys.argv[2] + ".key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
if len(sys.argv) > 3:
    with open(sys.argv[2] + ".pem", encoding="ascii") as file:
        certificate = ssl.PEM_cert_to_DER_cert(file.read())
    binding = b"tls-server-end-point:" + hashlib.new(sys.argv[3], certificate).digest()
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
