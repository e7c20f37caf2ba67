import CredentialVault
import SecureMemory
import VaultAdministration
import VaultModel

/// A replica that a test has open, as a program has it.
struct Replica: Sendable {
  let vault: Vault
  let path: String

  /// Opens the vault at a path, with a key unless it is open already.
  ///
  /// - Throws: As opening and unlocking.
  init(
    _ path: String, key: KeySource, lockTimeout: Duration = .seconds(120)
  ) throws(VaultError) {
    self.path = path
    vault = try Vault.openLocked(path: path, lockTimeout: lockTimeout)
    try vault.unlock(with: key)
  }

  func close() throws(VaultError) { try vault.close() }

  func id() throws(VaultError) -> VaultID { try VaultReplica(vault).id() }

  @discardableResult
  func sync() throws(VaultError) -> (before: UInt64, after: UInt64) {
    try vault.maintenance.sync()
  }

  func find() throws(VaultError) -> [Item] { try vault.findAll(ItemQuery(), withSecrets: true) }

  @discardableResult
  func add(_ item: Item) throws(VaultError) -> Item { try vault.add(item).item }

  @discardableResult
  func write<R>(_ body: (borrowing Vault.Writer) throws(VaultError) -> R) throws -> R {
    try vault.write(body)
  }

  /// Makes a new key for the vault, which the given keys alone open.
  func rekey(
    keeping keys: [KeySource], removing ids: Set<Int> = [],
    progress: (Double) throws -> Void = { _ in }
  ) throws {
    _ = try vault.keys.rekey(keeping: keys, removing: ids, progress: progress) { _ in nil }
  }

  func problems() throws(VaultError) -> [VaultProblem] { try vault.maintenance.verify().problems }
}
