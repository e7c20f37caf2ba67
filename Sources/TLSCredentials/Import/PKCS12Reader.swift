import SecureMemory
import VaultModel

/// The keys and certificates of one file, before it is known what belongs together.
struct KeysAndCertificates {
  /// A key or a certificate, with what a PKCS #12 file says about it.
  struct Entry<Value> {
    let value: Value
    var localKeyID: [UInt8]? = nil
    var label = ""
  }

  var keys: [Entry<PrivateKey>] = []
  var certificates: [Entry<Certificate>] = []
}

/// A file of PKCS #12 (RFC 7292), walked bag by bag.
///
/// `PKCS12_parse` gives the first key of a file and loses the others without an error, and has no
/// limit for iterations.
struct PKCS12Reader {
  private let contents: Secret
  private let mac: PKCS12MAC?

  /// Reads the outside of a file.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed;
  ///   ``VaultError/Code/unsupportedAlgorithm``.
  init(_ file: Secret) throws(VaultError) {
    var reader = ASN1Reader(file, .ber)
    var parts = try reader.next(ASN1.sequence).elements
    try reader.finish()
    guard try parts.next().integer() == 3 else { throw ASN1.malformed }
    let (type, content) = try Self.contentInfo(try parts.next(ASN1.sequence))
    // The alternative is signed with a key, and nobody writes it.
    guard type == .data else { throw PassphraseEncryption.unsupported(type) }
    contents = try content.only().octetString()
    mac = parts.isAtEnd ? nil : try PKCS12MAC(try parts.next(ASN1.sequence))
    try parts.finish()
  }

  /// Opens everything in the file.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` for a wrong passphrase.
  func open(
    _ passphrase: Secret?, _ budget: inout DerivationBudget
  ) throws(VaultError) -> KeysAndCertificates {
    let forms = try FilePassphrase.forms(of: passphrase)
    if let mac {
      for form in forms where try mac.verifies(contents, form, &budget) {
        return try walk(form, isProven: true, &budget)
      }
      throw Self.wrongPassphrase
    }
    // Nothing proves the passphrase: the first form that opens everything is the right one.
    var failure = Self.wrongPassphrase
    for form in forms {
      do throws(VaultError) {
        return try walk(form, isProven: false, &budget)
      } catch {
        guard error.code == .authenticationFailed else { throw error }
        failure = error
      }
    }
    throw failure
  }

  private func walk(
    _ passphrase: FilePassphrase, isProven: Bool, _ budget: inout DerivationBudget
  ) throws(VaultError) -> KeysAndCertificates {
    var walk = Walk(passphrase: passphrase, isProven: isProven, budget: budget)
    defer { budget = walk.budget }
    var reader = ASN1Reader(contents, .ber)
    var safes = try reader.next(ASN1.sequence).elements
    try reader.finish()
    while !safes.isAtEnd {
      let (type, content) = try Self.contentInfo(try safes.next(ASN1.sequence))
      switch type {
      case .data: try walk.bags(try content.only().octetString())
      case .encryptedData: try walk.encryptedBags(try content.only(ASN1.sequence))
      // Encrypted for the holder of another key.
      default: throw PassphraseEncryption.unsupported(type)
      }
    }
    return walk.found
  }

  private static func contentInfo(
    _ element: ASN1Element
  ) throws(VaultError) -> (type: OID, content: ASN1Element) {
    var parts = element.elements
    let type = try parts.next(ASN1.oid).oid()
    let content = try parts.next(ASN1.explicit(0))
    try parts.finish()
    return (type, content)
  }

  fileprivate static var wrongPassphrase: VaultError {
    VaultError(.authenticationFailed, "identity file: wrong passphrase")
  }
}

/// The walk through the bags of a file, with what was found.
private struct Walk {
  let passphrase: FilePassphrase
  /// Whether the file's authentication code was right for the passphrase.
  let isProven: Bool
  var budget: DerivationBudget
  var found = KeysAndCertificates()
  private var depth = 0

  init(passphrase: FilePassphrase, isProven: Bool, budget: DerivationBudget) {
    (self.passphrase, self.isProven, self.budget) = (passphrase, isProven, budget)
  }

  /// Reads bags that are encrypted together (RFC 5652 §8).
  mutating func encryptedBags(_ data: ASN1Element) throws(VaultError) {
    var parts = data.elements
    _ = try parts.next(ASN1.integer)
    var fields = try parts.next(ASN1.sequence).elements
    guard try fields.next(ASN1.oid).oid() == .data else { throw ASN1.malformed }
    let algorithm = try AlgorithmIdentifier(try fields.next(ASN1.sequence))
    let bytes = try fields.next().octetString(0x80)
    try bags(try decrypt(bytes, algorithm))
  }

