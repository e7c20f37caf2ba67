import SecureMemory
import TestSupport
import VaultCrypto
import VaultModel

/// Valid content, before something in it is spoiled.
extension Resealed {
  static let hosts = ["a.example", "b.example", "host.example.org", "::1", "", "q.example.net"]
  private static let accounts = ["", "ann", "ben", "build", "c@d", "zoë"]
  private static let protocols = ["", "https", "http", "imap", "foo"]
  private static let methods = ["", "basic", "digest", "ntlm", "default"]
  static let start: Int64 = 1_767_225_600_000

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  mutating func any<Element>(_ list: [Element]) -> Element {
    list[Int.random(in: list.indices, using: &random)]
  }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func noise(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// Returns bytes of an id that no other has, since they include numbers of the seed's own.
  mutating func newID() -> ItemID {
    ItemID(high: random.next() | 1, low: random.next())
  }

  mutating func fill() {
    if chance(5) { trees[0] = Tree(level: 0, number: 0, bucketCount: any([2, 3, 5, 129, 200])) }
    if chance(4) { historyLimit = any([1, 2, 4, 101]) }
    if chance(4) { trashDays = any([1, 2, 91, 366]) }
    if chance(4) { keepsForPrograms = 1 }
    if chance(4) { mostRemembered = any([1, 3601, .max]) }
    for _ in 0..<number(0..<14) { addItem() }
    for _ in 0..<number(0..<4) { addRemoved() }
    for _ in 0..<number(0..<3) { addDefault() }
    for position in 0..<number(0..<4) { addRule(position + 1) }
    if chance(3) { add(changeLogEntry()) }
    if chance(4) { add(RawRecord(kind: 99, [(1, [0xFF]), (8, newID().bytes), (300, noise(9))])) }
    if chance(4) { addHeavyHost() }
    if chance(2) { recent = noise(16 * number(0..<9)) }
    nextTree = UInt32(trees.count)
  }

  // MARK: Records

  func times(_ created: Int64) -> [(UInt32, [UInt8])] {
    [(9, RawRecord.number(created)), (10, RawRecord.number(created + 5))]
  }

  mutating func item(host: String? = nil, account: String? = nil, path: String = "") -> RawRecord {
    let id = newID()
    let (host, account) = (host ?? any(Self.hosts), account ?? any(Self.accounts))
    var fields: [(UInt32, [UInt8])] = times(Self.start + Int64(number(0..<1000)))
    fields += [
      (1, Array(host.utf8)), (2, Array(account.utf8)), (3, chance(3) ? Array("realm".utf8) : []),
      (4, Array(any(Self.protocols).utf8)), (5, Array(any(Self.methods).utf8)),
      (6, chance(2) ? RawRecord.number(UInt16(443)) : []), (7, Array(path.utf8)), (8, id.bytes),
      (11, RawRecord.number(UInt64(number(1..<9)))), (12, chance(4) ? [1] : []),
      (16, chance(2) ? Array("label".utf8) : []), (17, chance(5) ? Array("remark".utf8) : []),
      (21, chance(6) ? [UInt8(number(1..<8))] : []),
      (22, chance(6) ? RawRecord.number(Self.start + Int64(number(0..<9_000_000)) * 100_000) : []),
      (25, chance(6) ? [1, 0x61, 1, 0x31] : []),
      (31, chance(8) ? RawRecord.number(Self.start + 4_000_000_000_000) : []),
    ]
    var record = RawRecord(kind: 1, fields)
    seal(number(0..<8) == 0 ? 1500 : number(0..<30), of: id, into: &record, use: .secret)
    for attribute in Attribute.furtherSecrets where chance(6) {
      record[attribute.rawValue] = keys.seal(
        Secret("token \(id.low)"), use: SecretUse(attribute), item: id)
    }
    return record
  }

  /// Seals a secret of the given length into a record, or into a row of its own.
  mutating func seal(_ count: Int, of id: ItemID, into record: inout RawRecord, use: SecretUse) {
    let secret = noise(count)
    secrets[id, default: []].insert(secret)
    guard count > 0 else { return }
    guard count > 1024 else {
      record[13] = keys.seal(Secret(secret), use: use, item: id)
      return
    }
    let row = 1 << 62 + nextLargeSecret
    nextLargeSecret += 1
    let sealed = keys.seal(Secret(secret), id: row)
    largeSecrets[row] = sealed
    record[14] = RawRecord.number(row) + sealed.suffix(16) + RawRecord.number(UInt32(count))
  }

  private mutating func addItem() {
    let item = item(path: "/\(number(0..<1_000_000))")
    add(item)
    itemCount += 1
    itemKeys.append(Self.key(of: item))
    guard chance(3) else { return }
    for age in 0..<number(1..<4) { add(previous(of: item, replaced: Self.start + Int64(age))) }
  }

  /// Adds an item to the trash, with its history or without.
  private mutating func addRemoved() {
    // Long ago, or not over while this is tested.
    let removed = chance(2) ? Self.start : 4_000_000_000_000 + Int64(number(0..<99))
    var item = item(path: "/removed/\(number(0..<3))")
    if chance(2) {
      var past = previous(of: item, replaced: Self.start)
      past[27] = RawRecord.number(removed)
      add(past)
    }
    item.kind = 5
    item[27] = RawRecord.number(removed)
    add(item)
  }

  mutating func previous(of item: RawRecord, replaced: Int64) -> RawRecord {
    var record = RawRecord(kind: 4, item.fields.filter { $0.tag <= 8 }.map { ($0.tag, $0.value) })
    record[9] = RawRecord.number(Self.start - 10)
    record[10] = RawRecord.number(replaced)
    guard let id = Self.id(of: item) else { return record }
    seal(number(1..<40), of: id, into: &record, use: .previousSecret)
    return record
  }

  mutating func addDefault() {
    add(
      RawRecord(
        kind: 2,
        [
          (1, Array(any(Self.hosts.filter { !$0.isEmpty }).utf8)),
          (2, Array(any(Self.accounts).utf8)),
          (3, chance(2) ? Array("realm\(number(0..<99))".utf8) : []),
          (4, Array("https".utf8)), (5, Array(any(Self.methods).utf8)),
          (6, RawRecord.number(UInt16(443))),
        ]))
  }

  mutating func addRule(_ position: Int) {
    add(
      RawRecord(
        kind: 3,
        [
          (8, newID().bytes), (40, RawRecord.number(UInt32(position))),
          (41, Array("rule \(position)".utf8)),
          (43, chance(2) ? Array(any(["*", "*.example", "a.example"]).utf8) : []),
          (50, chance(3) ? [UInt8(number(1..<3))] : []),
          (51, chance(2) ? RawRecord.number(UInt64(number(1..<1_000_000_000))) : []),
        ]))
  }

  private mutating func changeLogEntry() -> RawRecord {
    RawRecord(
      kind: 6,
      [
        (8, newID().bytes), (10, RawRecord.number(Self.start)), (11, RawRecord.number(UInt64(3))),
        (28, [1]), (29, newID().bytes), (30, Array("program".utf8)),
      ])
  }

  /// Adds a host with a tree of its own, and perhaps an account in it with another.
  private mutating func addHeavyHost() {
    let host = "heavy.example"
    var tree = Tree(level: 1, number: UInt32(trees.count), bucketCount: number(1..<7))
    var account: Tree?
    if chance(2) {
      account = Tree(level: 2, number: tree.number + 1, bucketCount: number(1..<4))
    }
    for turn in 0..<number(60..<90) {
      var item = item(
        host: host, account: account != nil && turn % 2 == 0 ? "build" : "user\(turn)",
        path: "/\(turn)")
      if turn > 3 { item[14] = [] }
      itemCount += 1
      itemKeys.append(Self.key(of: item))
      if account != nil, turn % 2 == 0 { put(item, into: &account) } else { put(item, into: &tree) }
    }
    if let account {
      put(Self.treeRecord(account.number, level: 2, host: host, account: "build"), into: &tree)
    }
    trees.append(tree)
    if let account { trees.append(account) }
    add(Self.treeRecord(tree.number, level: 1, host: host, account: ""))
  }

  static func treeRecord(
    _ number: UInt32, level: UInt8, host: String, account: String
  ) -> RawRecord {
    RawRecord(
      kind: 7,
      [
        (1, Array(host.utf8)), (2, Array(account.utf8)), (60, [level]),
        (61, RawRecord.number(number)),
      ])
  }

  // MARK: Places

  /// Puts a record where its route says, in the main tree.
  mutating func add(_ record: RawRecord) { put(record, into: &trees[0]) }

  private func put(_ record: RawRecord, into tree: inout Tree?) {
    guard var known = tree else { return }
    put(record, into: &known)
    tree = known
  }

  func put(_ record: RawRecord, into tree: inout Tree) {
    let hash = keys.indexHash(level: UInt8(tree.level), key: record.key(level: tree.level))
    tree.buckets[Self.address(hash, tree.buckets.count)].append(record)
    tree.load += 1
  }

  private static func address(_ hash: UInt64, _ count: Int) -> Int {
    var p = 1
    while 2 * p <= count { p *= 2 }
    let address = Int(hash % UInt64(2 * p))
    return address < count ? address : Int(hash % UInt64(p))
  }

  // MARK: Record contents

  static func id(of record: RawRecord) -> ItemID? {
    let bytes = record[8]
    guard bytes.count == 16 else { return nil }
    return ItemID(
      high: UInt64(littleEndianIn: bytes, at: 0).byteSwapped,
      low: UInt64(littleEndianIn: bytes, at: 8).byteSwapped)
  }

  static func key(of record: RawRecord) -> Item.Key {
    func text(_ tag: UInt32) -> String { String(decoding: record[tag], as: UTF8.self) }
    return Item(
      server: HostName(canonical: text(1)), account: text(2),
      protocol: NetworkProtocol(rawValue: text(4)),
      port: record[6].isEmpty ? 0 : UInt16(littleEndianIn: record[6], at: 0), realm: text(3),
      path: text(7), authenticationMethod: AuthenticationMethod(rawValue: text(5))
    ).key
  }
}

extension ItemID {
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }
}
