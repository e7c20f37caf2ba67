import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import VaultAdministration
import VaultFleet
import VaultModel

/// A fleet of one test: a vault with its replicas, and a database on the shared server.
final class Replicas {
  let folder: TemporaryFolder
  let server: PostgresServer
  let database: String
  /// The key file that opens the vault, and its path.
  let key: KeySource
  private let keyPath: String
  let first: Replica

  var address: ServerAddress {
    get throws { try ServerAddress(server.address(database)) }
  }

  /// Makes a vault of so many items, and publishes it.
  init(items: Int = 3, publishes: Bool = true, on server: PostgresServer? = nil) throws {
    self.server = try server ?? PostgresServer.shared.get()
    database = try self.server.makeDatabase()
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    keyPath = folder.file("0.key")
    try KeyFile.create(at: keyPath)
    key = .keyFile(keyPath)
    try Vault.create(path: folder.file("0.vault"), key: key).close()
    first = try Replica(folder.file("0.vault"), key: key)
    if items > 0 {
      try first.write { (writer) throws(VaultError) in
        for number in 0..<items { try writer.add(Self.item("user\(number)")) }
      }
    }
    if publishes { try publish(first) }
  }

  /// Makes a key file beside the replicas.
  func makeKey(_ name: String = "second.key") throws -> KeySource {
    try KeyFile.create(at: folder.file(name))
    return .keyFile(folder.file(name))
  }

  /// Makes a vault a replica.
  func publish(_ replica: Replica) throws {
    try Fleet.publish(replica.vault, to: address, lockTimeout: .seconds(120))
  }

  /// Makes one more replica, as another machine has it.
  func clone(
    _ name: String, through address: ServerAddress? = nil, key: KeySource? = nil
  ) throws -> Replica {
    let (address, key) = (try address ?? self.address, key ?? self.key)
    try Fleet.clone(
      address, vault: nil, to: folder.file("\(name).vault"), lockTimeout: .seconds(120)
    ) { (tryKey) throws(VaultError) in try tryKey(key) }
    return try open(name, key: key)
  }

  /// Makes one more replica, whose server is behind a proxy, and which waits as long for it as for
  /// a lock.
  func clone(
    _ name: String, behind proxy: Proxy, lockTimeout: Duration = .seconds(10)
  ) throws -> Replica {
    try clone(name).close()
    let seconds = lockTimeout.components.seconds
    try FleetFile(besides: folder.file("\(name).vault")).write(
      ServerAddress(
        "\(server.address(database, port: proxy.port)) connect_timeout=\(seconds)"))
    return try open(name, lockTimeout: lockTimeout)
  }

  /// Opens a replica.
  func open(
    _ name: String, key: KeySource? = nil, lockTimeout: Duration = .seconds(120)
  ) throws -> Replica {
    try Replica(folder.file("\(name).vault"), key: key ?? self.key, lockTimeout: lockTimeout)
  }

  static func item(_ account: String, secret: String = "one") throws(VaultError) -> Item {
    Item(
      server: try HostName("\(account).example.com"), account: account, secret: Secret(secret),
      protocol: .https)
  }

  /// Returns the accounts of a store, after it caught up.
  static func accounts(_ store: Replica, syncing: Bool = true) throws -> [String] {
    if syncing { _ = try store.sync() }
    return try store.find().map(\.account).sorted()
  }

  /// Returns all rows of a replica's file, as text: the ident, the head, slots and nodes.
  ///
  /// The independent reader opens and verifies the file with a key file, the fleet's by default: so
  /// every replica that is compared is also one to it.
  ///
  /// - Throws: A ``Golden/Refusal`` with its reason.
  func rows(_ store: Replica, key other: KeySource? = nil) throws -> [String] {
    let path = if case .keyFile(let path) = other { path } else { keyPath }
    let script = """
      import contextlib, io, sqlite3, sys
      sys.path.insert(0, sys.argv[3])
      import vaultformat
      path, key = sys.argv[1:3]
      sys.argv[1:] = ['open', path, '--key-file', key]
      with contextlib.redirect_stdout(io.StringIO()): vaultformat.main()
      c = sqlite3.connect('file:' + path + '?mode=ro', uri=True)
      i, h = c.execute('SELECT ident, head FROM vault').fetchone()
      print('0|0|' + i.hex() + h.hex())
      for r in c.execute('SELECT id, body FROM slot ORDER BY id'): print('1|%d|%s' % (r[0], r[1].hex()))
      for r in c.execute('SELECT id, sealed FROM node ORDER BY id'): print('2|%d|%s' % (r[0], r[1].hex()))
      """
    let rows = try Golden.run(script: script, [store.path, path, Golden.implementation])
    return String(decoding: rows, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Returns the accounts of a replica's items, as the independent reader finds them.
  func accountsOfIndependentReader(_ store: Replica) throws -> [String] {
    let items = try Golden.read(store.path, ["--key-file", keyPath]).list("items")
    return items.compactMap {
      guard case .text(let account)? = $0["account"] else { return nil }
      return account
    }.sorted()
  }

  /// Returns all rows that the server has, or another one, in the same form.
  func serverRows(on other: PostgresServer? = nil) throws -> [String] {
    try (other ?? server).sql(
      """
      SELECT 0 AS kind, 0::bigint AS id, encode(ident, 'hex') || encode(head, 'hex')
      FROM credential_vault.vault
      UNION ALL
      SELECT kind, id, encode(sealed, 'hex') FROM credential_vault.sealed_row
      WHERE sealed IS NOT NULL
      ORDER BY 1, 2
      """, in: database)
  }
}

extension PostgresServer {
  /// Waits until the server has ended the connections that were cut, and what they were doing.
  ///
  /// - Parameter database: A database to which nobody else is connected over TCP.
  /// - Throws: If the server does not answer.
  func awaitEnd(of database: String) throws {
    // Proxies use TCP, and replicas without one the socket, which has no address.
    let query = """
      SELECT pid FROM pg_stat_activity
      WHERE datname = '\(database)' AND client_addr IS NOT NULL
      """
    while try !sql(query, in: "postgres").isEmpty { usleep(10_000) }
  }
}
