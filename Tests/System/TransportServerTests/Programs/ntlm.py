"""A server that asks for NTLM, of another make than Apache's: pyspnego's.

    ntlm.py [--timeless] [OPTION...] USERS

USERS has lines DOMAIN:user:password. With --timeless, challenges name no time, so that clients make
no code of the messages' integrity (MS-NLMP §3.1.5.1.2). The other options are those of loginserver.
"""
import os

import spnego
import spnego.channel_bindings
import spnego._ntlm
from spnego._ntlm_raw.messages import AvId, Challenge

import loginserver


class Timeless(spnego._ntlm.NTLMProxy):
    def _step_accept_negotiate(self, token):
        super()._step_accept_negotiate(token)
        made = self._temp_challenge
        names = made.target_info
        del names[AvId.timestamp]
        # Both are verified with this one later.
        self._temp_challenge = Challenge(
            made.flags, made.server_challenge, target_name=made.target_name, target_info=names,
            version=made.version)
        return self._temp_challenge.pack()


class Login(loginserver.TokenLogin):
    def __init__(self, kind, bindings):
        self.context = kind(
            username=None, password=None, usage="accept", protocol="ntlm",
            channel_bindings=bindings)

    def take(self, token):
        try:
            answer = self.context.step(token)
        except spnego.exceptions.SpnegoError as error:
            raise loginserver.Refused(b"") from error
        return answer or b"", self.context.client_principal if self.context.complete else None


parser = loginserver.options(__doc__)
parser.add_argument("--timeless", action="store_true")
parser.add_argument("users")
arguments = parser.parse_args()
os.environ["NTLM_USER_FILE"] = arguments.users
data = loginserver.binding(arguments)
bindings = data and spnego.channel_bindings.GssChannelBindings(application_data=data)
kind = Timeless if arguments.timeless else spnego._ntlm.NTLMProxy
loginserver.serve(arguments, {"NTLM": lambda: Login(kind, bindings)})
