"""Vectors of records as they stand in a bucket; a good one gives each value under its own key."""

from struct import pack

from nodevectors import END, LARGE_ID, LAST
from vector import Vector
from writer import KINDS, Random, counted, custom, field, fields, record, varint


def noise(n, seed="record"):
    """n bytes that look sealed."""
    return Random(seed).take(n)


ID, OTHER_ID = noise(16), noise(16, "other")
DIRECTORY = pack("<IQ", 2, 70) + noise(32)
MINIMAL = {"id": ID, "created": 1_767_225_600_000, "modified": 1_767_225_600_001, "revision": 1}
FULL = MINIMAL | {
    "server": "git.example.com", "account": "ada", "realm": "Gr\u00fc\u00dfe", "protocol": "https",
    "method": "basic", "port": 8443, "path": "/team/project.git", "revision": 1 << 40,
    "secretKind": 1, "sealedSecret": noise(47), "sealedRefreshToken": noise(60),
    "sealedOneTimePasswordKey": noise(62),
    "label": "A label", "comment": "A comment", "description": "token", "creator": 0x76636C74,
    "type": 0x6E6F7465, "flags": 3, "expires": 1_800_000_000_000, "accountDomain": "EXAMPLE",
    "origin": "git", "custom": {"env": "production", "team": "engines"},
    "secretChanged": 1_767_225_600_001, "keptUntil": 1_900_000_000_000}
RULE = {
    "id": ID, "position": 4, "name": "no clear text", "note": "Asked for by audit",
    "hostPattern": "*.example.com", "protocol": "http", "port": 80, "method": "basic",
    "serverOrProxy": 1, "secure": 2, "loopback": 1, "highestPersistence": 2,
    "lifetime": 1 << 40, "afterAcceptance": 1}
PLACE = {name: FULL[name] for name in (
    "server", "account", "realm", "protocol", "method", "port", "path", "id")}


def expected(values):
    """The keys of a vector for a record's values."""
    keys = {}
    for name, value in values.items():
        if isinstance(value, dict):
            keys |= {f"field-{name}-{key}": content for key, content in sorted(value.items())}
        elif isinstance(value, list):
            keys[f"field-{name}"] = " ".join(map(str, value))
        else:
            keys[f"field-{name}"] = value
    return keys


