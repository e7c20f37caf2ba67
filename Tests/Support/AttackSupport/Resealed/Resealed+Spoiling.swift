import SecureMemory
import TestSupport
import VaultCrypto
import VaultModel

/// Content that no writer writes: malformed, extreme and contradictory.
extension Resealed {
  /// Numbers at and next to the limits of types and of the format.
  private static let extremes: [UInt64] = [
    0, 1, 2, 0x7F, 0xFF, 0x100, 0x7FFF, 0xFFFF, 1 << 26, 1 << 26 + 1, 1 << 29 - 1, 1 << 29,
    1 << 31 - 1,
    1 << 31, 1 << 32 - 1, 1 << 32, 1 << 61, 1 << 62 - 2, 1 << 62 - 1, 1 << 62, 1 << 62 + 1,
    1 << 63 - 1,
    1 << 63, 1 << 63 + 1, .max - 1, .max, 253_402_300_799_998, 253_402_300_799_999,
    253_402_300_800_000,
    UInt64(bitPattern: -1), UInt64(bitPattern: .min + 1),
  ]

  mutating func spoil() {
    // Sometimes nothing is spoiled: the judge must also be able to find a vault right.
    guard !chance(25) else { return }
    for _ in 0..<number(1..<4) {
      switch number(0..<12) {
      case 0, 1: spoilHead()
      case 2: spoilDirectory()
      case 3: spoilBucket()
      case 4, 5, 6: spoilField()
      case 7: contradict()
      case 8: spoilTrees()
      case 9: spoilSecret()
      case 10: spoilPolicyOrPast()
      default: chance(3) ? spoilSlots() : spoilField()
      }
    }
  }

  private mutating func note(_ fault: String) { faults.append(fault) }

