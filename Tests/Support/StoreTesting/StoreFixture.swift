import SealedTree
import SecureMemory
package import TestSupport
package import VaultCrypto
package import VaultStore
package import VaultModel
import VaultReports

/// A vault of one test's own.
package struct StoreFixture {
  package let folder: TemporaryFolder
  package let keyPath: String
  package let path: String
  package let store: FileStore

  /// Creates a new vault with a key file.
  ///
  /// Without a log, a test can count the records that its changes make.
  package init(time: TimeSource = .system, isLogged: Bool = false) throws {
    folder = try TemporaryFolder()
    path = folder.file("own.vault")
    let key = KeyFile()
    keyPath = try folder.write(key.encoded().array, as: "own.key")
    store = try FileStore.create(
      VaultPath(path), key: .keyFile(key), slotName: "own", cost: .minimum,
      stateFolder: folder.file("state"), lockTimeout: .seconds(5), time: time,
      logDays: isLogged ? LoggedChange.defaultDays : 0)
  }

  /// Opens a copy of a golden vault; locked.
  package init(golden name: String) throws {
    folder = try TemporaryFolder()
    path = try folder.copy("\(Golden.folder)/\(name).vault", as: "\(name).vault")
    keyPath = try folder.copy("\(Golden.folder)/\(name).key", as: "\(name).key")
    store = try FileStore.open(
      VaultPath(path), stateFolder: folder.file("state"), lockTimeout: .seconds(5))
  }

  /// Opens the vault again, as another program would; the previous one is closed.
  package func reopened(
    _ path: String? = nil, chain: MigrationChain = .current, time: TimeSource = .system
  ) throws -> FileStore {
    try? store.close()
    let store = try FileStore.open(
      VaultPath(path ?? self.path), stateFolder: folder.file("state"), lockTimeout: .seconds(5),
      chain: chain, time: time)
    try store.unlock(with: .keyFile(try keyFile()))
    return store
  }

  package func keyFile() throws -> KeyFile {
    try folder.bytes(keyPath).withSpan { (bytes) throws(VaultError) in
      try KeyFile(decoding: bytes)
    }
  }

  /// Returns all items with their secrets, including those of expired ones, as in the listings.
  package func items() throws -> [JSON] {
    try store.locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        try reader.items(matching: ItemQuery()) { (record) throws(VaultError) in
          try reader.opened(record)
        }
      }
    }.map(Listing.json)
  }

  /// Adds items of as many servers, `h0.example` and so on, with the secrets `secret 0` and so on.
  package func addItems(_ count: Int) throws {
    for number in 0..<count {
      _ = try store.add(
        Item(
          server: HostName("h\(number).example"), account: "ann", secret: Secret("secret \(number)")
        ))
    }
  }
}

extension Golden {
  /// Reads and verifies a fixture's vault with the second implementation.
  package static func read(_ fixture: StoreFixture) throws -> JSON {
    try read(fixture.path, ["--key-file", fixture.keyPath])
  }
}
