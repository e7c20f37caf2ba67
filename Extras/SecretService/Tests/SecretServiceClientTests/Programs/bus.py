"""A client of the Secret Service that says what it is told to say, right or wrong."""

import os
import signal
import time

from jeepney import DBusAddress, HeaderFields, MatchRule, MessageFlag, MessageType, Properties, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
PATH = "/org/freedesktop/secrets"
LOGIN = PATH + "/collection/login"
SESSION = PATH + "/collection/session"
PREFIX = "org.freedesktop.Secret."


class Refused(Exception):
    """An error that answered a call; its text is the last part of its name."""


class Client:
    def __init__(self, enable_fds=False):
        self.connection = open_dbus_connection(bus="SESSION", enable_fds=enable_fds)
        self.session = None

    def close(self):
        self.connection.close()

    def send(self, message, timeout=120):
        reply = self.connection.send_and_get_reply(message, timeout=timeout)
        if reply.header.message_type == MessageType.error:
            name = [v for k, v in reply.header.fields.items() if k.name == "error_name"][0]
            raise Refused(name.rsplit(".", 1)[-1])
        return reply.body

    def call(self, path, interface, member, signature="", *body):
        address = DBusAddress(path, bus_name=NAME, interface=PREFIX + interface)
        return self.send(new_method_call(address, member, signature, body))

    def get(self, path, interface, name):
        address = DBusAddress(path, bus_name=NAME, interface=PREFIX + interface)
        return self.send(Properties(address).get(name))[0][1]

    def open(self):
        self.session = self.call(PATH, "Service", "OpenSession", "sv", "plain", ("s", ""))[1]
        return self.session

    def create(self, attributes, secret=b"s3cret", collection=LOGIN, replace=True, label=""):
        if self.session is None:
            self.open()
        properties = {
            PREFIX + "Item.Label": ("s", label),
            PREFIX + "Item.Attributes": ("a{ss}", attributes),
        }
        return self.call(
            collection, "Collection", "CreateItem", "a{sv}(oayays)b", properties,
            (self.session, b"", secret, "text/plain"), replace)[0]

    def change(self, path, secret):
        if self.session is None:
            self.open()
        self.call(path, "Item", "SetSecret", "(oayays)", (self.session, b"", secret, "text/plain"))

    def search(self, attributes):
        return self.call(PATH, "Service", "SearchItems", "a{ss}", attributes)

    def secret(self, path):
        if self.session is None:
            self.open()
        return bytes(self.call(path, "Item", "GetSecret", "o", self.session)[0][2])

    def refused(self, *arguments):
        """The name of the error of a call; None if there was none."""
        try:
            self.call(*arguments)
        except Refused as error:
            return str(error)
        return None

    def listen(self, **rule):
        self.send(message_bus.AddMatch(MatchRule(type="signal", sender=NAME, **rule)))

    def signal(self, member, timeout=120):
        """The body of the next signal of this name."""
        end = time.monotonic() + timeout
        while True:
            message = self.connection.receive(timeout=max(0.01, end - time.monotonic()))
            fields = {k.name: v for k, v in message.header.fields.items()}
            if message.header.message_type == MessageType.signal and fields["member"] == member:
                return fields["path"], message.body

    def process(self):
        """The process of the service; None if none runs."""
        try:
            return self.send(message_bus.GetConnectionUnixProcessID(NAME))[0]
        except Refused:
            return None


def kill(process):
    os.kill(process, signal.SIGKILL)


def expect(value, wanted):
    if value != wanted:
        raise SystemExit(f"got {value!r} in place of {wanted!r}")