def good():
    def vector(scenario, comment, kind, /, **values):
        number = KINDS.get(kind) or values["kind"]
        pairs = fields(number, values)
        return Vector("record", scenario, "success", comment, record(number, pairs),
                      {"kind": number} | expected({name: value for name, value in values.items()
                                                   if name != "kind"}))

    yield vector("item-minimal", "id, created, modified, revision", "items", **MINIMAL)
    yield vector("item-every-field", "all fields but the large secret", "items", **FULL)
    yield vector("item-large-secret", "the secret is in a row of its own", "items", **MINIMAL,
                 largeSecret=pack("<Q16sI", LARGE_ID, bytes(range(16)), 3000))
    yield vector("item-largest-secret-inside", "1024 bytes and a seal", "items", **MINIMAL,
                 sealedSecret=noise(1064))
    yield vector("item-largest-large-secret", "1 MiB", "items", **MINIMAL,
                 largeSecret=pack("<Q16sI", LARGE_ID, bytes(range(16)), 1 << 20))
    yield vector("item-largest-refresh-token", "8192 bytes and a seal", "items", **MINIMAL,
                 sealedRefreshToken=noise(8232))
    yield vector("item-largest-one-time-password-key", "4096 bytes and a seal", "items", **MINIMAL,
                 sealedOneTimePasswordKey=noise(4136))
    yield vector("item-time-before-1970", "a time is signed", "items",
                 **MINIMAL | {"created": -1, "modified": -1})
    yield vector("item-latest", "the last moments; deadlines know no end", "items",
                 **MINIMAL | {"created": LAST, "modified": LAST, "revision": END - 1},
                 secretChanged=LAST - 1, expires=(1 << 63) - 1, keptUntil=-(1 << 63))
    yield vector("previous-latest", "the last moments; deadlines know no end", "previous", **PLACE,
                 set=LAST, replaced=LAST, expires=(1 << 63) - 1, keptUntil=(1 << 63) - 1)
    yield vector("item-keytab", "a file of keys for Negotiate", "items", **MINIMAL,
                 method="negotiate", secretKind=3, sealedSecret=noise(41))
    yield vector("item-length-128", "a length of two bytes", "items", **MINIMAL, label="l" * 128)
    yield vector("item-unknown-field", "a field after the known ones is kept", "items", **MINIMAL,
                 unknown={"100": b"later"})
    yield vector("item-unknown-fields-between", "no item has 28; 2^32-1 is the highest tag",
                 "items", **MINIMAL, keptUntil=1, unknown={"28": b"\0", str((1 << 32) - 1): b"last"})
    yield vector("default", "a space and its user", "defaults",
                 **{name: PLACE[name] for name in PLACE if name not in ("path", "id")})
    rule = {"id": ID, "position": 1, "name": "a rule"}
    yield vector("rule-every-field", "all fields but refuse", "rules", **RULE)
    yield vector("rule-minimal", "matches everything, grants what is asked for", "rules", **rule)
    yield vector("rule-refuse", "matches proxies anywhere but here, and refuses", "rules", **rule,
                 serverOrProxy=2, secure=1, loopback=2, refuse=1)
    yield vector("rule-none", "nothing is kept", "rules", **rule, highestPersistence=1)
    yield vector("rule-any-host", "a star", "rules", **rule, hostPattern="*")
    yield vector("rule-one-host", "an address", "rules", **rule, hostPattern="::1")
    yield vector("rule-longest", "64 bytes, 4096 bytes, 100 years, the highest numbers", "rules",
                 **rule | {"name": "\u00e4" * 32, "position": (1 << 32) - 1}, note="n" * 4096,
                 port=65535, lifetime=100 * 31_557_600_000)
    yield vector("rule-logins", "NTLM is answered, and Negotiate in clear", "rules", **rule, ntlm=1,
                 negotiateInClear=1)
    yield vector("rule-ntlm-never", "NTLM is not answered with items for it either", "rules", **rule,
                 ntlm=2)
    yield vector("rule-unknown-field", "it may forbid what the others grant", "rules", **rule,
                 unknown={"54": b"\1"})
    yield vector("previous", "a secret that was replaced", "previous", **PLACE, set=1, replaced=2,
                 secretKind=2, sealedSecret=noise(41))
    yield vector("previous-empty-secret", "the empty secret was replaced", "previous", **PLACE,
                 set=1, replaced=2)
    yield vector("previous-every-field", "with the times that its item had", "previous", **PLACE,
                 set=1, replaced=2, secretKind=1, sealedSecret=noise(1064), expires=3, keptUntil=4,
                 unknown={"16": b"no label", "32": b"later"})
    yield vector("previous-large-secret", "in a row of its own", "previous", id=ID, set=-2,
                 replaced=-1, largeSecret=pack("<Q16sI", LARGE_ID, bytes(range(16)), 3000))
    yield vector("previous-of-removed-item", "with the time when its item was removed", "previous",
                 **PLACE, set=1, replaced=2, sealedSecret=noise(41), expires=3, removed=4, keptUntil=5)
    yield vector("removed", "an item and when it was removed", "removed", **FULL,
                 removed=1_767_225_700_000)
    change = {"time": 1_767_225_600_000, "generation": 9, "operation": 2}
    yield vector("change", "all fields", "changes", server="git.example.com", account="ada",
                 protocol="https", port=8443, id=ID, **change, origin="git", program="vaultctl edit",
                 user="ada", computer="laptop", attributes=[16, 25, 65557], count=3, name="a rule")
    yield vector("change-minimal", "of the vault, by nobody", "changes", **change)
    yield vector("change-later", "what a later version wrote", "changes",
                 **change | {"operation": 255}, attributes=[99], unknown={"100": b"later"})
    yield vector("tree-of-host", "level 1", "trees", host="git.example.com", level=1, number=1,
                 directory=DIRECTORY)
    yield vector("tree-of-rules", "what rules have instead of a host", "trees", host="\0", level=1,
                 number=2, directory=DIRECTORY)
    yield vector("tree-of-account", "level 2", "trees", host="git.example.com", account="ada",
                 level=2, number=(1 << 29) - 1, directory=DIRECTORY)
    yield vector("unknown-kind", "a kind of a later minor version is kept", "unknown", kind=99,
                 id=ID, unknown={"1": b"\xff", "3": b"\0", "300": b"later"})


