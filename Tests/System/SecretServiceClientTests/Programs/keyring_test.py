"""The tests that keyring brings for its backends, and one for the permanent collection."""

from keyring.backends import SecretService
from keyring.testing.backend import BackendBasicTests


class TestSession(BackendBasicTests):
    def init_keyring(self):
        backend = SecretService.Keyring()
        backend.preferred_collection = "/org/freedesktop/secrets/collection/session"
        return backend


def test_login():
    backend = SecretService.Keyring()
    backend.set_password("service", "user", "correct horse")
    backend.set_password("service", "user", "pässwörd")
    assert backend.get_password("service", "user") == "pässwörd"
    assert backend.get_credential("service", None).username == "user"
    backend.delete_password("service", "user")
    assert backend.get_password("service", "user") is None
