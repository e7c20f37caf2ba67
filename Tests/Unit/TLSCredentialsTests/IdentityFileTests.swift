import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("the import of identities")
struct IdentityFileTests {
  let issuance: Issuance

  init() throws { issuance = try Issuance.shared }

  /// Requires that it is the identity of a kind, with its chain, byte for byte.
  func check(
    _ file: IdentityFile, _ kind: String = "p256", label: String? = nil,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let identity = try #require(file.identities.first, sourceLocation: location)
    #expect(file.identities.count == 1, sourceLocation: location)
    #expect(file.keysWithoutCertificate == 0, sourceLocation: location)
    #expect(file.certificates.isEmpty, sourceLocation: location)
    #expect(identity.certificate == (try issuance.certificate(kind)), sourceLocation: location)
    #expect(
      identity.chain == [try issuance.certificate("middle"), try issuance.certificate("root")],
      sourceLocation: location)
    let isEqual = identity.key.pkcs8.isEqual(to: try issuance.secret(kind + ".p8"))
    #expect(isEqual, sourceLocation: location)
    if let label { #expect(identity.label == label, sourceLocation: location) }
  }

  @Test("a PKCS #12 file of each kind of key", arguments: Issuance.kinds)
  func kinds(kind: String) throws {
    let file = try IdentityFile(issuance.secret(kind + ".p12"), passphrase: Secret("secret"))
    try check(file, kind, label: "Ann’s \(kind)")
    let algorithms: [String: KeyAlgorithm] = [
      "p256": .ec(curve: "prime256v1"), "p384": .ec(curve: "secp384r1"), "rsa": .rsa(bits: 2048),
      "pss": .rsaPSS(bits: 1024), "ed25519": .ed25519, "ed448": .ed448,
    ]
    #expect(file.identities[0].key.algorithm == algorithms[kind])
  }

