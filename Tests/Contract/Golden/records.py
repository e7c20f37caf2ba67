"""Fields, records and the bucket they belong in (format.md §1, §5.2, §5.3, §5.6, §6, §7)."""

from struct import pack, unpack, unpack_from
from unicodedata import category

ITEM, DEFAULT, RULE, PREVIOUS, REMOVED, CHANGE, TREE = range(1, 8)
FIRST_LARGE = 1 << 62  # the first id of a large secret's row, §5.2
FIRST_ANCESTORS = FIRST_LARGE + (1 << 61)  # and of a block of ancestors
FIRST_COMMIT = FIRST_ANCESTORS + (1 << 60)  # and of a commit
RULES_HOST = b"\0"  # the key of level 0 that policy rules share, §5.3
CENTURY = 100 * 31_557_600_000  # milliseconds
COUNT_END = 1 << 62  # §1: what counts or numbers something is below
LAST_MOMENT = 253_402_300_799_999  # §1: the last millisecond of the year 9999
MOST_BUCKETS = 1 << 26  # §5.2
TREE_END = 1 << 29  # §5.2


class Refused(Exception):
    """The reason why a reader refuses a file; `outcome` is its word in a vector's `expect`."""

    def __init__(self, reason, outcome="damaged"):
        super().__init__(reason)
        self.outcome = outcome


def require(condition, reason, outcome="damaged"):
    if not condition:
        raise Refused(reason, outcome)


def names(first, text):
    return dict(enumerate(text.split(), first))


# The fields of each kind by tag, and the tags of those that it must have.
PLACE = names(1, "server account realm protocol method port path id")
SPACE = {tag: name for tag, name in PLACE.items() if tag <= 6}
SECRET = names(12, "secretKind sealedSecret largeSecret")
ALL = PLACE | names(9, "created modified revision") | SECRET | names(
    15, "sealedRefreshToken label comment description creator type flags expires accountDomain "
    "origin custom secretChanged") | {31: "keptUntil", 39: "sealedOneTimePasswordKey"}
KINDS = {
    ITEM: ("items", ALL, {8, 9, 10, 11}),
    DEFAULT: ("defaults", SPACE, set()),
    RULE: ("rules", {8: "id"} | names(
        40, "position name note hostPattern protocol port method serverOrProxy secure loopback "
        "highestPersistence lifetime afterAcceptance refuse") | {57: "ntlm", 58: "negotiateInClear"},
        {8, 40, 41}),
    PREVIOUS: ("previous", PLACE | SECRET | names(9, "set replaced") | {
        22: "expires", 27: "removed", 31: "keptUntil"}, {8, 9, 10}),
    REMOVED: ("removed", ALL | {27: "removed"}, {8, 9, 10, 11, 27}),
    CHANGE: ("changes", names(1, "server account") | {4: "protocol", 6: "port", 8: "id"} | names(
        10, "time generation") | {24: "origin", 28: "operation", 30: "program"} | names(
            33, "user computer attributes count name"), {10, 11, 28}),
    TREE: ("trees", names(1, "host account") | names(60, "level number directory"), {60, 61, 62}),
}
UNKNOWN = ("unknown", {8: "id"}, {8})
HEAD = names(1, "ident generation time slots directory nextTree nextLarge recent items historyLimit "
             "recordKey trashDays merged logDays mostRemembered ancestors roster commit "
             "keepsForPrograms")

# The forms of values that are no text: sizes of numbers, least and most sizes of bytes.
NUMBERS = {
    **dict.fromkeys("secretKind flags level operation serverOrProxy secure loopback "
                    "highestPersistence afterAcceptance refuse ntlm negotiateInClear historyLimit "
                    "keepsForPrograms".split(), 1),
    **dict.fromkeys("port trashDays logDays".split(), 2),
    **dict.fromkeys("creator type position number nextTree count mostRemembered".split(), 4),
    **dict.fromkeys("revision generation lifetime nextLarge items".split(), 8)}
