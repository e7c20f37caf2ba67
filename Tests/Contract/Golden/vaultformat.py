#!/usr/bin/env python3
"""Reads vaults by Documentation/format.md alone (§ are its sections) and verifies all of them.

    vaultformat.py open VAULT (--key-file FILE | --passphrase-file FILE) [--json]

Status 0: everything in the file is as the page says. Status 1: it is not, in one line why.
"""

import argparse
import hmac
import json
import sqlite3
import sys
from struct import unpack
from urllib.request import pathname2url

from records import (
    FIRST_ANCESTORS, FIRST_COMMIT, FIRST_LARGE, ITEM, KINDS, PLACE, PREVIOUS, REMOVED, TREE, UNKNOWN, Refused,
    address, read_ancestors, read_head, read_past_commit, read_records, require, route, split_tags)
from sealing import (
    ANCESTORS, BUCKET, CHUNK, COMMIT, HEAD, KEY_FILE, LARGE, MACHINE, PASSPHRASE, check_roster, check_share, check_slot,
    check_slots, bucket_hash, commit_hash, head_commit, machine_names,
    open_record_key, open_row, open_secret, open_slot, read_ident, read_key_file, read_machine_key, slots_code)

EMPTY_BUCKET = bytes(16)  # the tag of a bucket without a row, §5.2
PREVIOUS_SECRET, SECRET, REFRESH_TOKEN, ONE_TIME_KEY = 3, 1, 2, 5  # uses of secrets, §6.7


def read_container(path):
    """The rows of the three tables, from a database that is what the page says and no more."""
    schema = {(name, statement.strip()) for name, statement in {
        "vault": """
CREATE TABLE vault (
  id INTEGER PRIMARY KEY CHECK (id = 0), ident BLOB NOT NULL, head BLOB NOT NULL
) STRICT""",
        "slot": "CREATE TABLE slot (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
        "node": "CREATE TABLE node (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT",
    }.items()}
    with open(path, "rb") as file:
        header = file.read(100)
    ours = header[68:72] == b"VLT1"  # application_id, big-endian
    try:
        database = sqlite3.connect(f"file:{pathname2url(path)}?mode=ro", uri=True)
        found = set(database.execute("SELECT name, sql FROM sqlite_schema"))
        require(ours or found == schema, "not a vault", "not a vault")
        require(ours and found == schema, "the schema or the application id is another")
        page_size, versions = unpack(">H2s", header[16:20])
        auto_vacuum, encoding, user_version = unpack(">III", header[52:64])
        require((page_size, versions) == (4096, b"\1\1"), "the page size or the journal is another")
        require((auto_vacuum, encoding, user_version) == (0, 1, 1), "the SQLite header is another")
        (state,) = database.execute("PRAGMA integrity_check").fetchone()
        require(state == "ok", "SQLite finds damage")
        return [list(database.execute(f"SELECT * FROM {table} ORDER BY id"))
                for table in ("vault", "slot", "node")]
    except (sqlite3.Error, UnicodeDecodeError):
        raise Refused("SQLite cannot read it", "damaged" if ours else "not a vault") from None