def bad():
    minimal, full = fields(1, MINIMAL), fields(1, FULL)

    def changed(tag, value, pairs=minimal):
        """The fields with one replaced or added, or left out if the value is None."""
        rest = [pair for pair in pairs if pair[0] != tag]
        return sorted(rest + ([] if value is None else [(tag, value)]))

    def raw(body, kind=1):
        return bytes([kind]) + counted(body)

    def item(scenario, expect, comment, pairs):
        return Vector("record", scenario, expect, comment, record(1, pairs))

    def other(scenario, expect, comment, body):
        return Vector("record", scenario, expect, comment, body)

    body = record(1, minimal)[2:]

    # §1 varint, §5.6 body
    yield other("tag-long-varint", "not canonical", "the tag 200 in three bytes",
                raw(body + b"\xc8\x81\0" + counted(b"x")))
    yield other("length-long-varint", "not canonical", "the length 1 in two bytes",
                raw(body + varint(100) + b"\x81\0" + b"x"))
    yield other("record-length-long-varint", "not canonical", "the record's length likewise",
                b"\1" + bytes([len(body) | 128, 0]) + body)
    yield other("tag-six-bytes", "damaged", "a varint of six bytes",
                raw(body + b"\xff\xff\xff\xff\xff\1" + counted(b"x")))
    yield other("tag-above-32-bits", "damaged", "a varint of 2^32",
                raw(body + b"\x80\x80\x80\x80\x10" + counted(b"x")))
    yield other("length-most", "damaged", "a length of 2^32-1",
                raw(body + varint(100) + varint((1 << 32) - 1) + b"x"))
    yield other("field-beyond-record", "damaged", "a field one byte longer than its record",
                raw(body + varint(100) + varint(2) + b"x"))
    yield other("field-without-length", "damaged", "a tag at the end", raw(body + varint(100)))
    yield other("record-beyond-bucket", "damaged", "a record one byte longer than the bucket",
                b"\1" + varint(len(body) + 1) + body)
    yield other("record-without-length", "damaged", "a kind alone", b"\1")
    yield other("record-empty", "damaged", "an item without fields", raw(b""))
    yield item("tag-twice", "not canonical", "the label twice",
               sorted(minimal + [(16, b"one"), (16, b"two")]))
    yield item("unknown-tag-twice", "not canonical", "the unknown are judged alike",
               minimal + [(100, b"x"), (100, b"x")])
    yield item("tags-descending", "not canonical", "modified before created",
               [minimal[0], minimal[2], minimal[1], minimal[3]])
    yield item("unknown-tags-descending", "not canonical", "the unknown are judged alike",
               minimal + [(101, b"x"), (100, b"x")])
    yield other("tag-zero", "not canonical", "tags count from 1", raw(b"\0" + counted(b"x") + body))
    yield item("text-empty", "not canonical", "an empty label", changed(16, b""))
    yield item("number-empty", "not canonical", "a port without bytes", changed(6, b""))
    yield item("unknown-empty", "not canonical", "the unknown are judged alike", changed(100, b""))
    yield item("custom-empty", "not canonical", "no custom attribute", changed(25, b""))
    for tag, name, size in (
            (6, "port", 2), (9, "created", 8), (11, "revision", 8), (12, "kind-of-secret", 1),
            (19, "creator", 4), (21, "flags", 1), (22, "expires", 8), (26, "secret-changed", 8), (31, "kept-until", 8)):
        yield item(f"{name}-zero", "not canonical", "a zero is never written",
                   changed(tag, bytes(size)))
        yield item(f"{name}-short" if size > 1 else f"{name}-long", "damaged",
                   "a number of the wrong size", changed(tag, b"\1" * (size - 1 or 2)))
    # §1 numbers at their ends
    for tag, name, value, what in (
            (9, "created", LAST + 1, "above"), (9, "created", (1 << 63) - 1, "most"),
            (10, "modified", LAST + 1, "above"), (10, "modified", (1 << 63) - 1, "most"),
            (26, "secret-changed", LAST + 1, "above"), (26, "secret-changed", (1 << 63) - 1, "most"),
            (11, "revision", END, "above"), (11, "revision", 1 << 63, "2-to-63"),
            (11, "revision", (1 << 64) - 1, "most")):
        yield item(f"{name}-{what}", "damaged", "nothing could be added to it",
                   changed(tag, pack("<Q", value)))
    yield item("port-4-bytes", "damaged", "a number of the wrong size", changed(6, pack("<I", 443)))

    # §1 text
    yield item("text-not-utf8", "damaged", "a byte that UTF-8 does not have", changed(2, b"a\xffb"))
    yield item("text-overlong", "damaged", "a slash in two bytes", changed(7, b"\xc0\xaf"))
    yield item("text-surrogate", "damaged", "half of a pair", changed(3, b"\xed\xa0\x80"))
    yield item("text-cut", "damaged", "the first byte of two", changed(16, b"\xc3"))
    yield item("text-nul", "damaged", "NUL within", changed(1, b"good.example\0.evil.example"))

    # §6.1 items
    for tag, name in ((8, "id"), (9, "created"), (10, "modified"), (11, "revision")):
        yield item(f"item-without-{name}", "damaged", f"field {tag} missing", changed(tag, None))
    yield item("id-15-bytes", "damaged", "a short id", changed(8, ID[:15]))
    yield item("id-17-bytes", "damaged", "a long id", changed(8, ID + b"\1"))
    yield item("id-zero", "damaged", "an id is never zero", changed(8, bytes(16)))
    yield item("sealed-secret-39-bytes", "damaged", "too short for a seal", changed(13, noise(39)))
    yield item("sealed-secret-1065-bytes", "damaged", "a secret of 1025 bytes has a row of its own",
               changed(13, noise(1065)))
    yield item("refresh-token-8233-bytes", "damaged", "a refresh token of 8193 bytes",
               changed(15, noise(8233)))
    def large(node_id, length):
        return pack("<Q16sI", node_id, bytes(range(16)), length)

    for scenario, comment, value in (
            ("large-secret-27-bytes", "a short reference", large(LARGE_ID, 3000)[:27]),
            ("large-secret-29-bytes", "a long reference", large(LARGE_ID, 3000) + b"\1"),
            ("large-secret-of-1024-bytes", "not large", large(LARGE_ID, 1024)),
            ("large-secret-of-no-bytes", "not large", large(LARGE_ID, 0)),
            ("large-secret-above-1-mib", "1 MiB and a byte", large(LARGE_ID, (1 << 20) + 1)),
            ("large-secret-in-a-bucket", "the id of a bucket's row", large(7, 3000)),
            ("large-secret-number-zero", "numbers count from 1", large(1 << 62, 3000)),
            ("large-secret-negative-id", "an id that no row of SQLite can have",
             large(1 << 63 | 5, 3000))):
        yield item(scenario, "damaged", comment, changed(14, value))
    yield item("two-secrets", "damaged", "one inside and one in a row",
               changed(14, large(LARGE_ID, 3000), full))
    pairs = custom({"a": "1"}), custom({"b": "2"})
    yield item("custom-descending", "not canonical", "b before a", changed(25, pairs[1] + pairs[0]))
    yield item("custom-twice", "not canonical", "a name twice", changed(25, pairs[0] * 2))
    yield item("custom-long-varint", "not canonical", "a length of two bytes that fits one",
               changed(25, b"\x81\0a" + counted(b"1")))
    yield item("custom-value-missing", "damaged", "a name alone", changed(25, counted(b"a")))
    yield item("custom-value-beyond", "damaged", "a value one byte longer than the field",
               changed(25, counted(b"a") + b"\2" + b"1"))
    yield item("custom-name-not-utf8", "damaged", "a name that is no text",
               changed(25, counted(b"\xff") + counted(b"1")))

    # §6.2 to §6.6, other kinds
    for kind, name, values in (
            (3, "rule", RULE), (4, "previous", PLACE | {"set": 1, "replaced": 2}),
            (5, "removed", FULL | {"removed": 5}),
            (99, "unknown-kind", {"unknown": {"1": b"x"}})):
        yield other(f"{name}-without-id", "damaged", "the id finds its bucket or names its item",
                    record(kind, changed(8, None, fields(kind, values))))
    change = {"id": ID, "time": 1, "generation": 1, "operation": 1}
    for name, tag in (("time", 10), ("generation", 11), ("operation", 28)):
        yield other(f"change-without-{name}", "damaged", f"field {tag} missing",
                    record(6, changed(tag, None, fields(6, change))))
    yield other("change-id-zero", "damaged", "an id is never zero",
                record(6, changed(8, bytes(16), fields(6, change))))
    yield other("change-attributes-cut", "damaged", "a tag that does not end",
                record(6, changed(35, b"\x90", fields(6, change))))
    yield other("unknown-kind-tag-twice", "not canonical", "its body is fields too",
                record(99, [(1, b"x"), (1, b"x"), (8, ID)]))
    yield other("unknown-kind-not-fields", "damaged", "its body is fields too",
                raw(b"\1\xff", 99))
    minimal_rule = fields(3, {"id": ID, "position": 1, "name": "a rule"})

    def rule(scenario, comment, tag, value, expect="damaged", pairs=minimal_rule):
        return other(scenario, expect, comment, record(3, changed(tag, value, pairs)))

    yield rule("rule-without-position", "its place is not known", 40, None)
    yield rule("rule-position-zero", "a zero is never written", 40, bytes(4), "not canonical")
    yield rule("rule-without-name", "nobody could name it", 41, None)
    yield rule("rule-name-65-bytes", "longer than a name may be", 41, b"n" * 65)
    yield rule("rule-name-control", "a line feed", 41, b"a\nb")
    yield rule("rule-name-control-above-ascii", "U+009B", 41, b"a\xc2\x9bb")
    yield rule("rule-note-4097-bytes", "longer than a note may be", 42, b"n" * 4097)
    yield rule("rule-star-in-the-middle", "a star that matches nothing", 43, b"a.*.example")
    yield rule("rule-two-stars", "a star that matches nothing", 43, b"*.*.example")
    yield rule("rule-port-4-bytes", "a number of the wrong size", 45, pack("<I", 80))
    for tag, name in ((47, "server-or-proxy"), (48, "secure"), (49, "loopback"),
                      (50, "persistence"), (57, "ntlm")):
        yield rule(f"rule-{name}-3", "a number that means nothing", tag, b"\3")
        yield rule(f"rule-{name}-zero", "a zero is never written", tag, b"\0", "not canonical")
    yield rule("rule-lifetime-4-bytes", "a number of the wrong size", 51, pack("<I", 1))
    yield rule("rule-lifetime-zero", "a zero is never written", 51, bytes(8), "not canonical")
    yield rule("rule-lifetime-above-100-years", "a millisecond too long", 51,
               pack("<Q", 100 * 31_557_600_000 + 1))
    yield rule("rule-lifetime-most", "no signed number", 51, b"\xff" * 8)
    yield rule("rule-acceptance-2", "a number that means nothing", 52, b"\2")
    yield rule("rule-refuse-2", "a number that means nothing", 53, b"\2")
    yield rule("rule-negotiate-in-clear-2", "a number that means nothing", 58, b"\2")
    yield rule("rule-refuse-beside-a-limit", "what is refused has no other limits", 53, b"\1",
               pairs=fields(3, RULE))
    for tag, name in ((9, "set"), (10, "replaced")):
        yield other(f"previous-without-{name}", "damaged", f"field {tag} missing", record(
            4, changed(tag, None, fields(4, PLACE | {"set": 1, "replaced": 2}))))
    previous = fields(4, PLACE | {"set": 1, "replaced": 2, "sealedSecret": noise(41)})
    for scenario, comment, tag, value in (
            ("previous-secret-too-short", "a seal of nothing", 13, noise(40)),
            ("previous-secret-too-long", "1025 bytes belong into a row", 13, noise(1065)),
            ("previous-large-secret-too-short", "1024 bytes belong into the record", 14,
             large(LARGE_ID, 1024)),
            ("previous-two-secrets", "one inside and one in a row", 14, large(LARGE_ID, 3000)),
            ("previous-set-4-bytes", "a number of the wrong size", 9, pack("<I", 1)),
            ("previous-kept-until-4-bytes", "a number of the wrong size", 31, pack("<I", 1)),
            ("previous-set-above", "after the year 9999", 9, pack("<q", LAST + 1)),
            ("previous-replaced-above", "after the year 9999", 10, pack("<q", LAST + 1)),
            ("previous-replaced-most", "no other could follow", 10, pack("<q", (1 << 63) - 1)),
            ("previous-id-zero", "no item's", 8, bytes(16))):
        yield other(scenario, "damaged", comment, record(4, changed(tag, value, previous)))
    yield other("removed-without-time", "damaged", "field 27 missing", record(5, full))
    yield other("removed-time-4-bytes", "damaged", "a number of the wrong size",
                record(5, changed(27, pack("<I", 5), full)))
    yield other("removed-time-zero", "not canonical", "a zero is never written",
                record(5, changed(27, bytes(8), full)))
    yield other("removed-time-above", "damaged", "after the year 9999",
                record(5, changed(27, pack("<q", LAST + 1), full)))
    yield other("previous-removed-above", "damaged", "after the year 9999",
                record(4, changed(27, pack("<q", LAST + 1), previous)))
    yield other("previous-removed-4-bytes", "damaged", "a number of the wrong size",
                record(4, changed(27, pack("<I", 5), previous)))
    tree = [(1, b"git.example.com"), (60, b"\1"), (61, pack("<I", 1)), (62, DIRECTORY)]
    for number, name in ((60, "level"), (61, "number"), (62, "directory")):
        yield other(f"tree-without-{name}", "damaged", f"field {number} missing",
                    record(7, changed(number, None, tree)))
    yield other("tree-level-zero", "not canonical", "a zero is never written",
                record(7, changed(60, b"\0", tree)))
    yield other("tree-level-3", "damaged", "there are levels 0 to 2",
                record(7, changed(60, b"\3", tree)))
    yield other("tree-level-1-with-account", "damaged", "a host's tree holds all its accounts",
                record(7, changed(2, b"ada", tree)))
    yield other("tree-number-zero", "not canonical", "tree 0 is the head's",
                record(7, changed(61, bytes(4), tree)))
    yield other("tree-number-2-to-29", "damaged", "its rows' ids would be those of large secrets",
                record(7, changed(61, pack("<I", 1 << 29), tree)))
    yield other("tree-load-above", "damaged", "more records than can be counted",
                record(7, changed(62, pack("<IQ", 2, END) + noise(32), tree)))
    yield other("tree-load-most", "damaged", "one more would be none",
                record(7, changed(62, pack("<IQ", 2, (1 << 64) - 1) + noise(32), tree)))
    yield other("tree-directory-cut", "damaged", "two buckets, less than two tags",
                record(7, changed(62, DIRECTORY[:-1], tree)))


def vectors():
    yield from good()
    yield from bad()
