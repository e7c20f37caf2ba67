"""The protocol over a bus: what a well-behaved client may rely on."""

import sys
import time

from bus import *

client = Client()
client.listen(path_namespace=PATH)

# Signals follow changes, to everybody.
item = client.create({"a": "1"}, label="One")
expect(client.signal("ItemCreated"), (LOGIN, (item,)))
expect(client.create({"a": "1"}, b"two"), item)
expect(client.signal("ItemChanged"), (LOGIN, (item,)))
expect(client.get(item, "Item", "Label"), "One")
expect(client.get(item, "Item", "Attributes"), {"a": "1"})
expect(client.get(item, "Item", "Locked"), False)
expect(abs(client.get(item, "Item", "Created") - time.time()) < 60, True)

# Several secrets at once; what is not there is left out.
other = client.create({"a": "2"}, b"other", SESSION)
client.signal("ItemCreated")
found = client.call(
    PATH, "Service", "GetSecrets", "aoo", [item, other, LOGIN + "/none", "/else"], client.session)[0]
expect({path: bytes(secret[2]) for path, secret in found.items()}, {item: b"two", other: b"other"})
expect(client.search({"a": "2"}), ([other], []))
expect(client.get(PATH, "Service", "Collections"), [LOGIN, SESSION])

# Collections come, change and go with their signals, and so does what a property is.
def changed():
    path, (interface, values, _) = client.signal("PropertiesChanged")
    return path, interface.removeprefix(PREFIX), {name: value[1] for name, value in values.items()}


def set_property(path, interface, name, signature, value):
    address = DBusAddress(path, bus_name=NAME, interface=PREFIX + interface)
    client.send(Properties(address).set(name, signature, value))


def get_all(path, interface):
    address = DBusAddress(path, bus_name=NAME, interface=PREFIX + interface)
    return {name: value[1] for name, value in client.send(Properties(address).get_all())[0].items()}


label = {PREFIX + "Collection.Label": ("s", "Work")}
work, _ = client.call(PATH, "Service", "CreateCollection", "a{sv}s", label, "")
expect(client.signal("CollectionCreated"), (PATH, (work,)))
expect(changed(), (PATH, "Service", {"Collections": [LOGIN, SESSION, work]}))
set_property(work, "Collection", "Label", "s", "Play")
expect(changed(), (work, "Collection", {"Label": "Play"}))
expect(client.signal("CollectionChanged"), (PATH, (work,)))
played = client.create({"a": "3"}, collection=work)
client.signal("ItemCreated")
set_property(played, "Item", "Attributes", "a{ss}", {"a": "4"})
expect(client.signal("ItemChanged"), (work, (played,)))
expect(client.search({"a": "4"}), ([played], []))
expect(get_all(played, "Item")["Attributes"], {"a": "4"})
properties = get_all(work, "Collection")
expect(sorted(properties), ["Created", "Items", "Label", "Locked", "Modified"])
expect((properties["Items"], properties["Label"]), ([played], "Play"))
client.call(work, "Collection", "Delete")
expect(client.signal("CollectionDeleted"), (PATH, (work,)))
expect(changed(), (PATH, "Service", {"Collections": [LOGIN, SESSION]}))
expect(client.search({"a": "4"}), ([], []))

# Another client has neither the session nor the prompts of this one.
stranger = Client()
expect(stranger.refused(item, "Item", "GetSecret", "o", client.session), "NoSession")
expect(client.refused(item, "Item", "GetSecret", "o", PATH + "/session/s999"), "NoSession")

# What is not there, or is not spoken.
for path, interface, member, signature, *body, name in [
    (LOGIN + "/nothing", "Item", "Delete", "", "UnknownMethod"),
    (LOGIN + "/00000000000000000000000000", "Item", "Delete", "", "NoSuchObject"),
    (PATH + "/collection/nothing", "Collection", "Delete", "", "NoSuchObject"),
    (PATH, "Service", "Nothing", "", "UnknownMethod"),
    (PATH, "Service", "ReadAlias", "u", 7, "UnknownMethod"),
    (PATH, "Service", "OpenSession", "sv", "plain", ("as", ["x"]), "InvalidArgs"),
    (PATH, "Service", "OpenSession", "sv", "plain", ("(ii)", (1, 2)), "InvalidArgs"),
    (LOGIN, "Collection", "Delete", "", "NotSupported"),
    ("/", "Service", "Nothing", "", "UnknownMethod"),
]:
    expect(client.refused(path, interface, member, signature, *body), name)

# Deleted, and gone.
expect(client.call(item, "Item", "Delete"), ("/",))
expect(client.signal("ItemDeleted"), (LOGIN, (item,)))
expect(client.refused(item, "Item", "GetSecret", "o", client.session), "NoSuchObject")

# It holds the vault's key, and leaves no core.
# It ends when nobody needs it, but not with what would be lost, and sleeps meanwhile; the bus starts
# it again.
process = client.process()
cores = [line.split()[4] for line in open(f"/proc/{process}/limits") if "core file" in line]
expect(cores, ["0"])
# Most systems have that limit anyway; the mask of files is set in the same place, and by few.
masks = [line.split()[1] for line in open(f"/proc/{process}/status") if "Umask" in line]
expect(masks, ["0077"])
turns = lambda: [line for line in open(f"/proc/{process}/status") if "ctxt_switches" in line]
client.call(client.session, "Session", "Close")
client.session = None
# It looks once more whether it is needed, and then sleeps.
for _ in range(20):
    before = turns()
    time.sleep(2.2)
    if turns() == before:
        break
expect(turns(), before)
expect(client.process(), process)
client.call(other, "Item", "Delete")
for _ in range(600):
    if client.process() is None:
        break
    time.sleep(0.1)
expect(client.process(), None)
expect(client.get(LOGIN, "Collection", "Items"), [])
