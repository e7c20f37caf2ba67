package import SecureMemory

/// A salted digest of a secret under a random key.
///
/// A program that has the key, but not the secret, recognizes the secret by it. Without the key,
/// nobody can try secrets on it, however weak they are.
package struct KeyedDigest: Sendable {
  private static let label = Array("vltkdg01".utf8)
  private static let saltSize = 16
  /// The number of bytes: 16 of the salt and 32 of the digest.
  package static let count = saltSize + 32
  /// The number of bytes of a key.
  package static let keySize = 32

  /// The salt, followed by the digest.
  package let bytes: [UInt8]

  /// Creates the digest of a secret with a new salt.
  ///
  /// - Parameters:
  ///   - secret: The secret, which is not kept.
  ///   - key: ``keySize`` random bytes.
  package init(of secret: Secret, _ key: borrowing KeyBuffer) {
    let salt = Randomness.bytes(Self.saltSize)
    bytes = salt + Self.digest(secret, salt, key)
  }

  /// Takes the bytes of a digest; nil if they are not ``count``.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Returns whether it is the digest of a secret under a key.
  package func isOf(_ secret: Secret, _ key: borrowing KeyBuffer) -> Bool {
    let salt = Array(bytes.prefix(Self.saltSize))
    let again = salt + Self.digest(secret, salt, key)
    // Every bit pattern of a byte is valid as a raw one.
    return unsafe constantTimeEqual(again.span.bytes, bytes.span.bytes)
  }

  private static func digest(
    _ secret: Secret, _ salt: [UInt8], _ key: borrowing KeyBuffer
  ) -> [UInt8] {
    // The salt's own key, in guarded memory as the key is; each output has a length that BLAKE2b
    // takes.
    let salted = key.withRawBytes { key in
      unsafe KeyBuffer(count: keySize) { output in
        unsafe (label + salt).withUnsafeBytes { unsafe Hash.hash($0, into: output, key: key) }
      }
    }
    return salted.withRawBytes { key in
      unsafe [UInt8](unsafeUninitializedCapacity: count - saltSize) { output, initialized in
        secret.withRawBytes { secret in
          unsafe secret.withUnsafeBytes {
            unsafe Hash.hash($0, into: UnsafeMutableRawBufferPointer(output), key: key)
          }
        }
        initialized = count - saltSize
      }
    }
  }
}
