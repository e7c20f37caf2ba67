"""Vectors of sealed rows, secrets, addresses and heads."""

from struct import pack

from keyvectors import flipped
from sodium import H, seal, subkey
from vector import Vector
from writer import KINDS, Writer, address, field, fields, record, route

END, LAST = 1 << 62, 253_402_300_799_999  # of numbers that count, of what happened, §1
KIND_NAMES = {1: "head", 2: "chunk", 3: "bucket", 4: "large", 5: "ancestors", 6: "commit"}
LARGE_ID = (1 << 62) + 5
ANCESTORS_ID = (1 << 62) + (1 << 61) + 3
COMMIT_ID = (1 << 62) + (1 << 61) + (1 << 60) + 3


def seals():
    def vector(scenario, expect, comment, content=b"content", change=None, *, kind=3, node_id=9,
               context=None, **how):
        w = Writer(f"seal/{scenario}", epoch=3)
        keys = {"vault-key": w.vault_key, "vault-id": w.vault_id, "epoch": 3, "kind": kind,
                "node-id": node_id}
        content = w.random.take(content) if isinstance(content, int) else content
        row = w.row(kind, node_id, content, **how)
        row = change(w, row) if change else row
        keys |= (context or {}) | ({"content": content} if expect == "success" else {})
        return Vector("seal", scenario, expect, comment, row, keys)

    for kind, node_id in ((1, 0), (2, (1 << 32) + 1), (3, (7 << 33) + 2), (4, LARGE_ID),
                          (5, ANCESTORS_ID), (6, COMMIT_ID)):
        yield vector(f"{KIND_NAMES[kind]}-row", "success", f"a sealed row of kind {kind}",
                     kind=kind, node_id=node_id)
    for size in (0, 1, 467, 468, 469, 979, 980, 981):
        yield vector(f"content-{size}", "success", f"{(size + 44 + 511) // 512 * 512} bytes", size)

    same_key = "the node key opens both kinds; the associated data does not"
    yield vector("chunk-as-bucket", "damaged", same_key, kind=2, context={"kind": 3})
    yield vector("bucket-as-chunk", "damaged", same_key, context={"kind": 2})
    yield vector("bucket-as-head", "damaged", "another kind and another key", node_id=0,
                 context={"kind": 1})
    yield vector("large-as-bucket", "damaged", "another kind and another key", kind=4,
                 context={"kind": 3})
    yield vector("ancestors-as-bucket", "damaged", same_key, kind=5, node_id=ANCESTORS_ID,
                 context={"kind": 3})
    yield vector("commit-as-ancestors", "damaged", same_key, kind=6, node_id=COMMIT_ID,
                 context={"kind": 5})
    yield vector("other-node", "damaged", "a row copied to another id", context={"node-id": 10})
    yield vector("other-tree", "damaged", "a row copied to another tree's bucket of the same number",
                 context={"node-id": 9 + (1 << 33)})
    yield vector("other-level", "damaged", "a row copied to the other level",
                 context={"node-id": 9 + (1 << 32)})
    yield vector("other-epoch", "damaged", "a row of the epoch before", context={"epoch": 4})
    yield vector("other-vault", "damaged", "a row of another vault",
                 context={"vault-id": bytes(range(16))})
    yield vector("other-vault-key", "damaged", "another vault key",
                 context={"vault-key": bytes(range(32))})
    yield vector("bucket-under-secret-key", "damaged", "the key of another purpose",
                 change=lambda w, row: w.row(3, 9, b"content", key=subkey(w.vault_key, 3)))
    yield vector("large-under-node-key", "damaged", "the key of another purpose", kind=4,
                 node_id=LARGE_ID, change=lambda w, row: w.row(
                     4, LARGE_ID, b"content", key=subkey(w.vault_key, 2)))
    yield vector("head-under-node-key", "damaged", "the key of another purpose", kind=1, node_id=0,
                 change=lambda w, row: w.row(1, 0, b"content", key=subkey(w.vault_key, 2)))
    for name, at in (("nonce-first", 0), ("nonce-last", 23), ("ciphertext-first", 24),
                     ("ciphertext-last", -17), ("tag-first", -16), ("tag-last", -1)):
        yield vector(f"flipped-{name}", "damaged", "a flipped bit",
                     change=lambda w, row, at=at: flipped(row, at))
    yield vector("padding-first-not-zero", "damaged",
                 "the first byte after the content is not zero", zeros=b"\1" + bytes(460))
    yield vector("padding-last-not-zero", "damaged", "the last byte is not zero",
                 zeros=bytes(460) + b"\1")
    yield vector("padding-too-long", "not canonical", "512 zeros more than are needed",
                 zeros=bytes(461 + 512))
    yield vector("padding-whole-block", "not canonical", "512 zeros where none is needed", 468,
                 zeros=bytes(512))
    yield vector("padding-missing", "damaged", "51 bytes, not a multiple of 512", zeros=b"")
    yield vector("padding-one-short", "damaged", "511 bytes", zeros=bytes(460))
    yield vector("length-one-beyond", "damaged", "the content ends one byte after the row",
                 length=469)
    yield vector("length-most", "damaged", "a length of 2^32-1", length=(1 << 32) - 1)
    yield vector("length-less", "damaged", "the rest of the content stands where zeros must",
                 length=6)
    yield vector("without-length", "damaged", "a seal of nothing at all",
                 change=lambda w, row: seal(
                     subkey(w.vault_key, 2), bytes(24), w.row_ad(3, 9), b""))
    yield vector("half", "damaged", "the first 512 of 1024 bytes", 981,
                 change=lambda w, row: row[:512])
    yield vector("trailing-block", "damaged", "512 bytes after the row",
                 change=lambda w, row: row + bytes(512))
    yield vector("zeros", "damaged", "512 zeros", change=lambda w, row: bytes(512))
    yield vector("empty", "damaged", "no bytes", change=lambda w, row: b"")


