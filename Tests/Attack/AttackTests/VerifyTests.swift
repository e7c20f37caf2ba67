import VaultReports
import AttackSupport
import SecureMemory
import StoreTesting
import Testing
import VaultStore
import VaultModel

/// The reports of `verify` on a damaged vault.
@Suite struct VerifyTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  /// Verifies a copy of a golden that SQL was run on.
  private func verify(
    _ golden: GoldenVault, after sql: String, backup: [UInt8]? = nil
  ) throws -> Verification {
    try File.write(golden.bytes, to: folder("v"))
    try Database.run(sql, on: folder("v"))
    if let backup { try File.write(backup, to: folder("backup")) }
    return try GoldenVault.withStore(folder("v"), key: golden.key) { (store) throws(VaultError) in
      try store.verify(backup: backup == nil ? nil : VaultPath(folder("backup")))
    }
  }

  /// Returns the items that a lookup finds in the copy.
  private func found(_ golden: GoldenVault) throws -> Set<ItemID> {
    try GoldenVault.withStore(folder("v"), key: golden.key) { (store) throws(VaultError) in
      var found: Set<ItemID> = []
      for item in golden.items {
        do throws(VaultError) {
          found.formUnion(try store.find(ItemQuery(key: item.key), withSecrets: true).map(\.id))
        } catch {
          guard error.code == .damaged else { throw error }
        }
      }
      return found
    }
  }

  private func ids(_ items: [Item]) -> Set<ItemID> { Set(items.map(\.id)) }

  private let ruined = "SET sealed = zeroblob(length(sealed)) WHERE id"

  @Test func `A lost bucket is named with the number of its records, exactly`() throws {
    let golden = try GoldenVault.chunked.get()
    let whole = try verify(golden, after: "")
    #expect(whole.problems == [])
    for number in [0, 7, 129] {
      let report = try verify(golden, after: "UPDATE node \(ruined) = \(number)")
      let problem = try #require(report.problems.first)
      #expect(report.problems.count == 1)
      #expect(problem.kind == .bucket && problem.tree == 0 && problem.buckets == number...number)
      // The golden vault also has a few records of other kinds.
      let missing = try #require(problem.missing)
      let lost = whole.itemCount - report.itemCount
      #expect(lost > 0 && missing >= lost && missing <= lost + 5)
      #expect(problem.items.isEmpty)
    }
  }

  @Test func `Every lost bucket and chunk is told in one run, with what is missing in all`() throws
  {
    let golden = try GoldenVault.chunked.get()
    let report = try verify(
      golden,
      after: "UPDATE node \(ruined) IN (3, 5); DELETE FROM node WHERE id IN (9, (1 << 32) + 1)")
    let lost = report.problems.filter { [.bucket, .chunk].contains($0.kind) }
    #expect(lost.map(\.buckets) == [3...3, 5...5, 9...9, 128...129])
    #expect(lost.map(\.kind) == [.bucket, .bucket, .bucket, .chunk])
    #expect(lost.allSatisfy { $0.missing == nil })
    #expect(report.problems.count == 5)
    let sum = try #require(report.problems.first { $0.kind == .count }?.missing)
    #expect(sum >= golden.items.count - report.itemCount)
    #expect(report.itemCount == (try found(golden).count))
  }

  @Test func `A backup names exactly the items that a lost bucket or chunk held`() throws {
    let golden = try GoldenVault.chunked.get()
    for sql in [
      "UPDATE node \(ruined) = 3", "DELETE FROM node WHERE id IN (0, 17, 64)",
      "UPDATE node \(ruined) = (1 << 32) + 1", "UPDATE node \(ruined) = 1 << 32",
    ] {
      let report = try verify(golden, after: sql, backup: golden.bytes)
      let named = report.problems.flatMap(\.items)
      #expect(ids(named) == ids(golden.items).subtracting(try found(golden)))
      #expect(!named.isEmpty && named.allSatisfy { $0.secret == nil })
      #expect(named.count == ids(named).count)
    }
  }

  @Test
  func `A backup names the items of a heavy group's lost bucket, and the group is named without`()
    throws
  {
    let golden = try GoldenVault.heavy.get()
    for tree in [1, 2] {
      let report = try verify(
        golden, after: "DELETE FROM node WHERE id = (\(tree) << 33) + 2", backup: golden.bytes)
      let problem = try #require(report.problems.first { $0.kind == .bucket })
      #expect(problem.tree == tree && problem.buckets == 2...2)
      #expect(ids(problem.items) == ids(golden.items).subtracting(try found(golden)))
      #expect(!problem.items.isEmpty && problem.missing.map { $0 >= problem.items.count } == true)
      #expect(problem.items.allSatisfy { $0.server == problem.server })
      #expect((problem.account != nil) == (tree == 2))
      #expect(
        problem.account.map { name in problem.items.allSatisfy { $0.account == name } } != false)
    }
  }

  @Test func `A group whose record is lost is named by what its own rows tell`() throws {
    let golden = try GoldenVault.heavy.get()
    let report = try verify(golden, after: "DELETE FROM node WHERE id < 1 << 32")
    let trees = report.problems.filter { $0.kind == .tree }
    #expect(trees.map(\.tree) == [1, 2, 3, 4])
    // Records that have no server, such as a log's, are a group as well.
    let servers = Set(golden.items.map(\.server)).union([.unset])
    #expect(trees.allSatisfy { $0.server.map(servers.contains) ?? false })
    #expect(trees[0].server == golden.items[0].server)
    // Everything outside a group of its own is lost.
    #expect(report.itemCount == 0)
  }

  @Test func `A bucket from another moment is refused, and its items are named`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let before = try File.read(fixture.vault)
    let key = Workload.add.base[0].key
    try fixture.withStore { (store) throws(VaultError) in
      for item in try store.find(ItemQuery(key: key)) {
        _ = try store.modify(item.id, hint: item.key, [.comment("newer")])
      }
    }
    try File.write(before, to: fixture.folder("before"))
    try Database.run(
      "DELETE FROM main.node; INSERT INTO main.node SELECT * FROM other.node", on: fixture.vault,
      other: fixture.folder("before"))
    let report = try fixture.withStore { (store) throws(VaultError) in try store.verify() }
    #expect(report.problems.map(\.kind) == [.bucket])
    #expect(report.problems.first?.items.contains { $0.key == key } == true)
  }

  @Test func `A large secret whose row is lost is named by its item`() throws {
    let golden = try GoldenVault.small.get()
    let report = try verify(golden, after: "DELETE FROM node WHERE id > 1 << 62")
    #expect(report.itemCount == golden.items.count)
    let problem = try #require(report.problems.first { $0.item != nil })
    let item = try #require(golden.items.first { $0.id == problem.item })
    #expect(problem.kind == .secret && problem.server == item.server)
    #expect(problem.account == item.account && (item.secret?.count ?? 0) > 1024)
  }

  @Test func `Rows that belong to nothing and a wrong structure are told beside other damage`()
    throws
  {
    let golden = try GoldenVault.small.get()
    let report = try verify(
      golden, after: "INSERT INTO node VALUES (77, zeroblob(512)), ((5 << 33) + 1, zeroblob(512))"
    )
    #expect(report.problems.map(\.kind) == [.row, .row])
    #expect(report.itemCount == golden.items.count)
    // A page that nothing refers to: the free list's first entry is removed.
    let pages = golden.bytes.count / 4096
    var bytes = golden.bytes + [UInt8](repeating: 0, count: 4096)
    bytes[31] = UInt8(pages + 1)
    try File.write(bytes, to: folder("v"))
    let other = try GoldenVault.withStore(folder("v"), key: golden.key) {
      (store) throws(VaultError) in try store.verify()
    }
    #expect(Set(other.problems.map(\.kind)) == [.structure])
  }

  @Test func `Only a good copy of the same vault and epoch names anything`() throws {
    let golden = try GoldenVault.small.get()
    let other = try GoldenVault.chunked.get()
    #expect(throws: VaultError(.invalidArgument, "")) {
      try verify(golden, after: "", backup: other.bytes)
    }
    #expect(throws: VaultError(.missingInput, "")) {
      try GoldenVault.withStore(folder("v"), key: golden.key) { (store) throws(VaultError) in
        try store.verify(backup: VaultPath(folder("nothing")))
      }
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try GoldenVault.withStore(folder("v"), key: golden.key) { (store) throws(VaultError) in
        try store.verify(backup: VaultPath(folder("v")))
      }
    }
    _ = try verify(golden, after: "UPDATE node \(ruined) = 0")
    let bad = try File.read(folder("v"))
    #expect(throws: VaultError(.damaged, "")) { try verify(golden, after: "", backup: bad) }
  }

  @Test func `A problem reads as one line that says where, what, and how much is lost`() throws {
    let report = try verify(GoldenVault.chunked.get(), after: "DELETE FROM node WHERE id = 3")
    let problem = try #require(report.problems.first)
    #expect(
      problem.description
        == "bucket 3: row 3 is missing; records lost: \(problem.missing ?? 0)")
  }
}
