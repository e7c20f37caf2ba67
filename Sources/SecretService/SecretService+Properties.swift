import BusMessages
import CredentialVault
import VaultModel

/// `org.freedesktop.DBus.Properties` of the service, its collections and its items.
extension SecretService {
  func answerOfProperties(
    _ call: BusCall, _ object: ObjectPath.Object
  ) throws(BusError) -> [BusValue] {
    let arguments = call.arguments
    switch (call.member, call.signature) {
    case ("GetAll", "s"):
      return [.variants(try properties(of: object, arguments[0].text ?? ""))]
    case ("Get", "ss"):
      let values = try properties(of: object, arguments[0].text ?? "")
      guard let value = values.first(where: { $0.0 == arguments[1].text }) else {
        throw .unknownProperty
      }
      return [.variant(value.1)]
    case ("Set", "ssv"):
      guard case .variant(let value) = arguments[2], let name = arguments[1].text else { break }
      try set(name, to: value, of: object, arguments[0].text ?? "", call)
      return []
    default: break
    }
    throw .unknownMethod
  }

  private func properties(
    of object: ObjectPath.Object, _ interface: String
  ) throws(BusError) -> [(String, BusValue)] {
    do throws(VaultError) {
      switch (object, interface) {
      case (.service, Self.interface + "Service"):
        return [("Collections", .paths(try collections.names().map(ObjectPath.collection)))]
      case (.collection(let name), Self.interface + "Collection"):
        return try properties(ofCollection: name)
      case (.item(let id, let name), Self.interface + "Item"):
        guard try served.isUnlocked() else { return Self.locked([:]) }
        let item = try items.item(id, in: name)
        return [
          ("Locked", .flag(false)), ("Attributes", .texts(AttributeMapping.attributes(of: item))),
          ("Label", .text(item.label)), ("Created", Self.seconds(item.created)),
          ("Modified", Self.seconds(item.modified)),
        ]
      case (.lockedSearch(let number), Self.interface + "Item"):
        return Self.locked(attributes(ofSearch: number) ?? [:])
      case (.portal, "org.freedesktop.impl.portal.Secret"): return [("version", .status(1))]
      default: return []
      }
    } catch {
      throw BusError(error)
    }
  }

  private func properties(
    ofCollection name: String
  ) throws(VaultError) -> [(String, BusValue)] {
    let collection = try collections.collection(name)
    let isUnlocked = try served.isUnlocked()
    let paths = try isUnlocked ? items.search([:], in: name).map(ObjectPath.item) : []
    return [
      ("Items", .paths(paths)), ("Label", .text(collection.label)),
      ("Locked", .flag(!isUnlocked)), ("Created", Self.seconds(collection.created)),
      ("Modified", Self.seconds(collection.modified)),
    ]
  }

  private static func locked(_ attributes: [String: String]) -> [(String, BusValue)] {
    [
      ("Locked", .flag(true)), ("Attributes", .texts(attributes)), ("Label", .text("")),
      ("Created", .number(0)), ("Modified", .number(0)),
    ]
  }

  private static func seconds(_ time: Timestamp) -> BusValue {
    .number(UInt64(max(time.milliseconds, 0) / 1000))
  }

  private func set(
    _ name: String, to value: BusValue, of object: ObjectPath.Object, _ interface: String,
    _ call: BusCall
  ) throws(BusError) {
    switch (object, interface, name) {
    case (.collection(let collection), Self.interface + "Collection", "Label"):
      guard let label = value.text else { throw .invalid("a label is a text") }
      try vault { () throws(VaultError) in try collections.setLabel(label, of: collection) }
      let path = ObjectPath.collection(collection)
      postChange(of: path, "Collection", [("Label", value)])
      post(ObjectPath.service, Self.interface + "Service", "CollectionChanged", [.path(path)])
    case (.item(let id, let collection), Self.interface + "Item", "Label"):
      guard let label = value.text else { throw .invalid("a label is a text") }
      try setLabel(label, of: id, in: collection)
      postChange(of: call.path, "Item", [("Label", value)])
    case (.item(let id, let collection), Self.interface + "Item", "Attributes"):
      guard let attributes = value.texts else { throw .invalid("attributes are texts by name") }
      try setAttributes(attributes, of: id, in: collection)
      postChange(of: call.path, "Item", [("Attributes", value)])
    case (.lockedSearch, Self.interface + "Item", _):
      throw BusError(VaultError(.locked, "the vault is locked"))
    default:
      guard try properties(of: object, interface).contains(where: { $0.0 == name }) else {
        throw .unknownProperty
      }
      throw .readOnlyProperty
    }
  }
}