def secrets():
    def vector(scenario, expect, comment, secret=b"hunter2", change=None, *, use=1, context=None,
               under=3):
        w = Writer(f"secret/{scenario}", epoch=3)
        item_id = w.random.take(16)
        secret = w.random.take(secret) if isinstance(secret, int) else secret
        sealed = w.secret(use, item_id, secret, subkey(w.vault_key, under))
        sealed = change(w, sealed) if change else sealed
        keys = {"vault-key": w.vault_key, "vault-id": w.vault_id, "epoch": 3, "use": use,
                "item-id": item_id} | (context or {})
        if expect == "success":
            keys["secret"] = secret
        return Vector("secret", scenario, expect, comment, sealed, keys)

    for use, name in ((1, "secret"), (2, "refresh-token"), (3, "previous-secret"),
                      (4, "record-key")):
        yield vector(name, "success", f"use {use}", use=use)
    yield vector("one-byte", "success", "the shortest secret that is written", b"\0")
    yield vector("1024-bytes", "success", "the longest secret inside a record", 1024)
    yield vector("refresh-token-8192-bytes", "success", "the longest refresh token", 8192, use=2)
    for use, other in ((1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2), (1, 0), (1, 4), (4, 1)):
        yield vector(f"use-{use}-as-{other}", "damaged", "a seal moved to another use", use=use,
                     context={"use": other})
    yield vector("other-item", "damaged", "a secret moved to another item",
                 context={"item-id": bytes(range(16))})
    yield vector("other-epoch", "damaged", "a secret of the epoch before", context={"epoch": 4})
    yield vector("other-vault", "damaged", "a secret of another vault",
                 context={"vault-id": bytes(range(16))})
    yield vector("other-vault-key", "damaged", "another vault key",
                 context={"vault-key": bytes(range(32))})
    for name, at in (("nonce", 0), ("ciphertext", 24), ("tag", -1)):
        yield vector(f"flipped-{name}", "damaged", "a flipped bit",
                     change=lambda w, sealed, at=at: flipped(sealed, at))
    yield vector("short", "damaged", "39 bytes cannot be a seal",
                 change=lambda w, sealed: sealed[:39])
    yield vector("cut", "damaged", "the last byte missing", change=lambda w, sealed: sealed[:-1])
    yield vector("long", "damaged", "a byte more", change=lambda w, sealed: sealed + b"\0")
    yield vector("under-node-key", "damaged", "the key of another purpose", under=2)
    yield vector("empty", "damaged", "no bytes", change=lambda w, sealed: b"")


BUCKETS = (1, 2, 3, 5, 8, 100, 129, 1000)


