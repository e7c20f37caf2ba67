import VaultReports
import StoreTesting
import TestSupport
import VaultCrypto
import VaultStore
import VaultModel

extension StoreFixture {
  /// Closes the vault and salvages it into another one, which is opened.
  func salvaged() throws -> (report: SalvageReport, store: FileStore) {
    let out = folder.file("salvaged.vault")
    try store.close()
    let report = try Salvage.run(
      from: VaultPath(path), to: VaultPath(out), key: .keyFile(keyFile()), cost: .minimum)
    return (report, try reopened(out))
  }

  /// Overwrites the vault's head.
  func loseHead() throws {
    try store.locked { (file) throws(VaultError) in
      try file.connection.execute("UPDATE vault SET head = zeroblob(length(head))")
    }
  }
}
