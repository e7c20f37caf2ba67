"""Clients that want too much: the service refuses them and serves the others."""

import os
import resource
import struct

from bus import *


class Hostile(Client):
    def __init__(self, sessions=0):
        super().__init__()
        # Without waiting for the answers.
        more = new_method_call(
            DBusAddress(PATH, bus_name=NAME, interface=PREFIX + "Service"), "OpenSession", "sv",
            ("plain", ("s", "")))
        more.header.flags |= MessageFlag.no_reply_expected
        for _ in range(sessions):
            self.connection.send(more)

    def send_raw(self, count):
        """Sends a secret of so many bytes in one array; expects that the bus hangs up."""
        address = DBusAddress(LOGIN, bus_name=NAME, interface=PREFIX + "Collection")
        secret = b"Z" * 1000
        message = new_method_call(
            address, "CreateItem", "a{sv}(oayays)b", ({}, (self.session, b"", secret, ""), True)
        ).serialise(next(self.connection.outgoing_serial))
        start = message.index(secret)
        length = struct.unpack_from("<I", message, 4)[0] + count - len(secret)
        try:
            self.connection.sock.sendall(
                message[:4] + struct.pack("<I", length) + message[8:start - 4]
                + struct.pack("<I", count) + bytes(count) + message[start + len(secret):])
            while self.connection.sock.recv(1 << 16):
                pass
        except (BrokenPipeError, ConnectionResetError):
            pass


class Crowd:
    """A program of many connections, which stays until it is told to go."""

    def __init__(self):
        inner, self.orders = os.pipe()
        self.answers, outer = os.pipe()
        if os.fork() == 0:
            os.close(self.orders)
            clients = [Hostile(sessions=256) for _ in range(20)]
            for client in clients:
                client.get(LOGIN, "Collection", "Locked")
            os.write(outer, b".")
            os.read(inner, 1)
            os._exit(0)
        os.close(inner)
        expect(os.read(self.answers, 1), b".")


friend = Client()
item = friend.create({"friend": "yes"}, b"kept")
process = friend.process()
resident = lambda: int(open(f"/proc/{process}/statm").read().split()[1]) * resource.getpagesize()

# Ten thousand sessions.
hostile = Hostile(sessions=10_000)
expect(
    hostile.refused(PATH, "Service", "OpenSession", "sv", "plain", ("s", "")), "LimitsExceeded")
before = resident()
hostile = Hostile()

# Secrets of a megabyte, one byte more, and far more.
hostile.create({"size": "most"}, bytes(1 << 20))
for count in [(1 << 20) + 1, 16 << 20]:
    try:
        hostile.create({"size": "more"}, bytes(count))
        raise SystemExit(f"{count} bytes were taken")
    except Refused as error:
        expect(str(error), "LimitsExceeded")
# 100 MB in two arrays, which together are a message of the protocol.
hostile.open()
halves = (hostile.session, bytes(50 << 20), bytes(50 << 20), "")
expect(
    hostile.refused(LOGIN, "Collection", "CreateItem", "a{sv}(oayays)b", {}, halves, True),
    "LimitsExceeded")
# In one array they are more than one may have. No library sends them, and the bus hangs up.
hostile.send_raw(100 << 20)
hostile = Hostile()
hostile.open()

# Parameters, ciphertexts and public numbers of wrong lengths.
algorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
for count in [0, 1, 129, 4096]:
    expect(
        hostile.refused(PATH, "Service", "OpenSession", "sv", algorithm, ("ay", bytes(count))),
        "InvalidArgs")
session = hostile.call(
    PATH, "Service", "OpenSession", "sv", algorithm, ("ay", bytes([2]) * 128))[1]
attributes = {PREFIX + "Item.Attributes": ("a{ss}", {"x": "y"})}
for iv, value in [(0, 16), (15, 16), (16, 0), (16, 15), (16, 17), (17, 16)]:
    expect(
        hostile.refused(
            LOGIN, "Collection", "CreateItem", "a{sv}(oayays)b", attributes,
            (session, bytes(iv), bytes(value), ""), True), "InvalidArgs")

# As many values as a message may hold, the array and the session among them, and one more; many long
# texts, deep variants, many searches.
expect(hostile.call(PATH, "Service", "GetSecrets", "aoo", ["/"] * 65_534, hostile.session), ({},))
expect(
    hostile.refused(PATH, "Service", "GetSecrets", "aoo", ["/"] * 65_535, hostile.session),
    "LimitsExceeded")
paths = [f"{LOGIN}/{number:026d}" for number in range(20_000)]
expect(hostile.refused(PATH, "Service", "GetSecrets", "aoo", paths, hostile.session), "LimitsExceeded")
expect(
    hostile.refused(PATH, "Service", "SearchItems", "a{ss}", {"x": "y" * (1 << 20)}),
    "LimitsExceeded")
value = ("s", "x")
for _ in range(30):
    value = ("v", value)
expect(hostile.refused(PATH, "Service", "OpenSession", "sv", "plain", value), "InvalidArgs")
for number in range(200):
    hostile.search({"search": str(number)})

# A program with more connections than it takes to have all sessions.
crowd = Crowd()
expect(friend.secret(item), b"kept")
for _ in range(64):
    Client().open()
friend.call(PATH, "Service", "Lock", "ao", [LOGIN])
# The key is found again by the first search.
expect(friend.search({"friend": "yes"}), ([item], []))
os.close(crowd.orders)
os.wait()

# Nothing of it was kept, and the friend is served by the same process.
expect(friend.process(), process)
expect(friend.secret(item), b"kept")
expect(friend.search({"size": "more"}), ([], []))
if resident() - before > 200 << 20:
    raise SystemExit(f"the service has grown by {(resident() - before) >> 20} MiB")
