package import BusMessages
import SecureMemory
package import VaultModel

/// The items of another program's Secret Service, read as one of its clients.
///
/// Source: freedesktop.org, "Secret Service API" 0.2.
package struct OtherService {
  /// Calls a method of the service.
  package typealias Call = (BusCall) throws(VaultError) -> [BusValue]

  private let call: Call

  package init(_ call: @escaping Call) {
    self.call = call
  }

  /// Passes on all items with their attributes and secrets, as they would be stored here, each in
  /// the collection that it is in.
  ///
  /// The secrets come as they are: the bus is the user's own, and so is the service. A collection
  /// that is locked, and an item that the service does not give, stop no other ones.
  ///
  /// - Parameter body: Called with each item.
  /// - Returns: What was not read, with its label or path and the reason.
  /// - Throws: Any error of `body`, and of the calls that open a session and list collections.
  package func forEachItem(
    _ body: (Item) throws(VaultError) -> Void
  ) throws(VaultError) -> [(title: String, reason: String)] {
    let opened = try answer(
      ObjectPath.service, "Service", "OpenSession", [.text("plain"), .variant(.text(""))])
    guard opened.count == 2, let session = opened[1].path else { throw broken("OpenSession") }
    var keys: Set<Item.Key> = []
    var leftOut: [(title: String, reason: String)] = []
    let collections = try paths("Collections", of: ObjectPath.service, "Service")
    let own = defaultCollection(of: collections)
    for collection in collections {
      let items: [String]
      let name = name(of: collection, default: own)
      do throws(VaultError) {
        guard try property("Locked", of: collection, "Collection").flag == false else {
          leftOut.append((label(of: collection, "Collection"), "the collection is locked"))
          continue
        }
        items = try paths("Items", of: collection, "Collection")
      } catch {
        leftOut.append((collection, error.text))
        continue
      }
      if let mark = mark(of: collection, as: name) { try body(mark) }
      let isAlwaysThere = [ItemStore.login, ItemStore.session].contains(name)
      for path in items {
        var read: Item
        do throws(VaultError) {
          read = try item(path, session, &keys)
          if !isAlwaysThere { read.custom[ItemStore.collectionName] = name }
        } catch {
          leftOut.append((label(of: path, "Item"), error.text))
          continue
        }
        try body(read)
      }
    }
    _ = try answer(session, "Session", "Close", [])
    return leftOut
  }

  /// Returns the one of the collections for programs that name none; nil if the service has none.
  private func defaultCollection(of collections: [String]) -> String? {
    do throws(VaultError) {
      let found = try answer(ObjectPath.service, "Service", "ReadAlias", [.text("default")])
      return collections.first { $0 == found.first?.path }
    } catch {
      return nil
    }
  }

  /// Returns the item that stands for a collection here; nil for one that needs none.
  private func mark(of path: String, as name: String) -> Item? {
    let label = label(of: path, "Collection")
    let hasLabel = label != path
    return switch name {
    case ItemStore.session: nil
    case ItemStore.login where !hasLabel || label == CollectionStore.loginLabel: nil
    default: CollectionStore.mark(name, label: hasLabel ? label : "")
    }
  }

  /// Returns the name that a collection has here: the last part of its path, but for the default,
  /// which is `login` here.
  private func name(of path: String, default own: String?) -> String {
    guard path != own else { return ItemStore.login }
    let name = ObjectPath.name(from: path.split(separator: "/").last.map(String.init) ?? "")
    return name == ItemStore.login && own != nil ? "\(name)_2" : name
  }

  /// Returns what people call a collection or an item; its path if the service does not say.
  private func label(of path: String, _ interface: String) -> String {
    do throws(VaultError) {
      return try property("Label", of: path, interface).text ?? path
    } catch {
      return path
    }
  }

  private func item(
    _ path: String, _ session: String, _ keys: inout Set<Item.Key>
  ) throws(VaultError) -> Item {
    guard let attributes = try property("Attributes", of: path, "Item").texts,
      let label = try property("Label", of: path, "Item").text
    else { throw broken("an item") }
    guard let fields = try answer(path, "Item", "GetSecret", [.path(session)]).first?.fields,
      fields.count == 4, let secret = fields[2].bytes, let type = fields[3].text
    else { throw broken("GetSecret") }
    var item = AttributeMapping.item(for: attributes).with(label: label, secret: secret)
    if let type = ItemStore.stored(type) { item.custom[ItemStore.contentType] = type }
    // A service may have several items of the same attributes.
    if !keys.insert(item.key).inserted { item = item.another(attributes) }
    if let created = try time("Created", of: path) { item.created = created }
    if let modified = try time("Modified", of: path) { item.modified = modified }
    item.secretChanged = item.modified
    return item
  }

  // MARK: Calls

  private func answer(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
  ) throws(VaultError) -> [BusValue] {
    try call(
      BusCall(
        sender: "", path: path, interface: SecretService.interface + interface, member: member,
        arguments: arguments))
  }

  private func property(
    _ name: String, of path: String, _ interface: String
  ) throws(VaultError) -> BusValue {
    let answer = try call(
      BusCall(
        sender: "", path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
        arguments: [.text(SecretService.interface + interface), .text(name)]))
    guard case .variant(let value)? = answer.first else { throw broken(name) }
    return value
  }

  private func paths(
    _ name: String, of path: String, _ interface: String
  ) throws(VaultError) -> [String] {
    guard let paths = try property(name, of: path, interface).paths else { throw broken(name) }
    return paths
  }

  /// Returns a time; nil if the service says none.
  private func time(_ name: String, of path: String) throws(VaultError) -> Timestamp? {
    guard case .number(let seconds) = try property(name, of: path, "Item"), seconds > 0,
      let seconds = Int64(exactly: seconds), seconds < Int64.max / 1000
    else { return nil }
    return Timestamp(seconds: seconds)
  }

  private func broken(_ part: String) -> VaultError {
    VaultError(.unavailable, "the service's answer has another form: \(part)")
  }
}
