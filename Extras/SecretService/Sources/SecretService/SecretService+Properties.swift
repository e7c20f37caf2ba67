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
      return try vault { () throws(VaultError) in
        let all = try properties(of: object, arguments[0].text ?? "")
        return [
          .variants(try all.map { (each) throws(VaultError) in (each.name, try each.value()) })
        ]
      }
    case ("Get", "ss"):
      let value = try vault { () throws(VaultError) in
        let all = try properties(of: object, arguments[0].text ?? "")
        return try all.first { $0.name == arguments[1].text }?.value()
      }
      guard let value else { throw .unknownProperty }
      return [.variant(value)]
    case ("Set", "ssv"):
      guard case .variant(let value) = arguments[2], let name = arguments[1].text else { break }
      try set(name, to: value, of: object, arguments[0].text ?? "", call)
      return []
    default: break
    }
    throw .unknownMethod
  }

  /// A property by its name.
  ///
  /// Its value is read when it is wanted: that of the items reads them all.
  private struct Property {
    let name: String
    let value: () throws(VaultError) -> BusValue

    init(_ name: String, _ value: @autoclosure @escaping () throws(VaultError) -> BusValue) {
      (self.name, self.value) = (name, value)
    }
  }

  private func properties(
    of object: ObjectPath.Object, _ interface: String
  ) throws(VaultError) -> [Property] {
    switch (object, interface) {
    case (.service, Self.interface + "Service"):
      [Property("Collections", .paths(try self.collections.names().map(ObjectPath.collection)))]
    case (.collection(let name), Self.interface + "Collection"):
      try properties(ofCollection: name)
    case (.item(let id, let name), Self.interface + "Item"):
      try served.unlockUnasked()
        ? Self.properties(of: items.item(id, in: name)) : Self.propertiesOfLocked
    case (.portal, Self.portalInterface + "Secret"): [Property("version", .status(1))]
    default: []
    }
  }

  private func properties(ofCollection name: String) throws(VaultError) -> [Property] {
    let collection = try collections.collection(name)
    let isUnlocked = try served.unlockUnasked()
    return [
      Property(
        "Items",
        .paths(try isUnlocked ? self.items.search([:], in: name).map(ObjectPath.item) : [])),
      Property("Label", .text(collection.label)), Property("Locked", .flag(!isUnlocked)),
      Property("Created", Self.seconds(collection.created)),
      Property("Modified", Self.seconds(collection.modified)),
    ]
  }

  private static func properties(of item: Item) -> [Property] {
    [
      Property("Locked", .flag(false)),
      Property("Attributes", .texts(item.attributes)),
      Property("Label", .text(item.servedLabel)), Property("Created", seconds(item.created)),
      Property("Modified", seconds(item.modified)),
    ]
  }

  private static var propertiesOfLocked: [Property] {
    [
      Property("Locked", .flag(true)), Property("Attributes", .texts([:])),
      Property("Label", .text("")), Property("Created", .number(0)),
      Property("Modified", .number(0)),
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
      try setLabel(label, ofCollection: collection)
    case (.item(let id, let collection), Self.interface + "Item", "Label"):
      guard let label = value.text else { throw .invalid("a label is a text") }
      try setLabel(label, of: id, in: collection)
      postChange(of: call.path, "Item", [("Label", value)])
    case (.item(let id, let collection), Self.interface + "Item", "Attributes"):
      guard let attributes = value.texts else { throw .invalid("attributes are texts by name") }
      try setAttributes(attributes, of: id, in: collection)
      postChange(of: call.path, "Item", [("Attributes", value)])
    default:
      let all = try vault { () throws(VaultError) in try properties(of: object, interface) }
      guard all.contains(where: { $0.name == name }) else {
        throw .unknownProperty
      }
      throw .readOnlyProperty
    }
  }
}
