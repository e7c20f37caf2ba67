package import VaultCrypto
package import VaultModel

/// Reading the blocks of ancestors, each proven by the tag that its successor names.
extension TreeReader {
  /// Returns the blocks of a head, in ascending order.
  ///
  /// - Parameters:
  ///   - head: The head of the file.
  ///   - generation: Blocks that end before it are not read.
  /// - Returns: The blocks, of generations in a row.
  /// - Throws: ``VaultError/Code/damaged`` if a block is missing or is not the one that is named:
  ///   without it, nobody could tell whether two copies were changed apart.
  package func ancestors(
    of head: Head, from generation: UInt64 = 0
  ) throws(VaultError) -> [AncestorBlock] {
    var blocks: [AncestorBlock] = []
    var tag = head.ancestors
    let first = AncestorBlock.number(of: generation)
    for number in AncestorBlock.kept(at: head.generation).reversed() {
      guard tag != .none, number >= first else { break }
      let content = try open(.ancestors, NodeID.ancestors(number), tag)
      let block = try AncestorBlock(decoding: content, number: number)
      blocks.append(block)
      tag = block.previous
    }
    return blocks.reversed()
  }

  /// Returns the tags that heads of a lower generation are known to have, in the head or in its
  /// blocks; empty if none is known.
  ///
  /// - Throws: As ``ancestors(of:from:)``.
  package func knownTags(of generation: UInt64, in head: Head) throws(VaultError) -> [Tag] {
    guard generation < head.generation else { return [] }
    // The newest generations are in the head, which costs no row.
    guard head.generation - generation > UInt64(Head.recentCount) else {
      return head.knownTags(of: generation)
    }
    return try ancestors(of: head, from: generation).tags(of: generation)
  }

  /// Returns everything that a head is known to continue.
  ///
  /// - Throws: As ``ancestors(of:from:)``.
  package func ancestry(of head: Head, _ tag: Tag) throws(VaultError) -> Ancestry {
    Ancestry(of: head, tag, try ancestors(of: head))
  }
}

extension RowSource {
  /// Writes consecutive blocks, each of which then names the one before it.
  ///
  /// - Parameters:
  ///   - blocks: The blocks, in ascending order.
  ///   - tag: The tag of the block before the first one.
  ///   - keys: The keys to seal them with.
  /// - Returns: The tag of the last block, for the head.
  /// - Throws: As ``put(_:under:)``.
  package func put(
    _ blocks: [AncestorBlock], after tag: Tag = .none, _ keys: EpochKeys
  ) throws(VaultError) -> Tag {
    var tag = tag
    for block in blocks {
      var block = block
      block.previous = tag
      let id = NodeID.ancestors(block.number)
      let sealed = keys.seal(block.encoded, as: .ancestors, id: id)
      try put(sealed, under: id)
      tag = Tag(ofSealed: sealed)
    }
    return tag
  }

  /// Removes the rows of blocks.
  package func remove(_ blocks: some Sequence<AncestorBlock>) throws(VaultError) {
    for block in blocks { try remove(NodeID.ancestors(block.number)) }
  }
}

extension Head {
  /// Advances to the next generation, and writes the block of ancestors that is complete with it.
  ///
  /// - Parameters:
  ///   - previous: The tag of the current head.
  ///   - now: The time of the commit.
  ///   - keys: The keys of the new head's epoch, with which its older blocks are sealed.
  ///   - rows: The rows of the vault.
  /// - Throws: ``VaultError/Code/damaged`` if no generation follows.
  package mutating func succeed(
    _ previous: Tag, at now: Timestamp, sealing keys: EpochKeys, to rows: any RowSource
  ) throws(VaultError) {
    try succeed(previous, at: now)
    try completeAncestors(sealing: keys, to: rows)
  }

  /// Writes the block of ancestors that is complete with this head, if any, and removes the one
  /// that is too old then.
  package mutating func completeAncestors(
    sealing keys: EpochKeys, to rows: any RowSource
  ) throws(VaultError) {
    guard let block = completedBlock else { return }
    ancestors = try rows.put([block], after: ancestors, keys)
    guard block.number >= AncestorBlock.keptCount else { return }
    try rows.remove(NodeID.ancestors(block.number - AncestorBlock.keptCount))
  }
}
