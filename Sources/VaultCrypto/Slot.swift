import SecureMemory
package import VaultModel

/// One way to unlock the vault: the vault key, wrapped under a passphrase, a key file, both, or a
/// recovery code.
///
/// It is the value of `slot.body`. Source: `Documentation/format.md` §4.1.
package struct Slot: Equatable, Sendable {
  /// The kind of a slot, an open set: a slot of a later version's kind is kept, and never tried.
  package struct Kind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    package static let passphrase = Kind(rawValue: 1)
    package static let keyFile = Kind(rawValue: 2)
    package static let recoveryCode = Kind(rawValue: 3)
    /// A passphrase and a key file together.
    package static let both = Kind(rawValue: 4)
    /// The key of a machine, which was admitted by its public half.
    package static let machine = Kind(rawValue: 5)

    /// Whether this version can open such a slot.
    package var isKnown: Bool { (1...5).contains(rawValue) }

    /// Whether it needs a passphrase, alone or with a key file, and so has a cost.
    package var hasPassphrase: Bool { self == .passphrase || self == .both }
  }

  package static let longestName = 64
  static let fixedSize = 140
  static let checksumSize = 8
  private static let wrapSize = VaultKey.byteCount + Sealing.overhead

  package let id: UInt32
  package let kind: Kind
  /// Nil for slots without a KDF.
  package let cost: PassphraseCost?
  /// Whether it names a KDF, which a slot of an unknown kind may also do.
  package let hasKDF: Bool
  package let salt: [UInt8]
  package let created: Timestamp
  package let name: String
  /// Nil for slots of other kinds.
  package let machine: MachineSlot?
  private(set) var wrap: [UInt8]
  private(set) var commitment: [UInt8]

  // MARK: Bytes

  /// Reads a slot.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if a length or the checksum is wrong, or a cost is out
  ///   of bounds. This is checked before anything is derived.
  package init(decoding body: [UInt8], id: UInt32) throws(VaultError) {
    let damaged = VaultError(.damaged, "slot \(id) is damaged")
    guard body.count >= Self.fixedSize + Self.checksumSize else { throw damaged }
    let end = body.count - Self.checksumSize
    guard Self.checksum(id, body[..<end]).elementsEqual(body[end...]) else {
      throw damaged
    }
    let nameSize = Int(UInt16(littleEndianIn: body, at: 2))
    let memoryKiB = Int(UInt32(littleEndianIn: body, at: 4))
    let passes = Int(UInt32(littleEndianIn: body, at: 8))
    kind = Kind(rawValue: body[0])
    hasKDF = body[1] != 0
    let nameStart = Self.nameOffset(of: kind)
    guard nameSize <= Self.longestName,
      end == nameStart + nameSize, !body[nameStart..<end].contains(0),
      let name = String(validating: body[nameStart..<end], as: UTF8.self)
    else { throw damaged }
    machine = kind == .machine ? MachineSlot(body[Self.fixedSize..<nameStart]) : nil
    switch (kind, body[1]) {
    case (.passphrase, 1), (.both, 1):
      do throws(VaultError) {
        cost = try PassphraseCost(memoryKiB: memoryKiB, passes: passes)
      } catch {
        throw VaultError(.damaged, "slot \(id): \(error.context)")
      }
    case (.passphrase, _), (.both, _):
      throw damaged
    case (.keyFile, _), (.recoveryCode, _), (.machine, _):
      guard body[1] == 0, memoryKiB == 0, passes == 0 else { throw damaged }
      cost = nil
    default:
      cost = nil
    }
    self.id = id
    self.name = name
    salt = Array(body[12..<28])
    created = Timestamp(milliseconds: Int64(littleEndianIn: body, at: 28))
    wrap = Array(body[36..<108])
    commitment = Array(body[108..<140])
  }

  /// The bytes that ``init(decoding:id:)`` reads.
  package var encoded: [UInt8] {
    var body = header
    body += wrap
    body += commitment
    body += machine?.bytes ?? []
    body += Array(name.utf8)
    return body + Self.checksum(id, body)
  }

  /// Returns where the name is.
  private static func nameOffset(of kind: Kind) -> Int {
    kind == .machine ? fixedSize + MachineSlot.byteCount : fixedSize
  }

  /// Returns the bytes of a slot of any kind but a machine's under another name, which its wrap is
  /// not bound to.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the name is too long.
  package static func renamed(
    _ body: [UInt8], id: UInt32, to name: String
  ) throws(VaultError) -> [UInt8] {
    try check(name: name)
    var renamed = Array(body[..<2])
    UInt16(name.utf8.count).appendLittleEndian(to: &renamed)
    renamed += body[4..<fixedSize]
    renamed += Array(name.utf8)
    return renamed + checksum(id, renamed)
  }

  private static func check(name: String) throws(VaultError) {
    guard name.utf8.count <= longestName, !name.utf8.contains(0) else {
      throw VaultError(
        .invalidArgument, "a slot's name has at most \(longestName) bytes and no NUL")
    }
  }

  private static func checksum(_ id: UInt32, _ bytes: some Collection<UInt8>) -> [UInt8] {
    var message: [UInt8] = []
    id.appendLittleEndian(to: &message)
    return Hash.checksum(message + bytes)
  }

  /// Bytes 0 to 35.
  private var header: [UInt8] {
    var bytes: [UInt8] = [kind.rawValue, cost == nil ? 0 : 1]
    UInt16(name.utf8.count).appendLittleEndian(to: &bytes)
    UInt32(cost?.memoryKiB ?? 0).appendLittleEndian(to: &bytes)
    UInt32(cost?.passes ?? 0).appendLittleEndian(to: &bytes)
    bytes += salt
    created.milliseconds.appendLittleEndian(to: &bytes)
    return bytes
  }

  /// Returns the data that the wrap is bound to: a slot of another vault, epoch or id does not
  /// open.
  private static func associatedData(
    _ header: [UInt8], id: UInt32, ident: Ident, machine: MachineSlot?
  ) -> [UInt8] {
    var bytes = Array("vltslot1".utf8)
    ident.major.appendLittleEndian(to: &bytes)
    bytes += ident.vaultID.bytes
    ident.epoch.appendLittleEndian(to: &bytes)
    id.appendLittleEndian(to: &bytes)
    bytes += header[0..<2]
    bytes += header[4..<36]
    bytes += machine?.bytes ?? []
    return bytes
  }

  // MARK: Wrapping

  /// Wraps an epoch's vault key.
  ///
  /// The vault key of `keys` is wrapped for their vault and epoch. `slotKey` must have been derived
  /// with the same salt and cost.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the name is too long.
  package init(
    wrapping keys: EpochKeys, with slotKey: borrowing SlotKey, id: UInt32, kind: Kind,
    cost: PassphraseCost?, salt: [UInt8], name: String, created: Timestamp,
    machine: MachineSlot? = nil
  ) throws(VaultError) {
    try Self.check(name: name)
    self.id = id
    self.kind = kind
    self.cost = cost
    hasKDF = cost != nil
    self.salt = salt
    self.name = name
    self.created = created
    self.machine = machine
    wrap = []
    commitment = []
    let associatedData = Self.associatedData(header, id: id, ident: keys.ident, machine: machine)
    let nonceKey = slotKey.nonceKey()
    wrap = slotKey.withWrappingKey { wrappingKey in
      keys.vaultKey.buffer.withRawBytes { vaultKey in
        // `seal` writes all of `wrapSize` bytes.
        unsafe [UInt8](unsafeUninitializedCapacity: Self.wrapSize) { output, initialized in
          unsafe vaultKey.withUnsafeBytes { vaultKey in
            nonceKey.withRawBytes { nonceKey in
              unsafe Sealing.seal(
                vaultKey, into: UnsafeMutableRawBufferPointer(output), key: wrappingKey,
                nonceKey: nonceKey, associatedData: associatedData)
            }
          }
          initialized = Self.wrapSize
        }
      }
    }
    commitment = slotKey.commitment(to: associatedData + wrap)
  }

  /// Unwraps the vault key and derives the epoch's keys.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the key is not the right one. The
  ///   commitment is compared first, in constant time, since one wrap can be made to open under two
  ///   keys.
  package func unwrap(
    with slotKey: borrowing SlotKey, ident: Ident
  ) throws(VaultError) -> EpochKeys {
    let associatedData = Self.associatedData(header, id: id, ident: ident, machine: machine)
    let expected = slotKey.commitment(to: associatedData + wrap)
    let isCommitted = expected.withSpan { expected in
      commitment.withSpan { constantTimeEqual(expected, $0) }
    }
    guard isCommitted else {
      throw VaultError(.authenticationFailed, "wrong passphrase or key")
    }
    // The wrap has 40 bytes more than the output.
    let buffer = try unsafe KeyBuffer(count: VaultKey.byteCount) { (output) throws(VaultError) in
      let isAuthentic = slotKey.withWrappingKey { key in
        unsafe wrap.withUnsafeBytes { wrap in
          unsafe Sealing.open(
            wrap, into: output, key: key, associatedData: associatedData)
        }
      }
      // The key is the right one, since it made the commitment.
      guard isAuthentic else { throw VaultError(.damaged, "slot \(id)'s wrap is damaged") }
    }
    return EpochKeys(VaultKey(buffer), ident: ident)
  }
}

extension SlotKey {
  borrowing func withWrappingKey<R>(_ body: (RawSpan) -> R) -> R {
    buffer.withRawBytes { body($0.extracting(0..<32)) }
  }

  /// Returns the key for the wrap's nonce; the wrapping key belongs to this slot alone.
  borrowing func nonceKey() -> KeyBuffer {
    let label = Array("vltnonc1".utf8)
    // The output has the 32 bytes of such a key.
    return unsafe KeyBuffer(count: Nonce.keySize) { output in
      buffer.withRawBytes { keys in
        unsafe label.withUnsafeBytes { label in
          unsafe Hash.hash(label, into: output, key: keys.extracting(32..<64))
        }
      }
    }
  }

  fileprivate borrowing func commitment(to message: [UInt8]) -> [UInt8] {
    buffer.withRawBytes { Hash.hash(message, count: 32, key: $0.extracting(32..<64)) }
  }
}
