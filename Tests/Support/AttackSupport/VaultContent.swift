import VaultReports
import SealedTree
import SecureMemory
package import VaultCrypto
package import VaultStore
package import VaultModel

/// The content of a vault as a holder of its key sees it.
package struct VaultContent: Equatable, Sendable {
  /// Account and secret of every item.
  package var items: [String: String] = [:]
  /// Account and previous secrets, the newest first, of every item that has some; empty if they
  /// were not read.
  package var histories: [String: [String]] = [:]
  /// Account and id of each item in the trash, the most recently removed first; empty if histories
  /// were not read.
  package var trash: [String] = []
  package var epoch: UInt64 = 1
  /// The format's minor version.
  package var minor: UInt16 = 0
  /// The tables' passphrases that open it.
  package var passphrases: [String] = []
  /// The problems with it; empty if there are none.
  package var problems: [String] = []

  package init(items: [String: String]) {
    self.items = items
  }

  /// Reads everything in a vault.
  ///
  /// - Throws: Any error of reading.
  package init(_ store: FileStore, histories: Bool = false) throws(VaultError) {
    for item in try store.find(ItemQuery(), withSecrets: true) {
      items[item.account, default: ""] += item.secret?.text ?? ""
      guard histories else { continue }
      for previous in try store.history(of: item.id, hint: item.key, withSecrets: true) {
        self.histories[item.account, default: []].append(previous.secret?.text ?? "")
      }
    }
    if histories {
      trash = try store.trash(ItemQuery()).map { "\($0.item.account) \($0.id.item)" }
    }
    let ident = try store.information().ident
    (epoch, minor) = (ident.epoch, ident.minor)
    problems = try store.verify().problems.map(\.description)
    for passphrase in ["old", "new"]
    where try store.slots().contains(where: { $0.kind == .passphrase }) {
      do throws(VaultError) {
        _ = try store.testSlot(with: .passphrase(Secret(passphrase)), id: nil)
        passphrases.append(passphrase)
      } catch {
        guard error.code == .authenticationFailed else { throw error }
      }
    }
  }

  /// Opens a vault and reads everything in it.
  ///
  /// - Returns: Nil if there is no vault at the path.
  /// - Throws: Any error of opening and reading.
  package static func at(
    _ path: String, key: UnlockKey, stateFolder: String?, chain: MigrationChain = .current
  ) throws(VaultError) -> VaultContent? {
    guard File.exists(path) else { return nil }
    return try GoldenVault.withStore(path, key: key, stateFolder: stateFolder, chain: chain) {
      (store) throws(VaultError) in try VaultContent(store, histories: true)
    }
  }
}

/// The content of a fixture: its vault, and the file that an operation may have made beside it.
package struct FixtureContent: Equatable, Sendable {
  /// The vault's content; nil if there is no vault.
  package var vault: VaultContent?
  /// The reason why the vault cannot be used.
  package var error: VaultError.Code?
  package var target: VaultContent?

  package var problems: [String] { (vault?.problems ?? []) + (target?.problems ?? []) }
}

extension VaultFixture {
  /// The path at which an operation makes another vault.
  package var target: String { folder("vault/t") }
  package var backup: String { folder("vault/b") }

  /// Reads everything in the fixture.
  ///
  /// - Throws: Any error of opening and reading, except for damage.
  package func look(stateFolder: String? = nil) throws(VaultError) -> FixtureContent {
    var prospect = FixtureContent()
    do throws(VaultError) {
      prospect.vault = try VaultContent.at(
        vault, key: key, stateFolder: stateFolder ?? self.stateFolder, chain: chain)
    } catch {
      guard [.damaged, .notAVault].contains(error.code) else { throw error }
      prospect.error = error.code
    }
    prospect.target = try VaultContent.at(target, key: key, stateFolder: nil)
    return prospect
  }

  /// Copies the files of a fixture to a folder of their own.
  package init(copying other: VaultFixture) throws {
    folder = try Folder()
    (key, chain) = (other.key, other.chain)
    try File.makeFolder(folder("vault"))
    try File.write(File.read(other.folder("key")), to: folder("key"))
    for name in try other.folder.contents(of: "vault") {
      try File.write(File.read(other.folder("vault/\(name)")), to: folder("vault/\(name)"))
    }
  }
}