  private mutating func extreme(_ size: Int) -> [UInt8] {
    let number = RawRecord.number(any(Self.extremes))
    return Array(number.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - 8))
  }

  // MARK: Head

  private mutating func spoilHead() {
    switch number(0..<9) {
    case 0...3:
      let (tag, size) = any(
        [(2, 8), (3, 8), (6, 4), (7, 8), (9, 8), (10, 1), (12, 2)] as [(UInt32, Int)])
      let value = extreme(size)
      note("head: field \(tag) is \(value)")
      headChanges.append(.set(tag, value))
    case 4:
      let tag = UInt32(number(1..<13))
      note("head: no field \(tag)")
      headChanges.append(.remove(tag))
    case 5:
      let tag = UInt32(number(1..<13))
      let value = noise(number(0..<40))
      note("head: field \(tag) is \(value.count) bytes of noise")
      headChanges.append(.set(tag, value))
    case 6:
      let tag = any([14, 40, 200, .max] as [UInt32])
      note("head: field \(tag) that nobody knows")
      headChanges.append(.append(tag, noise(number(1..<300))))
    case 7:
      let tag = UInt32(number(2..<10))
      note("head: field \(tag) out of order")
      headChanges.append(chance(2) ? .swap(tag) : .append(tag, extreme(8)))
    default:
      var other = ident
      other[number(0..<48)] ^= 1 << UInt8(number(0..<8))
      note("head: another ident, or too many recent heads")
      headChanges.append(chance(2) ? .set(1, other) : .set(8, noise(16 * any([9, 64, 65]))))
    }
  }

  private mutating func spoilDirectory() {
    let tree = number(0..<trees.count)
    switch number(0..<6) {
    case 0:
      trees[tree].load = any(Self.extremes)
      note("tree \(tree): load \(trees[tree].load)")
    case 1:
      trees[tree].load &+= UInt64(bitPattern: Int64(any([-3, -1, 1, 2, 1000])))
      note("tree \(tree): load \(trees[tree].load)")
    case 2:
      let value = extreme(4) + RawRecord.number(trees[tree].load) + noise(16 * number(0..<6))
      note("tree \(tree): its directory says \(value.prefix(4)) buckets")
      trees[tree].directory = value
    case 3:
      trees[tree].directory = noise(number(0..<60))
      note("tree \(tree): its directory is noise")
    case 4:
      let count = number(1..<5)
      note("tree \(tree): tags of \(count) buckets that are not there")
      trees[tree].directory =
        RawRecord.number(UInt32(count)) + RawRecord.number(trees[tree].load) + noise(16 * count)
    default:
      guard trees[tree].buckets.count > 128 else { return }
      let count = any([0, 1, 16, 127 * 16, 129 * 16, 500 * 16])
      note("tree \(tree): a chunk of \(count) bytes")
      trees[tree].chunks[number(0..<2)] = noise(count)
    }
  }

  // MARK: Buckets

  private mutating func spoilBucket() {
    let tree = number(0..<trees.count)
    let bucket = number(0..<trees[tree].buckets.count)
    var content = trees[tree].buckets[bucket].flatMap(\.encoded)
    switch number(0..<5) {
    case 0: content = noise(number(0..<200))
    case 1: content = Array(content.prefix(number(0..<max(1, content.count))))
    case 2: content += [UInt8(number(0..<10))] + [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]
    case 3: content += [UInt8(number(0..<10)), 0]
    default:
      for _ in 0..<3 where !content.isEmpty {
        content[number(0..<content.count)] = UInt8(number(0..<256))
      }
    }
    note("bucket \(bucket) of tree \(tree): other bytes")
    trees[tree].garbage[bucket] = content
  }

  /// Calls `change` with an existing record, chosen at random.
  private mutating func withRecord(
    _ change: (inout Resealed, inout RawRecord) -> Void,
    where isWanted: (RawRecord) -> Bool = { _ in true }
  ) {
    var places: [(Int, Int, Int)] = []
    for (tree, buckets) in trees.map(\.buckets).enumerated() {
      for (bucket, records) in buckets.enumerated() {
        for index in records.indices where isWanted(records[index]) {
          places.append((tree, bucket, index))
        }
      }
    }
    guard !places.isEmpty else { return }
    let (tree, bucket, index) = any(places)
    var record = trees[tree].buckets[bucket][index]
    change(&self, &record)
    trees[tree].buckets[bucket][index] = record
  }

  private mutating func spoilField() {
    withRecord { vault, record in
      guard !record.fields.isEmpty else { return }
      let index = vault.number(0..<record.fields.count)
      let (kind, tag) = (record.kind, record.fields[index].tag)
      let size = record.fields[index].value.count
      switch vault.number(0..<14) {
      case 0...4:
        record.fields[index].value = vault.extreme(size <= 8 ? size : 8)
        vault.note("kind \(kind): field \(tag) is \(record.fields[index].value)")
      case 5:
        record.fields.remove(at: index)
        vault.note("kind \(kind): no field \(tag)")
      case 6:
        record.fields.insert(record.fields[index], at: index)
        vault.note("kind \(kind): field \(tag) twice")
      case 7:
        record.fields.swapAt(index, vault.number(0..<record.fields.count))
        vault.note("kind \(kind): field \(tag) out of order")
      case 8:
        record.fields[index].value = vault.noise(vault.any([0, 1, 7, 15, 16, 17, 41, 300]))
        vault.note("kind \(kind): field \(tag) is noise")
      case 9:
        record.fields[index].value = Array("x\0y".utf8) + [0xC3]
        vault.note("kind \(kind): field \(tag) is no text")
      case 10:
        let text = vault.any(["*.*", "..", "[::1", "EXAMPLE", "a b", "\u{202E}x", "xn--zzzz", "%"])
        record.fields[index].value = Array(text.utf8)
        vault.note("kind \(kind): field \(tag) is \(text)")
      case 11:
        record.fields[index].value = [UInt8](
          repeating: 0x61, count: vault.any([4097, 65_537, 200_000]))
        vault.note("kind \(kind): field \(tag) is long")
      case 12:
        let size = vault.any([1, 2, 4, 8])
        record[
          vault.any([9, 10, 11, 12, 19, 20, 21, 22, 26, 27, 28, 31, 40, 47, 50, 51, 52, 53])] =
          vault.extreme(size)
        vault.note("kind \(kind): one more field of \(size) bytes")
      default:
        record.kind = UInt8(vault.any([0, 1, 2, 3, 4, 5, 6, 7, 8, 255]))
        vault.note("kind \(kind) is called \(record.kind)")
      }
    }
  }

  // MARK: Contradictions

  private mutating func contradict() {
    var extra: RawRecord?
    var isElsewhere = false
    let kind = number(0..<8)
    withRecord(
      { vault, record in
        extra = record
        switch kind {
        case 0: vault.note("a record of kind \(record.kind) is there twice")
        case 1:
          extra?[8] = vault.newID().bytes
          extra?[13] = []
          extra?[14] = []
          vault.note("two items of one key")
        case 2:
          extra?[7] = Array("/elsewhere".utf8)
          vault.note("two items of one id")
        case 3:
          isElsewhere = true
          vault.note("a record in a foreign bucket")
        case 4:
          record[8] = [UInt8](repeating: 0, count: 16)
          extra = nil
          vault.note("the zero id")
        case 5:
          record[1] = Array("other.example".utf8)
          extra = nil
          vault.note("a record of another server than its bucket's")
        case 6:
          extra?.kind = 5
          extra?[27] = RawRecord.number(Self.start)
          vault.note("an item that is there and removed")
        default:
          extra = nil
          vault.itemCount = vault.any([0, vault.itemCount &+ 1, vault.itemCount &- 1, .max])
          vault.note("\(vault.itemCount) items, says the head")
        }
      }, where: { [1, 2, 5, 6].contains(kind) ? $0.kind == 1 : true })
    guard let extra else { return }
    let tree = number(0..<trees.count)
    guard isElsewhere else { return put(extra, into: &trees[kind == 0 ? 0 : tree]) }
    trees[tree].buckets[number(0..<trees[tree].buckets.count)].append(extra)
    trees[tree].load += 1
  }

  private mutating func spoilTrees() {
    let host = any(["heavy.example"] + Self.hosts)
    let level = UInt8(number(0..<4))
    switch number(0..<6) {
    case 0, 1:
      // In itself, or in another one at any level.
      let inner = number(0..<trees.count)
      let named = UInt32(number(0..<trees.count))
      note("tree \(inner) has a record of tree \(named) at level \(level)")
      var record = Self.treeRecord(
        named, level: level, host: host, account: chance(2) ? "build" : "")
      if chance(2) {
        record[62] = RawRecord.number(UInt32(1)) + RawRecord.number(UInt64(3)) + noise(16)
      }
      put(record, into: &trees[inner])
    case 2:
      note("two trees name each other")
      let first = UInt32(trees.count)
      for (offset, other) in [(0, first + 1), (1, first)] as [(UInt32, UInt32)] {
        var tree = Tree(level: 1, number: first + offset, bucketCount: 1)
        put(Self.treeRecord(other, level: 2, host: host, account: "ann"), into: &tree)
        trees.append(tree)
        add(Self.treeRecord(first + offset, level: 1, host: host, account: ""))
      }
      nextTree = first + 2
    case 3:
      nextTree = UInt32(truncatingIfNeeded: any(Self.extremes))
      note("the next tree is \(nextTree)")
    case 4:
      let number = UInt32(truncatingIfNeeded: any(Self.extremes))
      note("a record of tree \(number), which is not there")
      var record = Self.treeRecord(number, level: max(1, level), host: host, account: "")
      record[62] = RawRecord.number(UInt32(1)) + RawRecord.number(UInt64(0)) + noise(16)
      add(record)
    default:
      // The same tree for another host: items in it belong to neither.
      guard trees.count > 1 else { return }
      note("tree 1 is named by two hosts")
      add(Self.treeRecord(1, level: 1, host: "a.example", account: ""))
    }
  }

  private mutating func spoilSecret() {
    let kind = number(0..<8)
    let (size, row) = (any([0, 1, 39, 40, 41, 42, 1064, 1065, 8232, 8233]), any(Self.extremes))
    let rows = largeSecrets.keys.sorted()
    withRecord(
      { vault, record in
        guard let id = Self.id(of: record) else { return }
        switch kind {
        case 0:
          record[13] = vault.noise(size)
          vault.note("a secret of \(size) bytes of noise")
        case 1:
          record[13] = vault.keys.seal(Secret("other"), use: .secret, item: vault.newID())
          vault.note("the secret of another item")
        case 2:
          let use: SecretUse = vault.chance(2) ? .refreshToken : .previousSecret
          record[13] = vault.keys.seal(Secret("other use"), use: use, item: id)
          vault.note("a secret sealed for another use")
          // Sealed for this item as a previous one, it is valid in that position.
          if record.kind == 4 { vault.secrets[id, default: []].insert(Array("other use".utf8)) }
        case 3:
          record[15] = vault.noise(size)
          vault.note("a token of \(size) bytes of noise")
        case 4:
          record[14] = RawRecord.number(row) + vault.noise(16) + vault.extreme(4)
          vault.note("a large secret in row \(row)")
        case 5:
          // The sealed bytes are right; the stated length is not.
          guard record[14].count == 28 else { return }
          record[14] = record[14].prefix(24) + vault.extreme(4)
          vault.note("a large secret of another length")
        case 6:
          guard let row = rows.first, let sealed = vault.largeSecrets[row] else { return }
          record[13] = []
          record[14] =
            RawRecord.number(row) + sealed.suffix(16) + RawRecord.number(UInt32(1500))
          vault.secrets[id, default: []].formUnion(
            vault.secrets.values.joined().filter { $0.count == 1500 })
          vault.note("a large secret that two items share")
        default:
          vault.nextLargeSecret = vault.chance(2) ? 1 : row
          vault.note("the next large secret is \(vault.nextLargeSecret)")
          if let row = rows.last, vault.chance(2) { vault.largeSecrets[row] = nil }
        }
      }, where: { $0.kind == 1 || $0.kind == 4 && kind < 4 })
  }

  private mutating func spoilPolicyOrPast() {
    switch number(0..<7) {
    case 0:
      note("two rules of one name")
      addRule(1)
      addRule(1)
    case 1:
      note("more rules than a policy has")
      for position in 0..<1001 { addRule(position + 10) }
    case 2:
      note("a rule with extremes")
      addRule(7)
      withRecord(
        { vault, record in
          record[40] = vault.extreme(4)
          record[51] = vault.extreme(8)
          if vault.chance(2) { record[54] = [1] }
        }, where: { $0.kind == 3 })
    case 3:
      note("a default without a user, or of an odd space")
      addDefault()
      withRecord(
        { vault, record in
          record[2] = []
          if vault.chance(2) { record[6] = vault.extreme(2) }
          if vault.chance(3) { record[1] = [] }
        }, where: { $0.kind == 2 })
    case 4:
      note("a previous secret of no item")
      let item = item(path: "/gone")
      add(previous(of: item, replaced: Self.start))
    default:
      note("previous secrets of one time, at the end of time, or too many")
      let (count, last) = (any([2, 12, 140]), chance(2))
      var record: RawRecord?
      withRecord({ _, item in record = item }, where: { $0.kind == 1 })
      guard let record else { return }
      let host = String(decoding: record[1], as: UTF8.self)
      let tree = host == "heavy.example" && trees.count > 1 ? 1 : 0
      for age in 0..<count {
        let time = last ? 253_402_300_799_999 - Int64(age % 3) : Self.start + Int64(age / 2)
        let past = previous(of: record, replaced: time)
        put(past, into: &trees[tree])
      }
    }
  }

  private mutating func spoilSlots() {
    switch number(0..<5) {
    case 0: slots.append((UInt64(number(3..<9)), noise(number(0..<150))))
    case 1: slots.append((any(Self.extremes), slots[0].body))
    case 2: slots.append((3, []))
    case 3:
      for id in 3..<UInt64(number(5..<30)) { slots.append((id, slots[0].body)) }
    default:
      // An unknown kind, under a right checksum.
      var body = slots[0].body
      body[0] = 77
      body = body.dropLast(8) + Hash.checksum([3, 0, 0, 0] + body.dropLast(8))
      slots.append((3, body))
    }
    slots.sort { Int64(bitPattern: $0.id) < Int64(bitPattern: $1.id) }
    note("slots: \(slots.map(\.body.count))")
  }
}
