import CVaultSodium
import SecureMemory
package import VaultModel

/// The subkeys of one epoch, and everything that is sealed, opened and hashed with them.
///
/// Source: `Documentation/format.md` §§4, 5.1, 5.3, 6.7.
package final class EpochKeys: Sendable {
  enum Purpose: UInt64, CaseIterable {
    case head = 1
    case node = 2
    case secret = 3
    case index = 4
    case slots = 5
    case nonce = 6

    /// The subkey's offset among all, in the order of their numbers.
    var offset: Int { (Int(rawValue) - 1) * subkeySize }
  }

  private static let subkeySize = 32

  package let ident: Ident
  let vaultKey: VaultKey
  private let subkeys: KeyBuffer
  /// The associated data of a node and of a secret, with the parts of each one still 0.
  let nodeBinding: [UInt8]
  let secretBinding: [UInt8]

  /// Derives the subkeys.
  ///
  /// - Parameters:
  ///   - vaultKey: The key of the epoch that `ident` names; kept, for wrapping it in further slots.
  ///   - ident: The ident that every seal is bound to.
  package init(_ vaultKey: consuming VaultKey, ident: Ident) {
    Sodium.require()
    self.ident = ident
    nodeBinding = Self.binding("vltseal1", ident, partSize: 8)
    secretBinding = Self.binding("vltsecr1", ident, partSize: 16)
    // Slices of a buffer that has the size of all; the key has 32 bytes, the context 8.
    subkeys = unsafe KeyBuffer(count: Purpose.allCases.count * Self.subkeySize) { output in
      vaultKey.buffer.withRawBytes { key in
        for purpose in Purpose.allCases {
          let status = unsafe key.withUnsafeBytes { key in
            unsafe crypto_kdf_derive_from_key(
              output.octets + purpose.offset, Self.subkeySize, purpose.rawValue, "vltkeys1",
              key.octets)
          }
          precondition(status == 0, "the KDF refuses only lengths, which are constants here")
        }
      }
    }
    self.vaultKey = vaultKey
  }

  /// Creates the same keys for an updated format: seals are not bound to a minor version or a
  /// feature.
  ///
  /// - Parameters:
  ///   - keys: The keys of the same vault and epoch.
  ///   - ident: The current ident.
  package convenience init(_ keys: EpochKeys, ident: Ident) {
    precondition(ident.vaultID == keys.ident.vaultID && ident.epoch == keys.ident.epoch)
    self.init(keys.withVaultKey { VaultKey(copying: $0) }, ident: ident)
  }

  /// Returns the associated data with zeros for the parts.
  ///
  /// Source: `Documentation/format.md` §§5.1 and 6.7.
  private static func binding(_ label: String, _ ident: Ident, partSize: Int) -> [UInt8] {
    var bytes = Array(label.utf8)
    ident.major.appendLittleEndian(to: &bytes)
    bytes += [0, 0]
    bytes += ident.vaultID.bytes
    ident.epoch.appendLittleEndian(to: &bytes)
    return bytes + [UInt8](repeating: 0, count: partSize)
  }

  /// Calls `body` with the vault key itself, for the kernel to keep.
  package func withVaultKey<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try vaultKey.buffer.withRawBytes(body)
  }

  func withSubkey<R, E: Error>(
    _ purpose: Purpose, _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try subkeys.withRawBytes { (all) throws(E) in
      try body(all.extracting(purpose.offset..<purpose.offset + Self.subkeySize))
    }
  }

  /// Seals with a subkey.
  ///
  /// As with ``Sealing``, `output` has 40 bytes more than the plaintext.
  @unsafe func seal(
    _ plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    _ purpose: Purpose, associatedData: [UInt8]
  ) {
    withSubkey(purpose) { key in
      withSubkey(.nonce) { nonceKey in
        // The caller's buffers, for the length of the call.
        unsafe Sealing.seal(
          plaintext, into: output, key: key, nonceKey: nonceKey, associatedData: associatedData)
      }
    }
  }

  /// Returns the hash that finds a record's bucket in a tree of `level`.
  package func indexHash(level: UInt8, key: [UInt8]) -> UInt64 {
    // `level ‖ key` fills the message, and the digest has the 16 bytes that are asked for.
    unsafe withUnsafeTemporaryAllocation(byteCount: key.count + 17, alignment: 8) { buffer in
      let digest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<16])
      let message = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[16...])
      unsafe message[0] = level
      unsafe UnsafeMutableRawBufferPointer(rebasing: message[1...]).copyBytes(from: key)
      withSubkey(.index) { subkey in
        unsafe Hash.hash(UnsafeRawBufferPointer(message), into: digest, key: subkey)
      }
      return unsafe UInt64(littleEndian: digest.load(as: UInt64.self))
    }
  }

  /// Returns the 32 bytes by which the head authenticates all slots, given in ascending order of
  /// id.
  package func authenticate(slots: [(id: UInt32, body: [UInt8])]) -> [UInt8] {
    var message: [UInt8] = []
    for slot in slots {
      slot.id.appendLittleEndian(to: &message)
      UInt32(slot.body.count).appendLittleEndian(to: &message)
      message += slot.body
    }
    return withSubkey(.slots) { Hash.hash(message, count: 32, key: $0) }
  }
}

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
