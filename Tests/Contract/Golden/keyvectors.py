"""Vectors of keys and their containers: subkeys, key files, slots, idents."""

from struct import pack

from sodium import checksum, seal, stream, subkey, unseal
from vector import Vector
from writer import (
    MINIMUM_KIB, Writer, key_file, machine_key_file, make_nonce, recovery_text)

P = (1 << 130) - 5
END = 1 << 62  # of numbers that count, format.md §1


def flipped(data, at):
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def repaired(data, before=b""):
    """The data with its last eight bytes made a right checksum of `before` and the rest."""
    return data[:-8] + checksum(before + data[:-8])


def patched(data, at, new, before=b""):
    return repaired(data[:at] + new + data[at + len(new):], before)


def subkeys():
    w = Writer("subkeys")
    for number, name in enumerate(("head", "node", "secret", "index", "slots", "nonce"), 1):
        yield Vector("subkeys", name, "success", f"the {name} key is subkey {number}", keys={
            "vault-key": w.vault_key, "number": number,
            "subkey": subkey(w.vault_key, number)})


def nonces():
    """The nonce of a seal, whose plaintext is the body."""
    def vector(scenario, comment, plain, ad=b"associated data", seed="nonce"):
        random = Writer(seed).random
        key, fresh = random.take(32), random.take(24)
        return Vector("nonce", scenario, "success", comment, plain, {
            "nonce-key": key, "fresh": fresh, "associated-data": ad,
            "nonce": make_nonce(key, fresh, ad, plain)})

    yield vector("short", "a secret", b"correct horse")
    yield vector("other-plaintext", "the same fresh bytes, another byte sealed", b"correct horsf")
    yield vector("other-associated-data", "the same fresh bytes, bound to something else",
                 b"correct horse", b"associated datb")
    yield vector("moved-boundary", "a byte of the plaintext in the associated data",
                 b"orrect horse", b"associated datac")
    yield vector("other-key", "the same plaintext under another key", b"correct horse",
                 seed="other nonce")
    yield vector("empty", "nothing is sealed", b"", b"")
    yield vector("row", "a row of 8 KiB", Writer("nonce row").random.take(8152))


def keyfiles():
    key = Writer("keyfile").random.take(32)
    good = key_file(key)

    def vector(scenario, expect, comment, raw):
        keys = {"key": key} if expect == "success" else {}
        return Vector("keyfile", scenario, expect, comment, raw, keys)

    yield vector("good", "success", "magic, key, checksum", good)
    yield vector("bad-magic", "damaged", "another magic under a right checksum",
                 patched(good, 0, b"vltkey2\n"))
    yield vector("magic-with-carriage-return", "damaged", "what a transfer as text makes of it",
                 good.replace(b"1\n", b"1\r\n"))
    yield vector("bad-checksum", "damaged", "a bit of the checksum flipped", flipped(good, -1))
    yield vector("flipped-key", "damaged", "a bit of the key flipped", flipped(good, 20))
    yield vector("short", "damaged", "the last byte missing", good[:-1])
    yield vector("key-only", "damaged", "32 bytes without magic and checksum", key)
    yield vector("long", "damaged", "a newline at the end", good + b"\n")
    yield vector("empty", "damaged", "no bytes", b"")


def two_key_wrap(w, other_key):
    """A wrap that opens under two keys: a ciphertext whose two Poly1305 tags are one.

    The blocks are the associated data, c1, c2 and the lengths. For a c1, the equation of both tags
    is linear in c2; it is solved modulo P, for each k * 2^128 by which the sums may differ.
    """
    def wrap(first_key, ad):
        nonce, keys = w.random.take(24), (first_key, other_key)
        heads = [stream(key, nonce, 32) for key in keys]
        mask = 0x0ffffffc0ffffffc0ffffffc0fffffff
        r = [int.from_bytes(head[:16], "little") & mask for head in heads]
        s = [int.from_bytes(head[16:], "little") for head in heads]

        def total(i, c1, c2):
            data = ad + bytes(-len(ad) % 16) + c1 + c2 + pack("<QQ", len(ad), 32)
            value = 0
            for at in range(0, len(data), 16):
                block = int.from_bytes(data[at:at + 16], "little") + (1 << 128)
                value = (value + block) * r[i] % P
            return value

        inverse = pow(r[0] ** 2 - r[1] ** 2, -1, P)
        while True:
            c1 = w.random.take(16)
            gap = total(1, c1, bytes(16)) - total(0, c1, bytes(16)) + s[1] - s[0]
            for k in range(-4, 5):
                c2 = (gap + (k << 128)) * inverse % P
                if c2 >> 128:
                    continue
                c2 = c2.to_bytes(16, "little")
                tags = [(total(i, c1, c2) + s[i]) % (1 << 128) for i in (0, 1)]
                if tags[0] == tags[1]:
                    plain = stream(first_key, nonce, 96)[64:]
                    w.vault_key = bytes(a ^ b for a, b in zip(plain, c1 + c2))
                    sealed = seal(first_key, nonce, ad, w.vault_key)
                    assert sealed == nonce + c1 + c2 + tags[0].to_bytes(16, "little")
                    assert unseal(other_key, ad, sealed) not in (None, w.vault_key)
                    return sealed
    return wrap