def hashes():
    full = {"server": "git.example.com", "account": "ada", "realm": "Gr\u00fc\u00dfe",
            "protocol": "https", "method": "basic", "port": 8443, "path": "/team/project.git"}
    dated = {"created": 1, "modified": 2, "revision": 3}

    def vector(scenario, comment, kind, /, **values):
        w = Writer(f"hash/{scenario}")
        number = KINDS.get(kind) or values["kind"]
        if kind != "trees":
            values.setdefault("id", w.random.take(16))
        keys = {"vault-key": w.vault_key, "buckets": " ".join(map(str, BUCKETS))}
        for level, key in enumerate(route(number, values)):
            h = w.bucket_hash(level, key)
            keys |= {f"key-{level}": key, f"hash-{level}": h, f"buckets-{level}": " ".join(
                str(address(h, buckets)) for buckets in BUCKETS)}
        if kind == "defaults":
            values["id"] = b""
        return Vector("hash", scenario, "success", comment, record(number, fields(number, values)),
                      keys)

    yield vector("item", "every part of the route", "items", **full, **dated)
    yield vector("item-host-only", "the rest is two separators, port 0, a separator", "items",
                 server="example.com", **dated)
    yield vector("item-empty", "nothing but the id, which no item's route holds", "items", **dated)
    yield vector("item-no-port", "port 0 stands for none", "items", **full | {"port": 0}, **dated)
    yield vector("item-port-256", "the port is two bytes, the low one first", "items",
                 **full | {"port": 256}, **dated)
    yield vector("item-path-only", "the path follows the port without a separator", "items",
                 server="example.com", path="/p", **dated)
    yield vector("default", "an empty account, no path", "defaults", **full | {"path": ""})
    yield vector("previous", "its item's route", "previous", **full, set=1, replaced=2)
    yield vector("removed", "its item's route", "removed", **full, **dated, removed=9)
    yield vector("rule", "a NUL, an empty key, its id", "rules", position=1, name="a rule",
                 protocol="https")
    yield vector("change", "server and account, the item's id", "changes",
                 server="git.example.com", account="ada", protocol="https", time=1, generation=1,
                 operation=1)
    yield vector("change-of-vault", "two empty keys, its generation", "changes", id=b"", time=1,
                 generation=258, operation=18)
    yield vector("unknown-kind", "empty keys, its id", "unknown", kind=99, unknown={"1": b"x"})
    directory = pack("<IQ", 1, 0) + bytes(16)
    yield vector("tree-of-host", "the key of its group", "trees", host="git.example.com", level=1,
                 number=1, directory=directory)
    yield vector("tree-of-account", "the keys of its group", "trees", host="git.example.com",
                 account="ada", level=2, number=2, directory=directory)


