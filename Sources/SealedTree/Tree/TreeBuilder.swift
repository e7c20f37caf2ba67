package import VaultCrypto
package import VaultModel

/// A builder of all trees of a vault from its records, which writes each bucket once.
///
/// It is for operations that write everything: a rekey, and filling a new vault. The trees have the
/// shape that adding the records one by one would produce. Source: `Documentation/format.md`
/// §§5.2–5.6.
package final class TreeBuilder {
  /// A record in the added contents, or one that its owner supplies by number.
  private struct Entry {
    /// The index of the contents; negative for a record from the owner.
    let content: Int32
    /// The offset, with the record's kind and length before its body; for the owner's record, its
    /// number.
    let start: UInt32
    /// The record's length; approximate for the owner's record.
    let count: UInt32
    /// The hash of the record's key at the level that is being built.
    var hash: UInt64

    /// The range in its content.
    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  private let keys: EpochKeys
  private let rows: any RowSource
  /// The first number for a heavy group's tree; after writing, the head's next one.
  package private(set) var nextTree: UInt32
  package private(set) var itemCount: UInt64 = 0
  private var contents: [[UInt8]] = []
  private var entries: [Entry] = []

  /// The owner of records that are supplied by number, so that they need not be held until they are
  /// written.
  package struct Owner {
    /// Returns the record for lookup, with kind and length; its secrets do not matter.
    let look: (Int) throws(VaultError) -> [UInt8]
    /// Returns the record to write; called once for each, in batches of ascending order.
    let take: (Int) throws(VaultError) -> [UInt8]

    package init(
      look: @escaping (Int) throws(VaultError) -> [UInt8],
      take: @escaping (Int) throws(VaultError) -> [UInt8]
    ) {
      self.look = look
      self.take = take
    }
  }

  private let owner: Owner?
  /// The number of bytes taken from the owner at a time.
  ///
  /// Records of one row are needed in any order. If they were taken one by one, the owner would
  /// open each row once for each of its records.
  private static let takenByteCount = 16 << 20

  /// - Parameters:
  ///   - keys: The keys with which the nodes, and the secrets in the records, are sealed.
  ///   - nextTree: As in the head of the vault that is built.
  ///   - rows: In a write transaction when ``write(_:)`` is called.
  ///   - owner: Gives the records that are only added by their number.
  package init(keys: EpochKeys, nextTree: UInt32, rows: any RowSource, owner: Owner? = nil) {
    self.owner = owner
    self.keys = keys
    self.nextTree = nextTree
    self.rows = rows
  }

  /// Adds the records of a bucket; tree records are left out, since they are created again.
  package func add(_ content: [UInt8]) throws(VaultError) {
    let number = Int32(contents.count)
    var records = RecordReader(content)
    var start = 0
    while let record = try records.next() {
      let end = record.body.upperBound
      defer { start = end }
      guard record.kind != RecordKind.tree else { continue }
      if record.kind == RecordKind.item { itemCount += 1 }
      let host = try Route.host(kind: record.kind, content, record.body)
      entries.append(
        Entry(
          content: number, start: UInt32(start), count: UInt32(end - start),
          hash: keys.indexHash(level: 0, key: host)))
    }
    contents.append(content)
  }

  /// Adds a record by its number; numbers are in the order in which they are cheapest to supply.
  package func add(number: Int, kind: UInt8, count: Int, host: [UInt8]) {
    if kind == RecordKind.item { itemCount += 1 }
    entries.append(
      Entry(
        content: -1, start: UInt32(number), count: UInt32(count),
        hash: keys.indexHash(level: 0, key: host)))
  }

  /// Writes every bucket and chunk as a row.
  ///
  /// - Parameter progress: Called after each bucket with the number of records in it.
  /// - Returns: The directory of tree 0.
  /// - Throws: As ``RowSource/put(_:under:)``; the error of `progress`.
  package func write(_ progress: (Int) throws(VaultError) -> Void) throws(VaultError) -> Directory {
    let all = entries
    entries = []
    return try write(all, tree: 0, level: 0, progress)
  }

  private func write(
    _ all: [Entry], tree: UInt32, level: Int, _ progress: (Int) throws(VaultError) -> Void
  ) throws(VaultError) -> Directory {
    let entries = level < 2 ? try takeOutHeavyGroups(all, level, progress) : all
    var directory = Directory()
    directory.load = UInt64(entries.count)
    let full = Int(Directory.recordsPerBucket)
    directory.bucketCount = UInt32(max(1, (entries.count + full - 1) / full))
    let ordered = Self.order(entries, bucketCount: directory.bucketCount)
    var tags: [Tag] = []
    tags.reserveCapacity(Int(directory.bucketCount))
    var taken: [Int: [UInt8]] = [:]
    var takenEnd = 0
    for number in 0..<directory.bucketCount {
      let bucket = ordered.ends[Int(number)]..<ordered.ends[Int(number) + 1]
      if owner != nil, takenEnd < bucket.upperBound {
        takenEnd = Self.end(ofTaking: ordered, from: Int(number), entries)
        taken = try take(ordered.indices[bucket.lowerBound..<takenEnd], of: entries)
      }
      let content = content(ordered.indices[bucket], of: entries, taken)
      tags.append(try write(content, as: .bucket, NodeID.bucket(number, tree: tree)))
      try progress(bucket.count)
    }
    guard directory.isChunked else {
      directory.tags = tags
      return directory
    }
    directory.tags = []
    for number in 0..<Directory.chunkCount(directory.bucketCount) {
      let first = number * Directory.tagsPerChunk
      let count = Chunk.tagCount(number, bucketCount: directory.bucketCount)
      let content = Chunk.encode(Array(tags[first..<first + count]))
      directory.tags.append(try write(content, as: .chunk, NodeID.chunk(number, tree: tree)))
    }
    return directory
  }

  /// Writes a node; an empty bucket has no row, but every chunk has one.
  private func write(
    _ content: [UInt8], as kind: NodeKind, _ id: UInt64
  ) throws(VaultError) -> Tag {
    guard !content.isEmpty else { return .none }
    let sealed = keys.seal(content, as: kind, id: id)
    try rows.put(sealed, under: id)
    return Tag(ofSealed: sealed)
  }

  /// Returns the entries' indices bucket by bucket; bucket n has those from `ends[n]` to `ends[n +
  /// 1]`.
  private static func order(
    _ entries: [Entry], bucketCount: UInt32
  ) -> (indices: [Int], ends: [Int]) {
    let addresses = entries.map { Int(Directory.address($0.hash, bucketCount: bucketCount)) }
    var ends = [Int](repeating: 0, count: Int(bucketCount) + 1)
    for address in addresses { ends[address + 1] += 1 }
    for number in 1..<ends.count { ends[number] += ends[number - 1] }
    var next = ends
    var indices = [Int](repeating: 0, count: entries.count)
    for (index, address) in addresses.enumerated() {
      indices[next[address]] = index
      next[address] += 1
    }
    return (indices, ends)
  }

  /// Returns the end of the buckets whose records are taken together with those of bucket `first`.
  private static func end(
    ofTaking ordered: (indices: [Int], ends: [Int]), from first: Int, _ entries: [Entry]
  ) -> Int {
    var byteCount = 0
    var next = first
    while next + 1 < ordered.ends.count {
      let bucket = ordered.indices[ordered.ends[next]..<ordered.ends[next + 1]]
      byteCount += bucket.reduce(0) { $0 + Int(entries[$1].count) }
      guard next == first || byteCount <= takenByteCount else { break }
      next += 1
    }
    return ordered.ends[next]
  }

  /// Returns the owner's records among these, by their indices.
  private func take(
    _ indices: ArraySlice<Int>, of entries: [Entry]
  ) throws(VaultError) -> [Int: [UInt8]] {
    guard let owner else { return [:] }
    let owned = indices.filter { entries[$0].content < 0 }
    var taken: [Int: [UInt8]] = [:]
    for index in owned.sorted(by: { entries[$0].start < entries[$1].start }) {
      taken[index] = try owner.take(Int(entries[index].start))
    }
    return taken
  }

  private func content(
    _ indices: ArraySlice<Int>, of entries: [Entry], _ taken: [Int: [UInt8]]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(indices.reduce(0) { $0 + Int(entries[$1].count) })
    for index in indices {
      let entry = entries[index]
      if let record = taken[index] {
        bytes += record
      } else {
        bytes += contents[Int(entry.content)][entry.range]
      }
    }
    return bytes
  }

  // MARK: Heavy groups

  /// Moves each group of more than 128 records with one key to its own tree, and leaves its tree
  /// record.
  private func takeOutHeavyGroups(
    _ all: [Entry], _ level: Int, _ progress: (Int) throws(VaultError) -> Void
  ) throws(VaultError) -> [Entry] {
    // Records of one group are in the order in which their owner supplies them cheaply.
    let sorted = all.sorted { ($0.hash, $0.start) < ($1.hash, $1.start) }
    var light: [Entry] = []
    light.reserveCapacity(sorted.count)
    var start = 0
    while start < sorted.count {
      let end = sorted[start...].firstIndex { $0.hash != sorted[start].hash } ?? sorted.count
      if end - start > TreeEditor.heaviestGroup, nextTree < TreeRecord.numberEnd {
        light.append(try writeGroup(Array(sorted[start..<end]), level, progress))
      } else {
        light += sorted[start..<end]
      }
      start = end
    }
    return light
  }

  private func writeGroup(
    _ group: [Entry], _ level: Int, _ progress: (Int) throws(VaultError) -> Void
  ) throws(VaultError) -> Entry {
    let number = nextTree
    nextTree += 1
    var inner: [Entry] = []
    inner.reserveCapacity(group.count)
    let first = try route(group[0])
    for entry in group {
      let route = try route(entry)
      guard route.key(level: level) == first.key(level: level) else {
        // Two keys with one keyed hash of 64 bits: nobody can cause that.
        throw VaultError(.internalError, "two keys have the same hash")
      }
      var entry = entry
      entry.hash = keys.indexHash(level: UInt8(level + 1), key: route.key(level: level + 1))
      inner.append(entry)
    }
    let directory = try write(inner, tree: number, level: level + 1, progress)
    let body = TreeRecord(
      host: first.key(level: 0), account: level == 0 ? [] : first.key(level: 1), level: level + 1,
      number: number, directory: directory
    ).encoded
    var record = [RecordKind.tree]
    record.append(varint: UInt32(body.count))
    record += body
    contents.append(record)
    return Entry(
      content: Int32(contents.count - 1), start: 0, count: UInt32(record.count), hash: group[0].hash
    )
  }

  private func route(_ entry: Entry) throws(VaultError) -> Route {
    if entry.content < 0, let owner {
      return try Self.route(owner.look(Int(entry.start)), nil)
    }
    return try Self.route(contents[Int(entry.content)], entry.range)
  }

  private static func route(
    _ bytes: [UInt8], _ record: Range<Int>?
  ) throws(VaultError) -> Route {
    let record = record ?? bytes.indices
    var position = record.lowerBound + 1
    _ = try bytes.varint(at: &position, end: record.upperBound)
    return try Route(kind: bytes[record.lowerBound], bytes, position..<record.upperBound)
  }
}
