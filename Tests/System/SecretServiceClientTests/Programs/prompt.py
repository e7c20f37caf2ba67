"""A locked vault: `prompt.py typed` has a pinentry that knows the passphrase, `dismissed` none."""

import sys

from bus import *

client = Client()
client.listen(path_namespace=PATH)
expect(client.get(LOGIN, "Collection", "Locked"), True)
unlocked, locked = client.search({"service": "web", "username": "ann"})
expect((unlocked, len(locked)), ([], 1))
path, prompt = client.call(PATH, "Service", "Unlock", "ao", locked)
expect(path, [])
expect(client.call(prompt, "Prompt", "Prompt", "s", ""), ())
# Others are served while somebody types.
other = Client()
expect(other.get(LOGIN, "Collection", "Label"), "Login")

if sys.argv[1] == "typed":
    expect(client.signal("Completed"), (prompt, (False, ("ao", locked))))
    expect(client.secret(locked[0]), b"of the vault")
    expect(client.get(LOGIN, "Collection", "Locked"), False)
    client.call(PATH, "Service", "Lock", "ao", [LOGIN])
    expect(client.get(LOGIN, "Collection", "Locked"), True)
elif sys.argv[1] == "dismissed":
    expect(client.signal("Completed"), (prompt, (True, ("ao", []))))
    expect(client.get(LOGIN, "Collection", "Locked"), True)
else:
    # The prompt waits for a person who never comes; its client dismisses it, or leaves.
    expect(client.call(prompt, "Prompt", "Dismiss"), ())
    expect(client.signal("Completed"), (prompt, (True, ("ao", []))))
    prompt = client.call(PATH, "Service", "Unlock", "ao", locked)[1]
    client.call(prompt, "Prompt", "Prompt", "s", "")
    client.close()
    expect(other.get(LOGIN, "Collection", "Label"), "Login")