def heads():
    def vector(scenario, expect, comment, change=None, *, generation=3, directory=None, extra=b"",
               slots=None, features=0, **changes):
        w = Writer(f"head/{scenario}", epoch=2)
        w.features = features
        w.slots = {number: w.random.take(148 + number) for number in (1, 2, 5)}
        tags = w.random.take(16)
        directory = pack("<IQ", 2, 40) + tags + bytes(16) if directory is None else directory
        pairs = w.head(directory, generation, items=37, **changes)
        content = change(pairs) if change else b"".join(field(*pair) for pair in pairs)
        given = (slots or dict)(w.slots)
        keys = {"vault-key": w.vault_key, "ident": w.ident()}
        keys |= {f"slot-{number}": body for number, body in sorted((given or w.slots).items())}
        if expect == "success":
            values = dict(pairs)
            keys |= {"generation": generation,
                     "time": int.from_bytes(values[3], "little", signed=True),
                     "slots": values[4], "directory": directory,
                     "next-tree": int.from_bytes(values[6], "little"),
                     "next-large": int.from_bytes(values[7], "little"),
                     "recent": values.get(8, b""),
                     "items": int.from_bytes(values.get(9, b""), "little")}
            keys |= {"history-limit": values[10][0] - 1} if 10 in values else {}
            keys |= {"record-key": w.record_key}
            keys |= {"trash-days": int.from_bytes(values[12], "little") - 1} if 12 in values else {}
            keys |= {"log-days": int.from_bytes(values[14], "little") - 1} if 14 in values else {}
            keys |= {"keeps-for-programs": 1} if 19 in values else {}
            keys |= {"merged": values[13]} if 13 in values else {}
            keys |= {"ancestors": values[16]} if 16 in values else {}
            keys |= {"roster": values[17]} if 17 in values else {}
            keys |= {"commit": values[18]} if 18 in values else {}
            keys |= ({"most-remembered": int.from_bytes(values[15], "little") - 1}
                     if 15 in values else {})
        return Vector("head", scenario, expect, comment, content + extra, keys)

    def listed(change):
        return lambda pairs: b"".join(field(*pair) for pair in change(pairs))

    yield vector("new", "success", "generation 1, no recent heads, no items, an empty bucket",
                 generation=1, directory=pack("<IQ", 1, 0) + bytes(16), tag9=b"")
    yield vector("ordinary", "success", "two buckets, one empty; two recent heads")
    yield vector("64-recent", "success", "the most recent heads", generation=900)
    yield vector("128-buckets", "success", "the most buckets without chunks",
                 directory=pack("<IQ", 128, 4000) + bytes(range(16)) * 128)
    yield vector("129-buckets", "success", "two chunks",
                 directory=pack("<IQ", 129, 4100) + bytes(range(16)) * 2)
    yield vector("unknown-field", "success", "a field of a later minor version is kept",
                 tag100=b"later")
    for limit, comment in ((0, "no previous secrets"), (9, "one less than without the field"),
                           (100, "the most")):
        yield vector(f"history-limit-{limit}", "success", comment, tag10=bytes([limit + 1]))
    for days, comment in ((0, "nothing is kept"), (31, "one more than without the field"),
                          (365, "the most")):
        yield vector(f"trash-days-{days}", "success", comment, tag12=pack("<H", days + 1))
    for days, comment in ((0, "nothing is logged"), (91, "one more than without the field"),
                          (365, "the most")):
        yield vector(f"log-days-{days}", "success", comment, tag14=pack("<H", days + 1))

    yield vector("programs-kept", "success", "what programs remove can be restored", tag19=b"\1")
    yield vector("programs-2", "damaged", "neither kept nor gone", tag19=b"\2")

    for seconds, comment in ((0, "never"), (3600, "an hour"), ((1 << 32) - 2, "the most")):
        yield vector(f"remembering-{seconds}", "success", comment, tag15=pack("<I", seconds + 1))

    def merged(*generations, by=None):
        return b"".join(pack("<QQ", number, by or number + 1) + bytes(range(1, 17))
                        for number in generations)

    yield vector("merged", "success", "three heads of other copies, two of one generation",
                 generation=80, tag13=merged(79, 78, 78))
    yield vector("merged-256", "success", "the most", generation=900, tag13=merged(*[880] * 256))
    yield vector("merged-257", "damaged", "one more than the most", generation=900,
                 tag13=merged(*[880] * 257))
    yield vector("merged-31-bytes", "damaged", "not a whole head", generation=80,
                 tag13=merged(79)[:31])
    yield vector("merged-ascending", "damaged", "the higher generation is not first",
                 generation=80, tag13=merged(78, 79))
    yield vector("merged-present", "damaged", "not before this one", generation=80,
                 tag13=merged(80))
    yield vector("merged-too-early", "damaged", "merged before it was there", generation=80,
                 tag13=merged(79, by=79))
    yield vector("merged-too-late", "damaged", "merged after this head", generation=80,
                 tag13=merged(79, by=81))
    yield vector("merged-generation-zero", "damaged", "no vault had it", generation=80,
                 tag13=merged(79, 0))
    yield vector("merged-without-tag", "damaged", "no head has 16 zero bytes as its tag",
                 generation=80, tag13=pack("<QQ", 79, 80) + bytes(16))

    yield vector("highest-numbers", "success", "all numbers at their ends", generation=END - 1,
                 directory=pack("<IQ", 1, END - 1) + bytes(range(16)),
                 tag3=pack("<q", LAST), tag6=pack("<I", 1 << 29),
                 tag7=pack("<Q", 1 << 61), tag9=pack("<Q", END - 1))
    for tag, name in ((2, "generation"), (7, "next-large"), (9, "items")):
        for number, what in ((END, "above"), (1 << 63, "2-to-63"), ((1 << 64) - 1, "most")):
            yield vector(f"{name}-{what}", "damaged", "nothing could be counted further",
                         **{f"tag{tag}": pack("<Q", number)})
    yield vector("time-above", "damaged", "after the year 9999", tag3=pack("<q", LAST + 1))
    yield vector("time-most", "damaged", "the last that a number can say", tag3=b"\xff" * 7 + b"\x7f")
    yield vector("time-least", "success", "the first that a number can say", tag3=bytes(7) + b"\x80")
    yield vector("next-tree-above", "damaged", "its rows' ids would be those of large secrets",
                 tag6=pack("<I", (1 << 29) + 1))
    yield vector("next-large-too-high", "damaged", "its row's id would be that of ancestors",
                 tag7=pack("<Q", (1 << 61) + 1))
    yield vector("roster", "success", "an admin key and its signature", tag17=bytes(range(96)))
    yield vector("roster-most", "success", "64 admin keys that followed", tag17=b"a" * (96 + 64 * 104))
    for size in (95, 97, 199, 201, 96 + 65 * 104):
        yield vector(f"roster-{size}-bytes", "damaged", "no admin keys and a signature",
                     tag17=b"a" * size)
    for scenario, expect, comment, value in commit_fields():
        yield vector(f"commit-{scenario}", expect, comment, features=1 << 16, tag18=value)
    yield vector("commit-missing", "damaged", "a fleet's vault says who committed it",
                 features=1 << 16)
    yield vector("commit-without-fleet", "damaged", "a vault of one machine alone does not",
                 tag18=pack("<Q", 2) + bytes(176))
    yield vector("commit-of-later", "damaged", "the one before is not before", features=1 << 16,
                 tag18=pack("<Q", 3) + bytes(176))
    yield vector("ancestors", "success", "the first block", generation=64, tag16=bytes(range(16)))
    yield vector("ancestors-too-early", "damaged", "no block is complete", generation=63,
                 tag16=bytes(range(16)))
    yield vector("ancestors-zero", "not canonical", "a field that says nothing", generation=64,
                 tag16=bytes(16))
    yield vector("ancestors-15-bytes", "damaged", "not a tag", generation=64,
                 tag16=bytes(range(15)))
    yield vector("directory-load-above", "damaged", "more records than can be counted",
                 directory=pack("<IQ", 1, END) + bytes(range(16)))
    yield vector("directory-load-most", "damaged", "one more would be none",
                 directory=pack("<IQ", 1, (1 << 64) - 1) + bytes(range(16)))

    for tag, name in ((1, "ident"), (2, "generation"), (3, "time"), (4, "slots"), (5, "directory"),
                      (6, "next-tree"), (7, "next-large"), (11, "record-key")):
        yield vector(f"without-{name}", "damaged", f"field {tag} missing", **{f"tag{tag}": b""})
    other = Writer("another vault")
    yield vector("ident-of-another-vault", "damaged", "field 1 differs from the row's ident",
                 tag1=other.ident())
    yield vector("ident-of-another-minor", "damaged", "any difference is damage",
                 tag1=Writer("head/ident-of-another-minor", 2).ident(minor=1))
    yield vector("ident-short", "damaged", "47 bytes", tag1=other.ident()[:47])
    yield vector("generation-zero", "not canonical", "a zero is never written", tag2=bytes(8))
    yield vector("generation-4-bytes", "damaged", "a number of the wrong size", tag2=pack("<I", 3))
    yield vector("time-4-bytes", "damaged", "a number of the wrong size", tag3=pack("<I", 3))
    yield vector("next-tree-zero", "not canonical", "tree 0 is taken", tag6=bytes(4))
    yield vector("next-large-4-bytes", "damaged", "a number of the wrong size", tag7=pack("<I", 1))
    yield vector("slots-16-bytes", "damaged", "half of the slots' code", tag4=bytes(range(16)))
    yield vector("history-limit-zero", "not canonical", "a zero is never written", tag10=bytes(1))
    yield vector("history-limit-10", "not canonical", "what holds without the field is not written",
                 tag10=b"\x0b")
    yield vector("history-limit-101", "damaged", "a history longer than any", tag10=b"\x66")
    yield vector("history-limit-2-bytes", "damaged", "a number of the wrong size", tag10=b"\5\0")
    for scenario, comment, change in (
            ("record-key-short", "71 bytes", lambda w, key: key[:-1]),
            ("record-key-long", "73 bytes", lambda w, key: key + b"\0"),
            ("record-key-flipped", "a flipped bit", lambda w, key: flipped(key, 30)),
            ("record-key-of-use-1", "sealed as an item's secret",
             lambda w, key: w.secret(1, bytes(16), w.record_key)),
            ("record-key-of-an-item", "sealed with an item's id",
             lambda w, key: w.secret(4, bytes(range(16)), w.record_key)),
            ("record-key-in-clear", "not sealed", lambda w, key: w.record_key)):
        yield vector(scenario, "damaged", comment, listed(
            lambda pairs, change=change, scenario=scenario: [
                (tag, change(Writer(f"head/{scenario}", epoch=2), value) if tag == 11 else value)
                for tag, value in pairs]))
    yield vector("trash-days-zero", "not canonical", "a zero is never written", tag12=bytes(2))
    yield vector("trash-days-30", "not canonical", "what holds without the field is not written",
                 tag12=pack("<H", 31))
    yield vector("trash-days-366", "damaged", "for longer than any", tag12=pack("<H", 367))
    yield vector("log-days-zero", "not canonical", "a zero is never written", tag14=bytes(2))
    yield vector("log-days-90", "not canonical", "what holds without the field is not written",
                 tag14=pack("<H", 91))
    yield vector("log-days-366", "damaged", "for longer than any", tag14=pack("<H", 367))
    yield vector("trash-days-1-byte", "damaged", "a number of the wrong size", tag12=b"\5")
    yield vector("remembering-zero", "not canonical", "a zero is never written", tag15=bytes(4))
    yield vector("remembering-2-bytes", "damaged", "a number of the wrong size", tag15=b"\5\0")
    yield vector("items-zero", "not canonical", "a zero is never written", tag9=bytes(8))
    yield vector("recent-15-bytes", "damaged", "not whole tags", tag8=bytes(range(15)))
    yield vector("recent-65", "damaged", "more than 64 recent heads", generation=900,
                 tag8=bytes(range(16)) * 65)
    yield vector("recent-beyond", "damaged", "more heads before this one than generations",
                 tag8=bytes(range(16)) * 3)
    tags = bytes(range(16))
    for scenario, comment, value in (
            ("directory-without-buckets", "no bucket", pack("<IQ", 0, 0)),
            ("directory-cut", "less than a bucket count and a load", pack("<IQ", 1, 0)[:11]),
            ("directory-without-tags", "one bucket, no tag", pack("<IQ", 1, 0)),
            ("directory-tag-missing", "three buckets, two tags", pack("<IQ", 3, 9) + tags * 2),
            ("directory-tag-more", "three buckets, four tags", pack("<IQ", 3, 9) + tags * 4),
            ("directory-part-of-a-tag", "a byte after the tags", pack("<IQ", 1, 9) + tags + b"\0"),
            ("directory-buckets-for-chunks", "129 buckets, their tags instead of the chunks'",
             pack("<IQ", 129, 9) + tags * 129),
            ("directory-128-by-chunk", "128 buckets, one chunk's tag", pack("<IQ", 128, 9) + tags),
            ("directory-most-buckets", "2^32-1 buckets, one tag",
             pack("<IQ", (1 << 32) - 1, 9) + tags)):
        yield vector(scenario, "damaged", comment, directory=value)
    yield vector("field-twice", "not canonical", "generation twice", listed(
        lambda pairs: pairs[:2] + pairs[1:]))
    yield vector("fields-descending", "not canonical", "time before generation", listed(
        lambda pairs: [pairs[0], pairs[2], pairs[1], *pairs[3:]]))
    yield vector("cut", "damaged", "the last byte missing", lambda pairs: b"".join(
        field(*pair) for pair in pairs)[:-1])
    yield vector("trailing", "damaged", "a byte after the last field", extra=b"\x0c")
    yield vector("empty", "damaged", "no bytes", lambda pairs: b"")
    for scenario, comment, change in (
            ("slot-missing", "slot 2 removed behind the head's back",
             lambda slots: {1: slots[1], 5: slots[5]}),
            ("slot-more", "a slot added behind the head's back",
             lambda slots: slots | {6: slots[5]}),
            ("slot-renumbered", "slot 5 moved to 6",
             lambda slots: {1: slots[1], 2: slots[2], 6: slots[5]}),
            ("slot-changed", "the last byte of slot 5 changed",
             lambda slots: slots | {5: flipped(slots[5], -1)}),
            ("slots-swapped", "slots 1 and 2 exchanged",
             lambda slots: slots | {1: slots[2], 2: slots[1]})):
        yield vector(scenario, "damaged", comment, slots=change)