PASSPHRASE = "Gr\u00fc\u00dfe an alle \u2713".encode()


def slots():
    kinds = {"passphrase": 1, "key-file": 2, "recovery-code": 3, "both": 4}
    slot_id = 3

    def repaired_slot(body, number=slot_id):
        return repaired(body, pack("<I", number))

    def patched_slot(body, at, new):
        return patched(body, at, new, pack("<I", slot_id))

    def vector(scenario, expect, comment, change=None, *, credential="passphrase", given=None,
               context=None, epoch=7, **how):
        """A slot made for one context, changed by `change`, opened in `context` with `given`."""
        w = Writer(f"slot/{scenario}", epoch)
        secret = {"passphrase": PASSPHRASE, "key-file": w.random.take(32),
                  "recovery-code": w.random.take(20)}
        secret["both"] = (PASSPHRASE, secret["key-file"])
        secret = secret[credential]
        body = w.slot(slot_id, kinds[credential], secret, **how)
        body = change(body) if change else body
        keys = {"vault-id": w.vault_id, "epoch": epoch, "slot-id": slot_id} | (context or {})
        given = secret if given is None else given
        if isinstance(given, tuple):
            keys["passphrase"], keys["key-file"] = given
        elif isinstance(given, dict):
            keys |= given
        else:
            keys[credential] = given
        if expect == "success":
            keys["vault-key"] = w.vault_key
        return Vector("slot", scenario, expect, comment, body, keys)

    def costs(memory, passes):
        return lambda body: patched_slot(body, 4, pack("<II", memory, passes))

    yield vector("passphrase", "success", "the least cost, a passphrase that is not ASCII")
    yield vector("passphrase-16-passes", "success", "the most passes", passes=16)
    yield vector("key-file", "success", "no KDF", credential="key-file", name="key of the server")
    yield vector("recovery-code", "success", "no KDF, 20 bytes", credential="recovery-code")
    yield vector("name-64-bytes", "success", "the longest name", name="\u00e4" * 32)
    yield vector("renamed", "success", "the name is not in the associated data", name="before",
                 change=lambda body: patched_slot(body, 140, b"after!"))

    yield vector("passphrase-wrong", "wrong key", "another passphrase", given=b"Gruesse an alle")
    yield vector("passphrase-newline", "wrong key", "the passphrase is taken as it is",
                 given=PASSPHRASE + b"\n")
    for credential, size in (("key-file", 32), ("recovery-code", 20)):
        yield vector(f"{credential}-wrong", "wrong key", "another key", credential=credential,
                     given=Writer("another").random.take(size))

    for name, at in (("kind", 0), ("memory", 5), ("salt", 12), ("wrap", 60), ("commitment", 108),
                     ("name", 140), ("checksum", -1)):
        yield vector(f"flipped-{name}", "damaged", "a flipped bit, seen by the checksum",
                     lambda body, at=at: flipped(body, at), name="n")
    yield vector("flipped-checksum-wrong-passphrase", "damaged",
                 "the checksum comes before the passphrase", lambda body: flipped(body, -1),
                 given=b"no")
    for name, at in (("salt", 12), ("time", 28), ("nonce", 36), ("wrap", 60), ("tag", 107),
                     ("commitment", 108)):
        yield vector(f"flipped-{name}-repaired", "wrong key",
                     "a flipped bit under a right checksum, seen by the commitment",
                     lambda body, at=at: repaired_slot(flipped(body, at)))
    yield vector("kind-changed-repaired", "wrong key", "a key file's slot called a recovery code's",
                 lambda body: patched_slot(body, 0, b"\3"), credential="key-file")
    yield vector("wrap-broken-inside", "damaged", "the commitment holds, the seal does not",
                 wrap=lambda key, ad: flipped(seal(key, bytes(24), ad, bytes(32)), 30))

    yield vector("memory-below", "too costly", "8 MiB less 1 KiB", costs(MINIMUM_KIB - 1, 1))
    yield vector("memory-zero", "too costly", "no memory", costs(0, 1))
    yield vector("memory-above", "too costly", "1 GiB and 1 KiB", costs((1 << 20) + 1, 1))
    yield vector("memory-most", "too costly", "4 TiB less 1 KiB, before anything is reserved",
                 costs((1 << 32) - 1, 1))
    yield vector("passes-zero", "too costly", "no pass", costs(MINIMUM_KIB, 0))
    yield vector("passes-above", "too costly", "17 passes", costs(MINIMUM_KIB, 17))
    yield vector("product-above", "too costly", "1 GiB in 5 passes", costs(1 << 20, 5))
    yield vector("product-just-above", "too costly", "4 GiB and 16 KiB", costs((1 << 18) + 1, 16))
    yield vector("product-overflow", "too costly", "a product that is 0 in 32 bits",
                 costs(1 << 31, 1 << 31))
    yield vector("costs-unchecked", "damaged", "the checksum comes before the costs",
                 lambda body: flipped(costs(1 << 31, 17)(body), -1))

    yield vector("kdf-unknown", "damaged", "KDF 2", lambda body: patched_slot(body, 1, b"\2"))
    yield vector("kdf-missing", "damaged", "a passphrase without a KDF",
                 lambda body: patched_slot(body, 1, b"\0"))
    yield vector("key-file-with-kdf", "damaged", "Argon2id for a key file", credential="key-file",
                 change=lambda body: patched_slot(costs(MINIMUM_KIB, 1)(body), 1, b"\1"))
    yield vector("key-file-with-memory", "damaged", "memory without a KDF", costs(MINIMUM_KIB, 0),
                 credential="key-file")
    yield vector("key-file-with-passes", "damaged", "passes without a KDF", costs(0, 1),
                 credential="key-file")
    yield vector("name-65-bytes", "damaged", "a name that is too long", name="n" * 65)
    yield vector("name-beyond", "damaged", "a name longer than the body",
                 lambda body: patched_slot(body, 2, b"\2\0"), name="n")
    yield vector("name-within", "damaged", "bytes after the name",
                 lambda body: patched_slot(body, 2, b"\0\0"), name="n")
    yield vector("name-not-utf8", "damaged", "a name that is no text",
                 lambda body: patched_slot(body, 140, b"\xff"), name="n")
    yield vector("name-nul", "damaged", "a name that holds NUL",
                 lambda body: patched_slot(body, 140, b"\0"), name="n")
    yield vector("short", "damaged", "147 bytes under a right checksum",
                 lambda body: repaired_slot(body[:147]))
    yield vector("checksum-only", "damaged", "the right checksum of no body",
                 lambda body: checksum(pack("<I", slot_id)))
    yield vector("empty", "damaged", "no bytes", lambda body: b"")

    yield vector("other-vault", "wrong key", "a slot copied from another vault",
                 context={"vault-id": bytes(range(16))})
    yield vector("other-epoch", "wrong key", "a slot of the epoch before", context={"epoch": 8})
    yield vector("other-id", "damaged", "a slot copied to another row, seen by the checksum",
                 context={"slot-id": 4})
    yield vector("other-id-repaired", "wrong key",
                 "a slot copied to another row under a right checksum",
                 lambda body: repaired_slot(body, 4), context={"slot-id": 4})
    yield vector("kind-unknown", "wrong key", "a slot of a later kind is kept and never tried",
                 lambda body: patched_slot(body, 0, b"\x63"))
    yield vector("kind-unknown-with-costs", "wrong key", "what its costs mean is not known",
                 lambda body: patched_slot(body, 0, b"\x63\2" + body[2:4] + b"\xff" * 8))

    yield vector("both", "success", "a passphrase and a key file together", credential="both",
                 name="two halves")
    for scenario, comment, half in (
            ("both-other-passphrase", "the right key file, another passphrase",
             lambda file: (b"Gruesse an alle", file)),
            ("both-other-key-file", "the right passphrase, another key file",
             lambda file: (PASSPHRASE, Writer("another").random.take(32))),
            ("both-swapped", "each half in the place of the other",
             lambda file: (file, PASSPHRASE[:32].ljust(32, b"\0"))),
            ("both-passphrase-alone", "one half is no key", lambda file: {"passphrase": PASSPHRASE}),
            ("both-key-file-alone", "one half is no key", lambda file: {"key-file": file})):
        # The first that such a vector's writer draws is its key file.
        file = Writer(f"slot/{scenario}", 7).random.take(32)
        yield vector(scenario, "wrong key", comment, credential="both", given=half(file))
    yield vector("both-called-passphrase", "wrong key", "the kind is in what the wrap is bound to",
                 lambda body: patched_slot(body, 0, b"\1"), credential="both",
                 given={"passphrase": PASSPHRASE})
    yield vector("both-called-unknown", "wrong key", "the kind is in what the wrap is bound to",
                 lambda body: patched_slot(body, 0, b"\x63"), credential="both")
    yield vector("passphrase-called-both", "wrong key", "half of the key is not in it",
                 lambda body: patched_slot(body, 0, b"\4"),
                 given=(PASSPHRASE, bytes(range(32))))
    yield vector("both-without-kdf", "damaged", "a passphrase without a KDF",
                 lambda body: patched_slot(body, 1, b"\0"), credential="both")
    yield vector("both-memory-above", "too costly", "1 GiB and 1 KiB", costs((1 << 20) + 1, 1),
                 credential="both")

    for scenario, expect, comment, given in (
            ("two-passphrases-first", "success",
             "a wrap that opens under two keys; this is the committed one", b"first"),
            ("two-passphrases-second", "wrong key",
             "the other passphrase opens the wrap too; the commitment refuses it", b"second")):
        w = Writer("slot/two-passphrases", 7)
        second = Writer("slot/two-passphrases", 7)
        kept = {}
        second.slot(3, 1, b"second", wrap=lambda key, ad: kept.setdefault("key", key) + bytes(40))
        body = w.slot(3, 1, b"first", wrap=two_key_wrap(w, kept["key"]))
        keys = {"vault-id": w.vault_id, "epoch": 7, "slot-id": 3, "passphrase": given}
        if expect == "success":
            keys["vault-key"] = w.vault_key
        yield Vector("slot", scenario, expect, comment, body, keys)


