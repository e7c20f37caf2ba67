import SecureMemory
import VaultModel

/// Encryption by a passphrase: PBES2 (RFC 8018) or one of PKCS #12's own schemes (RFC 7292 C).
struct PassphraseEncryption {
  private let cipher: Cipher
  private let derivation: Derivation

  private enum Derivation {
    case pbkdf2(salt: [UInt8], iterations: Int, Hash, iv: [UInt8])
    case scrypt(salt: [UInt8], cost: Int, blocks: Int, parallel: Int, iv: [UInt8])
    case pkcs12(salt: [UInt8], iterations: Int)
  }

  /// Reads the algorithm of encrypted bytes.
  ///
  /// - Throws: ``VaultError/Code/unsupportedAlgorithm``, which names it;
  ///   ``VaultError/Code/invalidData``.
  init(_ algorithm: AlgorithmIdentifier) throws(VaultError) {
    if algorithm.oid == .pbes2 {
      self = try Self.pbes2(try algorithm.required())
      return
    }
    switch algorithm.oid.last(below: .pkcs12PBE) {
    case 3: cipher = .tripleDES
    case 4: cipher = .twoKeyTripleDES
    case 5: cipher = .rc2
    case 6: cipher = .rc2_40
    default: throw Self.unsupported(algorithm.oid)
    }
    var parts = try algorithm.required().elements
    let salt = try parts.next(ASN1.octetString).octets
    derivation = .pkcs12(salt: salt, iterations: try parts.next().integer())
    try parts.finish()
  }

  private init(_ cipher: Cipher, _ derivation: Derivation) {
    self.cipher = cipher
    self.derivation = derivation
  }

  private static func pbes2(_ parameters: ASN1Element) throws(VaultError) -> Self {
    var parts = parameters.elements
    let function = try AlgorithmIdentifier(try parts.next())
    let encryption = try AlgorithmIdentifier(try parts.next())
    try parts.finish()
    let cipher: Cipher
    switch (encryption.oid, encryption.oid.last(below: .aes)) {
    case (_, 2): cipher = .aes128
    case (_, 22): cipher = .aes192
    case (_, 42): cipher = .aes256
    case (.tripleDESCBC, _): cipher = .tripleDES
    default: throw unsupported(encryption.oid)
    }
    let iv = try encryption.required().octetString().public
    if function.oid == .scrypt {
      var fields = try function.required().elements
      let salt = try fields.next(ASN1.octetString).octets
      let numbers = [
        try fields.next().integer(), try fields.next().integer(), try fields.next().integer(),
      ]
      return Self(
        cipher,
        .scrypt(
          salt: salt, cost: numbers[0], blocks: numbers[1], parallel: numbers[2], iv: iv))
    }
    guard function.oid == .pbkdf2 else { throw unsupported(function.oid) }
    let pbkdf2 = try PBKDF2(try function.required())
    return Self(
      cipher,
      .pbkdf2(salt: pbkdf2.salt, iterations: pbkdf2.iterations, pbkdf2.hash, iv: iv))
  }

  /// Returns the decrypted sequence; nil for a wrong passphrase.
  ///
  /// A wrong key's padding is right once in 256 times; what it then decrypts is not a sequence.
  ///
  /// - Throws: ``VaultError/Code/tooCostly`` before anything is derived.
  func decrypt(
    _ bytes: Secret, _ passphrase: FilePassphrase, _ budget: inout DerivationBudget
  ) throws(VaultError) -> Secret? {
    let (key, iv): (Secret, [UInt8])
    switch derivation {
    case .pbkdf2(let salt, let iterations, let hash, let vector):
      try budget.spend(iterations, blocks: (cipher.keyCount + hash.count - 1) / hash.count)
      key = try KeyDerivation.pbkdf2(
        passphrase.utf8, salt: salt, iterations: iterations, hash, count: cipher.keyCount)
      iv = vector
    case .scrypt(let salt, let cost, let blocks, let parallel, let vector):
      // As long as a million of the others at most.
      try budget.spend(1_000_000)
      key = try KeyDerivation.scrypt(
        passphrase.utf8, salt: salt, cost: cost, blocks: blocks, parallel: parallel,
        count: cipher.keyCount)
      iv = vector
    case .pkcs12(let salt, let iterations):
      // Two blocks for the longest key, and one for the vector.
      try budget.spend(iterations, blocks: 3)
      key = try KeyDerivation.pkcs12(
        passphrase.utf16, salt: salt, iterations: iterations, .sha1, .key, count: cipher.keyCount)
      iv = try KeyDerivation.pkcs12(
        passphrase.utf16, salt: salt, iterations: iterations, .sha1, .iv,
        count: cipher.blockCount
      ).public
    }
    guard let opened = try cipher.decrypt(bytes, key: key, iv: iv), opened.isSequence else {
      return nil
    }
    return opened
  }

  static func unsupported(_ oid: OID) -> VaultError {
    VaultError(.unsupportedAlgorithm, "identity file: the algorithm \(oid) is not supported")
  }
}

/// The parameters of PBKDF2 (RFC 8018 A.2).
struct PBKDF2 {
  let salt: [UInt8]
  let iterations: Int
  let keyCount: Int?
  let hash: Hash

  init(_ parameters: ASN1Element) throws(VaultError) {
    var fields = parameters.elements
    salt = try fields.next().octetString().public
    iterations = try fields.next().integer()
    keyCount = fields.nextTag == ASN1.integer ? try fields.next().integer() : nil
    guard !fields.isAtEnd else {
      hash = .sha1
      return
    }
    let function = try AlgorithmIdentifier(try fields.next())
    guard let hash = Hash.hmac(function.oid) else {
      throw PassphraseEncryption.unsupported(function.oid)
    }
    self.hash = hash
    try fields.finish()
  }
}

extension Secret {
  /// Whether it begins as a sequence that is as long as itself.
  var isSequence: Bool {
    do throws(VaultError) {
      var reader = ASN1Reader(self, .ber)
      _ = try reader.next(ASN1.sequence)
      return reader.isAtEnd
    } catch {
      return false
    }
  }

  /// A copy in ordinary memory, of what is not a secret.
  var `public`: [UInt8] { octets(0..<count) }
}
