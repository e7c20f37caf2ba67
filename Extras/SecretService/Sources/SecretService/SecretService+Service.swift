import BusMessages
import CredentialVault
import SecureMemory
import VaultModel

/// `org.freedesktop.Secret.Service`: sessions, searches, locking, aliases.
extension SecretService {
  /// The most bytes of secrets that one answer has.
  private static let mostSecretBytes = 16 << 20
  /// The most objects that one prompt unlocks.
  private static let mostUnlocked = 1024
  /// The most attributes of a search: an item's own ones and its fields.
  private static let mostAttributes = 80
  /// The bytes that the names and values of a search stay below.
  private static let mostAttributeBytes = 1 << 16

  func answerOfService(_ call: BusCall) throws(BusError) -> [BusValue] {
    let arguments = call.arguments
    switch (call.member, call.signature) {
    case ("OpenSession", "sv"):
      guard let algorithm = arguments[0].text, case .variant(let input) = arguments[1] else {
        break
      }
      let (session, output) = try ClientSession.open(algorithm, input)
      let path = try sessions.add(session, of: call.sender, programs).path
      return [.variant(output), .path(path)]
    case ("SearchItems", "a{ss}"):
      return [.paths(try search(call)), .paths([])]
    case ("Unlock", "ao"):
      return try unlock(arguments[0].paths ?? [], for: call.sender)
    case ("Lock", "ao"):
      return [.paths(try lock(arguments[0].paths ?? [])), .path(ObjectPath.none)]
    case ("GetSecrets", "aoo"):
      return [try secrets(of: arguments[0].paths ?? [], arguments[1].path ?? "", call)]
    case ("CreateCollection", "a{sv}s"):
      let label = arguments[0].variants?[Self.interface + "Collection.Label"]?.text ?? ""
      return try createCollection(label, arguments[1].text ?? "", for: call.sender)
    case ("ReadAlias", "s"):
      let alias = arguments[0].text ?? ""
      let name = try vault { () throws(VaultError) in try collections.name(ofAlias: alias) }
      return [.path(name.map(ObjectPath.collection) ?? ObjectPath.none)]
    case ("SetAlias", "so"):
      try setAlias(arguments[0].text ?? "", arguments[1].path ?? "")
      return []
    default: break
    }
    throw .unknownMethod
  }

  /// Translates the vault's errors.
  func vault<R>(_ body: () throws(VaultError) -> R) throws(BusError) -> R {
    do throws(VaultError) {
      return try body()
    } catch {
      throw BusError(error)
    }
  }

  /// Returns the attributes of a search.
  ///
  /// - Throws: ``BusError`` for more than an item can have.
  func searched(_ call: BusCall) throws(BusError) -> [String: String] {
    let attributes = call.arguments[0].texts ?? [:]
    let byteCount = attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    guard attributes.count <= Self.mostAttributes, byteCount < Self.mostAttributeBytes else {
      throw .tooMany
    }
    return attributes
  }

  /// Searches a collection or all.
  func search(_ call: BusCall, in collection: String? = nil) throws(BusError) -> [String] {
    let attributes = try searched(call)
    return try vault { () throws(VaultError) in
      try items.search(attributes, in: collection).map(ObjectPath.item)
    }
  }

  private func unlock(_ paths: [String], for client: String) throws(BusError) -> [BusValue] {
    guard paths.count <= Self.mostUnlocked else { throw .tooMany }
    let paths = paths.filter(isLockable)
    let isUnlocked = try vault { () throws(VaultError) in
      try served.unlockUnasked(afterClient: true)
    }
    guard !isUnlocked, !paths.isEmpty else { return [.paths(paths), .path(ObjectPath.none)] }
    return [.paths([]), .path(try prompt(.unlock(paths), for: client))]
  }

  /// Locks the vault, if an object of it is named: it has one lock for all.
  private func lock(_ paths: [String]) throws(BusError) -> [String] {
    let paths = paths.filter(isLockable)
    guard !paths.isEmpty else { return [] }
    try vault { () throws(VaultError) in try served.lock() }
    return paths
  }

