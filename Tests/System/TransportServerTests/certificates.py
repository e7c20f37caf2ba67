"""Makes the certificates of the transport's tests: NAME.pem and NAME.key, and NAME.p12 of clients.

usage: certificates.py FOLDER
"""

import datetime
import ipaddress
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FOLDER = Path(sys.argv[1])
NOW = datetime.datetime.utcnow()
MADE = {}


def make(name, issuer=None, purpose=None, days=30, common=None):
    key = ec.generate_private_key(ec.SECP256R1())
    holder = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common or name)])
    by_name, by_key = (holder, key) if issuer is None else (MADE[issuer][0].subject, MADE[issuer][1])
    builder = (
        x509.CertificateBuilder().subject_name(holder).issuer_name(by_name)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=60))
        .not_valid_after(NOW + datetime.timedelta(days=days)))
    if purpose is None:
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    else:
        builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    if purpose == ExtendedKeyUsageOID.SERVER_AUTH:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False)
    certificate = builder.sign(by_key, hashes.SHA256())
    MADE[name] = (certificate, key)
    (FOLDER / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (FOLDER / f"{name}.key").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))


def bundle(name, chain):
    certificate, key = MADE[name]
    (FOLDER / f"{name}.p12").write_bytes(pkcs12.serialize_key_and_certificates(
        name.encode(), key, certificate, [MADE[other][0] for other in chain],
        serialization.BestAvailableEncryption(b"secret")))


make("root")
make("other")
make("middle", "root")
make("server", "root", ExtendedKeyUsageOID.SERVER_AUTH)
make("expired", "root", ExtendedKeyUsageOID.SERVER_AUTH, days=-1)
make("selfsigned", None, ExtendedKeyUsageOID.SERVER_AUTH)
make("changed", None, ExtendedKeyUsageOID.SERVER_AUTH, common="selfsigned")
for client in ("ann", "bob"):
    make(client, "middle", ExtendedKeyUsageOID.CLIENT_AUTH)
    bundle(client, ["middle"])