def machine_slots():
    """Slots of machines, §4.4."""
    number = 20

    def vector(scenario, expect, comment, change=None, *, is_admin=False, other=False, context=None,
               **how):
        w = Writer(f"slot/{scenario}", 7)
        secret, admin = w.random.take(32), w.random.take(32)
        body = w.machine_slot(number, secret, "build", admin if is_admin else None, **how)
        body = change(body) if change else body
        given = machine_key_file(w.random.take(32) if other else secret, admin)
        keys = {"vault-id": w.vault_id, "epoch": 7, "slot-id": number} | (context or {})
        keys |= {"machine-key": given}
        if expect == "success":
            keys["vault-key"] = w.vault_key
        return Vector("slot", scenario, expect, comment, body, keys)

    def at(offset):
        return lambda body: repaired(flipped(body, offset), pack("<I", number))

    yield vector("machine", "success", "a machine's slot")
    yield vector("machine-of-admin", "success", "with a share of the admin key", is_admin=True)
    yield vector("machine-other", "wrong key", "another machine's key", other=True)
    yield vector("machine-other-epoch", "wrong key", "a slot of the epoch before",
                 context={"epoch": 8})
    for name, offset in (("salt", 12), ("wrap", 36), ("commitment", 108), ("public-key", 140),
                         ("verify-key", 172), ("ephemeral", 204), ("share", 236)):
        yield vector(f"machine-flipped-{name}", "wrong key", "under a right checksum", at(offset))
    yield vector("machine-low-order", "damaged", "a public key that shares the same with all",
                 ephemeral=bytes(32))
    yield vector("machine-with-kdf", "damaged", "a KDF where there is no passphrase",
                 lambda body: repaired(patched(body, 1, b"\1"), pack("<I", number)))
    yield vector("machine-cut", "damaged", "as short as another slot",
                 lambda body: repaired(body[:140] + body[-13:], pack("<I", number)))


