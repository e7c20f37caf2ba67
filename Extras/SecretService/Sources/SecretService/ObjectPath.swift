import VaultModel

/// The objects of the service by their paths on the bus.
enum ObjectPath {
  static let service = "/org/freedesktop/secrets"
  static let none = "/"
  static let sessions = "\(service)/session/s"
  static let prompts = "\(service)/prompt/p"
  static let portal = "/org/freedesktop/portal/desktop"
  private static let collections = "\(service)/collection/"
  private static let aliases = "\(service)/aliases/"

  /// An object that a path means; it need not be there.
  enum Object: Hashable {
    case service
    case collection(String)
    case alias(String)
    case item(ItemID, collection: String)
    /// A session or a prompt.
    case ofClient
    case portal
    /// A call of the portal that waits.
    case portalRequest
  }

  static func collection(_ name: String) -> String { collections + name }

  static func item(_ item: Item) -> String {
    "\(collections)\(ItemStore.collection(of: item))/\(item.id.text)"
  }

  /// Returns the object that a path means; nil if it is none of the service.
  static func object(at path: String) -> Object? {
    switch path {
    case service: return .service
    case portal: return .portal
    default: break
    }
    if path.hasPrefix(sessions) || path.hasPrefix(prompts) { return .ofClient }
    if path.hasPrefix(portal + "/request/") { return .portalRequest }
    if path.hasPrefix(aliases) { return .alias(String(path.dropFirst(aliases.count))) }
    guard path.hasPrefix(collections) else { return nil }
    let parts = path.dropFirst(collections.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first.map(String.init), !name.isEmpty else { return nil }
    guard parts.count == 2 else { return .collection(name) }
    do throws(VaultError) {
      return .item(try ItemID(text: String(parts[1])), collection: name)
    } catch {
      return nil
    }
  }

  static let longestName = 64

  /// Returns a collection's name as a part of a path: letters, digits and underscores.
  static func name(from label: String) -> String {
    let name = String(
      label.utf8.prefix(longestName).map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          Character(Unicode.Scalar(byte))
        default: "_"
        }
      })
    return name.isEmpty ? "collection" : name
  }
}
