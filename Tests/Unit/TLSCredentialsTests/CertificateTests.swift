import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("Certificate")
struct CertificateTests {
  let issuance: Issuance

  init() throws { issuance = try Issuance.shared }

  func openssl(_ name: String, _ options: String...) throws -> String {
    let words = options.map { "'\($0)'" }.joined(separator: " ")
    let bytes = try issuance.run(
      "bash", "-c", "openssl x509 -in '\(name).pem' -noout \(words)")
    return String(decoding: bytes, as: UTF8.self).trimmingSuffix { $0 == "\n" }
  }

  @Test("its fields are those that openssl shows", arguments: ["p256", "rsa", "root", "ed25519"])
  func fields(name: String) throws {
    let certificate = try issuance.certificate(name)
    #expect(
      try openssl(name, "-subject", "-nameopt", "RFC2253,-esc_msb")
        == "subject=\(certificate.subject)")
    #expect(
      try openssl(name, "-issuer", "-nameopt", "RFC2253,-esc_msb") == "issuer=\(certificate.issuer)"
    )
    #expect(
      try openssl(name, "-fingerprint", "-sha256")
        == "sha256 Fingerprint=\(certificate.fingerprint)")
    let hash = try issuance.run(
      "bash", "-c",
      "openssl x509 -in \(name).pem -noout -pubkey | openssl pkey -pubin -outform DER"
        + " | openssl dgst -sha256 -binary | base64")
    #expect(
      String(decoding: hash, as: UTF8.self) == certificate.publicKeyHash.base64 + "\n")
    let serial = certificate.serialNumber.drop { $0 == 0 }.map { byte in
      String(byte + 0, radix: 16, uppercase: true).leftPadded
    }.joined()
    #expect(try openssl(name, "-serial") == "serial=\(serial)")
    let dates = try openssl(name, "-dates", "-dateopt", "iso_8601").split(separator: "\n")
    let shown = [certificate.notBefore, certificate.notAfter.adding(milliseconds: -999)].map {
      $0.rfc3339.replacing("T", with: " ")
    }
    #expect(dates == ["notBefore=\(shown[0])", "notAfter=\(shown[1])"])
    let algorithms: [String: String] = [
      "p256": "EC P-256", "rsa": "RSA 2048", "root": "EC P-256", "ed25519": "Ed25519",
    ]
    #expect(certificate.keyAlgorithm.description == algorithms[name])
  }

  @Test("names, usages and purposes")
  func extensions() throws {
    let leaf = try issuance.certificate("p256")
    #expect(
      leaf.names == [
        .host("ann.example.com"), .host("*.ann.example.com"), .address("192.0.2.7"),
        .address("2001:db8::7"), .email("ann@example.com"), .uri("spiffe://example.com/ann"),
      ])
    #expect(leaf.keyUsage == [.digitalSignature, .keyAgreement])
    #expect(leaf.extendedKeyUsage == [.clientAuthentication, .serverAuthentication])
    #expect(!leaf.isAuthority && !leaf.isSelfIssued)
    #expect(leaf.subject.summary == "ann p256" && leaf.subject.commonNames == ["ann p256"])
    #expect(leaf.serialNumber == [0x00, 0xC0, 0xFF, 0xEE, 0x01])

    let root = try issuance.certificate("root")
    #expect(root.isAuthority && root.isSelfIssued)
    #expect(root.keyUsage == [.certificateSigning, .revocationSigning])
    #expect(root.extendedKeyUsage == nil && root.names.isEmpty)
  }

  @Test("names are one in upper case, with other blanks and other kinds of string")
  func distinguishedNames() throws {
    func name(_ tag: UInt8, _ text: String) throws -> DistinguishedName {
      let pair = DER.sequence(.oid(.commonName), .primitive(tag, Array(text.utf8)))
      return try DistinguishedName(
        der: DER.sequence(.constructed(ASN1.set, [pair])).secret.public)
    }
    let ann = try name(0x0C, "Ann  Example")
    #expect(ann.matches(try name(0x13, "ann example")))
    #expect(ann != (try name(0x13, "ann example")))
    #expect(!ann.matches(try name(0x13, "annexample")))
    #expect(ann.description == "CN=Ann  Example" && ann.summary == "Ann  Example")
    let wide = DER.sequence(.oid(.commonName), .primitive(0x1E, [0x20, 0xAC, 0x00, 0x41]))
    let bmp = try DistinguishedName(
      der: DER.sequence(.constructed(ASN1.set, [wide])).secret.public)
    #expect(bmp.summary == "€A")
    for bad in [[], [0x30], [0x30, 0, 0], [0x31, 0]] as [[UInt8]] {
      #expect(throws: VaultError(.invalidData, "")) { try DistinguishedName(der: bad) }
    }
    #expect(try DistinguishedName(der: [0x30, 0]).summary == "")
  }

  @Test("a certificate that is cut, or has bytes after it, is malformed")
  func malformed() throws {
    let der = try issuance.bytes("p256.cer")
    for count in 0..<der.count {
      #expect(throws: VaultError(.invalidData, "")) {
        try Certificate(der: Array(der.prefix(count)))
      }
    }
    #expect(throws: VaultError(.invalidData, "")) { try Certificate(der: der + [0]) }
    for index in der.indices {
      do throws(VaultError) {
        let other = try Certificate(der: der.flipped(at: index))
        #expect(other.der != der && other != (try? issuance.certificate("p256")))
      } catch {
        #expect(error.code == .invalidData)
      }
    }
  }

  @Test("times in both forms, and no others")
  func times() throws {
    func moment(_ tag: UInt8, _ text: String) throws -> String {
      var reader = ASN1Reader(DER.primitive(tag, Array(text.utf8)).secret, .der)
      return try CertificateFields.moment(try reader.next()).rfc3339
    }
    #expect(try moment(0x17, "491231235959Z") == "2049-12-31T23:59:59Z")
    #expect(try moment(0x17, "500101000000Z") == "1950-01-01T00:00:00Z")
    #expect(try moment(0x18, "99991231235959Z") == "9999-12-31T23:59:59Z")
    let wrong: [(UInt8, String)] = [
      (0x17, "4912312359Z"), (0x17, "491231235959+0100"), (0x17, "491331235959Z"),
      (0x18, "20491231235959.5Z"), (0x18, "491231235959Z"), (0x16, "491231235959Z"), (0x17, ""),
      (0x17, "49123123595٩Z"),
    ]
    for (tag, text) in wrong {
      #expect(throws: VaultError(.invalidData, "")) { try moment(tag, text) }
    }
  }

  @Test("a fingerprint has 32 bytes")
  func fingerprint() throws {
    #expect(throws: VaultError(.invalidArgument, "")) { try Fingerprint([1, 2]) }
    let bytes = (0..<32).map { UInt8($0) }
    #expect(try Fingerprint(bytes).description.hasPrefix("00:01:02:"))
    #expect(try Fingerprint(bytes).base64 == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
  }
}

extension String {
  fileprivate var leftPadded: String { count < 2 ? "0" + self : self }

  fileprivate func trimmingSuffix(_ isCut: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isCut(last) { text.removeLast() }
    return text
  }
}
