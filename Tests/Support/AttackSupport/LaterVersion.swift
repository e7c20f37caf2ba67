import Migrations
package import VaultModel
import VaultCrypto

@testable package import VaultFile

extension MigrationChain {
  /// The migrations of a later version of the library, which has one step more.
  package static let later = MigrationChain(
    current.steps + [
      MigrationStep(
        Migrations.Step(
          number: 2,
          sql: Array("CREATE TABLE later (id INTEGER PRIMARY KEY, x BLOB) STRICT;\n".utf8)),
        minor: 1, features: 1)
    ])

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
