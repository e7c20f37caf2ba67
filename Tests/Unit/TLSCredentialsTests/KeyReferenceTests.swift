import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("references to keys in tokens")
struct KeyReferenceTests {
  private func text(_ secret: Secret) -> String {
    String(decoding: secret.octets(0..<secret.count), as: UTF8.self)
  }

  @Test(
    "a URI is kept as it is written, without its PIN",
    arguments: [
      ("pkcs11:object=ann", "pkcs11:object=ann", String?.none),
      (
        "pkcs11:token=The%20Token;object=ann;type=private;id=%01%aF",
        "pkcs11:token=The%20Token;object=ann;type=private;id=%01%aF", nil
      ),
      ("pkcs11:id=%01?pin-value=12%2034", "pkcs11:id=%01", "12 34"),
      (
        "pkcs11:id=a&b?module-name=soft&pin-value=1/2&x-own=3",
        "pkcs11:id=a&b?module-name=soft&x-own=3", "1/2"
      ),
      ("pkcs11:object=;x-slot=1;slot-id=7", "pkcs11:object=;x-slot=1;slot-id=7", nil),
    ])
  func reading(written: String, kept: String, pin: String?) throws {
    let reference = try KeyReference(uri: Secret(written))
    #expect(reference.uri == kept && reference.pin.map(text) == pin)
    #expect("\(reference)" == kept && !String(reflecting: reference).contains("34"))
    let again = try KeyReference(uri: reference.whole)
    #expect(again.uri == kept && again.pin.map(text) == pin)
  }

  @Test(
    "what is malformed, unknown, or no key is refused",
    arguments: [
      "", "pkcs11:", "pkcs12:object=a", "PKCS11:object=a", "pkcs11:token=a", "pkcs11:object",
      "pkcs11:=a", "pkcs11:object=a;", "pkcs11:object=a;object=b", "pkcs11:objekt=a;id=1",
      "pkcs11:object=a%2", "pkcs11:object=a%2g", "pkcs11:object=a b", "pkcs11:object=a/b",
      "pkcs11:object=\u{E4}", "pkcs11:object=a;type=cert", "pkcs11:object=a;type=public",
      "pkcs11:object=a?", "pkcs11:object=a?pin=1", "pkcs11:object=a?pin-value=1&pin-value=2",
      "pkcs11:object=a?pin-value=%", "pkcs11:object=a?pin-source=file:/etc/pin",
      "pkcs11:object=a?pin-source=%7Cprogram", "pkcs11:object=a?module-path=/tmp/a.so",
      "pkcs11:ob ject=a", "pkcs11:object=a#b",
    ])
  func refusals(written: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try KeyReference(uri: Secret(written)) }
  }

  @Test("a PIN is no part of a text, and is encoded wherever it becomes part of a URI")
  func pins() throws {
    #expect(throws: VaultError(.invalidArgument, "")) {
      try KeyReference(uri: "pkcs11:object=a?pin-value=1")
    }
    let reference = try KeyReference(uri: "pkcs11:object=a", pin: Secret("1 &%\u{E4}"))
    #expect(text(reference.whole) == "pkcs11:object=a?pin-value=1%20%26%25%C3%A4")
    #expect(
      reference.uri(pinFile: "/proc/self/fd/10")
        == "pkcs11:object=a?pin-source=file:/proc/self/fd/10")
    let other = try KeyReference(uri: "pkcs11:object=a?module-name=m", pin: Secret("1"))
    #expect(text(other.whole) == "pkcs11:object=a?module-name=m&pin-value=1")
  }

  @Test("an identity with one is listed, chosen and renewed, and opens as a reference only")
  func stored() throws {
    let own = try IdentityVault()
    let given = try own.identity("p256")
    let space = try ProtectionSpace(url: "https://api.example.com")
    let reference = try KeyReference(uri: "pkcs11:object=ann", pin: Secret("1234"))
    let certificates = [given.certificate] + given.chain.reversed()
    let added = try own.identities.add(certificates, key: reference, for: space)
    let stored = added.identity
    #expect(stored.chain == given.chain && stored.keyReference == "pkcs11:object=ann")
    #expect(stored.notAfter == given.notAfter && stored.item.expires == given.notAfter)
    #expect(try own.identities.choose(for: "https://api.example.com/a").id == stored.id)
    #expect(throws: VaultError(.unsupported, "")) { try own.identities.open(stored) }
    let opened = try own.identities.openReference(stored)
    #expect(opened.uri == reference.uri && opened.pin.map(text) == "1234")
    try own.identities.renew(stored, certificate: given.certificate)
    #expect(try own.identities.openReference(stored).pin.map(text) == "1234")
    // A key in its place, and a reference again.
    let replaced = try own.identities.replace(stored, with: given).identity
    #expect(replaced.keyReference == nil)
    #expect(throws: VaultError(.unsupported, "")) { try own.identities.openReference(replaced) }
    #expect(try own.identities.open(replaced).certificate == given.certificate)
    let last = try own.identities.replace(replaced, with: certificates, key: opened).identity
    #expect(last.keyReference == "pkcs11:object=ann")
    #expect(throws: VaultError(.missingCertificate, "")) {
      try own.identities.add([], key: reference)
    }
  }

  @Test("a reference can be replaced by another one, which is opened")
  func replacing() throws {
    let own = try IdentityVault()
    let given = try own.identity("rsa")
    let reference = try KeyReference(uri: "pkcs11:object=ann")
    let stored = try own.identities.add([given.certificate], key: reference).identity
    let other = try KeyReference(uri: "pkcs11:object=bob")
    let replaced = try own.identities.replace(
      stored, with: [given.certificate], key: other
    ).identity
    #expect(try own.identities.openReference(replaced).uri == "pkcs11:object=bob")
  }

  @Test("certificates that an item has no longer are not returned")
  func known() throws {
    let own = try IdentityVault()
    let stored = try own.add("rsa")
    let other = try own.identity("p256")
    #expect(try own.identities.item(stored.id).certificate == stored.certificate)
    try own.identities.replace(stored, with: other)
    #expect(try own.identities.item(stored.id).certificate == other.certificate)
    #expect(try own.identities.item(stored.id).chain == other.chain)
  }
}