class Vault:
    """An open vault. Rows leave `rows` when they are read: the remaining ones belong to nothing."""

    def __init__(self, path, slot_kind, secret):
        vault, self.slots, nodes = read_container(path)
        require(len(vault) == 1, "there is not one vault row")
        _, ident, sealed_head = vault[0]
        self.rows = dict(nodes)
        self.ident = read_ident(ident)
        self.key = self.unlock(slot_kind, secret)
        self.content = open_row(self.key, self.ident, HEAD, 0, sealed_head)
        self.head = read_head(self.content, ident)
        self.record_key = open_record_key(self.key, self.ident, self.head)
        code = slots_code(self.key, self.slots)
        require(hmac.compare_digest(code, self.head["slots"]), "the slots are not the head's")
        admins = check_roster(self.ident, self.head.get("roster"), self.slots)
        if slot_kind == MACHINE:
            require(secret[1] & set(admins), "another admin's machines", "another vault")
            check_share(self.slots, secret[0], admins[-1])

    def unlock(self, slot_kind, secret):
        check_slots(self.slots)
        require(all(0 < number < 1 << 32 for number, _ in self.slots), "a slot's id is wrong")
        fitting = [slot for slot in self.slots if check_slot(*slot) == slot_kind]
        for number, body in fitting:
            try:
                return open_slot(self.ident, number, body, secret)
            except Refused as refusal:
                require(refusal.outcome == "wrong key", str(refusal), refusal.outcome)
        raise Refused("wrong passphrase or key", "wrong key")

    def row(self, kind, node_id, tag):
        """The content of a row, by the integrity rule: its tag is compared first."""
        row = self.rows.pop(node_id, None)
        require(row is not None, f"row {node_id} is missing")
        require(hmac.compare_digest(row[-16:], tag), f"row {node_id} is not the one that is named")
        return open_row(self.key, self.ident, kind, node_id, row)

    def bucket_tags(self, tree, buckets, tags):
        if buckets <= 128:
            return tags
        found = b""
        for chunk, tag in enumerate(tags):
            found += self.row(CHUNK, (tree << 33) + (1 << 32) + chunk, tag)
            require(len(found) == 16 * min(128 * chunk + 128, buckets), "a chunk has a wrong size")
        return split_tags(found)

    def ancestors(self):
        """The heads of earlier generations, by the blocks that the head leads to (§7.1)."""
        generation, tag = self.head["generation"], self.head.get("ancestors", bytes(16))
        heads = []
        for number in reversed(range(max(0, generation // 64 - 1024), generation // 64)):
            if not any(tag):
                break
            row = self.row(ANCESTORS, FIRST_ANCESTORS + number, tag)
            tag, more = read_ancestors(row, number)
            heads += more
        return sorted(heads)

    def commits(self):
        """The kept commits of a fleet's vault, the newest first (§7.2)."""
        if not self.ident.arbitrated:
            return []
        commits, link = [head_commit(self.head, self.content)], None
        members = machine_names(self.slots) if "roster" in self.head else {}
        newest = commits[0]
        require(any(newest["keys"]) == ("roster" in self.head), "a head that its machines did not sign")
        require(not members or members.get(newest["keys"]) == newest["name"], "signed by no machine")
        while True:
            last = commits[-1]
            found = commit_hash(self.ident, last)
            require(link in (None, found), "a commit is not linked to the one before")
            previous = last["previous"]
            if previous < max(1, newest["generation"] - 4096):
                return commits
            row = self.row(COMMIT, FIRST_COMMIT + previous % 4096, last["tag"])
            commits.append(read_past_commit(row))
            require(commits[-1]["generation"] == previous, "a commit of another generation")
            link = last["link"]

    def records(self, tree, level, directory, above=()):
        """All records of a tree and of the trees in it. `above`: the keys that they share."""
        buckets, load, tags = directory
        single, grouped = set(), set()
        for bucket, tag in enumerate(self.bucket_tags(tree, buckets, tags)):
            if tag == EMPTY_BUCKET:
                continue
            content = self.row(BUCKET, (tree << 33) + bucket, tag)
            require(content, "an empty bucket has a row")
            for kind, values in read_records(content):
                load -= 1
                keys = route(kind, values)
                h = bucket_hash(self.key, level, keys[level])
                require(keys[:level] == above, "a record is in another group's tree")
                require(address(h, buckets) == bucket, "a record is in the wrong bucket")
                if kind != TREE:
                    single.add(keys[level])
                    yield kind, values
                    continue
                require(values["level"] == level + 1, "a tree is at the wrong level")
                require(keys[level] not in grouped, "a group has two trees")
                require(values["number"] < self.head["nextTree"], "a tree's number is still free")
                grouped.add(keys[level])
                yield from self.records(values["number"], level + 1, values["directory"],
                                        keys[:level + 1])
        require(load == 0, "a tree's load is wrong")
        require(not single & grouped, "a record is beside its group's tree")

    def reveal(self, kind, values):
        """The record with its secrets open."""
        if kind not in (ITEM, PREVIOUS, REMOVED):
            return values
        values = dict(values, secret=b"")
        if sealed := values.pop("sealedSecret", None):
            use = PREVIOUS_SECRET if kind == PREVIOUS else SECRET
            values["secret"] = open_secret(self.key, self.ident, use, values["id"], sealed)
        if large := values.pop("largeSecret", None):
            node_id, tag, length = large
            require(node_id - FIRST_LARGE < self.head["nextLarge"], "a large secret's id is free")
            values["secret"] = self.row(LARGE, node_id, tag)
            require(len(values["secret"]) == length, "a large secret has another length")
        for name, use in [("RefreshToken", REFRESH_TOKEN), ("OneTimePasswordKey", ONE_TIME_KEY)]:
            if sealed := values.pop("sealed" + name, None):
                values[name[0].lower() + name[1:]] = open_secret(
                    self.key, self.ident, use, values["id"], sealed)
        return values

    def contents(self):
        """Everything in the vault, by kind, after all of it was verified."""
        lists = {name: [] for name, _, _ in [*KINDS.values(), UNKNOWN] if name != "trees"}
        for kind, values in self.records(0, 0, self.head["directory"]):
            entry = self.reveal(kind, values)
            if kind not in KINDS:
                entry = {"kind": kind} | entry
            lists[KINDS.get(kind, UNKNOWN)[0]].append(entry)
        ancestors = self.ancestors()
        commits = self.commits()
        require(not self.rows, "there is a row that nobody names")
        require(len(lists["items"]) == self.head.get("items", 0), "the head counts other items")
        unique("items", lists["items"], list(PLACE.values())[:7])
        unique("defaults", lists["defaults"], ["server", "realm", "protocol", "method", "port"])
        unique("removed items", lists["removed"], ["id", "removed"])
        self.check_histories(lists["items"] + lists["removed"], lists["previous"])
        require(len(lists["rules"]) <= 1000, "a policy has too many rules")
        unique("rules", lists["rules"], ["name"])
        unique("rules", lists["rules"], ["id"])
        for entries in lists.values():
            entries.sort(key=lambda entry: (entry.get("server", ""), entry.get("account", ""),
                                            entry.get("id", b""), -entry.get("replaced", 0),
                                            entry.get("time", 0)))
        limit = {name: self.head[name] - 1
                 for name in ("historyLimit", "trashDays", "logDays", "mostRemembered")
                 if name in self.head}
        if "keepsForPrograms" in self.head:
            limit["keepsForPrograms"] = True
        if ancestors:
            limit["ancestors"] = ancestors
        if commits:
            limit["commits"] = [[commit["generation"], commit["time"], commit["name"]]
                                for commit in commits]
        return {"vaultID": self.ident.vault_id, "epoch": self.ident.epoch,
                "generation": self.head["generation"]} | limit | lists

    def check_histories(self, items, previous):
        """Returns the previous secrets that a writer keeps, §6.4."""
        unique("previous secrets", previous, ["id", "removed", "replaced"])
        key = list(PLACE.values())[:7]
        owners = {(item["id"], item.get("removed")): item for item in items}
        secrets = {}
        for entry in previous:
            name = entry["id"], entry.get("removed")
            owner = owners.get(name)
            require(owner and all(owner.get(part) == entry.get(part) for part in key),
                    "a previous secret is not under its item's key")
            secrets.setdefault(name, [owner["secret"]]).append(entry["secret"])
        for known in secrets.values():
            require(len(known) - 1 <= self.head.get("historyLimit", 11) - 1, "a history is too long")
            require(len(known) == len(set(known)), "a secret is there twice")


def unique(name, entries, key):
    keys = {tuple(entry.get(part) for part in key) for entry in entries}
    require(len(keys) == len(entries), f"two {name} have the same key")


def main():
    parser = argparse.ArgumentParser(description="Reads a vault and verifies all of it.")
    parser.add_argument("command", choices=["open"])
    parser.add_argument("vault")
    credential = parser.add_mutually_exclusive_group(required=True)
    credential.add_argument("--key-file")
    credential.add_argument("--passphrase-file", help="its bytes, without one newline at the end")
    parser.add_argument("--json", action="store_true", help="everything, not a line for each item")
    arguments = parser.parse_args()
    try:
        with open(arguments.key_file or arguments.passphrase_file, "rb") as file:
            given = file.read()
        if given.startswith(b"vltmach1") and arguments.key_file:
            kind, secret = MACHINE, read_machine_key(given)
        else:
            kind, secret = ((KEY_FILE, read_key_file(given)) if arguments.key_file
                            else (PASSPHRASE, given.removesuffix(b"\n")))
        contents = Vault(arguments.vault, kind, secret).contents()
    except (Refused, OSError) as error:
        sys.exit(f"{arguments.vault}: {getattr(error, 'outcome', 'cannot read')}: {error}")
    if arguments.json:
        print(json.dumps(contents, default=bytes.hex, ensure_ascii=False, indent=1))
        return
    for item in contents["items"]:
        print(item.get("server", ""), item.get("account", ""), item["secret"].hex(), sep="\t")


if __name__ == "__main__":
    main()
