"""Starts the service, which then has the name."""

from bus import *

expect(Client().get(LOGIN, "Collection", "Locked"), False)
