"""The service is killed in the middle of calls: what was answered is there, and it comes back.

The collections that outlive it are named as arguments.
"""

import random
import sys
import threading

from bus import *

collections = [f"{PATH}/collection/{name}" for name in sys.argv[1:]]
# The secrets that an item may have: two if the call that changes it was not answered.
stored, deleted, answered, rounds = {}, set(), 0, 8
client = Client()
kept = {client.create({"kept": path}, b"kept", path) for path in collections}


def create(secret):
    path = client.create({"number": secret.decode()}, secret, random.choice(collections))
    stored[path] = {secret}


def change(secret):
    path = random.choice(list(stored))
    stored[path].add(secret)
    client.change(path, secret)
    stored[path] = {secret}


def delete(_):
    path = random.choice(list(stored))
    del stored[path]
    client.call(path, "Item", "Delete")
    deleted.add(path)


for _ in range(rounds):
    # Some calls in peace, then one after the other until the service dies in the middle of one.
    client.session, died, killer = None, False, None
    for number in range(10_000):
        call = create if number < 3 or not stored else random.choice([create, change, delete])
        try:
            call(b"%d" % answered)
        except Refused:
            # The session went with the process; whether the call was done is not known.
            died = True
            break
        answered += 1
        if number == 4:
            killer = threading.Timer(random.uniform(0, 0.02), kill, [client.process()])
            killer.start()
    expect(died, True)
    killer.join()

client.session = None
expect(answered >= 5 * rounds, True)
for path, secrets in stored.items():
    secret = client.secret(path)
    if secret not in secrets:
        raise SystemExit(f"{path} has {secret}, and not one of {secrets}")
for path in deleted:
    expect(client.refused(path, "Item", "GetSecret", "o", client.session), "NoSuchObject")
for path in kept:
    expect(client.secret(path), b"kept")
