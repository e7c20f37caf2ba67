"""The golden vaults of format 1, each with a key file, a passphrase slot and a listing."""

import json
from pathlib import Path
from struct import pack

from keyvectors import two_key_wrap
from sodium import argon2id
from writer import KINDS, MINIMUM_KIB, Writer, key_file, machine_key_file

DAY = 86_400_000
START = 1_767_225_600_000  # 2026-01-01 00:00 UTC
PLACE = "server account realm protocol method port path id".split()


class Golden:
    """A vault and its content, under the names of the listing."""

    def __init__(self, name, generation):
        self.name, self.generation = name, generation
        self.writer = Writer(f"vault {name}")
        self.passphrase = f"golden {name} passphrase"
        self.wrap = None
        self.machines = []  # (name, secret key, is an admin, the number of the admin key that it joined)
        self.admins = []  # (first epoch, seed) of the admin keys
        self.ancestors = []  # (generation, tag) of all heads that its blocks name
        self.lists = {kind: [] for kind in [*KINDS, "unknown"] if kind != "trees"}

    def add(self, kind, /, **values):
        values.setdefault("id", self.writer.random.take(16))
        self.lists[kind].append(values)
        return values

    def item(self, server, account, secret=b"", **values):
        return self.add("items", server=server, account=account, secret=secret, **(
            {"created": START, "modified": START, "revision": 1} | values))

    def save(self, folder, buckets=None):
        folder = Path(folder)
        key = self.writer.random.take(32)
        self.writer.slots = {
            1: self.writer.slot(1, 1, self.passphrase.encode(), "passphrase", wrap=self.wrap),
            2: self.writer.slot(2, 2, key, "key file")}
        for number, (name, secret, is_admin, joined) in enumerate(self.machines, 17):
            self.writer.slots[number] = self.writer.machine_slot(
                number, secret, name, self.admins[-1][1] if is_admin else None)
            (folder / f"{self.name}.{name}-machine").write_bytes(
                machine_key_file(secret, self.admins[joined][1]))
        if self.machines:
            self.writer.head_changes["tag17"] = self.writer.roster(self.admins)
        (folder / f"{self.name}.key").write_bytes(key_file(key))
        self.writer.save(folder / f"{self.name}.vault", self.lists, self.generation, buckets)
        (folder / f"{self.name}.json").write_text(self.listing())

    def listing(self):
        """JSON with a line for each record, in the reader's order."""
        limit, days = self.writer.history_limit, self.writer.trash_days
        lines = [f' "{name}": {json.dumps(value)}' for name, value in {
            "passphrase": self.passphrase, "vaultID": self.writer.vault_id.hex(),
            "epoch": self.writer.epoch, "generation": self.generation,
            **({} if limit is None else {"historyLimit": limit}),
            **({} if days is None else {"trashDays": days}),
            **({} if self.writer.log_days is None else {"logDays": self.writer.log_days}),
            **({} if not self.ancestors else {
                "ancestors": [[number, tag.hex()] for number, tag in sorted(self.ancestors)]}),
            **({} if not self.writer.commits else {
                "commits": [[number, time, name]
                            for number, time, name, _ in reversed(self.writer.commits)
                            if number >= self.generation - 4096]}),
        }.items()]
        for name, entries in self.lists.items():
            entries = [{key: value for key, value in entry.items() if value or key == "secret"}
                       for entry in entries]
            entries.sort(key=lambda entry: (entry.get("server", ""), entry.get("account", ""),
                                            entry.get("id", b""), -entry.get("replaced", 0),
                                            entry.get("time", 0)))
            texts = [json.dumps(entry, default=bytes.hex, ensure_ascii=False, sort_keys=True)
                     for entry in entries]
            lines.append(f' "{name}": [' + ",".join(f"\n  {text}" for text in texts) + "]")
        return "{\n" + ",\n".join(lines) + "\n}\n"


