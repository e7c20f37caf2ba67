package import VaultCrypto
package import VaultModel
import VaultStorage

/// What there is of a vault for somebody with its key.
package struct Look: Equatable, Sendable {
  /// Account and secret of every item.
  package var items: [String: String] = [:]
  package var epoch: UInt64 = 0
  /// What is wrong with it; empty if nothing is.
  package var problems: [String] = []

  /// Opens a vault and looks at everything in it.
  ///
  /// - Returns: Nil if there is no vault at the path.
  /// - Throws: Whatever opening and reading throw.
  package static func at(
    _ path: String, key: UnlockKey, stateFolder: String?
  ) throws(VaultError) -> Look? {
    guard File.exists(path) else { return nil }
    return try Specimen.withStore(path, key: key, stateFolder: stateFolder) {
      (store) throws(VaultError) in
      var look = Look()
      for item in try store.find(ItemQuery(), secrets: true) {
        look.items[item.account, default: ""] += item.secret?.text ?? ""
      }
      look.epoch = try store.information().ident.epoch
      look.problems = try store.verify().problems.map(\.description)
      return look
    }
  }
}

/// What there is in a scene: its vault, and what an operation may have made beside it.
package struct Prospect: Equatable, Sendable {
  package var vault: Look?
  package var target: Look?

  package var problems: [String] { (vault?.problems ?? []) + (target?.problems ?? []) }
}

extension Scene {
  /// Where an operation makes another vault.
  package var target: String { folder("vault/t") }

  /// Looks at everything here.
  package func look(stateFolder: String? = nil) throws(VaultError) -> Prospect {
    let stateFolder = stateFolder ?? self.stateFolder
    return Prospect(
      vault: try Look.at(vault, key: key, stateFolder: stateFolder),
      target: try Look.at(target, key: key, stateFolder: nil))
  }

  /// The same files in a folder of their own.
  package init(copying other: Scene) throws {
    folder = try Folder()
    key = other.key
    try File.makeFolder(folder("vault"))
    try File.write(File.read(other.folder("key")), to: folder("key"))
    for name in try other.folder.contents(of: "vault") {
      try File.write(File.read(other.folder("vault/\(name)")), to: folder("vault/\(name)"))
    }
  }
}
