import VaultCrypto
import VaultModel

/// Splits, merges and heavy groups. Source: `Documentation/format.md` §§5.4 and 5.5.
extension TreeEditor {
  func insert(
    _ entry: EditableLeaf.Entry, into leaf: EditableLeaf, of tree: EditableTree
  ) throws(VaultError) {
    leaf.entries.append(entry)
    leaf.isEdited = true
    tree.directory.load += 1
    if tree.level < 2, leaf.entries.count > Self.heaviestGroup {
      try moveOutHeavyGroup(hash(of: entry, in: tree), from: leaf, of: tree)
      try shrink(tree)
    }
    try grow(tree)
  }

  private func hash(
    of entry: EditableLeaf.Entry, in tree: EditableTree
  ) throws(VaultError) -> UInt64 {
    if let hash = entry.hash { return hash }
    let body = entry.record.body
    let route = try Route(kind: entry.record.kind, body, 0..<body.count)
    return keys.indexHash(level: UInt8(tree.level), key: route.key(level: tree.level))
  }

  // MARK: Linear hashing

  private func grow(_ tree: EditableTree) throws(VaultError) {
    while tree.directory.load > Directory.recordsPerLeaf * UInt64(tree.directory.leafCount) {
      try split(tree)
    }
  }

  private func split(_ tree: EditableTree) throws(VaultError) {
    let new = tree.directory.leafCount
    let source = try editableLeaf(Directory.partner(of: new), of: tree)
    let target = EditableLeaf()
    var kept: [EditableLeaf.Entry] = []
    for entry in source.entries {
      let hash = try hash(of: entry, in: tree)
      let hashed = EditableLeaf.Entry(record: entry.record, hash: hash)
      if Directory.address(hash, leafCount: new + 1) == new {
        target.entries.append(hashed)
      } else {
        kept.append(hashed)
      }
    }
    source.entries = kept
    source.isEdited = true
    target.isEdited = true
    tree.directory.leafCount = new + 1
    try addTag(of: new, in: tree)
    tree.leaves[new] = target
  }

  func shrink(_ tree: EditableTree) throws(VaultError) {
    while tree.directory.leafCount > 1,
      tree.directory.load < Directory.recordsPerLeaf / 2 * UInt64(tree.directory.leafCount)
    {
      try merge(tree)
    }
    if let parent = tree.parent, tree.directory.load < Self.lightestTree,
      try !holdsGroups(tree)
    {
      try moveBack(tree, into: parent)
    }
  }

  /// A tree record must stay one level below its own: a tree that holds one never moves back.
  private func holdsGroups(_ tree: EditableTree) throws(VaultError) -> Bool {
    for number in 0..<tree.directory.leafCount {
      let leaf = try editableLeaf(number, of: tree)
      if leaf.entries.contains(where: { $0.record.kind == RecordKind.tree }) { return true }
    }
    return false
  }

  private func merge(_ tree: EditableTree) throws(VaultError) {
    let last = tree.directory.leafCount - 1
    let source = try editableLeaf(last, of: tree)
    let target = try editableLeaf(Directory.partner(of: last), of: tree)
    target.entries += source.entries
    target.isEdited = true
    if try tag(last, tree) != .none { obsolete.append(NodeID.leaf(last, tree: tree.number)) }
    try removeTag(of: last, in: tree)
    tree.leaves[last] = nil
    tree.directory.leafCount = last
  }

  // MARK: Heavy groups

  private func moveOutHeavyGroup(
    _ hash: UInt64, from leaf: EditableLeaf, of tree: EditableTree
  ) throws(VaultError) {
    guard let last = leaf.entries.last?.record else { return }
    let route = try Route(kind: last.kind, last.body, 0..<last.body.count)
    let key = route.key(level: tree.level)
    var (group, others): ([EditableLeaf.Entry], [EditableLeaf.Entry]) = ([], [])
    for entry in leaf.entries {
      let body = entry.record.body
      if try self.hash(of: entry, in: tree) == hash,
        try Route(kind: entry.record.kind, body, 0..<body.count).key(level: tree.level) == key
      {
        group.append(EditableLeaf.Entry(record: entry.record, hash: nil))
      } else {
        others.append(entry)
      }
    }
    guard group.count > Self.heaviestGroup, head.nextTree < TreeRecord.numberEnd else { return }
    let record = TreeRecord(
      host: route.key(level: 0), account: tree.level == 0 ? [] : key, level: tree.level + 1,
      number: head.nextTree, directory: Directory())
    head.nextTree += 1
    let body = record.encoded
    leaf.entries =
      others + [
        EditableLeaf.Entry(record: Record(kind: RecordKind.tree, body: body), hash: hash)
      ]
    tree.directory.load -= UInt64(group.count) - 1
    let own = try edited(record, in: tree)
    for entry in group {
      // Each by its route: the first of many may make a tree of the next level for the others.
      let body = entry.record.body
      let route = try Route(kind: entry.record.kind, body, 0..<body.count)
      try insert(entry.record, at: place(of: route, from: own))
    }
  }

  private func moveBack(_ tree: EditableTree, into parent: EditableTree) throws(VaultError) {
    var entries: [EditableLeaf.Entry] = []
    for number in 0..<tree.directory.leafCount {
      entries += try editableLeaf(number, of: tree).entries
      if try tag(number, tree) != .none { obsolete.append(NodeID.leaf(number, tree: tree.number)) }
    }
    if tree.stored.isChunked {
      let chunks = 0..<Directory.chunkCount(tree.stored.leafCount)
      obsolete += chunks.map { NodeID.chunk($0, tree: tree.number) }
    }
    groups[tree.number] = nil
    let leaf = try editableLeaf(of: parent, key: tree.groupKey)
    for (index, entry) in leaf.entries.enumerated() where entry.record.kind == RecordKind.tree {
      let body = entry.record.body
      guard try TreeRecord(decoding: body, 0..<body.count).number == tree.number else { continue }
      leaf.entries.remove(at: index)
      break
    }
    leaf.isEdited = true
    parent.directory.load -= 1
    for entry in entries {
      leaf.entries.append(EditableLeaf.Entry(record: entry.record, hash: nil))
      parent.directory.load += 1
    }
    try grow(parent)
    try shrink(parent)
  }

  // MARK: Tags

  /// Gives a leaf that has just been made its place among the tags.
  private func addTag(of number: UInt32, in tree: EditableTree) throws(VaultError) {
    let chunk = Int(number) / Directory.tagsPerChunk
    let isFirst = Int(number) % Directory.tagsPerChunk == 0
    tree.chunks[chunk] = isFirst ? [.none] : try tags(chunk, of: tree) + [.none]
    tree.editedChunks.insert(chunk)
  }

  private func removeTag(of number: UInt32, in tree: EditableTree) throws(VaultError) {
    let chunk = Int(number) / Directory.tagsPerChunk
    let tags = try tags(chunk, of: tree).dropLast()
    tree.chunks[chunk] = tags.isEmpty ? nil : Array(tags)
    tree.editedChunks.insert(chunk)
  }
}
