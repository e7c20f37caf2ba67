package import SecureMemory
package import VaultModel

/// The key of one machine: it opens the machine's own slots, and only in vaults whose machines are
/// those that an admin key which it was joined to signed.
///
/// Source: `Documentation/format.md` §4.4.
package struct MachineKey: Sendable {
  /// The most admin keys: each of a group of machines, with a vault of its own.
  package static let mostAdmins = 64
  private static let magic = Array("vltmach1".utf8)
  private static let checksumSize = 8

  /// The X25519 secret key, from which the signing key follows.
  private let secret: Secret
  package let publicKey: MachinePublicKey
  /// The admin keys that the machine was joined to, in this order.
  package let admins: [AdminKey]

  /// Creates a new random key.
  ///
  /// - Parameter admin: The only admin key that the machine believes.
  package init(joining admin: AdminKey) {
    // libsodium fills the whole buffer.
    self.init(unsafe Secret(count: Curve.keySize) { unsafe Randomness.fill($0) }, [admin])
  }

  /// Returns the same key, joined to one more admin key.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` if it was joined to ``mostAdmins``.
  package func joining(_ admin: AdminKey) throws(VaultError) -> MachineKey {
    guard !admins.contains(admin) else { return self }
    guard admins.count < Self.mostAdmins else {
      throw VaultError(.tooLarge, "a machine joins at most \(Self.mostAdmins) admin keys")
    }
    return MachineKey(secret, admins + [admin])
  }

  /// Returns the same key, which believes only the one of its admin keys whose line has a
  /// fingerprint, of which the digits count.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the machine was not joined to it.
  package func believing(onlyAdmin fingerprint: String) throws(VaultError) -> MachineKey {
    let digits = fingerprint.utf8.filter(\.isDigit)
    for admin in admins {
      let known = try MachineText.fingerprint(of: MachineText.line(of: admin))
      if known.utf8.filter(\.isDigit) == digits { return MachineKey(secret, [admin]) }
    }
    throw VaultError(
      .invalidData, "this machine was joined to no admin key with the fingerprint that is named")
  }

  private init(_ secret: Secret, _ admins: [AdminKey]) {
    self.secret = secret
    self.admins = admins
    publicKey = secret.withRawBytes { bytes in
      let key = VaultKey(copying: bytes)
      return MachinePublicKey(
        wrapping: Curve.publicKey(of: key.buffer),
        verifying: Curve.verifier(of: Self.seed(of: key.buffer)))
    }
  }

  /// Reads a machine's key file.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the length, the magic or the checksum is wrong.
  package init(decoding bytes: RawSpan) throws(VaultError) {
    let end = bytes.byteCount - Self.checksumSize
    let (count, rest) = (end - 40).quotientAndRemainder(dividingBy: Curve.keySize)
    guard Self.isOne(bytes), rest == 0, (1...Self.mostAdmins).contains(count),
      Self.checksum(bytes.extracting(0..<end)).withSpan({
        constantTimeEqual(bytes.extracting(end..<bytes.byteCount), $0)
      })
    else { throw VaultError(.invalidData, "not a machine's key file, or damaged") }
    // The span lives through the call.
    let admins = unsafe bytes.extracting(40..<end).withUnsafeBytes { unsafe Array($0) }
    self.init(
      Secret(copying: bytes.extracting(8..<40)),
      (0..<count).map { AdminKey(Array(admins[($0 * Curve.keySize)...].prefix(Curve.keySize))) })
  }

  /// Returns whether bytes are meant as the key file of a machine.
  package static func isOne(_ bytes: RawSpan) -> Bool {
    bytes.byteCount >= 8
      && magic.withSpan { constantTimeEqual(bytes.extracting(0..<8), $0) }
  }

  /// Returns the bytes that ``init(decoding:)`` reads.
  package func encoded() -> Secret {
    let (magic, admins) = (Self.magic, admins.flatMap(\.bytes))
    let end = 40 + admins.count
    return secret.withRawBytes { secret in
      // 8 + 32 bytes, those of the admin keys, and 8 into a buffer for them.
      unsafe Secret(count: end + Self.checksumSize) { output in
        unsafe output.copyBytes(from: magic)
        unsafe secret.withUnsafeBytes { secret in
          unsafe UnsafeMutableRawBufferPointer(rebasing: output[8..<40]).copyMemory(from: secret)
        }
        unsafe UnsafeMutableRawBufferPointer(rebasing: output[40..<end]).copyBytes(from: admins)
        let checksum = unsafe Self.checksum(UnsafeRawBufferPointer(rebasing: output[..<end]).bytes)
        unsafe UnsafeMutableRawBufferPointer(rebasing: output[end...]).copyBytes(from: checksum)
      }
    }
  }

  /// Returns the first 8 bytes of the hash of a key file's other bytes.
  private static func checksum(_ bytes: RawSpan) -> [UInt8] {
    // The output buffer has exactly 16 bytes; only the hash of the key leaves guarded memory.
    let hash = unsafe bytes.withUnsafeBytes { bytes in
      unsafe [UInt8](unsafeUninitializedCapacity: 16) { output, initialized in
        unsafe Hash.hash(bytes, into: UnsafeMutableRawBufferPointer(output), key: nil)
        initialized = 16
      }
    }
    return Array(hash.prefix(checksumSize))
  }

  /// Returns the Ed25519 seed of a machine, so that one key file has both of its keys.
  private static func seed(of secret: borrowing KeyBuffer) -> KeyBuffer {
    let label = Array("vltsign1".utf8)
    // The output has the 32 bytes of a seed.
    return unsafe KeyBuffer(count: Curve.keySize) { output in
      secret.withRawBytes { secret in
        unsafe label.withUnsafeBytes { unsafe Hash.hash($0, into: output, key: secret) }
      }
    }
  }

  /// Returns whether the machine was joined to one of a vault's admin keys.
  package func believes(_ vault: AdminChain?) -> Bool {
    vault.map { !$0.keys.isDisjoint(with: admins) } ?? false
  }

  /// Signs a message with the machine's Ed25519 key.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    withSecretKey { secret in Curve.sign(message, with: Self.seed(of: secret)) }
  }

  func withSecretKey<R: ~Copyable, E: Error>(
    _ body: (borrowing KeyBuffer) throws(E) -> R
  ) throws(E) -> R {
    let key = secret.withRawBytes { VaultKey(copying: $0) }
    return try body(key.buffer)
  }
}

/// The public keys of a machine: one to wrap for it, and one to verify what it signed.
package struct MachinePublicKey: Hashable, Sendable {
  package static let byteCount = 2 * Curve.keySize
  package static let signatureSize = Curve.signatureSize
  /// The X25519 key.
  package let wrapping: [UInt8]
  /// The Ed25519 key.
  package let verifying: [UInt8]

  init(wrapping: [UInt8], verifying: [UInt8]) {
    precondition(wrapping.count == Curve.keySize && verifying.count == Curve.keySize)
    (self.wrapping, self.verifying) = (wrapping, verifying)
  }

  /// Creates the keys from their 64 bytes.
  package init(_ bytes: ArraySlice<UInt8>) {
    let middle = bytes.startIndex + Curve.keySize
    self.init(wrapping: Array(bytes[..<middle]), verifying: Array(bytes[middle...]))
  }

  package var bytes: [UInt8] { wrapping + verifying }

  /// Returns whether the machine signed a message.
  package func isSigned(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
    Curve.isSigned(message, signature, by: verifying)
  }
}