def ancestors():
    """Blocks of ancestors, §7.1."""
    def merged(*generations, by=1000):
        return b"".join(pack("<QQ", number, by) + bytes(range(1, 17)) for number in generations)

    def vector(scenario, expect, comment, number=3, heads=b"", change=None):
        w = Writer(f"ancestors/{scenario}")
        previous, own = w.random.take(16), w.random.take(1024)
        if number == 0:
            previous, own = bytes(16), bytes(16) + own[16:]
        content = previous + own + heads
        keys = {"number": number}
        if expect == "success":
            keys |= {"previous": previous, "own": own, "merged": heads}
        return Vector("ancestors", scenario, expect, comment, change(content) if change else content,
                      keys)

    yield vector("ordinary", "success", "the heads of generations 192 to 255")
    yield vector("first", "success", "no block before, and no generation 0", 0)
    yield vector("merged", "success", "heads of other copies, two of one generation",
                 heads=merged(255, 200, 200, 192))
    yield vector("merged-256", "success", "the most", heads=merged(*[200] * 256))
    yield vector("merged-257", "damaged", "one more than the most", heads=merged(*[200] * 257))
    yield vector("empty", "damaged", "no bytes", change=lambda content: b"")
    yield vector("cut", "damaged", "a byte less", change=lambda content: content[:-1])
    yield vector("trailing", "damaged", "a byte more", change=lambda content: content + b"\1")
    yield vector("generation-zero", "damaged", "no vault had it", 0,
                 change=lambda content: content[:16] + b"\1" + content[17:])
    yield vector("merged-before", "damaged", "of a generation before the block's",
                 heads=merged(191))
    yield vector("merged-after", "damaged", "of a generation after the block's", heads=merged(256))
    yield vector("merged-ascending", "damaged", "the higher generation is not first",
                 heads=merged(200, 201))
    yield vector("merged-too-early", "damaged", "merged before it was there",
                 heads=merged(200, by=200))
    yield vector("merged-without-tag", "damaged", "no head has 16 zero bytes as its tag",
                 heads=pack("<QQ", 200, 201) + bytes(16))


