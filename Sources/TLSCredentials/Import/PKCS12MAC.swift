import SecureMemory
import VaultModel

/// The code that authenticates a PKCS #12 file: its own kind (RFC 7292 §4), or PBMAC1 (RFC 9579).
struct PKCS12MAC {
  private let code: [UInt8]
  private let derivation: Derivation

  private enum Derivation {
    case pkcs12(Hash, salt: [UInt8], iterations: Int)
    case pbmac1(PBKDF2, Hash, keyCount: Int)
  }

  init(_ element: ASN1Element) throws(VaultError) {
    var parts = element.elements
    var digest = try parts.next(ASN1.sequence).elements
    let algorithm = try AlgorithmIdentifier(try digest.next())
    code = try digest.next().octetString().public
    let salt = try parts.next().octetString().public
    let iterations = parts.isAtEnd ? 1 : try parts.next().integer()
    try parts.finish()
    if algorithm.oid == .pbmac1 {
      var fields = try algorithm.required().elements
      let function = try AlgorithmIdentifier(try fields.next())
      let scheme = try AlgorithmIdentifier(try fields.next())
      guard function.oid == .pbkdf2 else { throw PassphraseEncryption.unsupported(function.oid) }
      guard let hash = Hash.hmac(scheme.oid) else {
        throw PassphraseEncryption.unsupported(scheme.oid)
      }
      let pbkdf2 = try PBKDF2(try function.required())
      // RFC 9579 §4 requires the length of the key; shorter ones would be guessed.
      guard let count = pbkdf2.keyCount, (20...64).contains(count) else { throw ASN1.malformed }
      derivation = .pbmac1(pbkdf2, hash, keyCount: count)
      return
    }
    guard let hash = Hash.digest(algorithm.oid) else {
      throw PassphraseEncryption.unsupported(algorithm.oid)
    }
    derivation = .pkcs12(hash, salt: salt, iterations: iterations)
  }

  /// Returns whether the code is that of the contents under a passphrase.
  func verifies(
    _ contents: Secret, _ passphrase: FilePassphrase, _ budget: inout DerivationBudget
  ) throws(VaultError) -> Bool {
    let (hash, key): (Hash, Secret)
    switch derivation {
    case .pkcs12(let function, let salt, let iterations):
      try budget.spend(iterations)
      hash = function
      key = try KeyDerivation.pkcs12(
        passphrase.utf16, salt: salt, iterations: iterations, function, .mac,
        count: function.count)
    case .pbmac1(let pbkdf2, let function, let count):
      try budget.spend(pbkdf2.iterations)
      hash = function
      key = try KeyDerivation.pbkdf2(
        passphrase.utf8, salt: pbkdf2.salt, iterations: pbkdf2.iterations, pbkdf2.hash,
        count: count)
    }
    // Anyone with the file can compute the same: nothing is learned from the time.
    return try hash.authenticationCode(of: contents, key: key) == code
  }
}
