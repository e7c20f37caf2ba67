import SecureMemory
package import VaultModel

/// The part that only a machine's slot has: the keys of its wrap, and an admin's share.
///
/// Source: `Documentation/format.md` §4.4.
package struct MachineSlot: Equatable, Sendable {
  static let byteCount = 176
  private static let shareSize = Curve.keySize + Curve.sealOverhead
  private static let noShare = [UInt8](repeating: 0, count: shareSize)

  package let publicKey: MachinePublicKey
  let ephemeral: [UInt8]
  let share: [UInt8]

  /// Whether the machine holds the admin key.
  package var isAdmin: Bool { share != Self.noShare }

  init(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes)
    publicKey = MachinePublicKey(bytes[..<64])
    ephemeral = Array(bytes[64..<96])
    share = Array(bytes[96...])
  }

  fileprivate init(publicKey: MachinePublicKey, ephemeral: [UInt8], share: [UInt8]?) {
    self.publicKey = publicKey
    self.ephemeral = ephemeral
    self.share = share ?? Self.noShare
  }

  var bytes: [UInt8] { publicKey.bytes + ephemeral + share }
}

extension Slot {
  /// Returns the public keys in the body of a machine's slot; nil for other kinds, and damage.
  package static func machineKey(in body: [UInt8]) -> MachinePublicKey? {
    let end = fixedSize + MachinePublicKey.byteCount
    guard body.first == Kind.machine.rawValue, body.count >= end else { return nil }
    return MachinePublicKey(body[fixedSize..<end])
  }

  /// Creates the slot of a machine, for which only its public keys are needed.
  ///
  /// - Parameters:
  ///   - publicKey: The machine's public keys.
  ///   - share: The admin's share, for an admin's machine; nil for others.
  ///   - keys: The keys of the epoch.
  ///   - id: The slot's id.
  ///   - name: The machine's name.
  ///   - created: The time when it was admitted.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the name is too long;
  ///   ``VaultError/Code/damaged`` if the key is none.
  package init(
    forMachine publicKey: MachinePublicKey, share: [UInt8]?, to keys: EpochKeys, id: UInt32,
    name: String, created: Timestamp
  ) throws(VaultError) {
    let secret = VaultKey()
    let part = MachineSlot(
      publicKey: publicKey, ephemeral: Curve.publicKey(of: secret.buffer), share: share)
    let salt = Randomness.bytes(SlotKey.saltSize)
    let slotKey = SlotKey(
      shared: try Curve.shared(secret.buffer, with: publicKey.wrapping), part, salt: salt)
    try self.init(
      wrapping: keys, with: slotKey, id: id, kind: .machine, cost: nil, salt: salt, name: name,
      created: created, machine: part)
  }

  /// Creates the slot of the same machine for another vault key.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - machine: Its part of a machine.
  ///   - admin: The new admin key, of which an admin's machine gets a share; nil keeps the share
  ///     that it has.
  ///   - keys: The keys of the new epoch.
  /// - Throws: As ``init(forMachine:share:to:id:name:created:)``.
  package init(
    renewing slot: Slot, machine: MachineSlot, sharing admin: AdminSecret?, to keys: EpochKeys
  ) throws(VaultError) {
    let share = admin?.share(for: machine.publicKey) ?? machine.share
    try self.init(
      forMachine: machine.publicKey, share: machine.isAdmin ? share : nil, to: keys,
      id: slot.id, name: slot.name, created: slot.created)
  }
}

extension SlotKey {
  /// Derives the key of a machine's slot with the machine's own key.
  init(
    _ machine: MachineKey, opening slot: MachineSlot, salt: [UInt8]
  ) throws(VaultError) {
    let shared = try machine.withSecretKey { (secret) throws(VaultError) in
      try Curve.shared(secret, with: slot.ephemeral)
    }
    self.init(shared: shared, slot, salt: salt)
  }

  fileprivate init(shared: borrowing KeyBuffer, _ slot: MachineSlot, salt: [UInt8]) {
    let message = Array("vltkek05".utf8) + salt + slot.ephemeral + slot.publicKey.wrapping
    // The output has the 64 bytes of such a key.
    self.init(
      unsafe KeyBuffer(count: Self.byteCount) { output in
        shared.withRawBytes { key in
          unsafe message.withUnsafeBytes { unsafe Hash.hash($0, into: output, key: key) }
        }
      })
  }
}
