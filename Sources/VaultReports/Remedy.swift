public import VaultModel

/// The next step that a diagnosis suggests, for a program to put into words or to take.
///
/// It contains no secret. Later versions may have more cases, so keep a `default` in a `switch`.
public enum Remedy: Sendable, Hashable {
  // MARK: Files

  /// Change the owner or mode of a file or folder.
  case access(AccessRemedy)
  /// Rename a file beside the vault while no program has the vault open, and verify the vault.
  ///
  /// If the vault may need the file, verifying may find damage; then restore a backup or salvage
  /// the vault.
  case moveAside(path: String, mayBeNeeded: Bool)
  /// Delete a file, once it is safe.
  case removeFile(path: String, once: Condition)
  /// Keep the vault on a local disk, and back it up to the network.
  case useLocalDisk
  /// Open the vault, which completes or undoes the interrupted write; copy or delete no file
  /// before.
  case openVault
  /// Wait longer for the vault's lock.
  case waitLonger

  // MARK: The vault

  /// Create a vault.
  case initialize
  /// Verify the vault.
  case verify
  /// Restore a backup.
  case restore
  /// Save what still opens to a new vault.
  case salvage
  /// Restore a backup, or salvage the file if it ever was a vault.
  case restoreOrSalvage
  /// Restore the file as it is, if the older or other state is intended.
  case acceptRollback
  /// Make the replica of a fleet's vault anew.
  case cloneReplica
  /// Accept the vault at this path, if it was put there on purpose.
  case acceptVault

  // MARK: Keys

  /// Diagnose again with a key.
  case diagnoseWithKey
  /// Diagnose again with the same key and the one that the slot needs beside it.
  case diagnoseWithBothKeys(missing: Key)
  /// Compare the key with the vault's slots.
  case listSlots
  /// Remove a damaged slot.
  case removeSlot(id: Int)
  /// Add a recovery code.
  case addRecoveryCode
  /// Set the passphrase again, at a cost that makes it expensive to guess.
  case changePassphrase
  /// Read the passphrase from a file, or use a key file.
  case setKeyFile

  // MARK: The surroundings

  /// Set `HOME` or `XDG_STATE_HOME`, so that rollbacks are noticed.
  case setHome
  /// Set the clock.
  case setClock
  /// Raise the limit of locked memory, so that secrets are not swapped out.
  case raiseLockedMemoryLimit
  /// Raise the limit of memory, or unlock with a key file, which needs little.
  case raiseMemoryLimit

  /// A key that a slot needs beside another.
  public enum Key: Sendable, Hashable {
    /// The passphrase, beside the key file.
    case passphrase
    /// The key file, beside the passphrase.
    case keyFile
  }

  /// The condition under which a file may be deleted.
  public enum Condition: Sendable, Hashable {
    /// No program that uses the vault is running.
    case nothingIsRunning
    /// Its contents are not needed any more.
    case notNeeded
    /// It is known who wrote it.
    case writerIsKnown
  }
}
