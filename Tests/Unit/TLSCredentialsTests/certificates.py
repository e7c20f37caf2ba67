"""Makes the certificates and revocation lists of TrustTableTests, as NAME.cer and NAME.crl.

usage: certificates.py FOLDER

Their times are fixed, and so are the evaluations'. Nothing of it is kept.
"""

import datetime
import ipaddress
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

FOLDER = Path(sys.argv[1])
KEYS = {}
NAMES = {}


def day(text):
    return datetime.datetime.fromisoformat(text)


def key(name, make=lambda: ec.generate_private_key(ec.SECP256R1())):
    return KEYS.setdefault(name, make())


def subject(common):
    return x509.Name([
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Example"),
        x509.NameAttribute(NameOID.COMMON_NAME, common)])


def general(name):
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def make(
        name, issuer, names=None, ca=None, start="2026-01-01", end="2027-01-01", common=None,
        purposes=(ExtendedKeyUsageOID.SERVER_AUTH,), extra=(), hash=hashes.SHA256(), owner=None,
        path_length=None, serial=None):
    """Makes a certificate for the key `owner`, signed with the key of `issuer`."""
    holder = key(owner or name)
    NAMES[name] = subject(common or name)
    builder = (
        x509.CertificateBuilder().subject_name(NAMES[name]).issuer_name(NAMES[issuer])
        .public_key(holder.public_key()).serial_number(serial or len(NAMES) + 100)
        .not_valid_before(day(start)).not_valid_after(day(end)))
    if ca is not None:
        builder = builder.add_extension(
            x509.BasicConstraints(ca=ca, path_length=path_length), critical=True)
    if names:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([general(name) for name in names]), critical=False)
    if purposes and not ca:
        builder = builder.add_extension(x509.ExtendedKeyUsage(list(purposes)), critical=False)
    for extension, critical in extra:
        builder = builder.add_extension(extension, critical=critical)
    certificate = builder.sign(key(issuer), hash)
    der = certificate.public_bytes(serialization.Encoding.DER)
    (FOLDER / f"{name}.cer").write_bytes(der)
    return certificate, der


def authority(name, issuer=None, **options):
    options = {"start": "2020-01-01", "end": "2040-01-01", "ca": True, **options}
    return make(name, issuer or name, **options)


def revocation(name, issuer, serials=(), end="2026-12-01", signer=None):
    builder = (
        x509.CertificateRevocationListBuilder().issuer_name(NAMES[issuer])
        .last_update(day("2026-01-02")).next_update(day(end)))
    for serial in serials:
        builder = builder.add_revoked_certificate(
            x509.RevokedCertificateBuilder().serial_number(serial)
            .revocation_date(day("2026-02-01")).build())
    der = builder.sign(key(signer or issuer), hashes.SHA256()).public_bytes(
        serialization.Encoding.DER)
    (FOLDER / f"{name}.crl").write_bytes(der)


def weak():
    return rsa.generate_private_key(65537, 1024)


WEB = ["www.example.com", "*.wild.example.com", "192.0.2.1", "2001:db8::1"]

authority("root")
authority("other")
authority("middle", "root")
authority("cross", "other", owner="middle", common="middle")
leaf, der = make("leaf", "middle", WEB, serial=7)
make("renewed", "middle", WEB, owner="leaf", end="2028-01-01")
make("foreign", "other", WEB)
make("self", "self", WEB)
make("self-expired", "self", WEB, owner="self", end="2026-03-01", common="self")
make("self-cn", "self-cn", common="foobar.com")
make("cn", "middle", common="www.example.com")
make("cn-and-san", "middle", ["mail.example.com"], common="www.example.com")
make("expired", "middle", WEB, end="2026-03-01")
make("future", "middle", WEB, start="2026-09-01")
make("client", "middle", WEB, purposes=[ExtendedKeyUsageOID.CLIENT_AUTH])
make("any-purpose", "middle", WEB, purposes=[])
key("weak", weak)
make("weak", "middle", WEB)
make("sha1", "middle", WEB, hash=hashes.SHA1())
make("forged", "leaf", WEB)
make("impostor", "other", WEB, common="middle")
NAMES["impostor-key"] = NAMES["middle"]
make("stolen-name", "impostor-key", WEB)
authority("short", "root", path_length=0)
authority("below-short", "short")
make("too-deep", "below-short", WEB)
authority("limited", "root", extra=[(x509.NameConstraints([x509.DNSName("example.org")], None), True)])
make("outside", "limited", ["www.example.com"])
make("inside", "limited", ["www.example.org"])
authority("excluding", "root", extra=[
    (x509.NameConstraints(None, [x509.DNSName("bar.example.com")]), True)])
