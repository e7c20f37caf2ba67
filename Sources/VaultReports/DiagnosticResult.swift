public import VaultModel

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
