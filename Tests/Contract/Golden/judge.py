"""The reader's result for a vector: its outcome, and whether it reads the given values."""

from dataclasses import astuple
from struct import pack

import records
import sealing
import sodium
from records import Refused, require


def bytes_of(vector, key):
    return bytes.fromhex(vector.keys[key])


def ident_of(vector):
    return sealing.Ident(0, bytes_of(vector, "vault-id"), int(vector.keys["epoch"]))


def subkeys(v):
    name = {"head": sealing.HEAD_KEY, "node": sealing.NODE_KEY, "secret": sealing.SECRET_KEY,
            "index": sealing.INDEX_KEY, "slots": sealing.SLOTS_KEY,
            "nonce": sealing.NONCE_KEY}[v.scenario]
    return {"subkey": sodium.subkey(bytes_of(v, "vault-key"), name)}


def nonce(v):
    key, fresh = bytes_of(v, "nonce-key"), bytes_of(v, "fresh")
    bound = bytes_of(v, "associated-data")
    message = fresh + len(bound).to_bytes(8, "little") + bound + v.body
    return {"nonce": sodium.H(24, key, message)}


def keyfile(v):
    return {"key": sealing.read_key_file(v.body)}


def recovery(v):
    return {"code": sealing.read_recovery_code(v.body)}


def slot(v):
    if "machine-key" in v.keys:
        key = sealing.read_machine_key(bytes_of(v, "machine-key"))
        return {"vault-key": sealing.open_slot(ident_of(v), int(v.keys["slot-id"]), v.body, key)}
    given = sorted({"passphrase", "key-file", "recovery-code"} & v.keys.keys(), reverse=True)
    secrets = tuple(bytes_of(v, credential) for credential in given)
    return {"vault-key": sealing.open_slot(
        ident_of(v), int(v.keys["slot-id"]), v.body, secrets if len(secrets) > 1 else secrets[0])}


def ident(v):
    return dict(zip(("minor", "vault-id", "epoch"), astuple(sealing.read_ident(v.body))))


def seal(v):
    return {"content": sealing.open_row(bytes_of(v, "vault-key"), ident_of(v), int(v.keys["kind"]),
                                        int(v.keys["node-id"]), v.body)}


def secret(v):
    return {"secret": sealing.open_secret(bytes_of(v, "vault-key"), ident_of(v),
                                          int(v.keys["use"]), bytes_of(v, "item-id"), v.body)}


def hash_(v):
    ((kind, values),) = records.read_records(v.body)
    found = {}
    for level, key in enumerate(records.route(kind, values)):
        h = sealing.bucket_hash(bytes_of(v, "vault-key"), level, key)
        buckets = [records.address(h, int(n)) for n in v.keys["buckets"].split()]
        found |= {f"key-{level}": key, f"hash-{level}": h,
                  f"buckets-{level}": " ".join(map(str, buckets))}
    return found


def directory_bytes(directory):
    buckets, load, tags = directory
    return pack("<IQ", buckets, load) + b"".join(tags)


def record(v):
    ((kind, values),) = records.read_records(v.body)
    found = {"kind": kind}
    for name, value in values.items():
        if isinstance(value, dict):
            found |= {f"field-{name}-{key}": content for key, content in value.items()}
        elif name == "attributes":
            found["field-attributes"] = " ".join(map(str, value))
        elif name == "largeSecret":
            found["field-largeSecret"] = pack("<Q16sI", *value)
        elif name == "directory":
            found["field-directory"] = directory_bytes(value)
        else:
            found[f"field-{name}"] = value
    return found


def head(v):
    values = records.read_head(v.body, bytes_of(v, "ident"))
    slots = [(int(key[5:]), bytes_of(v, key)) for key in v.keys if key.startswith("slot-")]
    require(sealing.slots_code(bytes_of(v, "vault-key"), slots) == values["slots"], "other slots")
    key = sealing.open_record_key(
        bytes_of(v, "vault-key"), sealing.read_ident(values["ident"]), values)
    return {"generation": values["generation"], "time": values["time"], "slots": values["slots"],
            "directory": directory_bytes(values["directory"]),
            "next-tree": values["nextTree"], "next-large": values["nextLarge"],
            "recent": values.get("recent", b""), "items": values.get("items", 0),
            "record-key": key,
            **({"history-limit": values["historyLimit"] - 1} if "historyLimit" in values else {}),
            **({"trash-days": values["trashDays"] - 1} if "trashDays" in values else {}),
            **({"log-days": values["logDays"] - 1} if "logDays" in values else {}),
            **({"keeps-for-programs": 1} if "keepsForPrograms" in values else {}),
            **({"most-remembered": values["mostRemembered"] - 1} if "mostRemembered" in values else {}),
            **({"roster": values["roster"]} if "roster" in values else {}),
            **({"commit": raw_commit(v.body)} if "commit" in values else {}),
            **({"ancestors": values["ancestors"]} if "ancestors" in values else {}),
            **({"merged": values["merged"]} if "merged" in values else {})}


def ancestors(v):
    records.read_ancestors(v.body, int(v.keys["number"]))
    return {"previous": v.body[:16], "own": v.body[16:1040], "merged": v.body[1040:]}


def raw_commit(body):
    """The bytes of a head's field 18."""
    return dict(records.raw_fields(body))[18]


def commit(v):
    values = records.read_past_commit(v.body)
    ident = sealing.Ident(0, bytes_of(v, "vault-id"), 1, True)
    return {"hash": sealing.commit_hash(ident, values), "signed": int(any(values["keys"]))}


def remembered(v):
    ident = sealing.read_ident(bytes_of(v, "ident"))
    key = sealing.open_record_key(
        bytes_of(v, "vault-key"), ident, {"recordKey": bytes_of(v, "record-key")})
    path = v.keys["path"].encode()
    if v.keys["kind"] == "place":
        require(sealing.read_place(key, path, v.body) == ident.vault_id, "another vault")
        return {}
    return dict(zip(("epoch", "generation", "head"), sealing.read_seen(key, path, v.body)))


AREAS = {"subkeys": subkeys, "nonce": nonce, "keyfile": keyfile, "recovery": recovery,
         "slot": slot, "ident": ident,
         "seal": seal,
         "secret": secret, "hash": hash_, "record": record, "head": head,
         "ancestors": ancestors, "commit": commit, "remembered": remembered}


def complaint(vector):
    """Returns the difference between the vector and the reader, or None."""
    try:
        found, outcome = AREAS[vector.area](vector), "success"
    except Refused as refusal:
        found, outcome = {}, refusal.outcome
        reason = str(refusal)
    if outcome != vector.expect:
        return f"the reader says {outcome}" + (f": {reason}" if outcome != "success" else "")
    for key, value in found.items():
        text = value.hex() if isinstance(value, bytes) else str(value)
        if vector.keys.get(key) != text:
            return f"the reader finds another {key}"
    unread = {key for key in vector.keys if key.startswith("field-")} - found.keys()
    if outcome == "success" and unread:
        return f"the reader does not find {', '.join(sorted(unread))}"
    return None
