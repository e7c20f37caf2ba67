package import VaultCrypto
import VaultFile
package import VaultModel

/// Looks at a vault and everything around it, and changes nothing: not even what is remembered of it.
///
/// Each look adds what it saw and goes on. The file is opened for reading only, by SQLite alone, and no page of it is
/// read while a journal waits to be played back, since that would be a write.
package struct Diagnostics {
  package internal(set) var findings: [DiagnosticResult] = []
  let stateFolder: String?
  /// Opens the vault; nil to look from outside only.
  let key: UnlockKey?

  /// Looks at everything that `path` leads to.
  ///
  /// - Parameters:
  ///   - path: Where a vault lies or should lie.
  ///   - stateFolder: Where generations are remembered.
  ///   - key: Opens the vault; nil to look from outside only.
  package init(of path: String, stateFolder: String?, key: UnlockKey?) {
    self.stateFolder = stateFolder
    self.key = key
    if let place = resolve(path) { examine(place) }
    examineProcess()
    examineLibraries()
  }

  mutating func add(
    _ check: String, _ status: DiagnosticResult.Status, _ text: String, hint: String? = nil
  ) {
    findings.append(DiagnosticResult(check, status, text, hint: hint))
  }

  mutating func add(_ check: String, _ error: VaultError, hint: String? = nil) {
    findings.append(DiagnosticResult(check, error, hint: hint))
  }

  private mutating func resolve(_ path: String) -> VaultPath? {
    do throws(VaultError) {
      return try VaultPath(path)
    } catch {
      add("folder", error, hint: "vaultctl init")
      return nil
    }
  }

  private mutating func examine(_ place: VaultPath) {
    examineFolder(of: place)
    let isSafe = examineFile(place)
    examineLeftovers(beside: place)
    guard examineSideFiles(of: place, canOpen: isSafe) else {
      return add("format", .note, "not looked at, because of what lies beside it")
    }
    let isIdle = examineJournal(of: place)
    guard isSafe else { return }
    guard isIdle else {
      return add("format", .note, "not looked at: that would play the journal back")
    }
    do throws(VaultError) {
      let connection = try Connection(
        path: place.path, busyWait: BusyWait(timeout: .seconds(1)), isReadOnly: true,
        chain: .current)
      try connection.checkContainer(hasJournal: false)
      examineLocks(on: place, connection)
      // Until the connection goes: slots and head are of one moment.
      try connection.run(.begin)
      try examineContents(of: connection, at: place)
    } catch {
      let hint: String? =
        switch error.code {
        case .damaged: "vaultctl salvage OUT"
        case .notAVault: "vaultctl restore FILE, or vaultctl salvage OUT if it ever was a vault"
        default: nil
        }
      add("format", error, hint: hint)
    }
  }
}