def commit_fields():
    """Scenario, outcome, comment and value of a commit's field, §7.2; none of them is signed."""
    tag, link, keys, signature = bytes(range(1, 17)), bytes(range(32)), b"k" * 64, b"s" * 64

    def value(previous=2, tag=tag, link=link, keys=keys, signature=signature, name=b"build"):
        return pack("<Q", previous) + tag + link + keys + signature + name

    yield "signed", "success", "by a machine", value()
    yield "unsigned", "success", "by nobody", value(keys=bytes(64), signature=bytes(64), name=b"")
    yield "first", "success", "nothing is known before", value(0, bytes(16), bytes(32))
    yield "without-row", "success", "the one before has no row any more", value(tag=bytes(16))
    yield "without-name", "success", "a machine without a name", value(name=b"")
    yield "longest-name", "success", "64 bytes", value(name=b"n" * 64)
    yield "name-too-long", "damaged", "65 bytes", value(name=b"n" * 65)
    yield "name-not-utf8", "damaged", "no text", value(name=b"\xff")
    yield "name-nul", "damaged", "a text holds NUL", value(name=b"a\0")
    yield "cut", "damaged", "a byte less than without a name", value(name=b"")[:-1]
    yield "first-with-tag", "damaged", "a row of nothing", value(0, link=bytes(32))
    yield "first-with-link", "damaged", "a link to nothing", value(0, bytes(16))
    yield "unsigned-with-name", "damaged", "nobody has no name", value(
        keys=bytes(64), signature=bytes(64))
    yield "unsigned-with-signature", "damaged", "nobody does not sign", value(
        keys=bytes(64), name=b"")
    yield "previous-above", "damaged", "no generation", value(END)


