import VaultCrypto
import VaultModel

/// Splits, merges and heavy groups. Source: `Documentation/format.md` §§5.4 and 5.5.
extension TreeEditor {
  func insert(
    _ entry: EditableBucket.Entry, into bucket: EditableBucket, of tree: EditableTree
  ) throws(VaultError) {
    bucket.entries.append(entry)
    bucket.isEdited = true
    try tree.directory.countRecords(1)
    if tree.level < 2, bucket.entries.count > Self.heaviestGroup {
      try moveOutHeavyGroup(hash(of: entry, in: tree), from: bucket, of: tree)
      try shrink(tree)
    }
    try grow(tree, by: 1)
  }

  private func hash(
    of entry: EditableBucket.Entry, in tree: EditableTree
  ) throws(VaultError) -> UInt64 {
    if let hash = entry.hash { return hash }
    let body = entry.record.body
    let key = try Route.key(level: tree.level, kind: entry.record.kind, body, 0..<body.count)
    return indexHash(level: tree.level, key: key)
  }

  // MARK: Linear hashing

  /// Splits buckets after records were added.
  ///
  /// Two splits for each record are enough to catch up with any policy, and a false load must not
  /// cause endless splits.
  private func grow(_ tree: EditableTree, by count: Int) throws(VaultError) {
    for _ in 0..<2 * count {
      let buckets = tree.directory.bucketCount
      guard tree.directory.load > Directory.recordsPerBucket * UInt64(buckets),
        buckets < Directory.highestBucketCount
      else { return }
      try split(tree)
    }
  }

  private func split(_ tree: EditableTree) throws(VaultError) {
    let new = tree.directory.bucketCount
    let source = try editableBucket(Directory.partner(of: new), of: tree)
    let target = EditableBucket()
    var kept: [EditableBucket.Entry] = []
    for entry in source.entries {
      let hash = try hash(of: entry, in: tree)
      let hashed = EditableBucket.Entry(record: entry.record, hash: hash)
      if Directory.address(hash, bucketCount: new + 1) == new {
        target.entries.append(hashed)
      } else {
        kept.append(hashed)
      }
    }
    source.entries = kept
    source.isEdited = true
    target.isEdited = true
    tree.directory.bucketCount = new + 1
    try addTag(of: new, in: tree)
    tree.buckets[new] = target
  }

  func shrink(_ tree: EditableTree) throws(VaultError) {
    while tree.directory.bucketCount > 1,
      tree.directory.load < Directory.recordsPerBucket / 2 * UInt64(tree.directory.bucketCount)
    {
      try merge(tree)
    }
    if let parent = tree.parent, tree.directory.load < Self.lightestTree,
      try !holdsGroups(tree)
    {
      try moveBack(tree, into: parent)
    }
  }

  /// Returns whether the tree has tree records, which must stay one level below it, so that it
  /// cannot move back.
  private func holdsGroups(_ tree: EditableTree) throws(VaultError) -> Bool {
    for number in 0..<tree.directory.bucketCount {
      let bucket = try editableBucket(number, of: tree)
      if bucket.entries.contains(where: { $0.record.kind == RecordKind.tree }) { return true }
    }
    return false
  }

  private func merge(_ tree: EditableTree) throws(VaultError) {
    let last = tree.directory.bucketCount - 1
    let source = try editableBucket(last, of: tree)
    let target = try editableBucket(Directory.partner(of: last), of: tree)
    target.entries += source.entries
    target.isEdited = true
    if try tag(last, tree) != .none { obsolete.append(NodeID.bucket(last, tree: tree.number)) }
    try removeTag(of: last, in: tree)
    tree.buckets[last] = nil
    tree.directory.bucketCount = last
  }

  // MARK: Heavy groups

  private func moveOutHeavyGroup(
    _ hash: UInt64, from bucket: EditableBucket, of tree: EditableTree
  ) throws(VaultError) {
    guard let last = bucket.entries.last?.record else { return }
    let route = try Route(kind: last.kind, last.body, 0..<last.body.count)
    let key = route.key(level: tree.level)
    var (group, others): ([EditableBucket.Entry], [EditableBucket.Entry]) = ([], [])
    for entry in bucket.entries {
      let body = entry.record.body
      if try self.hash(of: entry, in: tree) == hash,
        try Route(kind: entry.record.kind, body, 0..<body.count).key(level: tree.level) == key
      {
        group.append(EditableBucket.Entry(record: entry.record, hash: nil))
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
    bucket.entries =
      others + [
        EditableBucket.Entry(record: Record(kind: RecordKind.tree, body: body), hash: hash)
      ]
    try tree.directory.countRecords(1 - group.count)
    let own = try edited(record, in: tree)
    for entry in group {
      // Each by its own route: the first of many may create a tree of the next level for the
      // others.
      let body = entry.record.body
      let route = try Route(kind: entry.record.kind, body, 0..<body.count)
      try insert(entry.record, at: place(of: route, from: own))
    }
  }

  private func moveBack(_ tree: EditableTree, into parent: EditableTree) throws(VaultError) {
    var entries: [EditableBucket.Entry] = []
    for number in 0..<tree.directory.bucketCount {
      entries += try editableBucket(number, of: tree).entries
      if try tag(number, tree) != .none {
        obsolete.append(NodeID.bucket(number, tree: tree.number))
      }
    }
    if tree.stored.isChunked {
      let chunks = 0..<Directory.chunkCount(tree.stored.bucketCount)
      obsolete += chunks.map { NodeID.chunk($0, tree: tree.number) }
    }
    groups[tree.number] = nil
    let bucket = try editableBucket(of: parent, key: tree.groupKey)
    for (index, entry) in bucket.entries.enumerated() where entry.record.kind == RecordKind.tree {
      let body = entry.record.body
      guard try TreeRecord(decoding: body, 0..<body.count).number == tree.number else { continue }
      bucket.entries.remove(at: index)
      break
    }
    bucket.isEdited = true
    try parent.directory.countRecords(-1)
    for entry in entries {
      bucket.entries.append(EditableBucket.Entry(record: entry.record, hash: nil))
      try parent.directory.countRecords(1)
    }
    try grow(parent, by: entries.count)
    try shrink(parent)
  }

  // MARK: Tags

  /// Adds the tag of a new bucket.
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
