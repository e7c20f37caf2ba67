/// The result of one check of a diagnosis.
public struct DiagnosticResult: Sendable {
  /// The severity of a result, from good to bad.
  public enum Status: String, Sendable, Comparable, CaseIterable {
    /// Everything is as it should be.
    case ok
    /// Worth knowing, but not wrong.
    case note
    /// It works, but is weaker or more fragile than it could be.
    case warning
    /// The vault cannot be used, or not safely.
    case problem

    /// Returns whether the first is less severe.
    public static func < (left: Status, right: Status) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// The subject of a check.
  ///
  /// Later versions may have more cases, so keep a `default` in a `switch`.
  public enum Check: String, Sendable, CaseIterable {
    /// The vault's folder and those above it.
    case folder
    /// The file system of the vault.
    case fileSystem = "file-system"
    /// The free space there.
    case space
    /// The file and its permissions.
    case file
    /// Files that killed writers left.
    case leftovers
    /// Files beside the vault that SQLite would read.
    case sideFiles = "side-files"
    /// A journal that waits to be played back.
    case journal
    /// The format's version.
    case format
    /// The vault that was at the path before.
    case place
    /// The record of the newest state that was seen.
    case rollbackMemory = "rollback-memory"
    /// Records that do not verify.
    case records
    /// The times of the vault and of this machine.
    case clock
    /// Whether the key opens the vault.
    case key
    /// The source of the key.
    case keySource = "key-source"
    /// The slots that open the vault.
    case slots
    /// The cost of trying passphrases.
    case passphraseCost = "passphrase-cost"
    /// The rows and records of the vault.
    case structure
    /// Variables that hold secrets.
    case environment
    /// Whether the kernel can remember keys.
    case rememberedKeys = "remembered-keys"
    /// The memory that may be locked.
    case lockedMemory = "locked-memory"
    /// Whether a crash would write secrets to the disk.
    case coreDumps = "core-dumps"
    /// Whether children of a process can see its secrets.
    case forkedChildren = "forked-children"
    /// The versions of the libraries.
    case libraries
    /// Whether a program holds the write lock.
    case locks
  }

  /// The subject of the check, whose word stays the same in later versions.
  public let check: Check
  /// The severity of the result.
  public let status: Status
  /// The result in words: lower case, no secret, no trailing stop.
  public let text: String
  /// The suggested next step, if there is one.
  public let remedy: Remedy?
  /// The error code that using the vault would fail with; only for a problem.
  public let code: VaultError.Code?

  package init(_ check: Check, _ status: Status, _ text: String, remedy: Remedy? = nil) {
    self.check = check
    self.status = status
    self.text = text
    self.remedy = remedy
    code = nil
  }

  /// Creates a problem from an error.
  package init(_ check: Check, _ error: VaultError, remedy: Remedy? = nil) {
    self.check = check
    status = .problem
    text = error.context.isEmpty ? error.code.description : error.context
    self.remedy = remedy
    code = error.code
  }
}

/// The next step that a diagnosis or an error suggests, for a program to put into words or to take.
///
/// It contains no secret. Later versions may have more cases, so keep a `default` in a `switch`.
public enum Remedy: Sendable, Hashable {
  // MARK: Permissions

  /// Make a folder accessible to its owner alone (mode 0700).
  case makePrivate(path: String)
  /// Take the permission to write to a folder away from some users.
  case removeWriteAccess(path: String, from: Users)
  /// Make a file or folder this user's own and accessible to nobody else.
  case takeOwnership(path: String, of: Place)

  // MARK: Files

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

  /// The users who lose a permission.
  public enum Users: Sendable, Hashable {
    /// The group and all others.
    case groupAndOthers
    /// All others, but not the group.
    case others
  }

  /// The kind of thing that should be this user's own.
  public enum Place: Sendable, Hashable {
    /// A file (mode 0600).
    case file
    /// A folder (mode 0700).
    case folder
  }

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
