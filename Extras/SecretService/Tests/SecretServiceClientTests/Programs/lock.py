"""Locks the vault, as a user does who leaves."""

from bus import *

expect(Client().call(PATH, "Service", "Lock", "ao", [LOGIN]), ([LOGIN], "/"))