def idents():
    w = Writer("ident", epoch=2)
    good = w.ident()

    def vector(scenario, expect, comment, raw, minor=0, epoch=w.epoch):
        keys = {"vault-id": w.vault_id, "epoch": epoch, "minor": minor}
        return Vector("ident", scenario, expect, comment, raw, keys if expect == "success" else {})

    yield vector("good", "success", "version 1.0", good)
    yield vector("epoch-most", "success", "the highest epoch", patched(
        good, 28, pack("<Q", END - 1)), epoch=END - 1)
    yield vector("epoch-above", "damaged", "one more", patched(good, 28, pack("<Q", END)))
    yield vector("epoch-2-to-64", "damaged", "nothing could be added to it",
                 patched(good, 28, b"\xff" * 8))
    yield vector("newer-minor", "success", "version 1.9 is readable", w.ident(minor=9), minor=9)
    yield vector("newer-major", "too new", "version 2.0", w.ident(major=2))
    yield vector("newer-major-256", "too new", "the major version's high byte", w.ident(major=256))
    yield vector("arbitrated", "success", "feature bit 16, a replica",
                 w.ident(features=1 << 16))
    yield vector("unknown-feature", "too new", "feature bit 0", w.ident(features=1))
    yield vector("unknown-feature-17", "too new", "feature bit 17", w.ident(features=1 << 17))
    yield vector("unknown-last-feature", "too new", "feature bit 31", w.ident(features=1 << 31))
    yield vector("newer-major-unchecked", "damaged", "the checksum comes before the version",
                 flipped(w.ident(major=2), -1))
    for name, at in (("magic", 0), ("major", 9), ("minor", 10), ("vault-id", 12), ("epoch", 28),
                     ("features", 36), ("checksum", 47)):
        yield vector(f"flipped-{name}", "damaged", "a flipped bit, seen by the checksum",
                     flipped(good, at))
    yield vector("other-magic", "damaged", "another magic under a right checksum",
                 w.ident(magic=b"vltidenT"))
    yield vector("major-zero", "damaged", "version 0 was never", w.ident(major=0))
    yield vector("epoch-zero", "damaged", "epochs count from 1", patched(good, 28, bytes(8)))
    yield vector("short", "damaged", "47 bytes", good[:-1])
    yield vector("long", "damaged", "49 bytes", good + b"\0")
    yield vector("empty", "damaged", "no bytes", b"")


