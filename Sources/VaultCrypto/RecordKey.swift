import SecureMemory
package import VaultModel

/// The key under which machines remember a vault: made with it, for life, whatever becomes of the vault key.
///
/// Source: `Documentation/format.md` §§6.7, 7 and 8.
package struct RecordKey: Sendable {
  static let byteCount = 32
  package static let sealedByteCount = byteCount + Sealing.overhead
  fileprivate let secret: Secret

  /// A new random key.
  package init() {
    // `fillSecretly` writes all of the bytes.
    secret = unsafe Secret(count: Self.byteCount) { output in
      unsafe Randomness.fill(output)
    }
  }

  fileprivate init(_ secret: Secret) {
    self.secret = secret
  }

  /// The 32 bytes that only who can open the vault makes of a message.
  package func authenticate(_ message: [UInt8]) -> [UInt8] {
    secret.withRawBytes { Hash.hash(message, count: 32, key: $0) }
  }
}

extension EpochKeys {
  // No item has this id, and no other use this number.
  private static let nobody = ItemID(high: 0, low: 0)

  /// Seals the record key for the head.
  package func seal(_ key: RecordKey) -> [UInt8] {
    seal(key.secret, use: .recordKey, item: Self.nobody)
  }

  /// Opens the record key that a head holds.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it was not sealed with these keys.
  package func open(recordKey sealed: [UInt8]) throws(VaultError) -> RecordKey {
    guard sealed.count == RecordKey.sealedByteCount else {
      throw VaultError(.damaged, "the head's record key has another length")
    }
    return RecordKey(try open(sealed[...], use: .recordKey, item: Self.nobody))
  }
}
