import SecureMemory

/// The key that decides which machines belong to a vault, without its secret half.
package struct AdminKey: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    precondition(bytes.count == Curve.keySize)
    self.bytes = bytes
  }
}

/// The secret half of an admin key: an Ed25519 seed, which only admins' slots hold.
package final class AdminSecret: Sendable {
  private let seed: VaultKey
  package let key: AdminKey

  /// Creates a new random key.
  package convenience init() { self.init(VaultKey()) }

  private init(_ seed: consuming VaultKey) {
    key = AdminKey(Curve.verifier(of: seed.buffer))
    self.seed = seed
  }

  /// Opens an admin's share.
  ///
  /// - Returns: Nil if the machine's slot has none for this machine, if the share is not that of
  ///   the present admin key, or if the machine was joined to none of these keys.
  package convenience init?(
    in slot: MachineSlot, for machine: MachineKey, of admins: AdminChain
  ) {
    guard slot.isAdmin, slot.publicKey == machine.publicKey, machine.believes(admins) else {
      return nil
    }
    let opened = machine.withSecretKey { secret in
      Curve.open(slot.share, to: slot.publicKey.wrapping, with: secret)
    }
    guard let opened else { return nil }
    self.init(VaultKey(opened))
    guard key == admins.present else { return nil }
  }

  /// Returns the share for an admin's machine.
  package func share(for publicKey: MachinePublicKey) -> [UInt8] {
    Curve.seal(seed.buffer, to: publicKey.wrapping)
  }

  /// Signs a message with the admin key.
  func sign(_ message: [UInt8]) -> [UInt8] { Curve.sign(message, with: seed.buffer) }
}
