package import CredentialVault
import Foundation
package import ProgramTesting
import SecureMemory
package import TestSupport
import Testing
package import VaultModel

/// A client of the servers with a vault of its own, whose pages are in a folder that no other test
/// requests.
package protocol ServerClient: Sendable {
  var servers: Servers { get }
  /// The folder of the vault and its key file.
  var folder: TemporaryFolder { get }
  var vault: Vault { get }
  /// The folder on each server.
  var tag: String { get }
}

extension ServerClient {
  /// Returns the name of a folder that no other client has.
  package static func makeTag() -> String { "t\(UInt64.random(in: 0 ... .max))" }

  /// Creates an empty vault and its key file.
  package static func makeVault(in folder: TemporaryFolder) throws -> Vault {
    StateFolder.useOwn()
    try KeyFile.create(at: folder.file("key"))
    return try Vault.create(
      path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
  }

  /// The key that unlocks the vault.
  package var key: KeySource { .keyFile(folder.file("key")) }

  /// Returns the URL of a page in a folder of a server; the origin's unless another is named.
  package func url(_ path: String, at server: HTTPServer? = nil, scheme: String = "http") -> String
  {
    let words = path.split(separator: "/", maxSplits: 1).joined(separator: "/\(tag)/")
    return "\(scheme)://127.0.0.1:\((server ?? servers.origin).port)/\(words)"
  }

  /// Returns this client's requests to a server, sorted, once there are that many; "-" stands for
  /// this test's own folder.
  ///
  /// Several processes serve, and each logs its answers with a delay.
  package func requests(_ count: Int, at server: HTTPServer? = nil) throws -> [String] {
    try (server ?? servers.origin).requests(count, containing: "/\(tag)/")
      .map { $0.replacingOccurrences(of: "/\(tag)/", with: "/") }.sorted()
  }

  /// Returns all items of the file, or of the session: "protocol server realm method user" each.
  package func items(_ persistence: Persistence = .permanent) throws -> [String] {
    try vault.findAll(ItemQuery()).filter { $0.persistence == persistence }.map { item in
      let server = servers.all.first { $0.port == Int(item.port) }
      let name = server?.folder.lastPathComponent ?? "\(item.port)"
      return "\(item.protocol) \(name) \(item.realm) \(item.authenticationMethod) \(item.account)"
    }.sorted()
  }

  /// Returns the number of items that another program finds in the file.
  package func fileItems() throws -> Int {
    let list = try servers.sandbox.run(
      "vaultctl", "list",
      environment: [
        "VAULTCTL_VAULT": folder.file("vault/own.vault"), "VAULTCTL_KEY_FILE": folder.file("key"),
      ])
    try #require(list.status == 0, "\(list.errors)")
    return list.lines.count
  }

  /// Returns whether an item has this password now.
  package func hasPassword(_ item: Item, _ password: String) throws -> Bool {
    let found = try vault.item(item.id, withSecrets: true)
    return found.secret?.isEqual(to: Secret(password)) ?? false
  }

  /// Stores a password as if it had been stored long ago.
  @discardableResult
  package func store(
    _ user: String, _ password: String, _ realm: String, _ method: AuthenticationMethod = .basic,
    at server: HTTPServer? = nil, protocol: NetworkProtocol = .http
  ) throws -> Item {
    let space = try ProtectionSpace(
      host: "127.0.0.1", port: (server ?? servers.origin).port, protocol: `protocol`, realm: realm,
      authenticationMethod: method)
    let item = Item(space: space, account: user, secret: Secret(password))
    return try vault.add(item).item
  }
}