def commits():
    """Rows of commits, §7.2."""
    w = Writer("commits")
    signer = w.random.take(32)

    def vector(scenario, expect, comment, value=None, change=None, generation=3, time=LAST,
               sign=False):
        head_hash = bytes(range(32))
        after = None
        if sign:
            value, after = w.commit(generation, head_hash, time, 2, bytes(range(1, 17)),
                                    bytes(range(32)), signer if sign == "machine" else None,
                                    "build" if sign == "machine" else "")
        content = pack("<Qq", generation, time) + head_hash + value
        content = change(content) if change else content
        keys = {"vault-id": w.vault_id}
        if expect == "success":
            keys |= {"hash": after, "signed": int(sign == "machine")}
        return Vector("commit", scenario, expect, comment, content, keys)

    yield vector("signed", "success", "by a machine", sign="machine")
    yield vector("unsigned", "success", "by nobody", sign="nobody")
    yield vector("time-least", "success", "the first that a number can say", sign="machine",
                 time=-(1 << 63))
    for scenario, expect, comment, value in commit_fields():
        if expect != "success":
            yield vector(f"field-{scenario}", expect, comment, value)
    good = vector("signed", "success", "", sign="machine").body
    for name, at in (("generation", 0), ("time", 8), ("head", 16), ("previous", 48), ("link", 72),
                     ("wrapping-key", 104), ("verify-key", 136), ("signature", 168), ("name", 232)):
        yield vector(f"flipped-{name}", "damaged", "it is signed", b"",
                     lambda _, at=at: flipped(good, at))
    yield vector("flipped-tag", "success", "a row's tag is not", sign="machine",
                 change=lambda content: flipped(content, 56))
    field_ = good[48:]
    yield vector("generation-zero", "damaged", "no generation", field_, generation=0)
    yield vector("generation-above", "damaged", "no generation", field_, generation=END)
    yield vector("not-after", "damaged", "the one before is the same", field_, generation=2)
    yield vector("time-above", "damaged", "after the year 9999", field_, time=LAST + 1)
    yield vector("time-zero", "damaged", "0 is written as 1", field_, time=0)
    yield vector("short", "damaged", "a head's hash is cut", change=lambda _: good[:47], value=b"")
    yield vector("empty", "damaged", "no bytes", change=lambda _: b"", value=b"")


