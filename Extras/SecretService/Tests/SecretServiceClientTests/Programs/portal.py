"""A sandboxed application's secret of a locked vault: the portal's call waits for the passphrase."""

import os

from bus import *

PORTAL = "/org/freedesktop/portal/desktop"
portal = Client(enable_fds=True)
other = Client()


def secret(application):
    """The application's secret, from the end of a pipe that the service has to close."""
    inner, outer = os.pipe()
    address = DBusAddress(PORTAL, bus_name=NAME, interface="org.freedesktop.impl.portal.Secret")
    call = new_method_call(
        address, "RetrieveSecret", "osha{sv}", (PORTAL + "/request/1", application, outer, {}))
    expect(portal.send(call), (0, {}))
    os.close(outer)
    data = os.read(inner, 100)
    expect((len(data), os.read(inner, 1)), (64, b""))
    return data


expect(other.get(LOGIN, "Collection", "Locked"), True)
one = secret("org.example.One")
expect(other.get(LOGIN, "Collection", "Locked"), False)
expect(secret("org.example.One"), one)
expect(secret("org.example.Two") == one, False)