  @Test("a file in each encryption, authenticated or not", arguments: Issuance.variants)
  func variants(name: String, options: String) throws {
    let file = try issuance.secret(name + ".p12")
    try check(try IdentityFile(file, passphrase: Secret("secret")), label: "Ann’s p256")
    if name == "plain" {
      #expect(try !IdentityFile.needsPassphrase(file))
      try check(try IdentityFile(file))
    } else {
      #expect(try IdentityFile.needsPassphrase(file))
      for wrong in [Secret("Secret"), Secret(""), Secret("secret ")] {
        #expect(throws: VaultError(.authenticationFailed, "")) {
          try IdentityFile(file, passphrase: wrong)
        }
      }
    }
  }

  @Test("no passphrase is the empty one, and passphrases that are not ASCII count by their text")
  func passphrases() throws {
    let empty = try issuance.secret("empty.p12")
    try check(try IdentityFile(empty))
    try check(try IdentityFile(empty, passphrase: Secret("")))
    #expect(try !IdentityFile.needsPassphrase(empty))
    for name in ["unicode.p12", "unicode-3des.p12"] {
      try check(
        try IdentityFile(try issuance.secret(name), passphrase: Secret("pässwörd 😀")))
    }
    let latin1: [UInt8] = [0x70, 0xE4]
    #expect(throws: VaultError(.invalidArgument, "")) {
      try IdentityFile(empty, passphrase: Secret(latin1))
    }
  }

  @Test("PEM, DER and Base64, certificate and key in one file or in several")
  func text() throws {
    let chain = try ["p256.pem", "middle.pem", "root.pem"].flatMap { try issuance.bytes($0) }
    let key = try issuance.bytes("p256.key")
    try check(try IdentityFile(Secret(chain + key)))
    try check(try IdentityFile(Secret(key + chain)))
    try check(try IdentityFile([Secret(chain), try issuance.secret("ec.key")]))
    let files = try ["p256.cer", "root.cer", "middle.cer", "p256.p8"].map(issuance.secret)
    try check(try IdentityFile(files))
    let base64 = Base64.encode(try issuance.secret("default.p12"))
    try check(try IdentityFile(base64, passphrase: Secret("secret")))
    let crlf = Array(
      String(decoding: chain + key, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
    try check(try IdentityFile(Secret(crlf)))
  }

  @Test(
    "encrypted keys in every form",
    arguments: ["pbkdf2", "scrypt", "pbe", "dek-aes", "dek-3des", "traditional"])
  func encryptedKeys(name: String) throws {
    let kind = ["pbkdf2", "scrypt", "pbe"].contains(name) ? "p256" : "rsa"
    let certificates = Secret(
      try [kind + ".pem", "chain.pem"].flatMap { try issuance.bytes($0) })
    let key = try issuance.secret(name + ".key")
    try check(try IdentityFile([certificates, key], passphrase: Secret("secret")), kind)
    guard name != "traditional" else { return }
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try IdentityFile([certificates, key], passphrase: Secret("wrong"))
    }
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try IdentityFile([certificates, key])
    }
  }

  @Test("a key on a curve without its public point still finds its certificate")
  func noPublicPoint() throws {
    let key = try PrivateKey(pkcs8: try issuance.secret("no-public.p8"))
    #expect(key.matches(try issuance.certificate("p256")))
    #expect(!key.matches(try issuance.certificate("p384")))
    #expect(!key.matches(try issuance.certificate("root")))
  }

  @Test("all identities of a file are read, each with the certificate that it names")
  func several() throws {
    let names = ["p256", "rsa", "ed25519"]
    let bags =
      try names.map { kind in
        PKCS12Parts.key(try issuance.secret(kind + ".p8"), id: kind)
      }
      + names.map { kind in PKCS12Parts.certificate(try issuance.bytes(kind + ".cer"), id: kind) }
      + ["middle", "root"].map { PKCS12Parts.certificate(try issuance.bytes($0 + ".cer")) }
      + [
        // The same key with a newer certificate, which the bag does not name.
        PKCS12Parts.certificate(try issuance.bytes("renewed.cer")),
        PKCS12Parts.key(try issuance.secret("p384.p8"), id: "p384"),
      ]
    let file = try IdentityFile(PKCS12Parts.file(bags))
    #expect(file.identities.map(\.certificate) == (try names.map(issuance.certificate)))
    #expect(file.identities.allSatisfy { $0.chain.count == 2 })
    #expect(file.certificates == [try issuance.certificate("renewed")])
    #expect(file.keysWithoutCertificate == 1)

    let unnamed = try IdentityFile(
      PKCS12Parts.file([
        PKCS12Parts.key(try issuance.secret("p256.p8")),
        PKCS12Parts.certificate(try issuance.bytes("p256.cer")),
        PKCS12Parts.certificate(try issuance.bytes("renewed.cer")),
      ]))
    #expect(unnamed.identities.map(\.certificate) == [try issuance.certificate("renewed")])
  }

  @Test("PBMAC1 with a key that `openssl kdf` derived")
  func pbmac1() throws {
    let bags = [
      PKCS12Parts.key(try issuance.secret("p256.p8")),
      PKCS12Parts.certificate(try issuance.bytes("p256.cer")),
    ]
    let contents = PKCS12Parts.contents(bags)
    try issuance.write(contents.public, as: "contents")
    let key = try issuance.text(
      "openssl", "kdf", "-keylen", "32", "-kdfopt", "digest:SHA512", "-kdfopt", "pass:secret",
      "-kdfopt", "salt:saltsalt", "-kdfopt", "iter:2000", "PBKDF2"
    ).filter(\.isHexDigit)
    let code = try issuance.run(
      "openssl", "dgst", "-sha256", "-mac", "hmac", "-macopt", "hexkey:\(key)", "-binary",
      "contents")
    let function = DER.sequence(
      .oid(.pbkdf2),
      .sequence(
        .octetString(Array("saltsalt".utf8)), .integer(2000), .integer(32),
        .sequence(.oid(OID(1, 2, 840, 113549, 2, 11)), .null)))
    let mac = DER.sequence(
      .sequence(
        .sequence(.oid(.pbmac1), .sequence(function, .sequence(.oid(.hmacSHA256), .null))),
        .octetString(code)), .octetString(Array("unused".utf8)), .integer(1))
    let file = PKCS12Parts.file(contents: contents, mac: mac)
    #expect(
      try IdentityFile(file, passphrase: Secret("secret")).identities.map(\.certificate)
        == [try issuance.certificate("p256")])
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try IdentityFile(file, passphrase: Secret("other"))
    }
  }

  @Test("contents that are encrypted with another passphrase than the file's are told apart")
  func otherPassphrase() throws {
    let bags = [
      try PKCS12Parts.shroudedKey(issuance.secret("pbkdf2.key")),
      PKCS12Parts.certificate(try issuance.bytes("p256.cer")),
    ]
    let contents = PKCS12Parts.contents(bags)
    let file = PKCS12Parts.file(
      contents: contents, mac: try PKCS12Parts.mac(of: contents, passphrase: "other"))
    let error = try #require(throws: VaultError.self) {
      try IdentityFile(file, passphrase: Secret("other"))
    }
    #expect(error.code == .authenticationFailed && error.context.contains("another passphrase"))
    let same = PKCS12Parts.file(
      contents: contents, mac: try PKCS12Parts.mac(of: contents, passphrase: "secret"))
    #expect(try IdentityFile(same, passphrase: Secret("secret")).identities.count == 1)
  }

  @Test("costs above the limit are refused before anything is derived")
  func costs() throws {
    let contents = PKCS12Parts.contents([])
    for iterations in [5_000_001, 20_000_000, 0x7FFF_FFFF] {
      let mac = try PKCS12Parts.mac(of: contents, passphrase: "x", claiming: iterations)
      #expect(throws: VaultError(.tooCostly, "")) {
        try IdentityFile(
          PKCS12Parts.file(contents: contents, mac: mac), passphrase: Secret("x"))
      }
      let key = PKCS12Parts.shroudedKey(
        algorithm: PKCS12Parts.pbes2(iterations: iterations),
        bytes: [UInt8](repeating: 0, count: 16))
      #expect(throws: VaultError(.tooCostly, "")) { try IdentityFile(PKCS12Parts.file([key])) }
    }
    // Each is allowed, and all of them are not.
    var budget = DerivationBudget()
    #expect(throws: VaultError(.tooCostly, "")) {
      for _ in 0..<5 { try budget.spend(4_000_000) }
    }
    budget = DerivationBudget()
    #expect(throws: VaultError(.tooCostly, "")) { try budget.spend(4_500_000, blocks: 3) }
    for (cost, blocks, parallel) in [(1 << 20, 8, 1), (1 << 30, 1, 1), (1, 1, 1 << 30)] {
      #expect(throws: VaultError(.tooCostly, "")) {
        try KeyDerivation.scrypt(
          Secret("x"), salt: [1], cost: cost, blocks: blocks, parallel: parallel, count: 32)
      }
    }
  }

  @Test("each way to fail has a code of its own")
  func failures() throws {
    func code(_ files: [Secret]) throws -> VaultError.Code {
      try #require(throws: VaultError.self) {
        try IdentityFile(files, passphrase: Secret("secret"))
      }.code
    }
    #expect(try code([issuance.secret("nokeys.p12")]) == .missingIdentity)
    #expect(try code([issuance.secret("p256.pem")]) == .missingIdentity)
    #expect(try code([issuance.secret("nocerts.p12")]) == .missingCertificate)
    #expect(try code([issuance.secret("p256.key")]) == .missingCertificate)
    #expect(
      try code([issuance.secret("p256.key"), issuance.secret("root.pem")]) == .missingCertificate)
    #expect(try code([issuance.secret("rc4.p12")]) == .unsupportedAlgorithm)
    #expect(try code([issuance.secret("x25519.key")]) == .unsupportedAlgorithm)
    let tpm = "-----BEGIN TSS2 PRIVATE KEY-----\nMAA=\n-----END TSS2 PRIVATE KEY-----\n"
    #expect(try code([Secret(tpm)]) == .unsupportedAlgorithm)
    #expect(try code([Secret("")]) == .invalidData)
    #expect(try code([Secret("hello")]) == .invalidData)
    #expect(try code([Secret("-----BEGIN CERTIFICATE-----\nAAAA\n")]) == .invalidData)
    #expect(try code([Secret([UInt8](repeating: 0x30, count: 5 << 20))]) == .tooLarge)
    let unsupported = try #require(throws: VaultError.self) {
      try IdentityFile(issuance.secret("rc4.p12"), passphrase: Secret("secret"))
    }
    #expect(unsupported.context.contains("1.2.840.113549.1.12.1.1"))
  }

  @Test("a file that is cut anywhere, or has another byte, is never read as something else")
  func damaged() throws {
    let bytes = try issuance.bytes("plain.p12")
    let whole = try IdentityFile(Secret(bytes)).identities[0]
    for count in 0..<bytes.count {
      #expect(throws: VaultError.self) { try IdentityFile(Secret(Array(bytes.prefix(count)))) }
    }
    // Nothing authenticates it: what is read is the same, or another valid file.
    for index in stride(from: 0, to: bytes.count, by: 3) {
      do throws(VaultError) {
        let file = try IdentityFile(Secret(bytes.flipped(at: index)))
        for identity in file.identities { #expect(identity.key.matches(identity.certificate)) }
      } catch {
        #expect(
          [.invalidData, .missingCertificate, .missingIdentity, .unsupportedAlgorithm].contains(
            error.code))
      }
    }
    let authentic = try issuance.bytes("default.p12")
    for index in stride(from: 60, to: authentic.count, by: 97) {
      #expect(throws: VaultError.self) {
        let file = try IdentityFile(
          Secret(authentic.flipped(at: index)), passphrase: Secret("secret"))
        // The salt, the digest's NULL: outside of what the code is over.
        #expect(file.identities.first?.certificate == whole.certificate)
        throw VaultError(.invalidData, "the same")
      }
    }
  }

  @Test("BER with lengths that are found by their end, and strings in pieces")
  func ber() throws {
    let certificate = try issuance.bytes("p256.cer")
    let bags = PKCS12Parts.contents([
      PKCS12Parts.key(try issuance.secret("p256.p8")),
      PKCS12Parts.certificate(certificate),
    ]).public
    let pieces = [Array(bags.prefix(100)), Array(bags.dropFirst(100))].map {
      DER.octetString($0).secret.public
    }
    let version: [UInt8] = [2, 1, 3]
    let end: [UInt8] = [0, 0]
    let content: [UInt8] = [0xA0, 0x80, 0x24, 0x80] + pieces[0] + pieces[1] + end + end
    let info: [UInt8] = [0x30, 0x80, 0x06, 0x09] + OID.data.bytes + content + end
    let file: [UInt8] = [0x30, 0x80] + version + info + end
    #expect(
      try IdentityFile(Secret(file)).identities.map(\.certificate)
        == [try issuance.certificate("p256")])
    // A certificate has one encoding only.
    #expect(throws: VaultError(.invalidData, "")) {
      try Certificate(der: [0x30, 0x80] + certificate.dropFirst(4) + [0, 0])
    }
    let deep = (0..<400).map { $0 % 2 == 0 ? 0x30 : 0x80 as UInt8 }
    #expect(throws: VaultError(.invalidData, "")) { try IdentityFile(Secret(deep)) }
  }
}

