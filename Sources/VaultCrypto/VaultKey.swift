import CVaultSodium
import Glibc
package import SecureMemory
package import Synchronization
package import VaultModel

/// The random key of one epoch of a vault; everything else is derived from it.
package struct VaultKey: ~Copyable {
  package static let byteCount = 32
  let buffer: KeyBuffer

  /// Creates a new random key.
  package init() {
    buffer = KeyBuffer(random: Self.byteCount)
  }

  /// Creates a copy of a key's 32 bytes.
  package init(copying bytes: RawSpan) {
    // The new buffer has the count of the bytes.
    self.init(
      unsafe KeyBuffer(count: bytes.byteCount) { buffer in
        unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
      })
  }

  init(_ buffer: consuming KeyBuffer) {
    precondition(buffer.count == Self.byteCount)
    self.buffer = buffer
  }
}

/// The keys that open a slot's wrap: the wrapping key and the commitment key, side by side.
///
/// Source: `Documentation/format.md` §4.1.
package struct SlotKey: ~Copyable {
  static let byteCount = 64
  let buffer: KeyBuffer

  init(_ buffer: consuming KeyBuffer) {
    precondition(buffer.count == Self.byteCount)
    self.buffer = buffer
  }
}

/// The derivation of a slot's key from a typed secret or a file.
///
/// Source: `Documentation/format.md` §4.1.
extension SlotKey {
  package static let saltSize = 16
  /// The number of passphrases for which this process started a derivation; a measure of attacks on
  /// costs.
  package static let derivations = Atomic(0)

  /// Derives the key of a passphrase slot with Argon2id.
  ///
  /// - Parameters:
  ///   - passphrase: At least one byte. Borrowed.
  ///   - salt: Exactly 16 bytes.
  ///   - cost: The cost, which fills `cost.memoryKiB`; about 0.3 s at the standard cost.
  /// - Throws: ``VaultError/Code/outOfMemory`` if that much memory is not available; nothing is
  ///   derived then; ``VaultError/Code/invalidArgument`` for an empty passphrase: its source must
  ///   have failed, and a slot that anybody can open protects nothing.
  package init(
    passphrase: Secret, salt: [UInt8], cost: PassphraseCost
  ) throws(VaultError) {
    guard passphrase.count > 0 else {
      throw VaultError(.invalidArgument, "the passphrase is empty")
    }
    try cost.require(AvailableMemory())
    Self.derivations.add(1, ordering: .relaxed)
    Sodium.require()
    precondition(salt.count == Self.saltSize)
    let buffer = try unsafe KeyBuffer(count: Self.byteCount) { (output) throws(VaultError) in
      let status = Argon2Turn.take {
        passphrase.withRawBytes { passphrase in
          // The salt has 16 bytes and the output 64; the passphrase's span lives through the call.
          unsafe passphrase.withUnsafeBytes { passphrase in
            unsafe crypto_pwhash(
              output.octets, UInt64(output.count),
              UnsafeRawPointer(passphrase.octets).assumingMemoryBound(to: CChar.self),
              UInt64(passphrase.count),
              salt, UInt64(cost.passes), cost.memoryKiB * 1024, crypto_pwhash_ALG_ARGON2ID13)
          }
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

  /// Derives the key of a key file or recovery code.
  ///
  /// Random bytes need no cost. The salt has 16 bytes.
  init(random secret: Secret, salt: [UInt8]) {
    precondition(salt.count == Self.saltSize)
    let message = Array("vltkek01".utf8) + salt
    let buffer = unsafe KeyBuffer(count: Self.byteCount) { output in
      secret.withRawBytes { key in
        unsafe message.withUnsafeBytes { message in
          unsafe Hash.hash(message, into: output, key: key)
        }
      }
    }
    self.init(buffer)
  }

  /// Derives the key of a slot that needs a passphrase and a key file.
  ///
  /// Without the file, a passphrase cannot be tried at all; with it, every attempt has the full
  /// cost.
  ///
  /// - Throws: As ``init(passphrase:salt:cost:)``.
  init(
    passphrase: Secret, keyFile: Secret, salt: [UInt8], cost: PassphraseCost
  ) throws(VaultError) {
    let stretched = try SlotKey(passphrase: passphrase, salt: salt, cost: cost)
    let head = Array("vltkek02".utf8) + salt
    let buffer = unsafe KeyBuffer(count: Self.byteCount) { output in
      // `head` and 64 bytes fill the message.
      unsafe withUnsafeTemporaryAllocation(byteCount: head.count + Self.byteCount, alignment: 8) {
        message in
        defer { unsafe wipe(message) }
        unsafe message.copyBytes(from: head)
        stretched.buffer.withRawBytes { stretched in
          unsafe stretched.withUnsafeBytes { stretched in
            unsafe UnsafeMutableRawBufferPointer(rebasing: message[head.count...])
              .copyMemory(from: stretched)
          }
        }
        keyFile.withRawBytes { key in
          unsafe Hash.hash(UnsafeRawBufferPointer(message), into: output, key: key)
        }
      }
    }
    self.init(buffer)
  }
}

/// The turn of derivations, of which one runs at a time in a process.
///
/// libsodium maps Argon2's memory with `MAP_POPULATE`: while the kernel clears it, no other thread
/// of the process can map memory, change a mapping or start a thread. Four at once kept a task that
/// sleeps for 10 ms from waking for up to 3.3 s, one at a time for less than 0.2 s. Many unlocks at
/// once also need no more memory than one.
private enum Argon2Turn {
  private static let lock = Lock(())
  private static let canary = ForkCanary()

  static func take<R>(_ derive: () -> R) -> R {
    // The parent's thread that held the lock does not exist in a forked child.
    guard !canary.isForkedChild else { return derive() }
    return lock.withLock { _ in derive() }
  }
}
