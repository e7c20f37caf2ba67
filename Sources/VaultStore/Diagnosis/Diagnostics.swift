package import VaultCrypto
import VaultModel
package import VaultReports

/// Checks of a vault and everything around it that change nothing, not even the records about it.
///
/// Each check adds its result and continues. The file is opened read-only, by SQLite alone. No page
/// of it is read while a journal waits to be replayed, since replaying would be a write.
package struct Diagnostics {
  package internal(set) var results: [DiagnosticResult] = []
  let stateFolder: String?
  let role: VaultFile.Role
  /// The key for the vault; nil to check it from outside only.
  let key: UnlockKey?
  /// Keys that nobody named, tried in order without ``key``: they may be those of other vaults.
  let found: [UnlockKey]

  /// Checks everything at `path`.
  ///
  /// - Parameters:
  ///   - path: The path of a vault, existing or not.
  ///   - role: Whether the vault is written.
  ///   - stateFolder: The folder of the rollback records.
  ///   - key: The key for the vault; nil to check it from outside only.
  ///   - found: Keys that nobody named, tried in order without ``key``: they may be those of other
  ///     vaults.
  package init(
    of path: String, role: VaultFile.Role = .vault, stateFolder: String?, key: UnlockKey?,
    found: [UnlockKey] = []
  ) {
    self.role = role
    self.stateFolder = stateFolder
    self.key = key
    self.found = found
    if let place = resolve(path) { examine(place) }
    examineProcess()
    examineLibraries()
  }

  mutating func add(
    _ check: DiagnosticResult.Check, _ status: DiagnosticResult.Status, _ text: String,
    remedy: Remedy? = nil
  ) {
    results.append(DiagnosticResult(check, status, text, remedy: remedy))
  }

  mutating func add(_ check: DiagnosticResult.Check, _ error: VaultError, remedy: Remedy? = nil) {
    // The owner of a vault that is only read here has to mend it.
    let isOthers = error.subject == .onlyRead
    let own = error.remedy.map(Remedy.access)
    results.append(DiagnosticResult(check, error, remedy: isOthers ? nil : own ?? remedy))
  }

  private mutating func resolve(_ path: String) -> VaultPath? {
    do throws(VaultError) {
      return try VaultPath(path)
    } catch {
      add(.folder, error, remedy: .initialize)
      return nil
    }
  }

  private mutating func examine(_ place: VaultPath) {
    examineFolder(of: place)
    let isSafe = examineFile(place)
    examineLeftovers(beside: place)
    guard examineSideFiles(of: place, canOpen: isSafe) else {
      return add(.format, .note, "not checked, because of the files beside it")
    }
    let isIdle = examineJournal(of: place)
    guard isSafe else { return }
    guard isIdle else {
      return add(.format, .note, "not looked at: that would play the journal back")
    }
    do throws(VaultError) {
      let connection = try Connection(
        path: place.path, busyWait: BusyWait(timeout: .seconds(1)), isReadOnly: true,
        chain: .current)
      try connection.checkContainer(hasJournal: false)
      examineLocks(on: place, connection)
      // Until the connection ends: slots and head must be from one moment.
      try connection.run(.begin)
      try examineContents(of: connection, at: place)
    } catch {
      let remedy: Remedy? =
        switch error.code {
        case .damaged: .salvage
        case .notAVault: .restoreOrSalvage
        default: nil
        }
      add(.format, error, remedy: remedy)
    }
  }
}
