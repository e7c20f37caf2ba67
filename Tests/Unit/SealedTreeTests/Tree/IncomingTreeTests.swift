import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@testable import SealedTree

/// A fleet's vault with chunks, a heavy group with chunks, a large secret, blocks of ancestors and
/// commits, before and after a change.
private final class BigTree {
  let keys: EpochKeys
  private(set) var head: Head
  private(set) var rows: [UInt64: [UInt8]]
  private let fleet: MachineFleet

  // Without links there is neither the group nor the large secret.
  init(isLinked: Bool = true) throws {
    fleet = try MachineFleet(hasMachines: false)
    try fleet.first.commit(130)
    try fleet.first.write { (transaction) throws(VaultError) in
      for number in 0..<5000 {
        _ = try transaction.add(Self.item("host\(number)", "a"))
        if isLinked { _ = try transaction.add(Self.item("heavy", "user\(number)")) }
      }
      guard isLinked else { return }
      let large = Secret(String(repeating: "x", count: 3000))
      _ = try transaction.add(
        Item(server: HostName("large.example.com"), account: "a", secret: large))
    }
    let now = try fleet.first.locked { (file) throws(VaultError) in try file.requireUnlocked() }
    (keys, head) = (now.keys, now.head)
    rows = [:]
    try load()
  }

  static func item(_ host: String, _ account: String) throws(VaultError) -> Item {
    Item(
      server: try HostName("\(host).example.com"), account: account, secret: Secret("one"))
  }

  private func load() throws {
    head = try fleet.first.locked { (file) throws(VaultError) in try file.requireUnlocked().head }
    rows = [:]
    for (key, row) in fleet.server.now.rows where key.table == .node { rows[key.id] = row.sealed }
  }

  /// Adds an item, and returns the tree before and the ids of the rows that it wrote.
  func add(_ item: Item) throws -> (old: EarlierTree, written: Set<UInt64>) {
    let (oldHead, old) = (head, rows)
    _ = try fleet.first.add(item)
    try load()
    let written = Set(rows.keys.filter { rows[$0] != old[$0] })
    return (EarlierTree(oldHead, keys, replaced: old.filter { written.contains($0.key) }), written)
  }

  func reader(_ rows: MemoryRows) -> TreeReader {
    TreeReader(
      keys: keys, root: head.directory, rows: rows, clock: VaultClock(),
      beforeReading: { () throws(VaultError) in })
  }

  /// Copies rows in an order into a new tree, and checks it.
  func copy(_ rows: [(key: UInt64, value: [UInt8])]) throws(VaultError) {
    var tree = IncomingTree(keys, below: head)
    let copy = MemoryRows()
    for (id, sealed) in rows {
      try tree.take(id, sealed)
      copy.rows[id] = sealed
    }
    try tree.check(head, with: reader(copy))
  }

  /// An id of each kind of row.
  var examples: [NodeKind: UInt64] {
    Dictionary(rows.keys.sorted().map { (NodeID.kind(of: $0), $0) }) { _, last in last }
  }
}

@Suite("rows that come from a server, one after another or beside those that are here")
struct IncomingTreeTests {
  @Test("a change is checked without the nodes that it left as they were", arguments: [0, 1])
  func changes(_ kind: Int) throws {
    let tree = try BigTree()
    let item = kind == 0 ? try BigTree.item("new", "a") : try BigTree.item("heavy", "new")
    let (old, written) = try tree.add(item)
    let rows = MemoryRows()
    rows.rows = tree.rows
    try tree.reader(rows).check(written: written, removed: [], of: tree.head, since: old)
    // The keys are random, so the changed bucket may be the one that names the large secret.
    #expect(rows.asked.filter { NodeID.kind(of: $0) != .largeSecret } == written)
    #expect(written.contains { NodeID.kind(of: $0) == .chunk })
    // Without them, all buckets of the changed chunks are: 128, or those of the last chunk.
    let blind = EarlierTree(old.head, tree.keys, replaced: [:])
    try tree.reader(rows).check(written: written, removed: [], of: tree.head, since: blind)
    #expect(rows.asked.count > 20)
  }

  @Test("a row that came beside a change is checked against all others")
  func beside() throws {
    let tree = try BigTree()
    for id in tree.examples.values.sorted() where NodeID.kind(of: id) != .commit {
      let (old, written) = try tree.add(BigTree.item("new\(id)", "a"))
      guard !written.contains(id) else { continue }
      let rows = MemoryRows()
      rows.rows = tree.rows
      // Rewritten as it was.
      try tree.reader(rows).check(
        written: written.union([id]), removed: [], of: tree.head, since: old)
      rows.rows[id]?[100] ^= 1
      #expect(throws: VaultError(.damaged, ""), "\(NodeID.kind(of: id))") {
        try tree.reader(rows).check(
          written: written.union([id]), removed: [], of: tree.head, since: old)
      }
      rows.rows[id] = nil
      #expect(throws: VaultError(.damaged, ""), "\(NodeID.kind(of: id))") {
        try tree.reader(rows).check(
          written: written, removed: [id], of: tree.head, since: old)
      }
    }
  }

  @Test(
    "a whole tree is taken row by row, and each row that lacks or differs is damage",
    arguments: [true, false])
  func whole(_ isLinked: Bool) throws {
    let tree = try BigTree(isLinked: isLinked)
    #expect(tree.head.mayLink == isLinked)
    #expect(tree.examples.count == (isLinked ? 5 : 4))
    let old = tree.rows
    _ = try tree.add(BigTree.item("new", "a"))
    _ = try tree.add(BigTree.item("heavy", "new"))
    let rows = tree.rows.sorted { $0.key < $1.key }
    try tree.copy(rows)
    for (id, kind) in tree.examples.map({ ($0.value, $0.key) }) {
      let index = try #require(rows.firstIndex { $0.key == id })
      func expectDamage(_ what: String, _ change: (inout [(key: UInt64, value: [UInt8])]) -> Void) {
        var changed = rows
        change(&changed)
        #expect(throws: VaultError(.damaged, ""), "\(kind) \(what)") { try tree.copy(changed) }
      }
      expectDamage("missing") { $0.remove(at: index) }
      expectDamage("flipped") { $0[index].value[$0[index].value.count - 20] ^= 1 }
      expectDamage("twice") { $0.insert($0[index], at: index) }
      expectDamage("late") { $0.append($0.remove(at: $0.count - 2)) }
      expectDamage("under another id") { rows in
        let id = rows[index].key ^ 1
        rows[index].key = id
        rows.sort { $0.key < $1.key }
      }
    }
    // Rows that were authentic once.
    for (id, sealed) in old where tree.rows[id] != sealed {
      let index = try #require(rows.firstIndex { $0.key == id })
      var changed = rows
      changed[index].value = sealed
      #expect(throws: VaultError(.damaged, ""), "\(id)") { try tree.copy(changed) }
    }
  }

  @Test("a row that no other names is damage, of each kind")
  func stray() throws {
    let tree = try BigTree()
    for (kind, id) in tree.examples {
      let other: UInt64 =
        switch kind {
        case .bucket: NodeID.bucket(9, tree: 77)
        case .chunk: NodeID.chunk(9, tree: 77)
        default: id + 7
        }
      var rows = tree.rows
      rows[other] =
        kind == .largeSecret
        ? tree.keys.seal(Secret("large"), id: other) : tree.keys.seal([], as: kind, id: other)
      #expect(throws: VaultError(.damaged, ""), "\(kind)") {
        try tree.copy(rows.sorted { $0.key < $1.key })
      }
    }
  }
}
