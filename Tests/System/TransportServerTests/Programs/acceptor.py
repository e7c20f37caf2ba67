"""A server that asks for logins by GSSAPI, with MIT's library: Negotiate, or NTLM by gss-ntlmssp.

    acceptor.py [OPTION...] Negotiate|NTLM|Digest|Basic...

The environment names the keytab (KRB5_KTNAME), or NTLM's mechanism (GSS_MECH_CONFIG) and its users
(NTLM_USER_FILE). The options are those of loginserver; a login that has to be bound is refused
where the library does not say that it is (GSS_C_CHANNEL_BOUND_FLAG). Digest and Basic are for the
user ann with the password annpw.
"""
import ctypes
import hashlib
import re
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p

import loginserver

library = ctypes.CDLL("libgssapi_krb5.so.2")


class OID(Structure):
    _fields_ = [("length", c_uint32), ("elements", c_char_p)]


class OIDs(Structure):
    _fields_ = [("count", c_size_t), ("elements", POINTER(OID))]


class Buffer(Structure):
    _fields_ = [("length", c_size_t), ("value", c_void_p)]

    @classmethod
    def of(cls, data):
        return cls(len(data), ctypes.cast(ctypes.c_char_p(data), c_void_p))


class Bindings(Structure):
    _fields_ = [
        ("initiator_type", c_uint32), ("initiator", Buffer), ("acceptor_type", c_uint32),
        ("acceptor", Buffer), ("application", Buffer)]


CONTINUE, CHANNEL_BOUND, ACCEPT = 1, 2048, 2
MECHANISMS = {
    "Negotiate": b"\x2b\x06\x01\x05\x05\x02",
    "NTLM": b"\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a",
}
KERBEROS = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"


def check(major):
    if major & 0xFFFF0000:
        raise SystemExit(f"acceptor: error {major:x}")


def only(mechanism):
    """Returns a set of one mechanism."""
    return OIDs(1, ctypes.pointer(OID(len(mechanism), mechanism)))


def take(buffer):
    """Returns the bytes of a buffer of the library's."""
    data = ctypes.string_at(buffer.value, buffer.length) if buffer.length else b""
    library.gss_release_buffer(byref(c_uint32()), byref(buffer))
    return data


def acquire(mechanism):
    """Acquires the credential that all logins are accepted with."""
    credential, minor = c_void_p(), c_uint32()
    check(library.gss_acquire_cred(
        byref(minor), None, c_uint32(0xFFFFFFFF), byref(only(mechanism)), c_int(ACCEPT),
        byref(credential), None, None))
    if mechanism == MECHANISMS["Negotiate"]:
        check(library.gss_set_neg_mechs(byref(minor), credential, byref(only(KERBEROS))))
    return credential


class GSSLogin(loginserver.TokenLogin):
    def __init__(self, credential, data):
        self.credential, self.context, self.data = credential, c_void_p(), data

    def take(self, token):
        minor, flags, name, output = c_uint32(), c_uint32(), c_void_p(), Buffer()
        bindings = self.data and byref(Bindings(application=Buffer.of(self.data)))
        major = library.gss_accept_sec_context(
            byref(minor), byref(self.context), self.credential, byref(Buffer.of(token)), bindings,
            byref(name), None, byref(output), byref(flags), None, None)
        answer = take(output)
        if major & 0xFFFF0000:
            # It says why.
            raise loginserver.Refused(answer)
        if major & CONTINUE:
            return answer, None
        if self.data and not flags.value & CHANNEL_BOUND:
            raise loginserver.Refused(b"")
        text = Buffer()
        check(library.gss_display_name(byref(minor), name, byref(text), None))
        return answer, take(text).decode()


class BasicLogin:
    challenge = 'realm="Team"'

    def step(self, text):
        if text != "YW5uOmFubnB3":
            raise loginserver.Refused("")
        return "", "ann"


class DigestLogin:
    challenge = 'realm="Team", nonce="once", qop="auth"'

    def step(self, text):
        given = {name: value.strip('"') for name, value in re.findall(r'(\w+)=("[^"]*"|[^,]*)', text)}

        def digest(*parts):
            return hashlib.md5(":".join(parts).encode()).hexdigest()

        expected = digest(
            digest("ann", "Team", "annpw"), "once", given["nc"], given["cnonce"], "auth",
            digest("GET", given["uri"]))
        if given["response"] != expected:
            raise loginserver.Refused("")
        return "", "ann"


def begin(scheme):
    """Returns the function that begins a scheme's logins."""
    if scheme in MECHANISMS:
        credential = acquire(MECHANISMS[scheme])
        return lambda: GSSLogin(credential, data)
    return {"Basic": BasicLogin, "Digest": DigestLogin}[scheme]


parser = loginserver.options(__doc__)
parser.add_argument("schemes", nargs="+", choices=[*MECHANISMS, "Digest", "Basic"])
arguments = parser.parse_args()
data = loginserver.binding(arguments)
loginserver.serve(arguments, {scheme: begin(scheme) for scheme in arguments.schemes})
