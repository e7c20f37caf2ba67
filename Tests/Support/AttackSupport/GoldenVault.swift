import StoreTesting
import TestSupport
package import VaultCrypto
package import VaultStore
package import VaultModel

/// A golden vault in memory, with its key and its content; attacks are made on copies of it.
package struct GoldenVault: Sendable {
  package let name: String
  package let bytes: [UInt8]
  package let key: UnlockKey
  /// The items, with secrets.
  package let items: [Item]
  package let listing: ItemBytes
  package let attributes: ItemBytes

  /// Every kind of record and every field in one bucket, a large secret, two slots.
  package static let small = Result { try GoldenVault(golden: "small") }
  /// A host with a tree, in it an account with a tree.
  package static let heavy = Result { try GoldenVault(golden: "heavy") }
  /// 130 buckets under two chunks.
  package static let chunked = Result { try GoldenVault(golden: "chunked") }
  /// A passphrase's slot whose wrap also opens under a second one.
  package static let twoPassphrases = Result { try GoldenVault(golden: "two-passphrases") }

  /// Reads a golden vault of format 1 and its content.
  private init(golden name: String) throws {
    let key = try Self.keyFile(name)
    // The span of bytes is of an array that lives until the call returns.
    let file = try unsafe KeyFile(decoding: key.span.bytes)
    try self.init(
      name: name, bytes: File.read("\(Golden.folder)/\(name).vault"), key: .keyFile(file))
  }

  /// Returns the bytes of a golden vault's key file.
  package static func keyFile(_ name: String) throws -> [UInt8] {
    try File.read("\(Golden.folder)/\(name).key")
  }

  /// Takes the bytes of a good vault and reads its content.
  package init(name: String, bytes: [UInt8], key: UnlockKey) throws {
    self.name = name
    self.bytes = bytes
    self.key = key
    let folder = try Folder()
    try File.write(bytes, to: folder("v"))
    items = try Self.read(folder("v"), key: key)
    listing = ItemBytes(items, withSecrets: true)
    attributes = ItemBytes(items, withSecrets: false)
  }

  /// Opens a vault, reads everything with its secrets, and closes it.
  package static func read(
    _ path: String, key: UnlockKey, stateFolder: String? = nil
  ) throws -> [Item] {
    try withStore(path, key: key, stateFolder: stateFolder) { (store) throws(VaultError) in
      try store.find(ItemQuery(), withSecrets: true)
    }
  }

  /// Opens and unlocks a vault for one closure; it is closed when this returns or throws.
  package static func withStore<R>(
    _ path: String, key: UnlockKey, stateFolder: String? = nil,
    lockTimeout: Duration = .seconds(10), chain: MigrationChain = .current,
    _ body: (FileStore) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    let store = try FileStore.open(
      VaultPath(path), stateFolder: stateFolder, lockTimeout: lockTimeout, chain: chain)
    let result: Result<R, VaultError>
    do throws(VaultError) {
      // Golden vaults have cheap passphrases, and have to stay unchanged.
      try store.unlock(with: key, minimumCost: .minimum)
      result = .success(try body(store))
    } catch {
      result = .failure(error)
    }
    // Closed before anyone uses the file by other means.
    try store.close()
    return try result.get()
  }
}

extension MigrationChain {
  /// Migrates a vault to the later version's format, as that version does.
  ///
  /// - Parameters:
  ///   - path: The vault's.
  ///   - key: The path of its key file.
  /// - Throws: Any error of opening and migrating.
  package static func migrateToLater(_ path: String, key: String) throws(VaultError) {
    let bytes: [UInt8]
    do {
      bytes = try File.read(key)
    } catch {
      throw VaultError(.missingInput, "\(key) cannot be read")
    }
    // The span of bytes is of an array that lives until the call returns.
    let file = try unsafe KeyFile(decoding: bytes.span.bytes)
    try GoldenVault.withStore(path, key: .keyFile(file), lockTimeout: .zero, chain: .later) {
      (store) throws(VaultError) in _ = try store.migrate()
    }
  }
}