/// The parts of PKCS #12 files that no program writes.
enum PKCS12Parts {
  static func key(_ pkcs8: Secret, id: String? = nil) -> DER {
    bag(.keyBag, .encoded(pkcs8), id)
  }

  static func shroudedKey(_ pem: Secret) throws -> DER {
    bag(.shroudedKeyBag, .encoded(try PEMBlock.read(pem)[0].content), nil)
  }

  static func shroudedKey(algorithm: DER, bytes: [UInt8]) -> DER {
    bag(.shroudedKeyBag, .sequence(algorithm, .octetString(bytes)), nil)
  }

  static func pbes2(iterations: Int) -> DER {
    .sequence(
      .oid(.pbes2),
      .sequence(
        .sequence(
          .oid(.pbkdf2), .sequence(.octetString([1, 2, 3, 4] as [UInt8]), .integer(iterations))),
        .sequence(.oid(.aes256CBC), .octetString([UInt8](repeating: 0, count: 16)))))
  }

  static func certificate(_ der: [UInt8], id: String? = nil) -> DER {
    bag(
      .certificateBag,
      .sequence(.oid(.x509Certificate), .explicit(0, .octetString(der))), id)
  }

  static func contents(_ bags: [DER]) -> Secret {
    DER.sequence(
      .sequence(
        .oid(.data), .explicit(0, .octetString(DER.constructed(ASN1.sequence, bags).secret)))
    ).secret
  }

