import VaultAdministration
import VaultStore
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel

/// The stores that the suite runs against.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case file
  case transaction
  /// A file whose writes an arbiter puts in order.
  case replica
  case session
  /// A session that processes share, which needs the kernel's keyrings.
  case shared

  static let allCases: [StoreKind] = {
    let others: [StoreKind] = [.file, .transaction, .replica, .session]
    guard case .works = KeyringState.current() else { return others }
    return others + [.shared]
  }()

  var testDescription: String { rawValue }

  var persistence: Persistence {
    self == .session || self == .shared ? .session : .permanent
  }

  /// Makes an empty store of this kind.
  func make(_ time: TimeSource = .system) throws -> Place {
    switch self {
    case .session: return Place(store: .session(SessionStore(time: time)))
    case .shared:
      let vault = try SharingVault(time)
      return Place(store: .session(vault.vault.sessionStore), vault: vault)
    case .file, .transaction, .replica:
      let folder = try TemporaryFolder()
      let store = try FileStore.create(
        VaultPath(folder.file("own.vault")), key: .keyFile(KeyFile()), slotName: "",
        cost: .minimum, stateFolder: folder.file("state"), lockTimeout: .seconds(5),
        time: time)
      if self == .replica { try store.publish(to: MemoryArbiter()) }
      return Place(
        store: self == .transaction ? .transaction(store) : .file(store), folder: folder)
    }
  }
}

/// A store of one test's own.
struct Place {
  let store: StoreUnderTest
  /// Goes with the test.
  var folder: TemporaryFolder?
  var vault: SharingVault?

  func add(_ items: Item...) throws {
    for item in items { _ = try store.add(item) }
  }

  func find(_ query: ItemQuery = ItemQuery()) throws -> [Item] {
    try store.find(query, withSecrets: true)
  }

  func find(_ change: (inout ItemQuery) throws -> Void) throws -> [Item] {
    var query = ItemQuery()
    try change(&query)
    return try find(query)
  }

  func accounts(_ query: ItemQuery) throws -> [String] {
    try store.find(query, withSecrets: false).map(\.account)
  }

  /// Returns everything in the store, as values that can be compared.
  func contents() throws -> [Content] {
    try find().map(Content.init)
  }

  func modify(_ item: Item, _ changes: ItemChange...) throws -> Item {
    try store.modify(item.id, hint: item.key, changes)
  }

  func remove(_ item: Item) throws {
    try store.remove(item.id, hint: item.key)
  }
}

/// A vault whose session is shared, until the test ends.
final class SharingVault: Sendable {
  private let folder: TemporaryFolder
  private let file: FileStore
  let vault: Vault

  init(_ time: TimeSource) throws {
    LoginFolder.useOwn()
    folder = try TemporaryFolder()
    let path = folder.file("own.vault")
    file = try FileStore.create(
      VaultPath(path), key: .keyFile(KeyFile()), slotName: "", cost: .minimum,
      stateFolder: folder.file("state"), lockTimeout: .seconds(5), time: time)
    // The same store, which is unlocked.
    vault = try Vault.openLocked(path: path, withSharedSession: true)
  }

  // No key of a test is to count against the quota.
  deinit {
    _ = try? RememberedKey(vault).forget()
    try? vault.close()
    try? file.close()
  }
}

/// An item as a value: everything that is stored of it, the secrets as a test's bytes.
struct Content: Equatable {
  let id: ItemID
  let key: Item.Key
  let texts: [String]
  let codes: [UInt32]
  let flags: [Bool]
  let expires: Timestamp?
  let custom: [String: String]
  let times: [Timestamp]
  let keptUntil: Timestamp?
  let revision: UInt64
  let persistence: Persistence
  let secretKind: SecretKind
  let secret: [UInt8]?
  let furtherSecrets: [Attribute: [UInt8]]

  init(_ item: Item) {
    id = item.id
    key = item.key
    texts = [item.label, item.comment, item.kind, item.origin, item.accountDomain]
    codes = [item.creator, item.type]
    flags = [item.isInvisible, item.isNegative]
    expires = item.expires
    custom = item.custom
    times = [item.created, item.modified, item.secretChanged]
    keptUntil = item.keptUntil
    revision = item.revision
    persistence = item.persistence
    secretKind = item.secretKind
    secret = item.secret?.array
    furtherSecrets = Dictionary(
      uniqueKeysWithValues: Attribute.furtherSecrets.compactMap { attribute in
        item[secret: attribute].map { (attribute, $0.array) }
      })
  }
}

/// Returns an item of the tests.
func item(
  _ account: String = "ann", on server: String = "git.example.com", realm: String = "Team Git",
  protocol: NetworkProtocol = .https, port: UInt16 = 0, path: String = "",
  method: AuthenticationMethod = .basic, secret: String? = "one"
) throws -> Item {
  Item(
    server: try HostName(server), account: account, secret: secret.map { Secret($0) },
    protocol: `protocol`, port: port, realm: realm, path: path, authenticationMethod: method)
}

/// Returns an item that has every attribute.
func fullItem() throws -> Item {
  var item = try item(port: 8443, path: "/team/repository")
  item.label = "Team's Git"
  item.comment = "asked for in March"
  item.kind = "deploy key"
  item.origin = "git"
  item.accountDomain = "CORP"
  item.creator = 0x6161_706C
  item.type = 0x6E6F_7465
  item.isInvisible = true
  item.isNegative = true
  item.expires = Timestamp(seconds: 4_000_000_000)
  item.custom = ["team": "platform", "ticket": "", "naïve": "yes"]
  item.secretKind = .token
  item.refreshToken = Secret("refresh")
  item.oneTimePasswordKey = Secret("otpauth://totp/x?secret=ABC")
  return item
}

extension Match where Value == HostName {
  static func host(_ name: String) throws -> Match { .equals(try HostName(name)) }
}

func expect(
  _ code: VaultError.Code, from location: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  #expect(throws: VaultError(code, ""), sourceLocation: location) { try body() }
}