  private func isLockable(_ path: String) -> Bool {
    switch ObjectPath.object(at: path) {
    case .collection, .alias, .item: true
    case .service, .ofClient, .portal, .portalRequest, nil: false
    }
  }

  private func secrets(
    of paths: [String], _ sessionPath: String, _ call: BusCall
  ) throws(BusError) -> BusValue {
    let session = try session(sessionPath, of: call)
    var (entries, bytes) = ([(BusValue, BusValue)](), 0)
    for path in paths {
      guard let item = try item(at: path) else { continue }
      guard let secret = item.secret else { continue }
      bytes += secret.count
      guard bytes <= Self.mostSecretBytes else { throw .tooMany }
      entries.append(
        (.path(path), try session.carried(secret, contentType(of: item), at: sessionPath)))
    }
    return .dictionary(key: "o", value: "(oayays)", entries)
  }

  /// Returns the item at a path with its secret; nil for one that is locked or not there.
  private func item(at path: String) throws(BusError) -> Item? {
    guard let object = ObjectPath.object(at: path) else { return nil }
    do throws(BusError) {
      guard case .item(let id, let name) = try resolve(object) else { return nil }
      return try vault { () throws(VaultError) in
        guard try served.unlockUnasked() else { return nil }
        return try items.item(id, in: name, withSecrets: true)
      }
    } catch {
      guard error == .noSuchObject else { throw error }
      return nil
    }
  }

  func contentType(of item: Item) -> String {
    item.custom[ItemStore.contentType] ?? "text/plain"
  }

  // MARK: Collections

  /// Makes a collection, in a locked vault by a prompt.
  private func createCollection(
    _ label: String, _ alias: String, for client: String
  ) throws(BusError) -> [BusValue] {
    guard try vault({ () throws(VaultError) in try served.unlockUnasked() }) else {
      // So that what is kept is small.
      guard label.utf8.count + alias.utf8.count < Self.mostAttributeBytes else { throw .tooMany }
      let action = PromptAction.createCollection(label: label, alias: alias)
      return [.path(ObjectPath.none), .path(try prompt(action, for: client))]
    }
    return [.path(try createCollection(label, alias)), .path(ObjectPath.none)]
  }

  func createCollection(_ label: String, _ alias: String) throws(BusError) -> String {
    let (name, isNew) = try vault { () throws(VaultError) in
      if !alias.isEmpty, let name = try collections.name(ofAlias: alias) { return (name, false) }
      return (try collections.create(label, alias: alias), true)
    }
    let path = ObjectPath.collection(name)
    guard isNew else {
      // One that is there gets the properties that were asked for.
      if !label.isEmpty { try setLabel(label, ofCollection: name) }
      return path
    }
    post(ObjectPath.service, Self.interface + "Service", "CollectionCreated", [.path(path)])
    try postCollections()
    return path
  }

  func setLabel(_ label: String, ofCollection name: String) throws(BusError) {
    try vault { () throws(VaultError) in try collections.setLabel(label, of: name) }
    let path = ObjectPath.collection(name)
    postChange(of: path, "Collection", [("Label", .text(label))])
    post(ObjectPath.service, Self.interface + "Service", "CollectionChanged", [.path(path)])
  }

  func postCollections() throws(BusError) {
    let names = try vault { () throws(VaultError) in try collections.names() }
    postChange(
      of: ObjectPath.service, "Service",
      [("Collections", .paths(names.map(ObjectPath.collection)))])
  }

  private func setAlias(_ alias: String, _ path: String) throws(BusError) {
    guard !alias.isEmpty else { throw .invalid("an alias has a name") }
    var name: String?
    if path != ObjectPath.none {
      guard let object = ObjectPath.object(at: path),
        case .collection(let collection) = try resolve(object)
      else { throw .noSuchObject }
      name = collection
    }
    let target = name
    try vault { () throws(VaultError) in try collections.setAlias(alias, to: target) }
  }
}
