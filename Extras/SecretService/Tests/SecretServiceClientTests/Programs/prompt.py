"""A locked vault: `prompt.py typed` has a pinentry that knows the passphrase, `dismissed` none.

`searched` and `refused` begin with a search, whose pinentry answers when a file says so. With `left` and `many` it waits for a person who never comes, and notes its processes in a file; with
`late` it notes that it has answered.
"""

import os
import sys
import time

from bus import *


def shown():
    """The processes of the prompt that is shown, and how many were shown until now."""
    for _ in range(1200):
        if os.path.exists("asked"):
            lines = open("asked").read().splitlines()
            if lines and lines[-1].count(" ") == 1:
                return lines[-1].split(), len(lines)
        time.sleep(0.05)
    raise SystemExit("no prompt was shown")


def expect_gone(processes):
    """Waits until all have ended; one whose parent does not look may be left dead."""
    for process in processes:
        for _ in range(1200):
            try:
                if open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0] == "Z":
                    break
            except (FileNotFoundError, ProcessLookupError):
                break
            time.sleep(0.05)
        else:
            raise SystemExit(f"process {process} still runs")


def begin_search(client, wanted):
    """Sends a search, and returns what receives its answer."""
    address = DBusAddress(PATH, bus_name=NAME, interface=PREFIX + "Service")
    client.connection.send(new_method_call(address, "SearchItems", "a{ss}", (wanted,)))

    def found():
        while True:
            message = client.connection.receive(timeout=120)
            if message.header.message_type == MessageType.method_return:
                return message.body
            if message.header.message_type == MessageType.error:
                return message.header.fields[HeaderFields.error_name].rsplit(".", 1)[-1]

    return found


os.chdir(os.environ["HOME"])
wanted = {"service": "web", "username": "ann"}
client = Client()
client.listen(path_namespace=PATH)
expect(client.get(LOGIN, "Collection", "Locked"), True)
other = Client()
if sys.argv[1] in ("searched", "refused"):
    found = begin_search(client, wanted)
    while not os.path.exists("asked"):
        time.sleep(0.01)
    # Others are served while somebody types, and their searches wait for the same answer.
    others = begin_search(other, {"service": "none"})
    third = Client()
    expect(third.get(LOGIN, "Collection", "Label"), "Login")
    expect(third.get(LOGIN, "Collection", "Locked"), True)
    open("answer", "w").close()
    if sys.argv[1] == "refused":
        expect((found(), others()), ("IsLocked", "IsLocked"))
    else:
        unlocked, locked = found()
        expect((len(unlocked), locked, others()), (1, [], ([], [])))
        expect(third.secret(unlocked[0]), b"of the vault")
    sys.exit()

path, prompt = client.call(PATH, "Service", "Unlock", "ao", [LOGIN])
expect(path, [])
expect(client.call(prompt, "Prompt", "Prompt", "s", ""), ())
# Others are served while somebody types.
expect(other.get(LOGIN, "Collection", "Label"), "Login")

if sys.argv[1] == "typed":
    expect(client.signal("Completed"), (prompt, (False, ("ao", [LOGIN]))))
    expect(open("described").read().strip().endswith(f" (process {os.getpid()})"), True)
    expect(client.secret(client.search(wanted)[0][0]), b"of the vault")
    expect(client.get(LOGIN, "Collection", "Locked"), False)
    client.call(PATH, "Service", "Lock", "ao", [LOGIN])
    expect(client.get(LOGIN, "Collection", "Locked"), True)
elif sys.argv[1] == "dismissed":
    expect(client.signal("Completed"), (prompt, (True, ("ao", []))))
    expect(client.get(LOGIN, "Collection", "Locked"), True)
elif sys.argv[1] == "late":
    # The client dismisses it when the passphrase was typed, and the key is being derived.
    while not os.path.exists("asked"):
        time.sleep(0.005)
    try:
        client.call(prompt, "Prompt", "Dismiss")
        wanted = True
    except Refused:
        # The derivation was faster.
        wanted = False
    expect(client.signal("Completed")[1][0], wanted)
    for _ in range(30):
        expect(client.get(LOGIN, "Collection", "Locked"), wanted)
        time.sleep(0.1)
elif sys.argv[1] == "left":
    # Its client dismisses it, or leaves.
    processes, _ = shown()
    expect(client.call(prompt, "Prompt", "Dismiss"), ())
    expect(client.signal("Completed"), (prompt, (True, ("ao", []))))
    expect_gone(processes)
    prompt = client.call(PATH, "Service", "Unlock", "ao", [LOGIN])[1]
    client.call(prompt, "Prompt", "Prompt", "s", "")
    while shown()[1] < 2:
        time.sleep(0.05)
    processes, _ = shown()
    client.close()
    expect_gone(processes)
    expect(other.get(LOGIN, "Collection", "Label"), "Login")
    # A search also ends with its client.
    client = Client()
    begin_search(client, wanted)
    while shown()[1] < 3:
        time.sleep(0.05)
    processes, _ = shown()
    client.close()
    expect_gone(processes)
    expect(other.get(LOGIN, "Collection", "Label"), "Login")
else:
    # As many as may be, of as many clients as it takes, and all show one window.
    unlock = (PATH, "Service", "Unlock", "ao", [LOGIN])
    expect(client.refused(PATH, "Service", "Unlock", "ao", [LOGIN] * 1025), "LimitsExceeded")
    clients, prompts, count = [client], [prompt], 1
    while True:
        try:
            prompt = clients[-1].call(*unlock)[1]
        except Refused as error:
            expect(str(error), "LimitsExceeded")
            if count % 32:
                raise SystemExit(f"refused after {count}")
            if count == 512:
                break
            clients.append(Client())
            continue
        clients[-1].call(prompt, "Prompt", "Prompt", "s", "")
        prompts.append(prompt)
        count += 1
    # One more takes the place of the program's oldest.
    expect(Client().refused(*unlock), None)
    expect(client.signal("Completed"), (prompts[0], (True, ("ao", []))))
    processes, count = shown()
    expect(count, 1)
    expect(other.get(LOGIN, "Collection", "Label"), "Login")
    for each in clients:
        each.close()
    expect_gone(processes)
    expect(other.call(*unlock)[0], [])
