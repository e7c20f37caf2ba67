"""Ident, keys, slots and sealed values (format.md §3, §4, §5.1, §6.7)."""

import hmac
from dataclasses import dataclass
from struct import pack, unpack

from records import COUNT_END, read_commit, require, text, without_field
from sodium import (
    H, argon2id, box_open, checksum, ed25519_pair, ed25519_verify, subkey, unseal, x25519,
    x25519_public)

HEAD, CHUNK, BUCKET, LARGE, ANCESTORS, COMMIT = 1, 2, 3, 4, 5, 6  # kinds of sealed rows, §5.1
HEAD_KEY, NODE_KEY, SECRET_KEY, INDEX_KEY, SLOTS_KEY, NONCE_KEY = 1, 2, 3, 4, 5, 6  # §4
PASSPHRASE, KEY_FILE, RECOVERY_CODE, BOTH, MACHINE = 1, 2, 3, 4, 5  # kinds of slots, §4.1
RECORD_KEY = 4  # the use of a secret that is no item's, §6.7


@dataclass(frozen=True)
class Ident:
    minor: int
    vault_id: bytes
    epoch: int
    arbitrated: bool = False

    def binding(self, label, middle, last):
        """The shape that all associated data has."""
        return label + pack("<H", 1) + middle + self.vault_id + pack("<Q", self.epoch) + last


ARBITRATED = 1 << 16  # a replica, §3: it reads like any other vault


def read_ident(raw):
    require(len(raw) == 48 and raw[:8] == b"vltident", "no ident")
    require(raw[40:] == checksum(raw[:40]), "the ident's checksum is wrong")
    major, minor, vault_id, epoch, features = unpack("<HH16sQI", raw[8:40])
    require(major <= 1, "the major version is newer", "too new")
    require(features & ~ARBITRATED == 0, "it has a feature that is not known", "too new")
    require(major == 1 and epoch > 0, "the ident has a zero")
    require(epoch < COUNT_END, "the epoch is out of bounds")
    return Ident(minor, vault_id, epoch, bool(features & ARBITRATED))


def read_key_file(raw):
    require(len(raw) == 48 and raw[:8] == b"vltkey1\n", "not a key file")
    require(raw[40:] == checksum(raw[:40]), "the key file's checksum is wrong")
    return raw[8:40]


def read_machine_key(raw):
    """A machine's secret key, and the admin keys that it was joined to, §4.4."""
    count, rest = divmod(len(raw) - 48, 32)
    require(1 <= count <= 64 and rest == 0 and raw[:8] == b"vltmach1", "not a machine's key file")
    require(raw[-8:] == checksum(raw[:-8]), "the key file's checksum is wrong")
    return raw[8:40], {raw[at:at + 32] for at in range(40, len(raw) - 8, 32)}


def read_recovery_code(raw):
    digits = raw.upper().translate(bytes.maketrans(b"ILO", b"110"), b" \t\r\n-")
    alphabet = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    require(len(digits) == 35 and all(digit in alphabet for digit in digits), "no recovery code")
    number = 0
    for digit in digits:
        number = number << 5 | alphabet.index(digit)
    code = (number >> 15).to_bytes(20, "big")
    require(number & 0x7FFF == int.from_bytes(H(16, b"", code)[:2], "big") >> 1,
            "a recovery code's check is wrong")
    return code


def check_slot(number, body):
    require(len(body) >= 148, "a slot is too short")
    require(body[-8:] == checksum(pack("<I", number) + body[:-8]), "a slot's checksum is wrong")
    kind, kdf, name_length, memory, passes = unpack("<BBHII", body[:12])
    fixed = 316 if kind == MACHINE else 140
    require(name_length <= 64 and len(body) == fixed + name_length + 8, "a slot has a wrong length")
    text(body[fixed:-8])
    if kind in (PASSPHRASE, BOTH):
        require(kdf == 1, "a passphrase without a KDF")
        require(8 << 10 <= memory <= 1 << 20 and 1 <= passes <= 16 and memory * passes <= 4 << 20,
                "a slot's costs are out of bounds", "too costly")
    elif kind in (KEY_FILE, RECOVERY_CODE, MACHINE):
        require((kdf, memory, passes) == (0, 0, 0), "a KDF where there is no passphrase")
    return kind


