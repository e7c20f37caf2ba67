import VaultReports
import SecureMemory
package import VaultCrypto
package import VaultStore
package import VaultModel

/// A new vault in a folder of its own, with a key file and a state folder, for children to work on.
package struct VaultFixture: Sendable {
  package let folder: Folder
  package let key: UnlockKey
  /// The formats that the reader here knows.
  package var chain = MigrationChain.current
  package var vault: String { folder("vault/v") }
  package var stateFolder: String { folder("state/vaultctl") }

  /// Creates the vault.
  ///
  /// - Throws: Any error of making the vault.
  package init(holding items: [Item] = []) throws {
    folder = try Folder()
    let file = KeyFile()
    key = .keyFile(file)
    try VaultPath.makeFolder(of: vault)
    try file.encoded().withRawBytes { bytes in
      // The span is valid within this closure.
      try unsafe bytes.withUnsafeBytes { try unsafe File.write(Array($0), to: folder("key")) }
    }
    let store = try FileStore.create(
      VaultPath(vault), key: key, slotName: "", cost: .minimum, stateFolder: stateFolder,
      lockTimeout: .seconds(10))
    try store.write { (transaction) throws(VaultError) in
      for item in items { _ = try transaction.add(item) }
    }
    try store.close()
  }

  /// Starts the driver on this vault.
  package func driver(
    _ command: String, _ arguments: [String: String] = [:]
  ) throws -> DriverProcess {
    let files = ["vault": vault, "key": folder("key")]
    return try DriverProcess(
      command, files.merging(arguments) { $1 }, environment: ["XDG_STATE_HOME": folder("state")])
  }

  /// Opens the vault here for a closure and closes it completely.
  package func withStore<R>(
    _ body: (FileStore) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try GoldenVault.withStore(vault, key: key, stateFolder: stateFolder, chain: chain, body)
  }

  /// Returns account and secret of every item.
  package func contents() throws(VaultError) -> [String: String] {
    try withStore { (store) throws(VaultError) in
      let items = try store.find(ItemQuery(), withSecrets: true)
      return Dictionary(items.map { ($0.account, $0.secret?.text ?? "") }) { $0 + " and " + $1 }
    }
  }

  /// Returns the problems with the vault; empty if there are none.
  package func problems() throws(VaultError) -> [String] {
    try withStore { (store) throws(VaultError) in
      try store.verify().problems.map(\.description)
    }
  }

  /// Returns the names beside the vault's own.
  package func leftovers() throws -> [String] {
    try folder.contents(of: "vault").filter { $0 != "v" }
  }
}
