import BusMessages
import VaultModel

/// The objects' descriptions for tools such as `busctl`.
extension SecretService {
  func introspection(of object: ObjectPath.Object) throws(BusError) -> String {
    let interfaces =
      switch object {
      case .service: Self.serviceText
      case .collection, .alias: Self.collectionText
      case .item: Self.itemText
      case .ofClient: Self.clientText
      case .portal: Self.portalText
      case .portalRequest:
        Self.named(Self.portalInterface + "Request", Self.method("Close", [], []))
      }
    var nodes = ""
    if case .service = object {
      let names = try vault { () throws(VaultError) in try collections.names() }
      nodes = names.map { "<node name=\"collection/\($0)\"/>" }.joined()
    }
    return "<node>\(Self.propertiesText)\(interfaces)\(nodes)</node>"
  }

  /// Returns the text of a method from the signatures of its arguments, one complete type each.
  private static func method(_ name: String, _ inputs: [String], _ outputs: [String]) -> String {
    "<method name=\"\(name)\">"
      + inputs.map { "<arg type=\"\($0)\" direction=\"in\"/>" }.joined()
      + outputs.map { "<arg type=\"\($0)\" direction=\"out\"/>" }.joined() + "</method>"
  }

  private static func signal(_ name: String, _ types: String...) -> String {
    "<signal name=\"\(name)\">\(types.map { "<arg type=\"\($0)\"/>" }.joined())</signal>"
  }

  /// Whether a change of a property is told by `PropertiesChanged`.
  ///
  /// The items and times of a collection are not: `ItemCreated`, `ItemChanged` and `ItemDeleted`
  /// say what happened, and the list of all items would be read and sent after each of them.
  private enum Telling: String {
    case always = "true"
    case never = "false"
    case isConstant = "const"
  }

  /// Returns the element of a property (D-Bus specification, "Introspection Data Format").
  private static func property(
    _ name: String, _ type: String, _ access: String, _ telling: Telling = .always
  ) -> String {
    "<property name=\"\(name)\" type=\"\(type)\" access=\"\(access)\"><annotation"
      + " name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"\(telling.rawValue)\"/>"
      + "</property>"
  }

  private static func named(_ name: String, _ parts: String...) -> String {
    "<interface name=\"\(name)\">\(parts.joined())</interface>"
  }

  private static var propertiesText: String {
    named(
      properties, method("Get", ["s", "s"], ["v"]), method("GetAll", ["s"], ["a{sv}"]),
      method("Set", ["s", "s", "v"], []), signal("PropertiesChanged", "s", "a{sv}", "as"))
  }

  private static var serviceText: String {
    named(
      interface + "Service", method("OpenSession", ["s", "v"], ["v", "o"]),
      method("CreateCollection", ["a{sv}", "s"], ["o", "o"]),
      method("SearchItems", ["a{ss}"], ["ao", "ao"]), method("Unlock", ["ao"], ["ao", "o"]),
      method("Lock", ["ao"], ["ao", "o"]), method("GetSecrets", ["ao", "o"], ["a{o(oayays)}"]),
      method("ReadAlias", ["s"], ["o"]), method("SetAlias", ["s", "o"], []),
      signal("CollectionCreated", "o"), signal("CollectionDeleted", "o"),
      signal("CollectionChanged", "o"), property("Collections", "ao", "read"))
  }

  private static var collectionText: String {
    named(
      interface + "Collection", method("Delete", [], ["o"]),
      method("SearchItems", ["a{ss}"], ["ao"]),
      method("CreateItem", ["a{sv}", "(oayays)", "b"], ["o", "o"]), signal("ItemCreated", "o"),
      signal("ItemDeleted", "o"), signal("ItemChanged", "o"),
      property("Items", "ao", "read", .never),
      property("Label", "s", "readwrite"), property("Locked", "b", "read"),
      property("Created", "t", "read", .isConstant),
      property("Modified", "t", "read", .never))
  }

  private static var itemText: String {
    named(
      interface + "Item", method("Delete", [], ["o"]), method("GetSecret", ["o"], ["(oayays)"]),
      method("SetSecret", ["(oayays)"], []), property("Locked", "b", "read"),
      property("Attributes", "a{ss}", "readwrite"), property("Label", "s", "readwrite"),
      property("Created", "t", "read", .isConstant),
      property("Modified", "t", "read", .never))
  }

  private static var clientText: String {
    named(interface + "Session", method("Close", [], []))
      + named(
        interface + "Prompt", method("Prompt", ["s"], []), method("Dismiss", [], []),
        signal("Completed", "b", "v"))
  }

  private static var portalText: String {
    named(
      portalInterface + "Secret",
      method("RetrieveSecret", ["o", "s", "h", "a{sv}"], ["u", "a{sv}"]),
      property("version", "u", "read", .isConstant))
  }
}
