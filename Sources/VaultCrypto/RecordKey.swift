import SecureMemory
package import VaultModel

/// The key under which machines remember a vault: created with the vault, and never changed.
///
/// Source: `Documentation/format.md` §§6.7, 7 and 8.
package struct RecordKey: Sendable {
  static let byteCount = 32
  package static let sealedByteCount = byteCount + Sealing.overhead
  fileprivate let secret: Secret

  /// Creates a new random key.
  package init() {
    // `fillSecretly` writes all of the bytes.
    secret = unsafe Secret(count: Self.byteCount) { output in
      unsafe Randomness.fill(output)
    }
  }

  fileprivate init(_ secret: Secret) {
    self.secret = secret
  }

  /// Returns the 32-byte tag of a message, which only holders of the vault's keys can compute.
  package func authenticate(_ message: [UInt8]) -> [UInt8] {
    secret.withRawBytes { Hash.hash(message, count: 32, key: $0) }
  }
}

extension EpochKeys {
  // No item has this id, and no other use has this number.
  private static let nobody = ItemID(high: 0, low: 0)

  /// Seals the record key for the head.
  package func seal(_ key: RecordKey) -> [UInt8] {
    seal(key.secret, use: .recordKey, item: Self.nobody)
  }

  /// Opens the record key in a head.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it was not sealed with these keys.
  package func open(recordKey sealed: [UInt8]) throws(VaultError) -> RecordKey {
    guard sealed.count == RecordKey.sealedByteCount else {
      throw VaultError(.damaged, "the head's record key has another length")
    }
    return RecordKey(try open(sealed[...], use: .recordKey, item: Self.nobody))
  }
}