  /// Reads a sequence of bags.
  mutating func bags(_ contents: Secret) throws(VaultError) {
    var reader = ASN1Reader(contents, .ber)
    let list = try reader.next(ASN1.sequence)
    try reader.finish()
    try bags(list)
  }

  private mutating func bags(_ list: ASN1Element) throws(VaultError) {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 8 else { throw ASN1.malformed }
    var bags = list.elements
    while !bags.isAtEnd {
      var parts = try bags.next(ASN1.sequence).elements
      let type = try parts.next(ASN1.oid).oid()
      let value = try parts.next(ASN1.explicit(0)).only()
      let (label, id) = try attributes(try parts.optional(ASN1.set))
      try parts.finish()
      switch type {
      case .keyBag:
        found.keys.append(.init(value: try key(value), localKeyID: id, label: label))
      case .shroudedKeyBag:
        let opened = try decryptedKey(value)
        found.keys.append(.init(value: opened, localKeyID: id, label: label))
      case .certificateBag:
        guard let certificate = try certificate(value) else { continue }
        found.certificates.append(.init(value: certificate, localKeyID: id, label: label))
      case .nestedBag: try self.bags(value)
      // Revocation lists and secrets of other kinds are nothing to import.
      default: continue
      }
    }
  }

  private func key(_ element: ASN1Element) throws(VaultError) -> PrivateKey {
    guard element.tag == ASN1.sequence else { throw ASN1.malformed }
    return try PrivateKey(pkcs8: element.source.slice(element.whole))
  }

  private mutating func decryptedKey(_ element: ASN1Element) throws(VaultError) -> PrivateKey {
    let (algorithm, bytes) = try EncryptedKey.parts(of: element)
    return try PrivateKey(pkcs8: try decrypt(bytes, algorithm))
  }

  private mutating func decrypt(
    _ bytes: Secret, _ algorithm: AlgorithmIdentifier
  ) throws(VaultError) -> Secret {
    guard let opened = try PassphraseEncryption(algorithm).decrypt(bytes, passphrase, &budget)
    else {
      guard isProven else { throw PKCS12Reader.wrongPassphrase }
      throw VaultError(
        .authenticationFailed,
        "identity file: its contents are encrypted with another passphrase than the file's")
    }
    return opened
  }

  private func certificate(_ element: ASN1Element) throws(VaultError) -> Certificate? {
    var parts = element.elements
    guard try parts.next(ASN1.oid).oid() == .x509Certificate else { return nil }
    let der = try parts.next(ASN1.explicit(0)).only().octetString()
    return try Certificate(der: der.public)
  }

  private func attributes(
    _ set: ASN1Element?
  ) throws(VaultError) -> (label: String, id: [UInt8]?) {
    guard var list = set?.elements else { return ("", nil) }
    var (label, id): (String, [UInt8]?) = ("", nil)
    while !list.isAtEnd {
      var parts = try list.next(ASN1.sequence).elements
      let type = try parts.next(ASN1.oid).oid()
      var values = try parts.next(ASN1.set).elements
      guard !values.isAtEnd else { continue }
      let value = try values.next()
      switch type {
      case .friendlyName:
        label = value.text ?? ""
        // Some programs end it as a string of C.
        while label.last == "\0" { label.removeLast() }
      case .localKeyID: id = try value.octetString().public
      default: continue
      }
    }
    return (label, id)
  }
}

/// A key that is encrypted with a passphrase (RFC 5958 §3).
enum EncryptedKey {
  static func parts(
    of element: ASN1Element
  ) throws(VaultError) -> (algorithm: AlgorithmIdentifier, bytes: Secret) {
    guard element.tag == ASN1.sequence else { throw ASN1.malformed }
    var parts = element.elements
    let algorithm = try AlgorithmIdentifier(try parts.next())
    let bytes = try parts.next().octetString()
    try parts.finish()
    return (algorithm, bytes)
  }

  /// Returns the key in a file of its own.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` for a wrong passphrase, or none.
  static func open(
    _ element: ASN1Element, _ passphrase: Secret?, _ budget: inout DerivationBudget
  ) throws(VaultError) -> PrivateKey {
    let (algorithm, bytes) = try parts(of: element)
    let encryption = try PassphraseEncryption(algorithm)
    for form in try FilePassphrase.forms(of: passphrase) {
      guard let opened = try encryption.decrypt(bytes, form, &budget) else { continue }
      return try PrivateKey(pkcs8: opened)
    }
    throw VaultError(.authenticationFailed, "key: wrong passphrase")
  }
}
