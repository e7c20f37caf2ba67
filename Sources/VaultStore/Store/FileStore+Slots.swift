import SealedTree
package import VaultCrypto
package import VaultModel

/// The slots of a sealed file. Keys are derived before the file's lock is taken.
extension FileStore {
  /// Returns the slots: as the head verifies them if the file is unlocked, else as they are in the
  /// file.
  ///
  /// - Throws: ``VaultError/Code/damaged``; as ``VaultFile/read(_:)``.
  package func slots() throws(VaultError) -> [Slot] {
    try locked { (file) throws(VaultError) in
      guard file.unlocked == nil else { return try file.authenticSlots() }
      try file.checkName()
      return try file.slots()
    }
  }

  /// Adds a slot for a key, under the lowest free id.
  ///
  /// - Parameters:
  ///   - key: An additional key for the vault.
  ///   - name: At most 64 bytes.
  ///   - cost: The cost of a passphrase; nil calibrates it.
  /// - Returns: The slot.
  /// - Throws: As ``VaultFile/addSlot(_:name:)``; ``VaultError/Code/outOfMemory``.
  package func addSlot(
    _ key: UnlockKey, name: String, cost: PassphraseCost?
  ) throws(VaultError) -> Slot {
    let present = try locked { (file) throws(VaultError) in try file.slots() }
    let derived = try DerivedKey(key, calibratedUnless: cost, beside: present)
    return try writing { (file) throws(VaultError) in try file.addSlot(derived, name: name) }
  }

  /// Removes a slot.
  ///
  /// - Throws: As ``VaultFile/removeSlot(_:)``.
  package func removeSlot(_ id: UInt32) throws(VaultError) {
    try writing { (file) throws(VaultError) in try file.removeSlot(id) }
  }

  /// Renames a slot.
  ///
  /// - Throws: As ``VaultFile/renameSlot(_:to:)``.
  package func renameSlot(_ id: UInt32, to name: String) throws(VaultError) -> Slot {
    try writing { (file) throws(VaultError) in try file.renameSlot(id, to: name) }
  }

  /// Returns the slot that a key opens; a locked file stays locked.
  ///
  /// The head is verified as when unlocking, because a removed slot that somebody restored also
  /// opens.
  ///
  /// - Throws: As ``unlock(with:minimumCost:keyFile:)``; ``VaultError/Code/itemNotFound`` if no
  ///   slot has the id.
  package func testSlot(with key: UnlockKey, id: UInt32?) throws(VaultError) -> Slot {
    try locked { (file) throws(VaultError) in
      let before = file.unlocked
      let slot = try file.unlock(with: key, id: id, keyFile: before?.keyFile)
      if before == nil { file.lock() }
      return slot
    }
  }

  /// Replaces the passphrase of the slot that the old one opens, and leaves the file unlocked.
  ///
  /// A slot that needs both keeps its key file.
  ///
  /// - Parameters:
  ///   - old: The current passphrase, with a key file for slots that need both.
  ///   - new: The new passphrase.
  ///   - cost: The cost of the new passphrase; nil calibrates it.
  /// - Returns: The changed slot.
  /// - Throws: As ``unlock(with:minimumCost:keyFile:)`` and ``VaultFile/replace(_:with:created:)``.
  package func replaceKey(
    _ old: UnlockKey, with new: UnlockKey, cost: PassphraseCost?
  ) throws(VaultError) -> Slot {
    let (slot, others) = try locked { (file) throws(VaultError) in
      // A user who unlocked it with a key file before still continues automatically after a rekey.
      let slot = try file.unlock(with: old, keyFile: file.unlocked?.keyFile)
      session.open()
      return (slot, try file.slots().filter { $0.id != slot.id })
    }
    var key = new
    if slot.kind == .both, let file = try old.keyFile() {
      key = .both(key, SecondHalf { .keyFile(file) })
    }
    let derived = try DerivedKey(key, calibratedUnless: cost, beside: others)
    return try writing { (file) throws(VaultError) in try file.replace(slot, with: derived) }
  }
}

extension DerivedKey {
  /// Derives a key at `cost`; nil takes the calibrated cost that the remaining slots leave room
  /// for.
  fileprivate convenience init(
    _ key: UnlockKey, calibratedUnless cost: PassphraseCost?, beside others: [Slot]
  ) throws(VaultError) {
    var chosen = cost ?? .policy
    if cost == nil, key.kind.hasPassphrase {
      // If not even the minimum fits, the write of the slot is refused.
      chosen = SlotLimits.fitting(try .calibrated(), beside: others) ?? .policy
    }
    try self.init(key, cost: chosen)
  }
}

/// The machines of a sealed file.
extension FileStore {
  /// Makes the first machine, which holds the admin key.
  ///
  /// - Throws: As ``VaultFile/addMachines(_:committer:signer:)``;
  ///   ``VaultError/Code/invalidArgument`` if the vault has machines already.
  package func addFirstMachine(
    _ machine: MachineKey, name: String, signer: AdminSecret
  ) throws(VaultError) -> Slot {
    try writing { (file) throws(VaultError) in
      let new = NewMachine(machine.publicKey, name: name, isAdmin: true)
      let committer = CommitSigner(machine, name: name)
      return try file.addMachines([new], committer: committer) { _ in signer }[0]
    }
  }

  /// Adds machines by their public keys, all of them or none.
  ///
  /// - Returns: Their slots, in the same order.
  /// - Throws: As ``VaultFile/addMachines(_:committer:signer:)``.
  package func admit(
    _ machines: [NewMachine], with key: UnlockKey
  ) throws(VaultError) -> [Slot] {
    guard !machines.isEmpty else { return [] }
    return try writing { (file) throws(VaultError) in
      let committer = try VaultFile.commitSigner(key, among: file.slotRows())
      return try file.addMachines(machines, committer: committer) { (slots) throws(VaultError) in
        try VaultFile.signer(key, among: slots.rows, of: slots.roster)
      }
    }
  }

  /// Returns the present admin key, which signed the vault's machines; nil if it has none.
  ///
  /// - Throws: ``VaultError/Code/locked``; as ``VaultFile/read(_:)``.
  package func adminKey() throws(VaultError) -> AdminKey? {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        try file.requireUnlocked().head.roster?.admins.present
      }
    }
  }
}
