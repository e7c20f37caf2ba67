"""Writes what format.md describes. Shares only sodium.py with the reader that judges it."""

import sqlite3
from struct import pack

from sodium import (
    H, argon2id, box_seal, checksum, ed25519_pair, ed25519_sign, hchacha20, poly1305, seal, subkey,
    x25519, x25519_public)

SCHEMA = [
    """CREATE TABLE vault (
  id INTEGER PRIMARY KEY CHECK (id = 0), ident BLOB NOT NULL, head BLOB NOT NULL
) STRICT""",
    "CREATE TABLE slot (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
    "CREATE TABLE node (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT",
]
MINIMUM_KIB = 8 << 10

# Field names as in the listings, with tag and struct format ("" for bytes and text).
FIELDS = {
    "server": (1, ""), "account": (2, ""), "realm": (3, ""), "protocol": (4, ""), "method": (5, ""),
    "port": (6, "<H"), "path": (7, ""), "id": (8, ""), "created": (9, "<q"), "set": (9, "<q"),
    "modified": (10, "<q"), "replaced": (10, "<q"), "time": (10, "<q"), "revision": (11, "<Q"),
    "generation": (11, "<Q"), "secretKind": (12, "<B"), "label": (16, ""), "comment": (17, ""),
    "description": (18, ""), "creator": (19, "<I"), "type": (20, "<I"), "flags": (21, "<B"),
    "expires": (22, "<q"), "accountDomain": (23, ""), "origin": (24, ""), "removed": (27, "<q"),
    "secretChanged": (26, "<q"), "keptUntil": (31, "<q"),
    "operation": (28, "<B"), "program": (30, ""), "user": (33, ""), "computer": (34, ""),
    "count": (36, "<I"), "position": (40, "<I"),
    "name": (41, ""), "note": (42, ""), "hostPattern": (43, ""), "serverOrProxy": (47, "<B"),
    "secure": (48, "<B"), "loopback": (49, "<B"), "highestPersistence": (50, "<B"),
    "lifetime": (51, "<Q"), "afterAcceptance": (52, "<B"), "refuse": (53, "<B"), "ntlm": (57, "<B"),
    "negotiateInClear": (58, "<B"),
    "level": (60, "<B"), "number": (61, "<I"), "directory": (62, ""),
    "host": (1, ""), "sealedSecret": (13, ""), "largeSecret": (14, ""), "sealedRefreshToken": (15, ""),
    "sealedOneTimePasswordKey": (39, ""),
}
CHANGE_FIELDS = {"name": (37, "")}
RULE_FIELDS = {"protocol": (44, ""), "port": (45, "<H"), "method": (46, "")}
KINDS = {"items": 1, "defaults": 2, "rules": 3, "previous": 4, "removed": 5, "changes": 6,
         "trees": 7}


class Random:
    """A byte stream that is the same every time: BLAKE2b of a seed and a counter."""

    def __init__(self, seed):
        self.seed, self.block = seed.encode(), 0

    def take(self, n):
        out = b""
        while len(out) < n:
            out += H(64, b"", pack("<Q", self.block) + self.seed)
            self.block += 1
        return out[:n]


def make_nonce(key, fresh, ad, message):
    """The nonce of a seal (§1.1), from 24 fresh random bytes."""
    return H(24, key, fresh + pack("<Q", len(ad)) + ad + message)


def other_nonce(key, fresh, ad, message):
    """A nonce of another writer, which this one is: a reader uses any that it finds (§1.1)."""
    mac = poly1305(key[32:48] + fresh[8:], pack("<Q", len(ad)) + ad + message)
    return fresh[:8] + hchacha20(key[:32], mac)[:16]


def machine_key_file(secret, admin_seed):
    raw = b"vltmach1" + secret + ed25519_pair(admin_seed)[0]
    return raw + checksum(raw)


def machine_signer(secret):
    """The Ed25519 public and secret key of a machine, which follow from its X25519 key."""
    return ed25519_pair(H(32, secret, b"vltsign1"))


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def counted(value):
    return varint(len(value)) + value


def field(tag, value):
    return varint(tag) + counted(value)


def custom(attributes):
    pairs = sorted((name.encode(), value.encode()) for name, value in attributes.items())
    return b"".join(counted(name) + counted(value) for name, value in pairs)


def fields(kind, values):
    """(tag, bytes) for each value, in order of tags; what is absent, empty or 0 falls out."""
    out = []
    for name, value in values.items():
        if name in ("kind", "secret", "refreshToken", "oneTimePasswordKey") or not value:
            continue
        if name == "unknown":
            out += [(int(tag), content) for tag, content in value.items()]
        elif name == "attributes":
            out.append((35, b"".join(varint(tag) for tag in value)))
        elif name == "custom":
            out.append((25, custom(value)))
        else:
            own = {KINDS["rules"]: RULE_FIELDS, KINDS["changes"]: CHANGE_FIELDS}.get(kind, {})
            tag, form = own.get(name) or FIELDS[name]
            out.append((tag, pack(form, value) if form
                        else value.encode() if isinstance(value, str) else value))
    return sorted(out)


