import CVaultSodium

/// A hash function under a random key of its own, by which a program recognizes secrets that it
/// does not keep.
///
/// Without the key, which is a secret too, the hashes reveal nothing, however weak the secrets are.
package struct SecretHasher: Sendable {
  /// A hash: two of one hasher are equal if their secrets are.
  package struct Hash: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
  }

  // Not a key of one owner, which would be zeros in a forked child: the secrets are also recognized
  // there.
  private let key: Secret

  /// Creates a hasher with a new key.
  package init() {
    initializeSodium()
    // `memory` is 32 bytes long.
    key = unsafe Secret(count: 32) { memory in
      guard let start = memory.baseAddress else { return }
      unsafe randombytes_buf(start, memory.count)
    }
  }

  /// Returns the hash of a secret.
  package func hash(of secret: Secret) -> Hash {
    Hash(bytes: key.withRawBytes { keyedHash(of: secret, under: $0) })
  }
}

/// Returns BLAKE2b-256 of a secret under a key of 32 bytes.
func keyedHash(of secret: Secret, under key: RawSpan) -> [UInt8] {
  initializeSodium()
  var hash = [UInt8](repeating: 0, count: 32)
  secret.withRawBytes { bytes in
    // The output has the 32 bytes that are asked for, and both inputs live during the call.
    unsafe bytes.withUnsafeBytes { input in
      unsafe key.withUnsafeBytes { key in
        let status = unsafe crypto_generichash(
          &hash, hash.count, input.baseAddress?.assumingMemoryBound(to: UInt8.self),
          UInt64(input.count), key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count)
        precondition(status == 0, "lengths that BLAKE2b has not")
      }
    }
  }
  return hash
}

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
