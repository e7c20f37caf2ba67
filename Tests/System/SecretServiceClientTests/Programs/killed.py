"""The service is killed in the middle of calls: what was answered is there, and it comes back."""

import random
import threading

from bus import *

stored, number, rounds = {}, 0, 8
client = Client()
for _ in range(rounds):
    # Some calls in peace, then one after the other until the service dies in the middle of one.
    client.session, died, killer = None, False, None
    for call in range(10_000):
        number += 1
        try:
            stored[client.create({"number": str(number)}, b"%d" % number)] = number
        except Refused:
            # The session went with the process; whether the item is there is not known.
            died = True
            break
        if call == 4:
            killer = threading.Timer(random.uniform(0, 0.02), kill, [client.process()])
            killer.start()
    expect(died, True)
    killer.join()

client.session = None
expect(len(stored) >= 5 * rounds, True)
for path, number in stored.items():
    expect(client.secret(path), b"%d" % number)
    expect(client.search({"number": str(number)})[0], [path])