def record(kind, pairs):
    return bytes([kind]) + counted(b"".join(field(tag, value) for tag, value in pairs))


def key_file(key):
    raw = b"vltkey1\n" + key
    return raw + checksum(raw)


def recovery_text(code):
    """The 35 characters of a recovery code's 20 bytes, in groups (§4.3)."""
    bits = int.from_bytes(code, "big") << 15 | int.from_bytes(H(16, b"", code)[:2], "big") >> 1
    digits = ["0123456789ABCDEFGHJKMNPQRSTVWXYZ"[bits >> 5 * i & 31] for i in reversed(range(35))]
    return "-".join("".join(digits[i:i + 5]) for i in range(0, 35, 5))


def address(h, buckets):
    p = 1
    while 2 * p <= buckets:
        p *= 2
    return h % (2 * p) if h % (2 * p) < buckets else h % p


def rest_of_route(values, with_path=True):
    path = values.get("path", "") if with_path else ""
    return (values.get("protocol", "").encode() + b"\0" + values.get("method", "").encode() + b"\0"
            + pack("<H", values.get("port", 0)) + path.encode() + b"\0"
            + values.get("realm", "").encode())


def route(kind, values):
    host, account = values.get("server", "").encode(), values.get("account", "").encode()
    if kind in (1, 4, 5):
        return host, account, rest_of_route(values)
    if kind == 2:
        return host, b"", rest_of_route(values, with_path=False)
    if kind == 7:
        return values.get("host", "").encode(), account, b""
    if kind == 3:
        return b"\0", b"", values["id"]
    if kind == 6:
        return host, account, values.get("id") or pack("<Q", values["generation"])
    return b"", b"", values["id"]


