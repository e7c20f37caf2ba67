import CredentialVault
import SecureMemory
import TestSupport
import VaultModel

/// The Swift interface.
final class SwiftDriver: VaultDriver {
  let place: VaultPlace
  let store: Store
  var vault: Vault { place.vault }

  init(_ store: Store) throws {
    place = try VaultPlace()
    self.store = store
  }

  /// An item that was found or stored.
  final class ItemReference: Reference {
    let item: Item

    init(_ item: Item) { self.item = item }
  }

  @discardableResult
  func add(_ attributes: Attributes, secret: String) throws -> Reference {
    let stored = try vault.add(
      Item(attributes, secret: secret), persistence: store.persistence)
    return ItemReference(stored.item)
  }

  func find(_ query: Attributes) throws -> Reference {
    try ItemReference(vault.find(ItemQuery(query), withSecrets: true))
  }

  func findUnique(_ query: Attributes) throws -> Reference {
    try ItemReference(vault.findUnique(ItemQuery(query), withSecrets: true))
  }

  func findAll(_ query: Attributes) throws -> [Reference] {
    try findAll(query, [], limit: nil)
  }

  func findAll(
    _ query: Attributes, _ options: FindOptions, limit: Int?
  ) throws -> [Reference] {
    var wanted = try ItemQuery(query)
    if options.contains(.ofSpace) {
      wanted = ItemQuery(try ProtectionSpace(query))
      wanted.account = try ItemQuery(query).account
    }
    wanted.includesSubdomains = options.contains(.subdomains)
    wanted.limit = limit
    return try vault.findAll(wanted, withSecrets: options.contains(.secrets)).map(
      ItemReference.init)
  }

  func findAll(_ item: Reference, and query: Attributes) throws -> [Reference] {
    var wanted = try ItemQuery(query)
    wanted.id = try known(item).id
    return try vault.findAll(wanted).map(ItemReference.init)
  }

  func count(_ query: Attributes) throws -> Int { try vault.count(ItemQuery(query)) }

  func modify(_ item: Reference, _ changes: Attributes, secret: String?) throws {
    var all = try changes.map { try ItemChange($0.key, $0.value) }
    if let secret { all.append(.secret(Secret(secret))) }
    try vault.modify(known(item), all)
  }

  func modify(_ item: Reference, _ changes: Attributes, ifRevision revision: UInt64) throws {
    let all = try changes.map { try ItemChange($0.key, $0.value) }
    try vault.modify(known(item), all, ifRevision: revision)
  }

  func upsert(_ attributes: Attributes, secret: String?) throws -> Reference {
    let item = try Item(attributes, secret: secret)
    return ItemReference(try vault.upsert(item, persistence: store.persistence).item)
  }

  func remove(_ item: Reference) throws { try vault.remove(known(item)) }

  func removeAll(_ query: Attributes) throws -> Int { try vault.removeAll(ItemQuery(query)) }

  func read(_ attribute: Attribute, of item: Reference) throws -> String {
    try now(item)[attribute]
  }

  func addExpired(_ attributes: Attributes) throws -> Reference {
    var item = try Item(attributes, secret: "one")
    item.expires = Timestamp(seconds: 5)
    return ItemReference(try vault.add(item, persistence: store.persistence).item)
  }

  func revision(of item: Reference) throws -> UInt64 { try now(item).revision }

  func secret(of item: Reference) throws -> String {
    let now = try now(item)
    guard let secret = now.secret else {
      throw Refusal(status: now.isExpired(at: .now()) ? "expired" : "missing")
    }
    return String(decoding: secret.array, as: UTF8.self)
  }

  func lock() throws { try vault.lock() }

  func unlock() throws { try vault.unlock(with: place.key) }

  /// Returns the item as it was when the reference was made.
  func known(_ reference: Reference) throws -> Item {
    guard let item = reference as? ItemReference else {
      throw Refusal(status: "another driver's item")
    }
    return item.item
  }

  /// Returns the item as it is now, whatever its key has become.
  func now(_ reference: Reference) throws -> Item {
    try vault.item(known(reference).id, withSecrets: true)
  }
}

extension Item {
  /// Creates an item that has these attributes; without a named method it has the default method of
  /// new items.
  init(_ attributes: Attributes, secret: String?) throws {
    self.init()
    _ = apply(try attributes.map { try ItemChange($0.key, $0.value) })
    self.secret = secret.map { Secret($0) }
  }

  subscript(_ attribute: Attribute) -> String {
    func text(_ code: UInt32) -> String { FourCharacterCode(rawValue: code).description }
    return switch attribute {
    case .account: account
    case .realm: realm
    case .server: server.name
    case .protocol: self.protocol.rawValue
    case .method: authenticationMethod.rawValue
    case .port: port == 0 ? "" : "\(port)"
    case .path: path
    case .label: label
    case .comment: comment
    case .kind: kind
    case .creator: text(creator)
    case .type: text(type)
    case .invisible: isInvisible ? "1" : ""
    case .negative: isNegative ? "1" : ""
    case .created: created.description
    case .modified: modified.description
    }
  }
}

extension ItemChange {
  init(_ attribute: Attribute, _ value: String) throws {
    switch attribute {
    case .account: self = .account(value)
    case .realm: self = .realm(value)
    case .server: self = .server(try HostName(value))
    case .protocol: self = .protocol(try NetworkProtocol(value))
    case .method: self = .authenticationMethod(try AuthenticationMethod(value))
    case .port: self = .port(UInt16(value) ?? 0)
    case .path: self = .path(value)
    case .label: self = .label(value)
    case .comment: self = .comment(value)
    case .kind: self = .kind(value)
    case .creator: self = .creator(try FourCharacterCode(value).rawValue)
    case .type: self = .type(try FourCharacterCode(value).rawValue)
    case .invisible: self = .isInvisible(value == "1")
    case .negative: self = .isNegative(value == "1")
    case .created, .modified: throw Refusal(status: "not expressible")
    }
  }
}

extension ItemQuery {
  init(_ query: Attributes) throws {
    self.init()
    func match<Value: Sendable>(
      _ attribute: Attribute, _ value: (String) throws -> Value
    ) throws -> Match<Value> {
      guard let text = query[attribute] else { return .any }
      return text.isEmpty ? .unset : .equals(try value(text))
    }
    account = try match(.account) { $0 }
    realm = try match(.realm) { $0 }
    server = try match(.server) { try HostName($0) }
    `protocol` = try match(.protocol) { try NetworkProtocol($0) }
    authenticationMethod = try match(.method) { try AuthenticationMethod($0) }
    port = try match(.port) { UInt16($0) ?? 0 }
    path = try match(.path) { $0 }
    label = try match(.label) { $0 }
    comment = try match(.comment) { $0 }
    kind = try match(.kind) { $0 }
    creator = try match(.creator) { try FourCharacterCode($0).rawValue }
    type = try match(.type) { try FourCharacterCode($0).rawValue }
    isInvisible = try match(.invisible) { $0 == "1" }
    isNegative = try match(.negative) { $0 == "1" }
  }
}

extension ProtectionSpace {
  init(_ query: Attributes) throws {
    try self.init(
      host: query[.server] ?? "", port: query[.port].flatMap { Int($0) },
      protocol: NetworkProtocol(query[.protocol] ?? "https"), realm: query[.realm] ?? "",
      authenticationMethod: AuthenticationMethod(query[.method] ?? "default"))
  }
}
