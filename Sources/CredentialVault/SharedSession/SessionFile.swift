import Glibc
import VaultStore
import VaultCrypto
import VaultModel

/// The files of shared sessions in ``RuntimeFolder``, by their names:
/// `<vault's id>-<session's id>.session`, with a dot before it while it is made.
enum SessionFile {
  private static let suffix = ".session"

  static func path(of session: VaultID, of vault: VaultID, in folder: String) -> String {
    "\(folder)/\(name(session.hex, of: vault.hex))"
  }

  private static func name(_ session: String, of vault: String) -> String {
    "\(vault)-\(session)\(suffix)"
  }

  /// Returns the paths of the sessions of one vault or of all vaults.
  ///
  /// If asked, it also returns the paths of journals, and of the files of processes that were
  /// killed while they began a session.
  static func all(
    of vault: VaultID?, in folder: String, includesUnfinished: Bool = false
  ) throws(VaultError) -> [String] {
    let prefix = vault.map { $0.hex + "-" } ?? ""
    return try Posix.names(in: folder).filter { name in
      let visible = name.drop { $0 == "." }
      guard visible.hasPrefix(prefix) else { return false }
      return includesUnfinished || name == visible && name.hasSuffix(suffix)
    }.map { "\(folder)/\($0)" }
  }

  /// Removes a file and its journal; one that is left is only sealed bytes without a key.
  static func remove(_ path: String) {
    // The paths are C strings for the calls.
    unsafe unlink(path + "-journal")
    unsafe unlink(path)
  }

  /// Removes the files of sessions whose keys were forgotten.
  ///
  /// Nothing depends on it, so a folder that cannot be used, or is in use, is left as it is.
  ///
  /// - Parameter vault: Their vault; nil for all vaults.
  static func removeForgotten(of vault: VaultID? = nil) {
    do throws(VaultError) {
      guard let folder = try RuntimeFolder.existing() else { return }
      // A session that begins has its key before this lock is free.
      try FolderLock.with(folder, timeout: .seconds(1)) { () throws(VaultError) in
        let kept = try RememberedKeys.sessions().map { key in
          "\(folder)/\(name(key.session, of: key.vault))"
        }
        for path in try all(of: vault, in: folder) where !kept.contains(path) { remove(path) }
      }
    } catch {
      return
    }
  }
}
