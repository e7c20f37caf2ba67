package import SecureMemory
package import VaultCrypto
package import VaultModel

/// The changes of one write transaction, kept in memory until they are sealed and written together.
///
/// Each bucket on the way is opened and verified before it is changed, so a writer never makes a
/// damaged bucket look intact. Source: `Documentation/format.md` §§5.2–5.5.
package final class TreeEditor: BucketSource {
  static let heaviestGroup = 128
  static let lightestTree: UInt64 = 64

  package let base: TreeReader
  package var head: Head
  let tree: EditableTree
  /// The touched trees of heavy groups, by number.
  var groups: [UInt32: EditableTree] = [:]
  /// The reason why nothing of this transaction may be written.
  package private(set) var failure: VaultError?
  /// Rows that nothing refers to any more.
  var obsolete: [UInt64] = []
  /// Large secrets, sealed and not written yet.
  var largeSecrets: [(id: UInt64, sealed: [UInt8])] = []
  /// The host whose bucket was looked for last: one change looks for it several times.
  private var lastHost: (key: [UInt8], hash: UInt64)?
  /// The head in the file.
  let storedHead: Head
  /// The history of another copy that is merged; nil without a merge.
  var joined: Ancestry?

  package init(base: TreeReader, head: Head) {
    self.base = base
    self.head = head
    storedHead = head
    tree = EditableTree(number: 0, level: 0, parent: nil, groupKey: [], directory: head.directory)
  }

  package var keys: EpochKeys { base.keys }
  package var clock: VaultClock { base.clock }
  /// The generation of the changes, as ``Head/nextGeneration``.
  package var nextGeneration: UInt64 {
    get throws(VaultError) { try head.nextGeneration }
  }
  package var hasChanges: Bool {
    tree.isEdited || head.historyLimit != storedHead.historyLimit
      || head.trashDays != storedHead.trashDays
      || head.keepsForPrograms != storedHead.keepsForPrograms || head.logDays != storedHead.logDays
      || head.merged != storedHead.merged || head.mostRemembered != storedHead.mostRemembered
      || !groups.isEmpty && groups.values.contains(where: \.isEdited)
  }

  // MARK: Reading through the changes

  package var root: Directory { tree.directory }

  package func directory(of record: TreeRecord) throws(VaultError) -> Directory {
    groups[record.number]?.directory ?? record.directory
  }

  package func bucket(
    _ number: UInt32, of treeNumber: UInt32, in directory: Directory
  ) throws(VaultError) -> [UInt8] {
    guard let edited = treeNumber == 0 ? tree : groups[treeNumber] else {
      return try base.bucket(number, of: treeNumber, in: directory)
    }
    if let bucket = edited.buckets[number] { return bucket.content }
    return try base.bucketContent(number, of: treeNumber, tag: tag(number, edited))
  }

  package func secret(_ large: ItemRecord.LargeSecret) throws(VaultError) -> Secret {
    guard let waiting = largeSecrets.first(where: { $0.id == large.id }) else {
      return try base.secret(large)
    }
    return try keys.openLargeSecret(waiting.sealed, id: large.id, count: Int(large.count))
  }

  // MARK: Changing

  /// Makes the next head the successor of another copy's head too.
  package func join(_ other: Head, _ history: Ancestry) {
    head.join(other, tag: history.head.tag)
    joined = history
  }

  /// Takes a row for a large secret, which is written with everything else.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if there is no row left.
  package func addLargeSecret(_ secret: Secret) throws(VaultError) -> ItemRecord.LargeSecret {
    let id = try head.takeLargeSecret()
    let sealed = keys.seal(secret, id: id)
    largeSecrets.append((id, sealed))
    return ItemRecord.LargeSecret(
      id: id, tag: Tag(ofSealed: sealed), count: UInt32(secret.count))
  }

  /// Removes the row of a large secret, which may be of this transaction and not yet written.
  package func remove(_ large: ItemRecord.LargeSecret) {
    largeSecrets.removeAll { $0.id == large.id }
    obsolete.append(large.id)
  }

  /// Counts added items, or removed ones if negative.
  package func countItems(_ change: Int) throws(VaultError) {
    try self.change { () throws(VaultError) in try head.countItems(change) }
  }

  /// The bucket for the records of a route: in the main tree, or in a heavy group's.
  package struct Place {
    let tree: EditableTree
    let bucket: EditableBucket
    let hash: UInt64

    /// Returns whether there is a record of a kind that may have the same route.
    package func mayHold(_ kind: UInt8) -> Bool {
      bucket.entries.contains { ($0.hash ?? hash) == hash && $0.record.kind == kind }
    }

    /// Returns the bodies of the records of a kind that may have the same route and begin with the
    /// same bytes.
    package func bodies(of kind: UInt8, beginningWith prefix: [UInt8]) -> [[UInt8]] {
      let entries = bucket.entries
      var bodies: [[UInt8]] = []
      for index in entries.indices {
        guard entries[index].hash ?? hash == hash, entries[index].record.kind == kind else {
          continue
        }
        let body = entries[index].record.body
        if body.has(prefix, at: 0..<body.count) { bodies.append(body) }
      }
      return bodies
    }
  }

  /// Makes a change; after an error it may be incomplete, and the transaction must not be written.
  ///
  /// This holds even if the transaction's body continues.
  private func change<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    do throws(VaultError) {
      return try body()
    } catch {
      failure = failure ?? error
      throw error
    }
  }

  /// Inserts a record at its route.
  package func insert(_ record: Record, at route: Route) throws(VaultError) {
    try change { () throws(VaultError) in try insert(record, at: place(of: route)) }
  }

  /// Inserts a record at a place found since the last change.
  package func insert(_ record: Record, at place: Place) throws(VaultError) {
    try change { () throws(VaultError) in
      try insert(
        EditableBucket.Entry(record: record, hash: place.hash), into: place.bucket, of: place.tree)
    }
  }

  /// Replaces the first record on a route that `isWanted`, or removes it if there is no new body.
  ///
  /// The new record has the same route, and the same kind unless another one is given. Returns
  /// false if there was no such record.
  package func replace(
    at route: Route, with body: [UInt8]?, as kind: UInt8? = nil, where isWanted: (Record) -> Bool
  ) throws(VaultError) -> Bool {
    try change { () throws(VaultError) in
      let place = try place(of: route)
      let (tree, bucket) = (place.tree, place.bucket)
      guard let index = bucket.entries.firstIndex(where: { isWanted($0.record) }) else {
        return false
      }
      bucket.isEdited = true
      if let body {
        let old = bucket.entries[index]
        bucket.entries[index] = EditableBucket.Entry(
          record: Record(kind: kind ?? old.record.kind, body: body), hash: old.hash)
      } else {
        bucket.entries.remove(at: index)
        try tree.directory.countRecords(-1)
        try shrink(tree)
      }
      return true
    }
  }

  /// Returns the place of the records of a route.
  package func place(of route: Route) throws(VaultError) -> Place {
    try place(of: route, from: tree)
  }

  /// Returns the place of the records of a route whose host and account are those of another
  /// place's.
  package func place(of route: Route, near other: Place) throws(VaultError) -> Place {
    other.tree.level < 2 ? other : try place(of: route)
  }

  /// Returns the place of the records of a route, below a tree that holds their group.
  func place(of route: Route, from start: EditableTree) throws(VaultError) -> Place {
    var tree = start
    while true {
      let key = route.key(level: tree.level)
      let hash = indexHash(level: tree.level, key: key)
      let number = Directory.address(hash, bucketCount: tree.directory.bucketCount)
      let bucket = try editableBucket(number, of: tree)
      guard tree.level < 2, let group = try bucket.group(key) else {
        return Place(tree: tree, bucket: bucket, hash: hash)
      }
      tree = try edited(group, in: tree)
    }
  }

  /// Returns the hash that finds the bucket of a key in a tree of `level`.
  func indexHash(level: Int, key: [UInt8]) -> UInt64 {
    guard level == 0 else { return keys.indexHash(level: UInt8(level), key: key) }
    if let lastHost, lastHost.key.hasSameBytes(as: key) { return lastHost.hash }
    let hash = keys.indexHash(level: 0, key: key)
    lastHost = (key, hash)
    return hash
  }

  /// Returns the editable form of a heavy group's tree.
  func edited(_ record: TreeRecord, in parent: EditableTree) throws(VaultError) -> EditableTree {
    guard record.level == parent.level + 1 else {
      throw VaultError(.damaged, "a tree record is at the wrong level")
    }
    if let tree = groups[record.number] {
      // A tree with two parents would be written twice, and one that contains itself has no end.
      guard tree.parent === parent, tree.groupKey == record.groupKey else { throw Self.twoRecords }
      return tree
    }
    // Its rows would be those of the next tree that is created.
    guard record.number < head.nextTree else {
      throw VaultError(.damaged, "tree \(record.number) has a number that was never given")
    }
    let tree = EditableTree(
      number: record.number, level: record.level, parent: parent, groupKey: record.groupKey,
      directory: record.directory)
    groups[record.number] = tree
    return tree
  }

  static let twoRecords = VaultError(.damaged, "two records name the same tree")

  // MARK: Buckets

  /// Returns the bodies of all records of a kind in the changed buckets.
  package func editedBodies(of kind: UInt8) -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    for tree in [tree] + groups.values {
      for bucket in tree.buckets.values where bucket.isEdited {
        for entry in bucket.entries where entry.record.kind == kind {
          bodies.append(entry.record.body)
        }
      }
    }
    return bodies
  }

  func editableBucket(of tree: EditableTree, key: [UInt8]) throws(VaultError) -> EditableBucket {
    let hash = indexHash(level: tree.level, key: key)
    return try editableBucket(
      Directory.address(hash, bucketCount: tree.directory.bucketCount), of: tree)
  }

  func editableBucket(_ number: UInt32, of tree: EditableTree) throws(VaultError) -> EditableBucket
  {
    if let bucket = tree.buckets[number] { return bucket }
    let content = try base.bucketContent(number, of: tree.number, tag: tag(number, tree))
    let bucket = try EditableBucket(decoding: content)
    tree.buckets[number] = bucket
    return bucket
  }

  /// Returns the tag of a bucket in the file.
  func tag(_ number: UInt32, _ tree: EditableTree) throws(VaultError) -> Tag {
    let chunk = Int(number) / Directory.tagsPerChunk
    return try tags(chunk, of: tree)[Int(number) % Directory.tagsPerChunk]
  }

  /// Returns the tags of chunk `number`; those of a small tree are its chunk 0.
  func tags(_ number: Int, of tree: EditableTree) throws(VaultError) -> [Tag] {
    if let tags = tree.chunks[number] { return tags }
    let stored = tree.stored
    let tags =
      stored.isChunked ? try base.chunk(number, of: tree.number, in: stored) : stored.tags
    tree.chunks[number] = tags
    return tags
  }
}
