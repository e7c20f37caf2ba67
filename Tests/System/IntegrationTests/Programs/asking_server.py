"""An ssh server that asks the questions of its arguments, and tells what it was answered.

It serves one connection on a port of 127.0.0.1, which it prints first; then a line for each answer
and, by its name, for each other method of authentication. It lets somebody in by a key alone.
"""

import socket
import sys

import paramiko


def tell(*words):
    print(*words, flush=True)


class Server(paramiko.ServerInterface):
    def get_allowed_auths(self, username):
        return "publickey,keyboard-interactive,password"

    def check_auth_interactive(self, username, submethods):
        return paramiko.InteractiveQuery("name", "instruction", *[(text, False) for text in sys.argv[1:]])

    def check_auth_interactive_response(self, responses):
        for response in responses:
            tell("answer", response)
        return paramiko.AUTH_FAILED

    def check_auth_password(self, username, password):
        tell("password", password)
        return paramiko.AUTH_FAILED

    def check_auth_publickey(self, username, key):
        return paramiko.AUTH_SUCCESSFUL

    def check_channel_request(self, kind, number):
        tell("key accepted")
        return paramiko.OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED


listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(60)
tell(listener.getsockname()[1])
connection, _ = listener.accept()
transport = paramiko.Transport(connection)
transport.add_server_key(paramiko.ECDSAKey.generate())
transport.start_server(server=Server())
transport.join(60)
