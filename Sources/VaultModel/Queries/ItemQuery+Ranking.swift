extension ItemQuery {
  /// An item that matches, with its rank.
  package typealias Ranked = (rank: Int, item: Item)

  /// Returns how well an item matches.
  ///
  /// - Parameters:
  ///   - item: With or without its secret, which is not read.
  ///   - now: The time at which expiry is judged; called only for an item that can expire.
  /// - Returns: The number of the seven parts of its key that are named and match literally, or nil
  ///   if it does not match. A match through a fallback or as a subdomain does not count. A path
  ///   that covers the request's counts for more than all seven, and a longer one for more than a
  ///   shorter one.
  package func rank(
    of item: Item, at now: @autoclosure () -> Timestamp = .now()
  ) -> Int? {
    // The server tells most items apart, so it is first.
    guard var rank = rankOfKey(of: item), matchesRest(of: item) else { return nil }
    if let requestPath {
      guard let depth = requestPath.depth(of: item.path) else { return nil }
      rank += 8 * depth
    }
    if !includesExpired, item.mayExpire, item.isExpired(at: now()) { return nil }
    return rank
  }

  /// Returns whether the first of two matches is better, or sorts first among equals.
  ///
  /// The higher rank is first, then the lower key; equal keys, which only different stores can
  /// hold, go by identity. So the order is total.
  package static func precedes(_ left: Ranked, _ right: Ranked) -> Bool {
    guard left.rank == right.rank else { return left.rank > right.rank }
    let order = left.item.key.compare(right.item.key)
    return order == 0 ? left.item.id < right.item.id : order < 0
  }

  private func rankOfKey(of item: Item) -> Int? {
    let key = item.key
    var rank = 0
    guard itemClass == nil || itemClass == key.itemClass else { return nil }
    guard !hasPassword || item.hasPassword else { return nil }
    if server.accepts(key.server) {
      if server.isNamed { rank += 1 }
    } else if !isSubdomain(key.server) {
      return nil
    }
    guard account.accepts(key.account), realm.accepts(key.realm),
      `protocol`.accepts(key.protocol), path.accepts(key.path), variant.accepts(key.variant)
    else { return nil }
    if account.isNamed { rank += 1 }
    if realm.isNamed { rank += 1 }
    if `protocol`.isNamed { rank += 1 }
    if path.isNamed { rank += 1 }
    if port.accepts(key.port) {
      if port.isNamed { rank += 1 }
    } else if !isDefaultPort(unset: key.port) {
      return nil
    }
    if authenticationMethod.accepts(key.authenticationMethod) {
      if authenticationMethod.isNamed { rank += 1 }
    } else if !isAnswered(byDefault: item) {
      return nil
    }
    return rank
  }

  private func matchesRest(of item: Item) -> Bool {
    if let id, id != item.id { return false }
    return label.accepts(item.label) && others.accept(item)
  }

  private func isSubdomain(_ stored: HostName) -> Bool {
    guard includesSubdomains, case .equals(let wanted) = server else { return false }
    return stored.isSubdomain(of: wanted)
  }

  private func isDefaultPort(unset stored: UInt16) -> Bool {
    guard fallbacks.contains(.defaultPort), stored == 0, case .equals(let wanted) = port,
      case .equals(let asked) = `protocol`
    else { return false }
    return asked.defaultPort == wanted
  }

  private func isAnswered(byDefault item: Item) -> Bool {
    guard fallbacks.contains(.defaultMethod), item.authenticationMethod == .default,
      case .equals(let wanted) = authenticationMethod
    else { return false }
    return item.secretKind.withoutPIN == .token ? wanted.isToken : wanted.isPassword
  }
}

extension ItemQuery {
  /// Sorts items as ``precedes(_:_:)`` says; `ranks` holds the rank of each.
  ///
  /// Items are large values, so small stand-ins are sorted, and the items then moved: a list of 10⁴
  /// took a third of the time.
  package static func sort(_ items: inout [Item], ranks: [Int]) {
    guard items.count > 1 else { return }
    var keys = items.indices.map { SortKey(rank: ranks[$0], account: items[$0].account, index: $0) }
    keys.sort { left, right in
      if left.rank != right.rank { return left.rank > right.rank }
      if left.high != right.high { return left.high < right.high }
      if left.low != right.low { return left.low < right.low }
      return precedes((left.rank, items[left.index]), (right.rank, items[right.index]))
    }
    move(&items, to: keys.map(\.index))
  }

  /// Drops the items beyond the limit; a limit below 0 keeps none, as 0 does.
  package func applyLimit(to items: inout [Item]) {
    guard let limit, limit < items.count else { return }
    items.removeSubrange(max(0, limit)...)
  }

  /// Puts the item at `order[i]` to place i, by swaps along each cycle, so that none is copied.
  private static func move(_ items: inout [Item], to order: [Int]) {
    var order = order
    for start in order.indices {
      var place = start
      while order[place] != start {
        let next = order[place]
        items.swapAt(place, next)
        order[place] = place
        place = next
      }
      order[place] = place
    }
  }
}

/// An item's rank and the first 16 bytes of its account, the first part of its key.
private struct SortKey {
  let rank: Int
  let high: UInt64
  let low: UInt64
  let index: Int

  init(rank: Int, account: String, index: Int) {
    self.rank = rank
    self.index = index
    var words: (high: UInt64, low: UInt64) = (0, 0)
    var count: UInt64 = 0
    for byte in account.utf8.prefix(16) {
      if count < 8 {
        words.high |= UInt64(byte) << (56 - 8 * count)
      } else {
        words.low |= UInt64(byte) << (120 - 8 * count)
      }
      count += 1
    }
    (high, low) = words
  }
}
