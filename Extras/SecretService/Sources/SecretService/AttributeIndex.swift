import CredentialVault
import VaultModel

/// The items of a vault's file by their attributes, as of one generation of the file, without
/// secrets.
struct AttributeIndex {
  /// An attribute in a form in which all spellings that mean the same are equal.
  struct Term: Hashable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
      (self.name, self.value) = (name, Self.folded(name, value))
    }

    /// Two texts that mean the same field fold to one; others may, too.
    private static func folded(_ name: String, _ value: String) -> String {
      do throws(VaultError) {
        return switch name {
        case "server": try HostName(value).name
        case "protocol": try NetworkProtocol(value).rawValue
        case "authtype": try AttributeMapping.method(value).rawValue
        case "port": AttributeMapping.port(value).map { String($0) } ?? value
        case "object": AttributeMapping.trimmed(value)
        case AttributeMapping.schema where AttributeMapping.networks.contains(value): ""
        default: value
        }
      } catch {
        return value
      }
    }
  }

  /// The generation that the file had.
  private(set) var generation: UInt64
  private var items: [ItemID: Item] = [:]
  private var found: [Term: Set<ItemID>] = [:]

  /// Indexes the items that a file had at a generation, or later.
  init(_ items: [Item], at generation: UInt64) {
    self.generation = generation
    for item in items { insert(item) }
  }

  /// Returns all items that can match a set of attributes, and others: those of the attribute that
  /// the fewest have.
  func candidates(for attributes: [String: String]) -> [Item] {
    guard !attributes.isEmpty else { return Array(items.values) }
    let fewest = attributes.map { found[Term($0.key, $0.value)] ?? [] }.min { $0.count < $1.count }
    return (fewest ?? []).compactMap { items[$0] }
  }

  /// Takes over a change of an item that was made by the commit after this generation; any other
  /// makes the index one of the past.
  mutating func note(_ item: Item) {
    guard item.persistence == .permanent, item.revision == generation + 1 else { return }
    generation += 1
    remove(item.id)
    insert(item)
  }

  /// Takes over the removal of an item, after which the file has a generation.
  mutating func noteRemoval(of id: ItemID, at generation: UInt64) {
    guard generation == self.generation + 1 else { return }
    self.generation = generation
    remove(id)
  }

  private mutating func insert(_ item: Item) {
    items[item.id] = item
    for term in item.terms { found[term, default: []].insert(item.id) }
  }

  private mutating func remove(_ id: ItemID) {
    for term in items.removeValue(forKey: id)?.terms ?? [] {
      found[term]?.remove(id)
      if found[term]?.isEmpty == true { found[term] = nil }
    }
  }
}

extension Item {
  /// The terms by which an item is found: those of its attributes, of its fields, and of its port
  /// both ways, unset and the default.
  fileprivate var terms: Set<AttributeIndex.Term> {
    var terms = Set(attributes.map { AttributeIndex.Term($0.key, $0.value) })
    terms.formUnion(fields.map { AttributeIndex.Term($0.key, $0.value) })
    guard key.itemClass == .internetPassword, dockerServer == nil else { return terms }
    terms.insert(AttributeIndex.Term(AttributeMapping.schema, AttributeMapping.network))
    let other = self.protocol.defaultPort ?? 0
    for port in [port, hasPort(0) ? 0 : port, hasPort(0) ? other : port] {
      terms.insert(AttributeIndex.Term("port", String(port)))
    }
    return terms
  }
}
