"""Clients that want too much: the service refuses them and serves the others."""

import resource

from bus import *

friend = Client()
item = friend.create({"friend": "yes"}, b"kept")
process = friend.process()
resident = lambda: int(open(f"/proc/{process}/statm").read().split()[1]) * resource.getpagesize()

hostile = Client()
for _ in range(256):
    hostile.open()
# Ten thousand, without waiting for the answers.
more = new_method_call(
    DBusAddress(PATH, bus_name=NAME, interface=PREFIX + "Service"), "OpenSession", "sv",
    ("plain", ("s", "")))
more.header.flags |= MessageFlag.no_reply_expected
for _ in range(10_000):
    hostile.connection.send(more)
expect(
    hostile.refused(PATH, "Service", "OpenSession", "sv", "plain", ("s", "")), "LimitsExceeded")
before = resident()

# Secrets of a megabyte, one byte more, and far more.
hostile.create({"size": "most"}, bytes(1 << 20))
for count in [(1 << 20) + 1, 16 << 20]:
    try:
        hostile.create({"size": "more"}, bytes(count))
        raise SystemExit(f"{count} bytes were taken")
    except Refused as error:
        expect(str(error), "LimitsExceeded")
# 100 MB are more than an array of the protocol may have: not even the client's library sends them.
try:
    hostile.create({"size": "too much"}, bytes(100 << 20))
    raise SystemExit("100 MB were taken")
except (Refused, OSError, ValueError, EOFError):
    pass
hostile = Client()
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

# Nothing of it was kept, and the friend is served by the same process.
expect(friend.process(), process)
expect(friend.secret(item), b"kept")
expect(friend.search({"size": "more"}), ([], []))
if resident() - before > 200 << 20:
    raise SystemExit(f"the service has grown by {(resident() - before) >> 20} MiB")