def small():
    """Every kind of record and every field, in one bucket."""
    v = Golden("small", generation=5)
    v.item("api.example.com", "deploy", b"token-of-deploy", protocol="https", method="bearer",
           secretKind=1, refreshToken=b"refresh-me",
           oneTimePasswordKey=b"otpauth://totp/deploy?secret=JBSWY3DPEHPK3PXP", label="Deploy token", origin="docker",
           expires=START + 90_000 * DAY, created=START, modified=START + DAY, revision=3)
    v.item("api.example.com", "nobody", protocol="https", method="basic", flags=2,
           comment="no credential here")
    v.item("api.example.com", "robot", b"", protocol="https", method="basic", label="empty secret")
    v.item("git.example.com", "ada", b"correct horse", protocol="https", method="basic",
           realm="Git", path="/team/project.git", origin="git", custom={
               "team": "engines", "\u00e4rger": "na\u00efve \u2713"})
    v.item("git.example.com", "ada", b"battery staple", protocol="https", method="basic",
           realm="Git", path="/team/other.git")
    v.item("git.example.com", "certificate", v.writer.random.take(3000), protocol="https",
           secretKind=2, description="client identity")
    v.item("git.example.com", "longest", v.writer.random.take(1024), protocol="ssh", port=2222)
    v.item("mail.example.org", "bob", b"\0\xff binary \n", protocol="imaps", port=993,
           accountDomain="EXAMPLE", creator=0x76636C74, type=0x6E6F7465, flags=1)
    v.item("mail.example.org", "b\u00f6b", "gr\u00fc\u00df".encode(), protocol="smtp", port=587,
           method="ntlm")
    v.item("xn--bcher-kva.example", "reader", b"r", realm="B\u00fccher", protocol="http", port=8080,
           method="digest", unknown={"100": b"kept as it is"})
    v.item("::1", "root", b"loop", protocol="http", port=80)
    changed = v.item("mail.example.org", "carol", b"new password", protocol="imap", method="basic",
                     created=START, modified=START + 3 * DAY, revision=5,
                     secretChanged=START + 3 * DAY, keptUntil=START + 80_000 * DAY)
    place = {name: changed[name] for name in ("server", "account", "protocol", "method", "id")}
    v.add("previous", **place, secret=b"old password", set=START, replaced=START + 3 * DAY)
    v.add("previous", **place, secret=v.writer.random.take(2000), set=START - DAY, replaced=START)
    # Removed so late that no writer finds it to be there for too long.
    gone = v.add("removed", server="git.example.com", account="gone", protocol="https",
                 created=START, modified=START, revision=2, removed=START + 80_000 * DAY,
                 secret=b"was here", refreshToken=b"its token", label="Gone")
    place = {name: gone[name] for name in ("server", "account", "protocol", "id", "removed")}
    v.add("previous", **place, secret=b"was there before", set=START - DAY, replaced=START)
    v.add("previous", **place, secret=v.writer.random.take(1200), set=START - 2 * DAY,
          replaced=START - DAY)
    v.add("defaults", id=b"", server="git.example.com", account="ada", realm="Git",
          protocol="https", method="basic", port=443)
    v.add("defaults", id=b"", server="mail.example.org", account="bob", protocol="imaps",
          port=993, unknown={"100": b"of a later version"})
    v.add("rules", position=1, name="no clear text", note="Asked for by audit",
          hostPattern="*.example.com", protocol="http", port=80, method="basic", serverOrProxy=1,
          secure=2, loopback=2, refuse=1)
    v.add("rules", position=2, name="an hour", highestPersistence=2, lifetime=3_600_000,
          afterAcceptance=1)
    # As late as what was removed.
    v.add("changes", id=changed["id"], server="mail.example.org", account="carol", protocol="imap",
          time=START + 80_000 * DAY, generation=5, operation=2, attributes=[13], origin="app",
          program="vaultctl modify", user="ada", computer="laptop")
    v.add("unknown", kind=99, unknown={"1": b"of a later version", "200": b"\0\1"})
    return v, None


def chunked():
    """130 buckets, so two chunks; the load is the least that a writer leaves on so many."""
    v = Golden("chunked", generation=2)
    for i in range(2080):
        v.item(f"h{i}.example", "a", b"%d" % i if i % 8 == 0 else b"")
    return v, 130


def heavy():
    """A host with a tree, in it an account with a tree; a change log with a tree; an empty bucket."""
    v = Golden("heavy", generation=70)
    for i in range(80):
        v.item("heavy.example.com", f"user{i}", b"of user %d" % i, protocol="https")
    for i in range(140):
        v.item("heavy.example.com", "build", b"of job %d" % i, protocol="https", path=f"/job/{i}")
    v.add("defaults", id=b"", server="heavy.example.com", account="build", protocol="https",
          port=443)
    for i in range(70):
        v.item("light.example.com", f"user{i}", b"s", protocol="https")
    for i in range(130):
        v.add("changes", id=b"", time=START + 80_000 * DAY + i, generation=1 + i % 69, operation=7,
              count=i + 2, program="vaultctl import")
    return v, None


