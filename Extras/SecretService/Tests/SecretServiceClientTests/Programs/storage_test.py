"""SecretStorage, an encrypted session included, after its own tests."""

import os

import pytest
import secretstorage
from secretstorage.exceptions import ItemNotFoundException

ATTRIBUTES = {"application": "test", "attribute": "qwerty"}


@pytest.fixture(autouse=True)
def locked():
    """Locks the vault before each test, if the tests are of a locked one."""
    if "LOCKS_FIRST" in os.environ:
        connection = secretstorage.dbus_init()
        secretstorage.get_any_collection(connection).lock()
        connection.close()


@pytest.fixture
def collection():
    connection = secretstorage.dbus_init()
    collection = secretstorage.get_any_collection(connection)
    if "LOCKS_FIRST" in os.environ:
        assert collection.is_locked() and not collection.unlock()
    yield collection
    connection.close()


@pytest.fixture
def item(collection):
    item = collection.create_item("My item", ATTRIBUTES, b"pa$$word")
    yield item
    item.delete()


def test_found(collection, item):
    assert item in collection.search_items(ATTRIBUTES)
    assert item in secretstorage.search_items(collection.connection, ATTRIBUTES)
    assert item in collection.get_all_items()
    twin = collection.create_item("My item", ATTRIBUTES, b"", content_type="data/null")
    assert twin != item and twin.get_secret() == b""
    assert twin.get_secret_content_type() == "data/null"
    twin.delete()


def test_found_first(collection, item):
    if "LOCKS_FIRST" in os.environ:
        collection.lock()
    found = list(secretstorage.search_items(collection.connection, ATTRIBUTES))
    assert found == [item] and found[0].get_secret() == b"pa$$word"


def test_secret(item):
    assert item.session is not None and item.session.encrypted
    assert item.get_secret() == b"pa$$word"
    item.set_secret("test тест")
    assert item.get_secret() == "test тест".encode()
    assert item.get_secret_content_type() == "text/plain"


def test_attributes(item):
    assert item.get_attributes() == ATTRIBUTES
    item.set_attributes({"application": "test", "new": "x"})
    assert item.get_attributes() == {"application": "test", "new": "x"}
    item.set_label("Hello!")
    assert item.get_label() == "Hello!"
    assert abs(item.get_created() - item.get_modified()) < 60


def test_empty(collection):
    item = collection.create_item("", {}, b"")
    assert item.get_label() == ""
    item.delete()
    with pytest.raises(ItemNotFoundException):
        item.delete()


def test_collections(collection):
    label = collection.get_label()
    collection.set_label("Hello!")
    assert collection.get_label() == "Hello!"
    collection.set_label(label)
    made = secretstorage.create_collection(collection.connection, "My Label", "mine")
    assert made.get_label() == "My Label"
    made.create_item("x", {"x": "y"}, b"z")
    assert secretstorage.get_collection_by_alias(collection.connection, "mine").get_label() == "My Label"
    made.delete()


def test_missing(collection):
    with pytest.raises(ItemNotFoundException):
        secretstorage.Item(collection.connection, "/not/existing/path")
    with pytest.raises(ItemNotFoundException):
        secretstorage.get_collection_by_alias(collection.connection, "non-existing-alias")
