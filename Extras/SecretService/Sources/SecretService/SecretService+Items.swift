import BusMessages
import CredentialVault
import SecureMemory
import VaultModel

/// `org.freedesktop.Secret.Collection` and `org.freedesktop.Secret.Item`.
extension SecretService {
  func answerOfCollection(_ call: BusCall, _ name: String) throws(BusError) -> [BusValue] {
    switch (call.member, call.signature) {
    case ("SearchItems", "a{ss}"):
      _ = try vault { () throws(VaultError) in try collections.collection(name) }
      return [.paths(try search(call, in: name))]
    case ("CreateItem", "a{sv}(oayays)b"):
      return [.path(try createItem(call, in: name)), .path(ObjectPath.none)]
    case ("Delete", ""):
      try vault { () throws(VaultError) in try collections.remove(name) }
      post(
        ObjectPath.service, Self.interface + "Service", "CollectionDeleted",
        [.path(ObjectPath.collection(name))])
      try postCollections()
      return [.path(ObjectPath.none)]
    default: throw .unknownMethod
    }
  }

  private func createItem(_ call: BusCall, in name: String) throws(BusError) -> String {
    let properties = call.arguments[0].variants ?? [:]
    let attributes = properties[Self.interface + "Item.Attributes"]?.texts ?? [:]
    try check(attributes)
    let (secret, contentType) = try secret(call.arguments[1], call)
    let (item, isNew) = try vault { () throws(VaultError) in
      _ = try collections.collection(name)
      return try items.create(
        attributes, label: properties[Self.interface + "Item.Label"]?.text ?? "", secret: secret,
        contentType: contentType, in: name, replaces: call.arguments[2].flag ?? false)
    }
    let path = ObjectPath.item(item)
    postItem(path, in: ItemStore.collection(of: item), isNew ? "ItemCreated" : "ItemChanged")
    return path
  }

  private func check(_ attributes: [String: String]) throws(BusError) {
    guard !attributes.keys.contains(where: { $0.hasPrefix(AttributeMapping.ownPrefix) }) else {
      throw .invalid("names that begin with \(AttributeMapping.ownPrefix) are the service's")
    }
  }

  private func postItem(_ path: String, in collection: String, _ member: String) {
    post(
      ObjectPath.collection(collection), Self.interface + "Collection", member, [.path(path)])
  }

  /// Returns the secret in a structure that a client sent, and its content type.
  private func secret(
    _ value: BusValue, _ call: BusCall
  ) throws(BusError) -> (secret: Secret, contentType: String) {
    guard let fields = value.fields, fields.count == 4, let path = fields[0].path,
      let parameters = fields[1].bytes, let bytes = fields[2].bytes, let type = fields[3].text
    else { throw .invalid("the secret has another form") }
    return (try session(path, of: call).secret(parameters, bytes), type)
  }

  func answerOfItem(
    _ call: BusCall, _ id: ItemID, in name: String
  ) throws(BusError) -> [BusValue] {
    switch (call.member, call.signature) {
    case ("GetSecret", "o"):
      let path = call.arguments[0].path ?? ""
      let session = try session(path, of: call)
      let item = try vault { () throws(VaultError) in
        try items.item(id, in: name, withSecrets: true)
      }
      return [try session.carried(item.secret ?? Secret(""), contentType(of: item), at: path)]
    case ("SetSecret", "(oayays)"):
      let (secret, contentType) = try secret(call.arguments[0], call)
      try change(id, in: name) { item throws(VaultError) in
        try items.set(secret, contentType, of: item)
      }
      return []
    case ("Delete", ""):
      let path = try vault { () throws(VaultError) in
        let item = try items.item(id, in: name)
        try items.remove(item)
        return ObjectPath.item(item)
      }
      postItem(path, in: name, "ItemDeleted")
      return [.path(ObjectPath.none)]
    default: throw .unknownMethod
    }
  }

  private func change(
    _ id: ItemID, in name: String, _ body: (Item) throws(VaultError) -> Item
  ) throws(BusError) {
    let item = try vault { () throws(VaultError) in try body(items.item(id, in: name)) }
    postItem(ObjectPath.item(item), in: ItemStore.collection(of: item), "ItemChanged")
  }

  func setLabel(_ label: String, of id: ItemID, in name: String) throws(BusError) {
    try change(id, in: name) { item throws(VaultError) in
      try items.modify(item, [.label(label)])
    }
  }

  func setAttributes(
    _ attributes: [String: String], of id: ItemID, in name: String
  ) throws(BusError) {
    try check(attributes)
    try change(id, in: name) { item throws(VaultError) in
      try items.setAttributes(of: item, to: attributes)
    }
  }
}
