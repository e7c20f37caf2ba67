"""Varints, fields, records and the leaf they belong in (format.md §1, §5.2, §5.3, §5.6, §6, §7)."""

from dataclasses import dataclass
from struct import pack, unpack

from refusal import Damaged, NotCanonical, require

ITEM, DEFAULT, RULE, PREVIOUS, REMOVED, CHANGE, TREE = 1, 2, 3, 4, 5, 6, 7
FIRST_LARGE = 1 << 62  # the first id of a large secret's row, §5.2


def varint(data, at):
    """The number at `at`, and where the next byte is."""
    value = 0
    for i, byte in enumerate(data[at:at + 5]):
        value |= (byte & 127) << 7 * i
        if byte < 128:
            require(byte or i == 0, "a varint is longer than it need be", NotCanonical)
            require(value < 1 << 32, "a varint is too large")
            return value, at + i + 1
    raise Damaged("a varint does not end")


def counted(data, at):
    """A varint and as many bytes, and where the next byte is."""
    length, at = varint(data, at)
    require(at + length <= len(data), "a length goes beyond the end")
    return data[at:at + length], at + length


def text(value):
    try:
        string = value.decode()
    except UnicodeDecodeError:
        raise Damaged("a text is not UTF-8") from None
    require("\0" not in string, "a text holds NUL")
    return string


def number(size, signed=False):
    def read(value):
        require(len(value) == size, "a number has the wrong size")
        require(any(value), "a zero is written", NotCanonical)
        return int.from_bytes(value, "little", signed=signed)
    return read


u8, u16, u32, u64, time = number(1), number(2), number(4), number(8), number(8, signed=True)


def blob(least, most):
    def read(value):
        require(least <= len(value) <= most, "a value has the wrong size")
        return value
    return read


def record_id(value):
    require(len(value) == 16 and any(value), "an id has the wrong size or is zero")
    return value


def large_reference(value):
    require(len(value) == 28, "a large secret's reference has the wrong size")
    node_id, tag, length = unpack("<Q16sI", value)
    require(FIRST_LARGE < node_id < 1 << 63, "a large secret's row is another's")
    require(1024 < length <= 1 << 20, "a large secret's length is out of bounds")
    return node_id, tag, length


def custom_attributes(value):
    attributes, at, last = {}, 0, b""
    while at < len(value):
        name, at = counted(value, at)
        content, at = counted(value, at)
        require(name > last, "custom attributes are empty, twice or out of order", NotCanonical)
        attributes[text(name)] = text(content)
        last = name
    return attributes


@dataclass(frozen=True)
class Directory:
    leaves: int
    load: int
    tags: list


def split_tags(data):
    return [data[i:i + 16] for i in range(0, len(data), 16)]