TIMES = dict.fromkeys(
    "created modified expires set replaced time removed secretChanged keptUntil".split(), 8)
COUNTS = {"revision", "generation", "nextLarge", "items"}
DEADLINES = {"expires", "keptUntil"}  # of all times, those at which nothing has happened
SIZES = {"id": (16, 16), "item": (16, 16), "sealedSecret": (41, 1064), "ident": (48, 48),
         "sealedRefreshToken": (41, 8232), "sealedOneTimePasswordKey": (41, 4136), "slots": (32, 32), "recent": (16, 1024),
         "recordKey": (72, 72), "merged": (32, 32 * 256), "ancestors": (16, 16),
         "roster": (96, 96 + 104 * 64), "commit": (184, 184 + 64)}


def varint(data, at):
    """The number at `at`, and where the next byte is."""
    value = 0
    for i, byte in enumerate(data[at:at + 5]):
        value |= (byte & 127) << 7 * i
        if byte < 128:
            require(byte or i == 0, "a varint is longer than it need be", "not canonical")
            require(value < 1 << 32, "a varint is too large")
            return value, at + i + 1
    raise Refused("a varint does not end")


def counted(data, at):
    """A varint and as many bytes, and where the next byte is."""
    length, at = varint(data, at)
    require(at + length <= len(data), "a length goes beyond the end")
    return data[at:at + length], at + length


def text(value):
    try:
        string = value.decode()
    except UnicodeDecodeError:
        raise Refused("a text is not UTF-8") from None
    require("\0" not in string, "a text holds NUL")
    return string


def large_reference(value):
    require(len(value) == 28, "a large secret's reference has the wrong size")
    node_id, tag, length = unpack("<Q16sI", value)
    require(FIRST_LARGE < node_id < FIRST_ANCESTORS, "a large secret's row is another's")
    require(1024 < length <= 1 << 20, "a large secret's length is out of bounds")
    return node_id, tag, length


def custom_attributes(value):
    attributes, at, last = {}, 0, b""
    while at < len(value):
        name, at = counted(value, at)
        content, at = counted(value, at)
        require(name > last, "custom attributes are empty or out of order", "not canonical")
        attributes[text(name)] = text(content)
        last = name
    return attributes


def split_tags(data):
    return [data[i:i + 16] for i in range(0, len(data), 16)]


