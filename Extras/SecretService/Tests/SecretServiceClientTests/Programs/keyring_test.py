"""The tests that keyring brings for its backends, and one for the permanent collection."""

import os

import pytest
import secretstorage
from keyring.backends import SecretService
from keyring.testing.backend import BackendBasicTests


def lock():
    """Locks the vault, if the tests are of a locked one."""
    if "LOCKS_FIRST" in os.environ:
        connection = secretstorage.dbus_init()
        secretstorage.get_any_collection(connection).lock()
        connection.close()


@pytest.fixture(autouse=True)
def locked():
    lock()


class TestSession(BackendBasicTests):
    def init_keyring(self):
        backend = SecretService.Keyring()
        backend.preferred_collection = "/org/freedesktop/secrets/collection/session"
        return backend


def test_login():
    backend = SecretService.Keyring()
    backend.set_password("service", "user", "correct horse")
    lock()
    backend.set_password("service", "user", "pässwörd")
    lock()
    assert backend.get_password("service", "user") == "pässwörd"
    assert backend.get_credential("service", None).username == "user"
    backend.delete_password("service", "user")
    assert backend.get_password("service", "user") is None
