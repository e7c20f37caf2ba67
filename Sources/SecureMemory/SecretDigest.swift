import CSodium

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
    bytes = key + Self.hash(secret, key)
  }

  /// Takes the bytes of a hash; nil if they are not ``count``.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Returns whether it is the hash of a secret.
  package func isOf(_ secret: Secret) -> Bool {
    let key = Array(bytes.prefix(32))
    let again = key + Self.hash(secret, key)
    // Every bit pattern of a byte is valid as a raw one.
    return unsafe constantTimeEqual(again.span.bytes, bytes.span.bytes)
  }

  /// Returns BLAKE2b-256 of the secret under a key of 32 bytes.
  private static func hash(_ secret: Secret, _ key: [UInt8]) -> [UInt8] {
    initializeSodium()
    var hash = [UInt8](repeating: 0, count: 32)
    secret.withRawBytes { bytes in
      // The output has the 32 bytes that are asked for, and both inputs live during the call.
      unsafe bytes.withUnsafeBytes { input in
        let start = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status = unsafe crypto_generichash(
          &hash, hash.count, start, UInt64(input.count), key, key.count)
        precondition(status == 0, "lengths that BLAKE2b has not")
      }
    }
    return hash
  }
}