def check_slots(slots):
    """Checks §4.1's limit for all slots together, before a key is derived for any."""
    machines = [number for number, body in slots if check_slot(number, body) == MACHINE]
    require(len(slots) - len(machines) <= 16 and len(machines) <= 10_000, "too many slots")
    with_kdf = [body for number, body in slots if check_slot(number, body) and body[1]]
    require(len(with_kdf) <= 8, "too many slots with a KDF")
    costs = [unpack("<II", body[4:12]) for body in with_kdf if body[0] in (PASSPHRASE, BOTH)]
    require(sum(memory * passes for memory, passes in costs) <= 8 << 20, "all slots cost too much")


def slot_keys(kind, secret, salt, memory, passes):
    """Wrapping key and commitment key."""
    if kind == PASSPHRASE:
        return argon2id(secret, salt, passes, memory)
    if kind == BOTH:
        passphrase, key = secret
        return H(64, key, b"vltkek02" + salt + argon2id(passphrase, salt, passes, memory))
    return H(64, secret, b"vltkek01" + salt)


def open_slot(ident, number, body, secret):
    """The vault key, for a passphrase, a key file's 32 bytes, both of them or a recovery code's 20.

    For a machine, `secret` is what read_machine_key returns.
    """
    kind = check_slot(number, body)
    if kind == MACHINE:
        return open_machine_slot(ident, number, body, secret[0])
    require(kind in (PASSPHRASE, KEY_FILE, RECOVERY_CODE, BOTH), "a slot of an unknown kind",
            "wrong key")
    require((kind == BOTH) == isinstance(secret, tuple), "half a key, or two for one", "wrong key")
    salt, wrap = body[12:28], body[36:108]
    memory, passes = unpack("<II", body[4:12])
    keys = slot_keys(kind, secret, salt, memory, passes)
    ad = ident.binding(b"vltslot1", b"", pack("<I", number) + body[:2] + body[4:36])
    commitment = H(32, keys[32:], ad + wrap)
    require(hmac.compare_digest(commitment, body[108:140]), "wrong passphrase or key", "wrong key")
    vault_key = unseal(keys[:32], ad, wrap)
    require(vault_key, "a slot's wrap does not open")
    return vault_key


def open_machine_slot(ident, number, body, secret):
    public, verify, ephemeral = body[140:172], body[172:204], body[204:236]
    require(x25519_public(secret) == public, "another machine's slot", "wrong key")
    require(ed25519_pair(H(32, secret, b"vltsign1"))[0] == verify, "another's verify key", "wrong key")
    shared = x25519(secret, ephemeral)
    require(shared, "a machine's public key is none")
    keys = H(64, shared, b"vltkek05" + body[12:28] + ephemeral + public)
    ad = ident.binding(b"vltslot1", b"", pack("<I", number) + body[:2] + body[4:36] + body[140:316])
    commitment = H(32, keys[32:], ad + body[36:108])
    require(hmac.compare_digest(commitment, body[108:140]), "wrong key", "wrong key")
    vault_key = unseal(keys[:32], ad, body[36:108])
    require(vault_key, "a slot's wrap does not open")
    return vault_key


def check_roster(ident, roster, slots):
    """The admin keys, of which the last signed the machines among the slots, §4.4."""
    machines = [(i, body) for i, body in sorted(slots) if body[0] == MACHINE]
    require(bool(roster) == bool(machines), "machines that nobody signed, or none that were")
    if not roster:
        return []
    chain, signature = roster[:-64], roster[-64:]
    admins, last = [chain[:32]], 0
    for at in range(32, len(chain), 104):
        (epoch,), key, by = unpack("<Q", chain[at:at + 8]), chain[at + 8:at + 40], chain[at + 40:at + 104]
        require(last < epoch <= ident.epoch, "an admin key of no later epoch")
        message = b"vltadms1" + ident.vault_id + pack("<Q", epoch) + key
        require(ed25519_verify(admins[-1], message, by), "an admin key that the one before did not sign")
        admins, last = admins + [key], epoch
    slots = b"".join(pack("<II", i, len(body)) + body for i, body in machines)
    message = (b"vltrost1" + ident.vault_id + pack("<Q", ident.epoch)
               + H(32, b"", chain) + H(32, b"", slots))
    require(ed25519_verify(admins[-1], message, signature), "the machines are not those signed")
    return admins