def directory(value):
    require(len(value) >= 12, "a directory is too short")
    leaves, load = unpack("<IQ", value[:12])
    tags = leaves if leaves <= 128 else -(-leaves // 128)
    require(leaves > 0 and len(value) == 12 + 16 * tags, "a directory has the wrong size")
    return Directory(leaves, load, split_tags(value[12:]))


SPACE = {1: ("server", text), 2: ("account", text), 3: ("realm", text), 4: ("protocol", text),
         5: ("method", text), 6: ("port", u16)}
SECRET = {12: ("secretKind", u8), 13: ("sealedSecret", blob(41, 1064)),
          14: ("largeSecret", large_reference)}
PLACE = SPACE | {7: ("path", text), 8: ("id", record_id)}
ATTRIBUTES = PLACE | SECRET | {
    9: ("created", time), 10: ("modified", time), 11: ("revision", u64),
    15: ("sealedRefreshToken", blob(41, 8232)), 16: ("label", text), 17: ("comment", text),
    18: ("description", text), 19: ("creator", u32), 20: ("type", u32), 21: ("flags", u8),
    22: ("expires", time), 23: ("accountDomain", text), 24: ("origin", text),
    25: ("custom", custom_attributes)}

# For each kind: its name, its fields, the tags of those that it must have.
KINDS = {
    ITEM: ("items", ATTRIBUTES, {8, 9, 10, 11}),
    DEFAULT: ("defaults", SPACE, {}),
    RULE: ("rules", {
        8: ("id", record_id), 40: ("position", u32), 41: ("name", text), 42: ("note", text),
        43: ("hostPattern", text), 44: ("protocol", text), 45: ("port", u16), 46: ("method", text),
        47: ("serverOrProxy", u8), 48: ("secure", u8), 49: ("loopback", u8),
        50: ("highestPersistence", u8), 51: ("lifetime", u64), 52: ("afterAcceptance", u8),
        53: ("refuse", u8)}, {8}),
    PREVIOUS: ("previous", PLACE | SECRET | {9: ("set", time), 10: ("replaced", time)}, {8}),
    REMOVED: ("removed", ATTRIBUTES | {27: ("removed", time)}, {8, 9, 10, 11, 27}),
    CHANGE: ("changes", {
        8: ("id", record_id), 10: ("time", time), 11: ("generation", u64), 28: ("operation", u8),
        29: ("item", record_id), 30: ("program", text)}, {8}),
    TREE: ("trees", {
        1: ("server", text), 2: ("account", text), 60: ("level", u8), 61: ("number", u32),
        62: ("directory", directory)}, {60, 61, 62}),
}
UNKNOWN = ("unknown", {8: ("id", record_id)}, {8})
HEAD_FIELDS = {
    1: ("ident", blob(48, 48)), 2: ("generation", u64), 3: ("time", time),
    4: ("slots", blob(32, 32)), 5: ("directory", directory), 6: ("nextTree", u32),
    7: ("nextLarge", u64), 8: ("recent", blob(16, 64 * 16)), 9: ("items", u64)}


def read_fields(body, known, needed):
    """The values by name; fields that are not known as hex by tag, under `unknown`."""
    values, unknown, at, last = {}, {}, 0, 0
    seen = set()
    while at < len(body):
        tag, at = varint(body, at)
        require(tag > last, "a tag is 0, comes twice or out of order", NotCanonical)
        value, at = counted(body, at)
        require(value, "an empty value is written", NotCanonical)
        if tag in known:
            name, read = known[tag]
            values[name] = read(value)
        else:
            unknown[str(tag)] = value
        seen.add(tag)
        last = tag
    require(seen.issuperset(needed), "a field is missing")
    return values | ({"unknown": unknown} if unknown else {})


def read_records(content):
    """The records of a leaf, each with its kind."""
    at = 0
    while at < len(content):
        kind = content[at]
        body, at = counted(content, at + 1)
        _, known, needed = KINDS.get(kind, UNKNOWN)
        values = read_fields(body, known, needed)
        require(not {"sealedSecret", "largeSecret"} <= values.keys(), "an item has two secrets")
        if kind == TREE:
            require(values["level"] in (1, 2), "a tree's level is not 1 or 2")
            require(values["number"] < 1 << 29, "a tree's rows would have large secrets' ids")
            require(values["level"] == 2 or "account" not in values, "a host's tree has an account")
        yield kind, values


def read_head(content, ident):
    """The head's values; `ident` is the row's 48 bytes."""
    head = read_fields(content, HEAD_FIELDS, {1, 2, 3, 4, 5, 6, 7})
    require(head["ident"] == ident, "the head was made for another ident")
    recent = head.get("recent", b"")
    require(len(recent) % 16 == 0 and len(recent) // 16 < head["generation"], "wrong recent heads")
    return head




def route(kind, values):
    """The keys of level 0, 1 and 2."""
    def key(name):
        return values.get(name, "").encode()

    if kind == TREE:
        return key("server"), key("account"), b""
    if kind not in (ITEM, DEFAULT, PREVIOUS, REMOVED):
        return b"", b"", values["id"]
    path, account = (b"", b"") if kind == DEFAULT else (key("path"), key("account"))
    rest = b"\0".join([key("protocol"), key("method"), pack("<H", values.get("port", 0)) + path,
                       key("realm")])
    return key("server"), account, rest


def address(h, leaves):
    p = 1 << leaves.bit_length() - 1
    a = h % (2 * p)
    return a if a < leaves else h % p
