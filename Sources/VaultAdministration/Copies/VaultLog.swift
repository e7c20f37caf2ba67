public import VaultReports
import CredentialVault
import VaultStore
public import VaultModel

/// The log of changes of the file, with their authors and times: `vault.log`.
///
/// Each write adds what it changed, in the same transaction, with the time, the program, the
/// system's user and the computer, and never a secret. A transaction of more than 64 changes, such
/// as an import, adds one entry for each kind of change. An entry stays for ``days``, unless
/// there are more than about 128 and a seventh of the items: of the items that change most, the
/// oldest leave first. Changes of the session are not logged. Anyone with a key of the vault can
/// write false entries, so the log explains what happened and proves nothing.
public struct VaultLog: Sendable {
  let vault: Vault

  /// Returns the changes, the newest first; it reads the whole file.
  ///
  /// - Parameters:
  ///   - start: Only changes at this time or later; nil for all.
  ///   - item: Only changes of this item or rule, whether or not it is still there; nil for all.
  ///   - limit: The highest number of changes.
  /// - Returns: None if there are none, also for a vault without a file.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func changes(
    since start: Timestamp? = nil, of item: ItemID? = nil, limit: Int? = nil
  ) throws(VaultError) -> [LoggedChange] {
    try changes(since: start, limit: limit) { item == nil || $0.id == item }
  }

  /// Returns the changes that are wanted, as ``changes(since:of:limit:)`` does.
  package func changes(
    since start: Timestamp?, limit: Int?, where isWanted: (LoggedChange) -> Bool
  ) throws(VaultError) -> [LoggedChange] {
    try vault.requireUnlocked()
    return try vault.file?.log(since: start, limit: limit, where: isWanted) ?? []
  }

  /// The number of days for which changes are logged: ninety, unless another number was
  /// set.
  ///
  /// It is 0 for a vault without a file.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public var days: Int {
    get throws(VaultError) {
      try vault.requireUnlocked()
      return try vault.file?.logDays ?? 0
    }
  }

  /// Sets the number of days for which changes are logged; older entries are removed at once.
  ///
  /// - Parameter days: 0 to 365; 0 turns the log off.
  /// - Throws: ``VaultError/Code/invalidArgument`` for another number;
  ///   ``VaultError/Code/unsupported`` for a vault without a file; any error of writing the file.
  public func setDays(_ days: Int) throws(VaultError) {
    try vault.requireUnlocked()
    try vault.requireFile().setLogDays(days)
  }
}