def crowded():
    """200 jobs of one account that their writer has not yet moved out; a reader does not mind."""
    v = Golden("crowded", generation=2)
    v.writer.heaviest = 1000
    for i in range(200):
        v.item("crowded.example.com", "build", b"", protocol="https", path=f"/job/{i}")
    return v, 4


def policy():
    """More rules than a bucket takes, among items that they limit."""
    v = Golden("policy", generation=3)
    for i in range(140):
        v.add("rules", position=140 - i, name=f"rule {i}", hostPattern=f"*.h{i}.example",
              lifetime=(i + 1) * DAY)
    for i in range(40):
        v.item(f"www.h{i}.example", "ada", b"of %d" % i, protocol="https",
               secretChanged=START + DAY, keptUntil=START + (80_000 + i) * DAY)
    return v, None


def history():
    """Previous secrets under a limit of their own: beside an item, in trees, and of all kinds."""
    v = Golden("history", generation=9)
    v.writer.history_limit = 3

    def previous(item, *entries):
        place = {name: value for name, value in item.items() if name in PLACE}
        for i, values in enumerate(entries):
            v.add("previous", **place, **{"set": START + i * DAY, "replaced": START + (i + 1) * DAY} | (
                values if isinstance(values, dict) else {"secret": values}))

    ada = v.item("git.example.com", "ada", b"the fourth", protocol="https", method="basic",
                 realm="Git", path="/team/project.git", port=8443, modified=START + 3 * DAY,
                 revision=9, secretChanged=START + 3 * DAY, keptUntil=START + 70_000 * DAY)
    previous(ada, b"the first", {"secret": v.writer.random.take(1500), "secretKind": 1},
             {"secret": b"the third", "secretKind": 2, "keptUntil": START + 60_000 * DAY,
              "unknown": {"100": b"kept as it is"}})
    bob = v.item("git.example.com", "bob", b"", protocol="https", method="basic",
                 modified=START + 2 * DAY, revision=7, secretChanged=START + 2 * DAY)
    previous(bob, {"secret": b"has expired", "expires": START + DAY // 2},
             {"secret": b"was not to be kept", "keptUntil": START + DAY})
    v.item("git.example.com", "carol", b"the only one", protocol="https", method="basic")
    for i in range(60):
        job = v.item("many.example.com", "build", b"now %d" % i, protocol="https",
                     path=f"/job/{i}", modified=START + 3 * DAY, secretChanged=START + 3 * DAY)
        previous(job, b"first %d" % i, b"second %d" % i, b"third %d" % i)
    return v, None


def trash():
    """Removed items with the vault's own days: beside one of their key, one id twice, in trees."""
    v = Golden("trash", generation=40)
    v.writer.trash_days = 365
    key = {"protocol": "https", "method": "basic", "realm": "Git", "path": "/team/project.git"}
    late = START + 80_000 * DAY

    def removed(server, account, number, secret, item, previous=(), **values):
        at = {"server": server, "account": account, "id": item, "removed": late + number} | values
        v.add("removed", **at, secret=secret, created=START, modified=START + DAY, revision=number,
              secretChanged=START + DAY)
        for i, old in enumerate(previous):
            v.add("previous", **at, secret=old, set=START + i, replaced=START + i + 1)

    ada = v.item("git.example.com", "ada", b"is here", **key, modified=START + DAY, revision=39)
    v.add("previous", server="git.example.com", account="ada", **key, id=ada["id"],
          secret=b"was here before", set=START, replaced=START + DAY)
    # Brought back from a backup while the first was in the trash.
    removed("git.example.com", "ada", 1, b"the first", ada["id"], [b"before the first"], **key)
    removed("git.example.com", "ada", 2, b"the second", ada["id"], [b"before the first"], **key)
    removed("git.example.com", "ada", 3, v.writer.random.take(2000), v.writer.random.take(16),
            [v.writer.random.take(1025), b"older"], **key)
    for i in range(150):
        removed("many.example.com", "build", 4 + i, b"of job %d" % i, v.writer.random.take(16),
                [b"before %d" % i], protocol="https", path=f"/job/{i}")
    return v, None


def log():
    """Changes under days of their own: of items and defaults, in a tree of a host, and of the vault."""
    v = Golden("log", generation=200)
    v.writer.log_days = 365
    late = START + 80_000 * DAY
    by = {"program": "vaultctl add", "user": "ada", "computer": "laptop"}
    ada = v.item("git.example.com", "ada", b"is here", protocol="https", origin="git")
    place = {name: ada[name] for name in ("server", "account", "protocol", "id", "origin")}
    for i, (operation, attributes) in enumerate(
            ((1, []), (2, [16, 17, 25]), (6, [13]), (2, [1]), (2, [65557]), (3, []), (5, []))):
        v.add("changes", **place, **by, time=late + i, generation=2 + i, operation=operation,
              attributes=attributes)
    v.add("changes", server="backup", account="nightly", protocol="=generic",
          time=late + 10, generation=12, operation=4, **by)
    v.add("changes", id=b"", server="git.example.com", account="ada", protocol="https", port=443,
          time=late + 11, generation=13, operation=10, **by)
    for operation, values in ((12, {"name": "an hour"}), (15, {"id": b"", "name": "spare"}),
                              (18, {"id": b""}), (7, {"id": b"", "count": 1000}),
                              (200, {"id": b"", "unknown": {"100": b"of a later version"}})):
        v.add("changes", **values, time=late + operation, generation=operation + 2,
              operation=operation, program="vaultctl", user="1000")
    for i in range(180):
        v.add("changes", server="busy.example.com", account=f"job {i % 6}", protocol="https",
              time=late + 20 + i, generation=20 + i, operation=1, program="agent")
    return v, None


def ancestors():
    """Three blocks: from a generation on, with generations of another copy, with those of two."""
    v = Golden("ancestors", generation=200)
    v.item("git.example.com", "ada", b"correct horse", protocol="https", revision=200)
    # Before generation 10, nothing is known; 70 to 79 were another copy's alone.
    own = {number: v.writer.random.take(16) for number in range(10, 200) if number not in range(70, 80)}
    merged = {1: [(number, 80, v.writer.random.take(16)) for number in range(79, 64, -1)],
              2: [(number, 150, v.writer.random.take(16)) for number in range(149, 140, -1)]}
    v.writer.head_changes = {
        "tag8": b"".join(own[number] for number in range(199, 135, -1)),
        "tag13": b"".join(pack("<QQ16s", *head) for head in merged[2]),
        "tag16": v.writer.add_ancestors({
            block: ([own.get(number, bytes(16)) for number in range(64 * block, 64 * block + 64)],
                    b"".join(pack("<QQ16s", *head) for head in merged.get(block, [])))
            for block in range(3)})}
    v.ancestors = [(number, tag) for number, tag in own.items() if number < 192]
    v.ancestors += [(number, tag) for heads in merged.values() for number, _, tag in heads]
    return v, None


def machines():
    """Three machines, the first of them an admin's, each joined to another of the admin keys."""
    v = Golden("machines", generation=4)
    v.writer.epoch = 5
    v.item("git.example.com", "ada", b"correct horse", protocol="https")
    v.admins = [(epoch, v.writer.random.take(32)) for epoch in (1, 2, 5)]
    v.machines = [(name, v.writer.random.take(32), name == "admin", joined)
                  for joined, name in enumerate(("admin", "build", "web"))]
    return v, None


def fleet():
    """A replica: unsigned commits before it had machines, a merge, and rows that are used again."""
    v = Golden("fleet", generation=4100)
    v.item("git.example.com", "ada", b"correct horse", protocol="https")
    v.admins = [(1, v.writer.random.take(32))]
    v.machines = [(name, v.writer.random.take(32), name == "admin", 0) for name in ("admin", "build")]
    v.writer.features = 1 << 16
    keys = {name: secret for name, secret, *_ in v.machines}
    v.writer.commits = [
        (3, START, "", None),  # not kept any more
        (4, START, "", None), (4094, START + 1, "", None), (4095, START + 1, "admin", keys["admin"]),
        (4096, START + 2, "build", keys["build"]), (4098, START + DAY, "gone", v.writer.random.take(32)),
        (4100, 1_767_312_000_123, "build", keys["build"])]
    return v, None


def two_passphrases():
    """The wrap of its first slot opens under the passphrase "second", too, to another vault key."""
    v = Golden("two-passphrases", generation=1)
    v.item("git.example.com", "ada", b"correct horse", protocol="https")

    def wrap(key, ad):
        salt = ad[48:64]
        return two_key_wrap(v.writer, argon2id(b"second", salt, 1, MINIMUM_KIB)[:32])(key, ad)
    v.wrap = wrap
    return v, None


def write(folder):
    for make in (small, chunked, heavy, crowded, policy, history, trash, log, ancestors,
                 machines, fleet, two_passphrases):
        golden, buckets = make()
        golden.save(folder, buckets)