def remembered():
    """The records that a machine keeps of a vault and of a path, §8."""
    path = b"/home/ada/.local/share/vaultctl/default.vault"

    def vector(scenario, expect, comment, kind="seen", change=None, context=None, key=None, **values):
        w = Writer(f"remembered/{scenario}")
        tag = w.random.take(16)
        seen = {"epoch": 3, "generation": 70, "head": tag} | values
        raw = (b"vltplace" + w.vault_id if kind == "place" else
               b"vltseen1" + pack("<QQ16s", seen["epoch"], seen["generation"], seen["head"]))
        raw += H(32, key or w.record_key, raw + H(16, b"", path))
        keys = {"kind": kind, "vault-key": w.vault_key, "ident": w.ident(),
                "record-key": w.secret(4, bytes(16), w.record_key), "path": path.decode()}
        keys |= context or {}
        if expect == "success" and kind == "seen":
            keys |= seen
        return Vector("remembered", scenario, expect, comment, change(raw) if change else raw, keys)

    for kind in ("seen", "place"):
        yield vector(kind, "success", "a record that is believed", kind)
        yield vector(f"{kind}-another-path", "damaged", "a record moved to another path", kind,
                     context={"path": "/home/ada/default.vault"})
        yield vector(f"{kind}-another-key", "damaged", "made by who cannot open the vault", kind,
                     key=bytes(range(32)))
        for name, at in (("first", 8), ("last-of-content", -33), ("proof", -1)):
            yield vector(f"{kind}-flipped-{name}", "damaged", "a flipped bit", kind,
                         lambda raw, at=at: flipped(raw, at))
        yield vector(f"{kind}-magic", "damaged", "no record", kind, lambda raw: flipped(raw, 0))
        yield vector(f"{kind}-cut", "damaged", "a byte less", kind, lambda raw: raw[:-1])
        yield vector(f"{kind}-empty", "damaged", "no bytes", kind, lambda raw: b"")
    yield vector("seen-first", "success", "a new vault", epoch=1, generation=1)
    yield vector("seen-highest", "success", "the highest numbers", epoch=2**64 - 1,
                 generation=2**64 - 1)
    yield vector("place-as-seen", "damaged", "one kind of record for the other", "place",
                 context={"kind": "seen"})


def vectors():
    for area in (seals, secrets, hashes, heads, ancestors, commits, remembered):
        yield from area()
