import CSodium
import Glibc
package import SecureMemory
package import VaultModel

/// How a slot's key comes from what a person types or a file holds.
///
/// Source: `Documentation/format.md` §4.1.
extension SlotKey {
  package static let saltSize = 16

  /// Derives the key of a passphrase slot with Argon2id.
  ///
  /// - Parameters:
  ///   - passphrase: Any bytes, also none. Borrowed.
  ///   - salt: Exactly 16 bytes.
  ///   - cost: Fills `cost.memoryKiB`; about 0.3 s at the standard cost.
  /// - Throws: ``VaultError/Code/outOfMemory`` if that much memory cannot be had.
  package init(
    passphrase: Secret, salt: [UInt8], cost: PassphraseCost
  ) throws(VaultError) {
    Sodium.require()
    precondition(salt.count == Self.saltSize)
    let buffer = try unsafe KeyBuffer(count: Self.byteCount) { (output) throws(VaultError) in
      // The salt has 16 bytes and the output 64; the passphrase's span lives through the call.
      let status = passphrase.withBytes { passphrase in
        unsafe passphrase.withUnsafeBytes { passphrase in
          unsafe crypto_pwhash(
            output.octets, UInt64(output.count),
            UnsafeRawPointer(passphrase.octets).assumingMemoryBound(to: CChar.self),
            UInt64(passphrase.count),
            salt, UInt64(cost.passes), cost.memoryKiB * 1024, crypto_pwhash_ALG_ARGON2ID13)
        }
      }
      guard status == 0 else {
        throw VaultError(
          .outOfMemory, "the passphrase needs \(cost.memoryKiB / 1024) MiB of memory to be checked",
          underlying: .errno(ENOMEM))
      }
    }
    self.init(buffer)
  }

  /// Derives the key of a key-file slot; random bytes need no cost.
  ///
  /// - Parameter salt: Exactly 16 bytes.
  package init(keyFile: borrowing KeyFile, salt: [UInt8]) {
    precondition(salt.count == Self.saltSize)
    let message = Array("vltkek01".utf8) + salt
    let buffer = unsafe KeyBuffer(count: Self.byteCount) { output in
      keyFile.key.withBytes { key in
        unsafe message.withUnsafeBytes { message in
          unsafe Hash.hash(message, into: output, key: key)
        }
      }
    }
    self.init(buffer)
  }
}

/// 32 random bytes in a file of our own small format, so that no other file is taken for a key.
///
/// Source: `Documentation/format.md` §4.2.
package struct KeyFile: ~Copyable {
  package static let byteCount = 48
  private static let magic = Array("vltkey1\n".utf8)

  let key: KeyBuffer

  /// A new random key.
  package init() {
    key = KeyBuffer(random: 32)
  }

  /// Reads a key file's bytes.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the length, the magic or the checksum is wrong.
  package init(decoding bytes: RawSpan) throws(VaultError) {
    guard bytes.byteCount == Self.byteCount,
      Self.magic.withSpan({ constantTimeEqual(bytes.extracting(0..<8), $0) }),
      Self.checksum(bytes).withSpan({ constantTimeEqual(bytes.extracting(40..<48), $0) })
    else {
      throw VaultError(.invalidData, "not a vault's key file, or damaged")
    }
    // 32 bytes from each side.
    key = unsafe KeyBuffer(count: 32) { output in
      unsafe bytes.extracting(8..<40).withUnsafeBytes { unsafe output.copyMemory(from: $0) }
    }
  }

  /// The 48 bytes that ``init(decoding:)`` reads.
  package borrowing func encoded() -> Secret {
    let magic = Self.magic
    return key.withBytes { key in
      // 8 + 32 + 8 bytes into a buffer of 48.
      unsafe Secret(count: Self.byteCount) { output in
        unsafe output.copyBytes(from: magic)
        unsafe key.withUnsafeBytes { key in
          unsafe UnsafeMutableRawBufferPointer(rebasing: output[8..<40]).copyMemory(from: key)
        }
        let checksum = unsafe Self.checksum(UnsafeRawBufferPointer(output).bytes)
        unsafe UnsafeMutableRawBufferPointer(rebasing: output[40...]).copyBytes(from: checksum)
      }
    }
  }

  /// The first 8 bytes of the hash of a key file's first 40.
  private static func checksum(_ bytes: RawSpan) -> [UInt8] {
    // The output buffer has exactly 16 bytes; only the hash of the key leaves guarded memory.
    let hash = unsafe bytes.extracting(0..<40).withUnsafeBytes { bytes in
      unsafe [UInt8](unsafeUninitializedCapacity: 16) { output, initialized in
        unsafe Hash.hash(bytes, into: UnsafeMutableRawBufferPointer(output), key: nil)
        initialized = 16
      }
    }
    return Array(hash.prefix(8))
  }
}