def directory(value):
    """Bucket count, load and tags."""
    require(len(value) >= 12, "a directory is too short")
    buckets, load = unpack("<IQ", value[:12])
    tags = buckets if buckets <= 128 else -(-buckets // 128)
    require(buckets > 0 and len(value) == 12 + 16 * tags, "a directory has the wrong size")
    require(buckets <= MOST_BUCKETS and load < COUNT_END, "a directory counts too many")
    return buckets, load, split_tags(value[12:])


def host(value):
    """A tree's: what a rule has instead of a server is no text."""
    return "\0" if value == RULES_HOST else text(value)


def attribute_tags(value):
    tags, at = [], 0
    while at < len(value):
        tag, at = varint(value, at)
        tags.append(tag)
    return tags


READERS = {"attributes": attribute_tags, "largeSecret": large_reference, "custom": custom_attributes, "directory": directory,
           "host": host}


def read_value(name, value):
    if size := NUMBERS.get(name) or TIMES.get(name):
        require(len(value) == size, "a number has the wrong size")
        require(any(value), "a zero is written", "not canonical")
        number = int.from_bytes(value, "little", signed=name in TIMES)
        require(name not in COUNTS or number < COUNT_END, f"{name} is out of bounds")
        require(name not in TIMES or name in DEADLINES or number <= LAST_MOMENT,
                f"{name} is out of bounds")
        return number
    if name in SIZES:
        least, most = SIZES[name]
        require(least <= len(value) <= most, "a value has the wrong size")
        require(any(value) or name not in ("id", "item"), "an id is zero")
        require(name != "roster" or (len(value) - 96) % 104 == 0, "part of an admin key")
        return value
    return READERS.get(name, text)(value)


def read_fields(body, known, needed):
    """The values by name; fields that are not known as hex by tag, under `unknown`."""
    values, unknown, at, last, seen = {}, {}, 0, 0, set()
    while at < len(body):
        tag, at = varint(body, at)
        require(tag > last, "a tag is 0, comes twice or out of order", "not canonical")
        value, at = counted(body, at)
        require(value, "an empty value is written", "not canonical")
        if tag in known:
            values[known[tag]] = read_value(known[tag], value)
        else:
            unknown[str(tag)] = value
        seen.add(tag)
        last = tag
    require(seen >= needed, "a field is missing")
    return values | ({"unknown": unknown} if unknown else {})


def read_records(content):
    """The records of a bucket, each with its kind."""
    at = 0
    while at < len(content):
        kind = content[at]
        body, at = counted(content, at + 1)
        _, known, needed = KINDS.get(kind, UNKNOWN)
        values = read_fields(body, known, needed)
        require(not {"sealedSecret", "largeSecret"} <= values.keys(), "an item has two secrets")
        if kind == RULE:
            check_rule(values)
        if kind == TREE:
            require(values["level"] in (1, 2), "a tree's level is not 1 or 2")
            require(values["number"] < TREE_END, "a tree's rows would have large secrets' ids")
            require(values["level"] == 2 or "account" not in values, "a host's tree has an account")
        yield kind, values


def check_rule(rule):
    """Checks the rules of §6.3 for values beyond their forms."""
    require(len(rule["name"].encode()) <= 64 and all(
        category(character) != "Cc" for character in rule["name"]), "a rule has no such name")
    require(len(rule.get("note", "").encode()) <= 4096, "a note is too long")
    require("*" not in rule.get("hostPattern", "*").removeprefix("*"), "a star is not the first")
    for name, most in (("serverOrProxy", 2), ("secure", 2), ("loopback", 2),
                       ("highestPersistence", 2), ("lifetime", CENTURY), ("afterAcceptance", 1),
                       ("refuse", 1), ("ntlm", 2), ("negotiateInClear", 1)):
        require(rule.get(name, 0) <= most, f"{name} is out of range")
    require("refuse" not in rule or not rule.keys() & {
        "highestPersistence", "lifetime", "afterAcceptance"}, "what is refused has other limits")


def read_head(content, ident):
    """The head's values; `ident` is the row's 48 bytes."""
    head = read_fields(content, HEAD, {1, 2, 3, 4, 5, 6, 7, 11})
    require(head["ident"] == ident, "the head was made for another ident")
    require(head["nextTree"] <= TREE_END, "the next tree's rows would have large secrets' ids")
    limit = head.get("historyLimit", 1)
    require(limit != 11, "the limit that holds without the field", "not canonical")
    require(limit <= 101, "a history is longer than any")
    days = head.get("trashDays", 1)
    require(days != 31, "the days that hold without the field", "not canonical")
    require(days <= 366, "the trash is kept for longer than any")
    days = head.get("logDays", 1)
    require(days != 91, "the days that hold without the field", "not canonical")
    require(days <= 366, "changes are logged for longer than any")
    require(head.get("keepsForPrograms", 1) == 1, "programs' removals are neither kept nor gone")
    require(head["nextLarge"] <= 1 << 61, "the next large secret's row would be of ancestors")
    require(any(head.get("ancestors", b"1")), "without ancestors there is no field", "not canonical")
    require("ancestors" not in head or head["generation"] >= 64, "ancestors before there are any")
    require(("commit" in head) == bool(ident[38] & 1), "a commit outside of a fleet, or none in it")
    if "commit" in head:
        commit = read_commit(head["commit"])
        require(commit["previous"] < head["generation"], "the commit before is not before")
    recent = len(head.get("recent", b""))
    require(recent % 16 == 0 and recent // 16 < head["generation"], "wrong recent heads")
    read_merged(head.get("merged", b""), range(1, head["generation"]), head["generation"])
    return head


def read_commit(raw):
    """What a head says of its commit, §7.2."""
    require(184 <= len(raw) <= 184 + 64, "a commit has a wrong size")
    previous, tag, link, keys, signature = unpack("<Q16s32s64s64s", raw[:184])
    name = text(raw[184:])
    require(previous < COUNT_END, "a commit's number is out of bounds")
    require(previous or not any(tag + link), "a link to nothing")
    require(any(keys) or not name and not any(signature), "a signature by nobody")
    return {"previous": previous, "tag": tag, "link": link, "keys": keys, "signature": signature,
            "name": name}


def read_past_commit(content):
    """A row of a commit, §7.2."""
    require(len(content) >= 48, "a commit is too short")
    generation, time, head_hash = unpack("<Qq32s", content[:48])
    commit = read_commit(content[48:])
    require(0 < generation < COUNT_END and commit["previous"] < generation, "wrong generations")
    require(time != 0 and time <= LAST_MOMENT, "a time that no event has")
    return {"generation": generation, "time": time, "hash": head_hash} | commit


def raw_fields(content):
    """The fields of a record's body, as (tag, bytes)."""
    at = 0
    while at < len(content):
        tag, at = varint(content, at)
        value, at = counted(content, at)
        yield tag, value


def without_field(content, tag):
    """A record's body without one of its fields."""
    at, kept = 0, b""
    while at < len(content):
        start = at
        found, at = varint(content, at)
        _, at = counted(content, at)
        kept += content[start:at] if found != tag else b""
    return kept


def read_merged(merged, generations, now):
    """The heads of other copies that a head of generation `now` or a block of ancestors names."""
    require(len(merged) % 32 == 0 and len(merged) <= 32 * 256, "not whole merged heads")
    found, last = [], generations.stop - 1
    for at in range(0, len(merged), 32):
        generation, by = unpack_from("<QQ", merged, at)
        require(max(generations.start, 1) <= generation <= last,
                "merged heads that are out of order, or of other generations")
        require(generation < by <= now, "merged before it was there, or later than now")
        require(any(merged[at + 16:at + 32]), "a merged head without a tag")
        found.append((generation, merged[at + 16:at + 32]))
        last = generation
    return found


def read_ancestors(content, number):
    """The tag of the block before block `number`, and the heads of its generations (§7.1)."""
    require(len(content) >= 65 * 16, "a block of ancestors is too short")
    previous, *own = split_tags(content[:65 * 16])
    generations = range(64 * number, 64 * number + 64)
    heads = [(g, tag) for g, tag in zip(generations, own) if any(tag)]
    require((0, own[0]) not in heads, "generation 0 has a head")
    return previous, heads + read_merged(content[65 * 16:], generations, 1 << 64)


def route(kind, values):
    """The keys of level 0, 1 and 2."""
    def key(name):
        return values.get(name, "").encode()

    if kind == TREE:
        return key("host"), key("account"), b""
    if kind == RULE:
        return RULES_HOST, b"", values["id"]
    if kind == CHANGE:
        rest = values.get("id") or pack("<Q", values["generation"])
        return key("server"), key("account"), rest
    if kind not in (ITEM, DEFAULT, PREVIOUS, REMOVED):
        return b"", b"", values["id"]
    path, account = (b"", b"") if kind == DEFAULT else (key("path"), key("account"))
    rest = b"\0".join([key("protocol"), key("method"), pack("<H", values.get("port", 0)) + path,
                       key("realm")])
    return key("server"), account, rest


def address(h, buckets):
    p = 1 << buckets.bit_length() - 1
    a = h % (2 * p)
    return a if a < buckets else h % p
