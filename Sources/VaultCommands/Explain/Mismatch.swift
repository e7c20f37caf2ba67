import VaultModel

/// The reasons why an item does not match a query, by the library's own matcher: each condition is
/// put to it alone.
enum Mismatch {
  /// Returns the reasons; none if it matches.
  static func reasons(for item: Item, in query: ItemQuery) -> [String] {
    guard query.rank(of: item) == nil else { return [] }
    guard ItemQuery(itemClass: query.itemClass).rank(of: item) != nil else {
      return ["it is of another class"]
    }
    var reasons: [String] = []
    for attribute in Attribute.all where attribute.isOfKey && attribute.isOf(item.key.itemClass) {
      guard let wanted = refused(attribute, of: item, in: query) else { continue }
      let own = ItemText.value(attribute, of: item)
      let name = attribute.option ?? attribute.name
      if attribute == .authenticationMethod, item.secretKind.withoutPIN == .token {
        reasons.append("\(name): \(wanted) is asked for, and a token answers only bearer")
        continue
      }
      reasons.append(
        "\(name): \(wanted) is asked for, the item has \(own.isEmpty ? "none" : own)")
    }
    if let path = query.requestPath {
      var alone = ItemQuery.everything
      alone.requestPath = path
      if alone.rank(of: item) == nil {
        reasons.append("path: the item's, \(item.path), does not cover the request's")
      }
    }
    if reasons.isEmpty { reasons.append("another condition") }
    return reasons
  }

  /// Returns the value that is asked for if the item is refused for an attribute; nil if not.
  private static func refused(
    _ attribute: Attribute, of item: Item, in query: ItemQuery
  ) -> String? {
    var (alone, probe) = (ItemQuery(itemClass: query.itemClass), item)
    alone.fallbacks = query.fallbacks
    alone[attribute] = query[attribute]
    if attribute == .port, case .equals(let asked) = query.protocol {
      // An unset port is the default of the protocol that is asked for.
      alone.protocol = query.protocol
      probe.protocol = asked
    }
    guard alone.rank(of: probe) == nil else { return nil }
    switch query[attribute] {
    case .equals(.text(let text)): return text.isEmpty ? "none" : text
    case .equals(.number(let number)): return String(number)
    default: return "none"
    }
  }
}