class Writer:
    """One vault in the making."""

    def __init__(self, seed, epoch=1):
        self.random = Random(seed)
        self.vault_id, self.vault_key = self.random.take(16), self.random.take(32)
        # Of its own stream, and sealed with its own nonce.
        self.record_random = Random(f"{seed}/record key")
        self.record_key = self.record_random.take(32)
        self.epoch = epoch
        self.nodes, self.slots = {}, {}
        self.next_tree = self.next_large = 1
        self.heaviest = 128
        self.history_limit = None
        self.trash_days = None
        self.log_days = None
        self.head_changes = {}
        self.features = 0
        self.commits = []  # of a fleet's vault, the last one that of the head: add_commits

    # Ident and slots

    def ident(self, magic=b"vltident", major=1, minor=0, features=None):
        features = self.features if features is None else features
        raw = magic + pack("<HH16sQI", major, minor, self.vault_id, self.epoch, features)
        return raw + checksum(raw)

    def slot(self, number, kind, secret, name="", memory=MINIMUM_KIB, passes=1, wrap=None):
        """A slot's body. `wrap` makes the wrap from (wrapping key, associated data).

        `secret` is a pair of passphrase and key for kind 4.
        """
        stretched = kind in (1, 4)
        if not stretched:
            memory = passes = 0
        salt, made = self.random.take(16), 1_767_225_600_000
        header = pack("<BBHII16sQ", kind, int(stretched), len(name.encode()), memory, passes, salt,
                      made)
        ad = (b"vltslot1" + pack("<H16sQI", 1, self.vault_id, self.epoch, number)
              + header[:2] + header[4:])
        if kind == 1:
            keys = argon2id(secret, salt, passes, memory)
        elif kind == 4:
            keys = H(64, secret[1], b"vltkek02" + salt + argon2id(secret[0], salt, passes, memory))
        else:
            keys = H(64, secret, b"vltkek01" + salt)
        nonce_key = H(64, keys[32:], b"vltnonc1")
        wrapped = wrap(keys[:32], ad) if wrap else self.wrap(keys[:32], nonce_key, ad)
        body = header + wrapped + H(32, keys[32:], ad + wrapped) + name.encode()
        return body + self.slot_checksum(number, body)

    def machine_slot(self, number, secret, name, admin_seed=None, ephemeral=None):
        """The slot of the machine with this secret key; an admin's, with the seed of the admin key."""
        salt, made = self.random.take(16), 1_767_225_600_000
        esk, public = self.random.take(32), x25519_public(secret)
        share = box_seal(admin_seed, public, self.random.take(32)) if admin_seed else bytes(80)
        epk = x25519_public(esk)
        header = pack("<BBHII16sQ", 5, 0, len(name.encode()), 0, 0, salt, made)
        part = public + machine_signer(secret)[0] + (ephemeral or epk) + share
        ad = (b"vltslot1" + pack("<H16sQI", 1, self.vault_id, self.epoch, number)
              + header[:2] + header[4:] + part)
        keys = H(64, x25519(esk, public), b"vltkek05" + salt + epk + public)
        wrapped = self.wrap(keys[:32], H(64, keys[32:], b"vltnonc1"), ad)
        body = header + wrapped + H(32, keys[32:], ad + wrapped) + part + name.encode()
        return body + self.slot_checksum(number, body)

    def roster(self, admins):
        """The head's admin keys and signature of the machines; `admins` are their epochs and seeds."""
        pairs = [ed25519_pair(seed) for _, seed in admins]
        chain = pairs[0][0]
        for (_, before), (epoch, _), (key, _) in zip(pairs, admins[1:], pairs[1:]):
            link = pack("<Q", epoch) + key
            chain += link + ed25519_sign(before, b"vltadms1" + self.vault_id + link)
        slots = b"".join(pack("<II", i, len(body)) + body
                         for i, body in sorted(self.slots.items()) if body[0] == 5)
        message = (b"vltrost1" + self.vault_id + pack("<Q", self.epoch)
                   + H(32, b"", chain) + H(32, b"", slots))
        return chain + ed25519_sign(pairs[-1][1], message)

    @staticmethod
    def slot_checksum(number, body):
        return checksum(pack("<I", number) + body)

    def wrap(self, wrapping_key, nonce_key, ad):
        nonce = other_nonce(nonce_key, self.random.take(24), ad, self.vault_key)
        return seal(wrapping_key, nonce, ad, self.vault_key)

    def seal(self, key, ad, message, random=None):
        nonce_key = subkey(self.vault_key, 6, 64)
        fresh = (random or self.random).take(24)
        return seal(key, other_nonce(nonce_key, fresh, ad, message), ad, message)

    # Seals

    def row(self, kind, node_id, content, *, length=None, zeros=None, key=None):
        """A sealed row, whose length field and padding a negative vector may choose."""
        if zeros is None:
            zeros = bytes(-(len(content) + 44) % 512)
        key = key or subkey(self.vault_key, {1: 1, 2: 2, 3: 2, 4: 3, 5: 2, 6: 2}[kind])
        plain = pack("<I", len(content) if length is None else length) + content + zeros
        return self.seal(key, self.row_ad(kind, node_id), plain)

    def row_ad(self, kind, node_id):
        return b"vltseal1" + pack("<HBB16sQQ", 1, kind, 0, self.vault_id, self.epoch, node_id)

    def secret(self, use, item_id, secret, key=None, random=None):
        ad = b"vltsecr1" + pack("<HBB16sQ16s", 1, use, 0, self.vault_id, self.epoch, item_id)
        return self.seal(key or subkey(self.vault_key, 3), ad, secret, random)

    # Trees

    def add_node(self, kind, node_id, content):
        self.nodes[node_id] = self.row(kind, node_id, content)
        return self.nodes[node_id][-16:]

    def seal_secrets(self, kind, values):
        values = dict(values)
        secret = values.get("secret")
        if secret and len(secret) > 1024:
            node_id = (1 << 62) + self.next_large
            self.next_large += 1
            tag = self.add_node(4, node_id, secret)
            values["largeSecret"] = pack("<Q16sI", node_id, tag, len(secret))
        elif secret:
            values["sealedSecret"] = self.secret(3 if kind == 4 else 1, values["id"], secret)
        for name, use in [("RefreshToken", 2), ("OneTimePasswordKey", 5)]:
            if further := values.get(name[0].lower() + name[1:]):
                values["sealed" + name] = self.secret(use, values["id"], further)
        return values

    def bucket_hash(self, level, key):
        digest = H(16, subkey(self.vault_key, 4), bytes([level]) + key)
        return int.from_bytes(digest[:8], "little")

    def tree(self, number, level, records, buckets=None):
        """The directory of a tree of (kind, values), after its nodes were made."""
        groups = {}
        for kind, values in records:
            groups.setdefault(route(kind, values)[level], []).append((kind, values))
        placed = []
        for key, group in groups.items():
            if level < 2 and len(group) > self.heaviest:
                group = [(7, self.subtree(level + 1, group))]
            placed += [(key, kind, values) for kind, values in group]
        load = len(placed)
        buckets = buckets or max(1, -(-load // 32))
        contents = [b""] * buckets
        for key, kind, values in placed:
            bucket = address(self.bucket_hash(level, key), buckets)
            contents[bucket] += record(kind, fields(kind, self.seal_secrets(kind, values)))
        tags = [self.add_node(3, number * 2**33 + bucket, content) if content else bytes(16)
                for bucket, content in enumerate(contents)]
        if buckets > 128:
            tags = [self.add_node(2, number * 2**33 + 2**32 + i // 128, b"".join(tags[i:i + 128]))
                    for i in range(0, buckets, 128)]
        return pack("<IQ", buckets, load) + b"".join(tags)

    def subtree(self, level, group):
        number = self.next_tree
        self.next_tree += 1
        host, account, _ = route(*group[0])
        return {"host": host.decode(), "account": account.decode() if level == 2 else "",
                "level": level, "number": number, "directory": self.tree(number, level, group)}

    # The head and the file

    def add_ancestors(self, blocks):
        """Writes blocks of ancestors by number, each (64 tags, merged heads); the last one's tag."""
        tag = bytes(16)
        for number, (own, merged) in sorted(blocks.items()):
            content = tag + b"".join(own) + merged
            tag = self.add_node(5, (1 << 62) + (1 << 61) + number, content)
        return tag

    def commit(self, generation, head_hash, time, previous, tag, link, signer=None, name=""):
        """A commit's field, and the hash by which the next one names it; `signer` is a machine."""
        keys = x25519_public(signer) + machine_signer(signer)[0] if signer else bytes(64)
        statement = (b"vltcmit1" + self.vault_id + pack("<Qq", generation, time) + head_hash
                     + pack("<Q", previous) + link + keys + name.encode())
        signature = ed25519_sign(machine_signer(signer)[1], statement) if signer else bytes(64)
        value = pack("<Q", previous) + tag + link + keys + signature + name.encode()
        return value, H(32, b"", statement + signature)

    def add_commits(self, head):
        """Writes the rows of the commits before the head, and returns the head with its commit."""
        previous, tag, link = 0, bytes(16), bytes(32)
        for generation, time, name, signer in self.commits:
            is_head = (generation, time, name, signer) == self.commits[-1]
            body = b"".join(field(*pair) for pair in head)
            head_hash = H(32, b"", body) if is_head else self.random.take(32)
            value, after = self.commit(
                generation, head_hash, time, previous, tag, link, signer, name)
            if is_head:
                return sorted([*head, (18, value)])
            node_id = (1 << 62) + (1 << 61) + (1 << 60) + generation % 4096
            tag = self.add_node(6, node_id, pack("<Qq", generation, time) + head_hash + value)
            if generation < self.commits[-1][0] - 4096:
                del self.nodes[node_id]
            previous, link = generation, after
        return head

    def slots_code(self):
        return H(32, subkey(self.vault_key, 5),
                 b"".join(pack("<II", number, len(body)) + body
                          for number, body in sorted(self.slots.items())))

    def head(self, directory, generation=1, items=0, **changes):
        """(tag, bytes) of a head; `changes` replace fields, None removes one."""
        values = {
            1: self.ident(), 2: pack("<Q", generation), 3: pack("<q", 1_767_312_000_123),
            4: self.slots_code(), 5: directory, 6: pack("<I", self.next_tree),
            7: pack("<Q", self.next_large), 8: self.random.take(16 * min(64, generation - 1)),
            9: pack("<Q", items) if items else b"",
            10: bytes([self.history_limit + 1]) if self.history_limit is not None else b"",
            11: self.secret(4, bytes(16), self.record_key, random=self.record_random),
            12: pack("<H", self.trash_days + 1) if self.trash_days is not None else b"",
            14: pack("<H", self.log_days + 1) if self.log_days is not None else b""}
        values |= {int(tag.removeprefix("tag")): value for tag, value in changes.items()}
        return [(tag, value) for tag, value in sorted(values.items()) if value]

    def save(self, path, lists, generation, buckets=None):
        """Writes a vault that holds the records of `lists`, by the names of KINDS or `unknown`."""
        records = [(KINDS.get(name) or values["kind"], values)
                   for name, entries in lists.items() for values in entries]
        directory = self.tree(0, 0, records, buckets)
        head = self.add_commits(self.head(
            directory, generation, len(lists.get("items", [])), **self.head_changes))
        head = b"".join(field(tag, value) for tag, value in head)
        database = sqlite3.connect(path, isolation_level=None)
        for pragma in ("page_size = 4096", "encoding = 'UTF-8'", "auto_vacuum = 0",
                       f"application_id = {0x564C5431}", "user_version = 1"):
            database.execute(f"PRAGMA {pragma}")
        database.execute("BEGIN")
        for statement in SCHEMA:
            database.execute(statement)
        database.execute("INSERT INTO vault VALUES (0, ?, ?)", (self.ident(), self.row(1, 0, head)))
        database.executemany("INSERT INTO slot VALUES (?, ?)", sorted(self.slots.items()))
        database.executemany("INSERT INTO node VALUES (?, ?)", sorted(self.nodes.items()))
        database.execute("COMMIT")
        database.close()
