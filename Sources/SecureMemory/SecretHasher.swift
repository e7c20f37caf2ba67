import CSodium

/// A hash function under a random key of its own, by which a program recognizes secrets that it
/// does not keep.
///
/// Without the key, which is a secret too, the hashes reveal nothing, however weak the secrets are.
package struct SecretHasher: Sendable {
  /// A hash: two of one hasher are equal if their secrets are.
  package struct Hash: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
  }

  // Not a key of one owner, which would be zeros in a forked child: there, too, the secrets are
  // recognized.
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
