"""An item of a session that programs share holds no service back, and is there when it is started again."""

import time

from bus import *

client = Client()
item = client.create({"service": "web", "username": "ann"}, b"of the session", SESSION)
client.call(client.session, "Session", "Close")
client.session = None
for _ in range(600):
    if client.process() is None:
        break
    time.sleep(0.1)
expect(client.process(), None)
expect(client.secret(item), b"of the session")
