/// A keyed hash of a secret, by which a program that does not have the secret recognizes it.
///
/// The key is random, so that the hashes of one secret differ. A weak secret can still be found by
/// trying, if somebody gets the bytes.
package struct SecretDigest: Sendable, Equatable {
  /// The key, followed by the hash.
  package let bytes: [UInt8]

  /// The number of bytes: 32 of the key and 32 of the hash.
  package static let count = 64

  /// Creates the hash of a secret under a new key.
  package init(of secret: Secret) {
    let key = (0..<32).map { _ in UInt8(uniformChoice(below: 256)) }
    // A view of bytes: every bit pattern of a byte is valid as a raw one.
    bytes = unsafe key + keyedHash(of: secret, under: key.span.bytes)
  }

  /// Takes the bytes of a hash; nil if they are not ``count``.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Returns whether it is the hash of a secret.
  package func isOf(_ secret: Secret) -> Bool {
    let key = Array(bytes.prefix(32))
    // Views of bytes: every bit pattern of a byte is valid as a raw one.
    let again = unsafe key + keyedHash(of: secret, under: key.span.bytes)
    return unsafe constantTimeEqual(again.span.bytes, bytes.span.bytes)
  }
}
