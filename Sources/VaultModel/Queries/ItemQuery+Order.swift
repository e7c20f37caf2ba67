extension ItemQuery {
  /// Sorts items as ``precedes(_:_:)`` says; `ranks` holds the rank of each.
  ///
  /// Items are large values, so small stand-ins are sorted, and the items then moved: a list of 10⁴
  /// took a third of the time.
  package static func sort(_ items: inout [InternetPassword], ranks: [Int]) {
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
  package func applyLimit(to items: inout [InternetPassword]) {
    guard let limit, limit < items.count else { return }
    items.removeSubrange(max(0, limit)...)
  }

  /// Puts the item at `order[i]` to place i, by swaps along each cycle, so that none is copied.
  private static func move(_ items: inout [InternetPassword], to order: [Int]) {
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