  static func mac(
    of contents: Secret, passphrase: String, claiming iterations: Int = 3
  ) throws -> DER {
    let phrase = try FilePassphrase.forms(of: Secret(passphrase))[0]
    let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let key = try KeyDerivation.pkcs12(
      phrase.utf16, salt: salt, iterations: 3, .sha256, .mac, count: 32)
    let code = try Hash.sha256.authenticationCode(of: contents, key: key)
    return .sequence(
      .sequence(.sequence(.oid(.sha256), .null), .octetString(code)), .octetString(salt),
      .integer(iterations))
  }

  static func file(_ bags: [DER]) -> Secret { file(contents: contents(bags), mac: nil) }

  static func file(contents: Secret, mac: DER?) -> Secret {
    let data = DER.sequence(.oid(.data), .explicit(0, .octetString(contents)))
    return DER.constructed(ASN1.sequence, [.integer(3), data] + (mac.map { [$0] } ?? [])).secret
  }

  private static func bag(_ type: OID, _ value: DER, _ id: String?) -> DER {
    let attributes = id.map { id in
      DER.constructed(
        ASN1.set,
        [
          .sequence(
            .oid(.localKeyID), .constructed(ASN1.set, [.octetString(Array(id.utf8))]))
        ])
    }
    return .constructed(
      ASN1.sequence, [.oid(type), .explicit(0, value)] + (attributes.map { [$0] } ?? []))
  }
}
