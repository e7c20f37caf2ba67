#!/usr/bin/env python3
"""Writes the golden vectors and vaults, or compares them with what it would write.

    golden.py           writes what is missing or different
    golden.py --check   status 1 with the names of what differs or the reader judges otherwise
"""

import argparse
import json
import sqlite3
import sys
import tempfile
from pathlib import Path

import judge
import keyvectors
import nodevectors
import recordvectors
import sealing
import vaultformat
import vaults
from records import Refused
from vector import Vector

HERE = Path(__file__).resolve().parent
VECTORS = HERE.parent.parent / "Unit" / "VaultCryptoTests" / "Vectors"
VAULTS = HERE / "Vaults" / "format-1"


def vector_files():
    """The text of each vector by its path below VECTORS."""
    files = {}
    for source in (keyvectors, nodevectors, recordvectors):
        for vector in source.vectors():
            path = f"{vector.area}/{vector.scenario}"
            assert path not in files, f"{path} is made twice"
            files[path] = vector.text()
    return files


def stored_vectors():
    return {str(path.relative_to(VECTORS)): path.read_bytes().decode()
            for path in sorted(VECTORS.glob("*/*"))}


def rows(path):
    """The content of a vault file, without the version of the SQLite that wrote it."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    pragmas = ("page_size", "encoding", "auto_vacuum", "application_id", "user_version")
    found = [database.execute(f"PRAGMA {pragma}").fetchone() for pragma in pragmas]
    found += database.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name")
    for table in ("vault", "slot", "node"):
        found += database.execute(f"SELECT * FROM {table} ORDER BY id")
    database.close()
    return found


def same(path, other):
    if not (path.exists() and other.exists()):
        return False
    if path.suffix == ".vault":
        return rows(path) == rows(other)
    return path.read_bytes() == other.read_bytes()


def write(made):
    files = vector_files()
    for name, text in files.items():
        (VECTORS / name).parent.mkdir(parents=True, exist_ok=True)
        (VECTORS / name).write_bytes(text.encode())
    VAULTS.mkdir(parents=True, exist_ok=True)
    for path in made:
        if not same(VAULTS / path.name, path):
            (VAULTS / path.name).write_bytes(path.read_bytes())


def differences(made):
    """Returns the stored files that differ from what would be written."""
    files, stored = vector_files(), stored_vectors()
    for name in sorted(files.keys() | stored.keys()):
        if files.get(name) != stored.get(name):
            yield f"{name}: differs from what is generated"
    for name in sorted({path.name for path in made} | {path.name for path in VAULTS.glob("*")}):
        if not same(VAULTS / name, made[0].parent / name):
            yield f"{name}: differs from what is generated"


def disagreements():
    """Returns the stored files that the reader reads differently."""
    for name, text in stored_vectors().items():
        complaint = judge.complaint(Vector.parse(*name.split("/"), text))
        if complaint:
            yield f"{name}: {complaint}"
    for path in sorted(VAULTS.glob("*.vault")):
        listing = json.loads(path.with_suffix(".json").read_text())
        passphrase = listing.pop("passphrase").encode()
        key = sealing.read_key_file(path.with_suffix(".key").read_bytes())
        keys = [(sealing.PASSPHRASE, passphrase), (sealing.KEY_FILE, key)]
        keys += [(sealing.MACHINE, sealing.read_machine_key(file.read_bytes()))
                 for file in VAULTS.glob(f"{path.stem}.*machine")]
        for kind, secret in keys:
            try:
                contents = vaultformat.Vault(str(path), kind, secret).contents()
            except Refused as refusal:
                yield f"{path.name}: the reader says {refusal.outcome}: {refusal}"
                continue
            if json.loads(json.dumps(contents, default=bytes.hex)) != listing:
                yield f"{path.name}: the reader lists other contents"


def main():
    parser = argparse.ArgumentParser(description="Writes or checks the golden files.")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        vaults.write(folder)
        made = sorted(Path(folder).iterdir())
        if not arguments.check:
            write(made)
        complaints = list(differences(made)) or list(disagreements())
    print(*complaints, sep="\n", end="\n" if complaints else "", file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
