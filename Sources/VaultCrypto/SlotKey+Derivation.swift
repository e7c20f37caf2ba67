import CSodium
import Glibc
package import SecureMemory
package import Synchronization
package import VaultModel

/// How a slot's key comes from what a person types or a file holds.
///
/// Source: `Documentation/format.md` §4.1.
extension SlotKey {
  package static let saltSize = 16
  /// How many passphrases this process derived a key from, or began to: what an attack on costs is held against.
  package static let derivations = Atomic(0)

  /// Derives the key of a passphrase slot with Argon2id.
  ///
  /// - Parameters:
  ///   - passphrase: Any bytes, also none. Borrowed.
  ///   - salt: Exactly 16 bytes.
  ///   - cost: Fills `cost.memoryKiB`; about 0.3 s at the standard cost.
  /// - Throws: ``VaultError/Code/outOfMemory`` if that much memory cannot be had; nothing is derived
  ///   then.
  package init(
    passphrase: Secret, salt: [UInt8], cost: PassphraseCost
  ) throws(VaultError) {
    try cost.require(AvailableMemory())
    Self.derivations.add(1, ordering: .relaxed)
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
          .outOfMemory, "the passphrase's slot needs \(cost.memoryKiB / 1024) MiB of memory",
          underlying: .errno(ENOMEM))
      }
    }
    self.init(buffer)
  }

  /// Derives the key of a key file or recovery code; random bytes need no cost, and the salt has 16
  /// bytes.
  init(random secret: Secret, salt: [UInt8]) {
    precondition(salt.count == Self.saltSize)
    let message = Array("vltkek01".utf8) + salt
    let buffer = unsafe KeyBuffer(count: Self.byteCount) { output in
      secret.withBytes { key in
        unsafe message.withUnsafeBytes { message in
          unsafe Hash.hash(message, into: output, key: key)
        }
      }
    }
    self.init(buffer)
  }
}
