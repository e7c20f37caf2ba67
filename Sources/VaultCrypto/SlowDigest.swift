package import SecureMemory
package import VaultModel

/// A salted digest of a secret that is as slow to compute as a passphrase's key.
///
/// A program that does not have the secret recognizes it by the digest. Anyone with the digest can
/// try weak secrets, at the cost of one ``PassphraseCost/policy`` each.
package struct SlowDigest: Sendable {
  private static let label = Array("vltdig01".utf8)
  /// The number of bytes: 16 of the salt and 32 of the digest.
  package static let count = SlotKey.saltSize + 32

  /// The salt, followed by the digest.
  package let bytes: [UInt8]

  /// Creates the digest of a secret with a new salt.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory`` if that much memory is not available.
  package init(of secret: Secret) throws(VaultError) {
    let salt = Randomness.bytes(SlotKey.saltSize)
    bytes = salt + (try Self.digest(secret, salt))
  }

  /// Takes the bytes of a digest; nil if they are not ``count``.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Returns whether it is the digest of a secret.
  ///
  /// - Throws: As ``init(of:)``.
  package func isOf(_ secret: Secret) throws(VaultError) -> Bool {
    let salt = Array(bytes.prefix(SlotKey.saltSize))
    let again = salt + (try Self.digest(secret, salt))
    // Every bit pattern of a byte is valid as a raw one.
    return unsafe constantTimeEqual(again.span.bytes, bytes.span.bytes)
  }

  private static func digest(_ secret: Secret, _ salt: [UInt8]) throws(VaultError) -> [UInt8] {
    let key = try SlotKey(passphrase: secret, salt: salt, cost: .policy)
    return key.buffer.withRawBytes { Hash.hash(label, count: 32, key: $0) }
  }
}