make("covering", "excluding", ["*.example.com"])
make("covering-capital", "excluding", ["*.EXAMPLE.com"])
make("besides", "excluding", ["*.example.org", "*.www.example.com", "example.com"])
make("registry", "middle", ["*.co.uk"])
make("registry-and-own", "middle", ["*.co.uk", "shop.co.uk"])
make("hosted", "middle", ["*.github.io"])


def policies(*identifiers):
    return (x509.CertificatePolicies([
        x509.PolicyInformation(ObjectIdentifier(identifier), None)
        for identifier in identifiers]), False)


def mappings(*pairs):
    """Policy mappings (RFC 5280 4.2.1.5), of identifiers of 8 bytes."""
    def oid(last):
        return bytes([6, 8, 0x60, 0x86, 0x48, 1, 0x65, 3, 2, last])
    inner = b"".join(bytes([0x30, 20]) + oid(one) + oid(two) for one, two in pairs)
    return (x509.UnrecognizedExtension(
        ObjectIdentifier("2.5.29.33"), bytes([0x30, len(inner)]) + inner), True)


ONE, TWO, ANY = "2.16.840.1.101.3.2.1", "2.16.840.1.101.3.2.2", "2.5.29.32.0"
EXPLICIT = (x509.PolicyConstraints(require_explicit_policy=0, inhibit_policy_mapping=None), True)
NO_MAPPING = (x509.PolicyConstraints(require_explicit_policy=0, inhibit_policy_mapping=0), True)
NO_ANY = (x509.InhibitAnyPolicy(0), True)
for name, extra in (
        ("strict", [policies(ONE), EXPLICIT]), ("lenient", [policies(ANY), EXPLICIT]),
        ("strict-mapping", [policies(ONE), EXPLICIT, mappings((1, 2))]),
        ("strict-plain", [policies(ANY), NO_MAPPING]),
        ("strict-named", [policies(ANY), EXPLICIT, NO_ANY])):
    authority(name, "root", extra=extra)
authority("mapping", "strict-plain", extra=[policies(ONE), mappings((1, 2))])
for issuer in ("strict", "lenient", "strict-mapping", "strict-named", "mapping", "middle"):
    make(f"{issuer}-none", issuer, WEB)
    for name, policy in (("one", ONE), ("two", TWO), ("any", ANY)):
        make(f"{issuer}-{name}", issuer, WEB, extra=[policies(policy)])
make("critical", "middle", WEB, extra=[
    (x509.UnrecognizedExtension(ObjectIdentifier("1.3.6.1.4.1.99999.1"), b"\x05\x00"), True)])
authority("old-middle", "root", end="2026-02-01")
make("below-old", "old-middle", WEB)
make("wildcard", "middle", ["*.example.com"])
make("partial", "middle", ["w*.example.com"])
make("all", "middle", [".example.com"])
make("idn", "middle", ["xn--bcher-kva.example"])
make("address-as-name", "middle", ["www.example.org"], common="192.0.2.1")
changed = bytearray(der)
changed[-1] ^= 1
(FOLDER / "changed.cer").write_bytes(bytes(changed))

revocation("middle", "middle")
revocation("middle-has-leaf", "middle", [7])
revocation("root", "root")
revocation("middle-old", "middle", end="2026-02-01")
revocation("middle-forged", "middle", [7], signer="other")
