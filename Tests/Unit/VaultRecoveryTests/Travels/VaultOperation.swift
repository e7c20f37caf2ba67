import VaultReports
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// The operations on a vault as a whole.
enum VaultOperation: CaseIterable {
  case backup
  case restore
  case rekey
  case restoreAfterRekey
  case salvage
  case salvageWithoutHead
  case migrate
  case compact

  /// Applies the operation to a fixture's vault.
  ///
  /// - Parameters:
  ///   - fixture: Has a vault that is open.
  ///   - changing: Changes that a restore has to revert.
  /// - Returns: The resulting vault.
  /// - Throws: Any error of the operation.
  func take(
    _ fixture: StoreFixture, changing: (FileStore) throws -> Void
  ) throws -> FileStore {
    let store = fixture.store
    let key = UnlockKey.keyFile(try fixture.keyFile())
    let copy = fixture.folder.file("copy.vault")
    func rekey() throws {
      _ = try store.rekey(
        keeping: [key], cost: .minimum, otherKey: { (_) throws(VaultError) in nil },
        progress: { _ in })
    }
    switch self {
    case .backup:
      _ = try store.backUp(to: copy)
      return try fixture.reopened(copy)
    case .restore, .restoreAfterRekey:
      _ = try store.backUp(to: copy)
      try changing(store)
      if self == .restoreAfterRekey { try rekey() }
      _ = try FileStore.restore(
        from: copy, to: fixture.path, key: key, stateFolder: fixture.folder.file("state"),
        lockTimeout: .seconds(5))
      // The vault was open meanwhile, and sees it at once.
      return store
    case .rekey:
      try rekey()
      return store
    case .salvage, .salvageWithoutHead:
      if self == .salvageWithoutHead { try fixture.loseHead() }
      let (report, salvaged) = try fixture.salvaged()
      #expect(report.isComplete == (self == .salvage))
      return salvaged
    case .migrate:
      let later = try fixture.reopened(chain: .later)
      _ = try later.migrate()
      return later
    case .compact:
      _ = try store.compact()
      return store
    }
  }
}