def recovery_codes():
    code = Writer("recovery").random.take(20)
    good = recovery_text(code)

    def vector(scenario, comment, text, expect="damaged", code=code):
        keys = {"code": code} if expect == "success" else {}
        return Vector("recovery", scenario, expect, comment, text.encode(), keys)

    yield vector("good", "seven groups of five characters", good, "success")
    for name, value in (("zeros", bytes(20)), ("ones", b"\xff" * 20), ("counting", bytes(range(20)))):
        yield vector(name, "bytes that show the order of bits", recovery_text(value), "success",
                     code=value)
    yield vector("small-letters", "case makes no difference", good.lower(), "success")
    yield vector("without-dashes", "dashes are ignored", good.replace("-", ""), "success")
    yield vector("blanks", "blanks, tabs and line ends are ignored",
                 " " + good.replace("-", "\t \r\n") + "\n", "success")
    # The code of a text with many zeros and ones.
    alike = recovery_text(int("01" * 16, 32).to_bytes(20, "big"))
    value = int("01" * 16, 32).to_bytes(20, "big")
    for zero, one in ("OI", "OL", "oi", "ol"):
        yield vector(f"read-as-{ord(zero)}-{ord(one)}", "O is 0; I and L are 1",
                     alike.replace("0", zero).replace("1", one), "success", code=value)

    def other(character):
        return "1" if character != "1" else "2"

    for name, at in (("first", 0), ("middle", 20), ("last-of-code", 37), ("first-of-check", 38),
                     ("last-of-check", 40)):
        yield vector(f"mistyped-{name}", "another character, seen by the check",
                     good[:at] + other(good[at]) + good[at + 1:])
    at = next(at for at in range(len(good) - 1)
              if "-" not in good[at:at + 2] and good[at] != good[at + 1])
    yield vector("swapped", "two neighbours swapped, seen by the check",
                 good[:at] + good[at + 1] + good[at] + good[at + 2:])
    yield vector("letter-u", "no code has a U", "U" + good[1:])
    yield vector("exclamation-mark", "a character that no code has", good + "!")
    yield vector("nul", "NUL is no blank", good + "\0")
    yield vector("long-dash", "a dash that is not ASCII", good.replace("-", "\u2013"))
    yield vector("check-missing", "the 32 characters of the code alone", good.replace("-", "")[:32])
    yield vector("short", "34 characters", good[:-1])
    yield vector("long", "36 characters", good + "0")
    yield vector("empty", "no characters", "")


def vectors():
    for area in (subkeys, nonces, keyfiles, recovery_codes, slots, machine_slots, idents):
        yield from area()