def check_share(slots, secret, admin):
    """An admin's machine shares the present admin key, §4.4."""
    for body in (body for _, body in slots if body[0] == MACHINE):
        public, share = body[140:172], body[236:316]
        if public == x25519_public(secret) and any(share):
            seed = box_open(share, public, secret)
            require(seed and ed25519_pair(seed)[0] == admin, "an admin's share does not open")


def commit_hash(ident, commit):
    """The hash by which the next commit names a commit, §7.2, after its signature was verified."""
    statement = (b"vltcmit1" + ident.vault_id
                 + pack("<Qq32sQ32s64s", *(commit[name] for name in (
                     "generation", "time", "hash", "previous", "link", "keys")))
                 + commit["name"].encode())
    require(not any(commit["keys"])
            or ed25519_verify(commit["keys"][32:], statement, commit["signature"]),
            "a commit is not signed by its machine")
    return H(32, b"", statement + commit["signature"])


def head_commit(head, content):
    """The commit of a head of a fleet's vault."""
    return {"generation": head["generation"], "time": head["time"],
            "hash": H(32, b"", without_field(content, 18))} | read_commit(head["commit"])


def machine_names(slots):
    """The names of machines, by their two public keys."""
    return {body[140:204]: text(body[316:-8]) for _, body in slots if body[0] == MACHINE}


def open_row(vault_key, ident, kind, node_id, row):
    key = subkey(vault_key, {HEAD: HEAD_KEY, LARGE: SECRET_KEY}.get(kind, NODE_KEY))
    ad = ident.binding(b"vltseal1", bytes([kind, 0]), pack("<Q", node_id))
    require(len(row) % 512 == 0, "a row's size is not a multiple of 512")
    plain = unseal(key, ad, row)
    require(plain is not None, f"row {node_id} of kind {kind} does not open")
    end = 4 + int.from_bytes(plain[:4], "little")
    require(end <= len(plain), "a row is shorter than its content")
    require(not any(plain[end:]), "a row's padding is not zero")
    require(len(plain) - end < 512, "a row has more padding than it needs", "not canonical")
    return plain[4:end]


def open_secret(vault_key, ident, use, item_id, sealed):
    ad = ident.binding(b"vltsecr1", bytes([use, 0]), item_id)
    secret = unseal(subkey(vault_key, SECRET_KEY), ad, sealed)
    require(secret is not None, "a secret does not open")
    return secret


def open_record_key(vault_key, ident, head):
    """The key of the records that machines keep of the vault, §7, §8."""
    return open_secret(vault_key, ident, RECORD_KEY, bytes(16), head["recordKey"])


def read_seen(record_key, path, raw):
    """Epoch, generation and head's tag of a record, §8."""
    require(len(raw) == 72 and raw[:8] == b"vltseen1", "no record")
    require(is_proven(record_key, path, raw), "a record that somebody else wrote")
    return unpack("<QQ16s", raw[8:40])


def read_place(record_key, path, raw):
    """The id of the vault at a path, §8."""
    require(len(raw) == 56 and raw[:8] == b"vltplace", "no record")
    require(is_proven(record_key, path, raw), "a record that somebody else wrote")
    return raw[8:24]


def is_proven(record_key, path, raw):
    return hmac.compare_digest(raw[-32:], H(32, record_key, raw[:-32] + H(16, b"", path)))


def slots_code(vault_key, slots):
    """The head's field for all slots, given as (id, body)."""
    return H(32, subkey(vault_key, SLOTS_KEY),
             b"".join(pack("<II", i, len(body)) + body for i, body in sorted(slots)))


def bucket_hash(vault_key, level, key):
    return int.from_bytes(H(16, subkey(vault_key, INDEX_KEY), bytes([level]) + key)[:8], "little")
