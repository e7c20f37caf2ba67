import VaultReports
import AttackSupport
import Glibc
import SecureMemory
import StoreTesting
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Salvage of a damaged vault: everything that is still there, and never a wrong secret.
@Suite struct SalvageTests {
  /// The result of salvaging some bytes.
  struct Outcome {
    let report: SalvageReport
    let items: [Item]
    var listing: ItemBytes { ItemBytes(items, withSecrets: true) }

    /// The items that a good tree led to.
    var verified: ItemBytes {
      let unverified = Set(report.unverified.map(\.id))
      return ItemBytes(items.filter { !unverified.contains($0.id) }, withSecrets: true)
    }
  }

  private static func salvage(
    _ bytes: [UInt8], key: UnlockKey, in folder: Folder
  ) throws -> Outcome {
    try File.write(bytes, to: folder("v"))
    defer { unsafe unlink(folder("out")) }
    let report = try Salvage.run(
      from: VaultPath(folder("v")), to: VaultPath(folder("out")), key: key, cost: .minimum)
    // The source is only read, and nothing is left beside either.
    #expect(try File.read(folder("v")) == bytes)
    #expect(try folder.contents() == ["out", "v"])
    let items = try GoldenVault.withStore(folder("out"), key: key) { (store) throws(VaultError) in
      guard try store.verify().problems.isEmpty else {
        throw VaultError(.internalError, "the new vault does not verify")
      }
      return try store.find(ItemQuery(), withSecrets: true)
    }
    #expect(items.count == report.itemCount)
    return Outcome(report: report, items: items)
  }

  private func salvage(_ golden: GoldenVault, after sql: String) throws -> Outcome {
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    try Database.run(sql, on: folder("v"))
    return try Self.salvage(File.read(folder("v")), key: golden.key, in: folder)
  }

  private static let goldens = [GoldenVault.small, GoldenVault.heavy, GoldenVault.chunked]

  @Test(arguments: 0..<3)
  func `A vault that is well comes out whole and verified, with all kinds of records`(
    number: Int
  ) throws {
    let golden = try Self.goldens[number].get()
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    let report = try Salvage.run(
      from: VaultPath(folder("v")), to: VaultPath(folder("out")), key: golden.key, cost: .minimum)
    #expect(report.isComplete && report.unverified.isEmpty && report.problems == [])
    let states = try ["v", "out"].map { name in
      try GoldenVault.withStore(folder(name), key: golden.key) { (store) throws(VaultError) in
        let listing = ItemBytes(try store.find(ItemQuery(), withSecrets: true), withSecrets: true)
        return (try store.information(), try store.defaults(), listing)
      }
    }
    #expect(states[0].2 == states[1].2 && states[1].2 == golden.listing)
    #expect(states[0].1 == states[1].1)
    #expect(states[0].0.ident.vaultID != states[1].0.ident.vaultID)
    #expect(states[1].0.ident.epoch == 1 && states[1].0.slots.count == 1)
    // A revision is the generation of a write, so the next one must be above all.
    let newest = golden.items.map(\.revision).max() ?? 0
    #expect(states[1].0.generation >= newest)
    // The result can be used.
    try GoldenVault.withStore(folder("out"), key: golden.key) { (store) throws(VaultError) in
      _ = try store.add(Workload.item("new", "new"))
      #expect(try store.verify().problems == [])
    }
  }

  @Test(arguments: 0..<3)
  func `Without a head everything comes out, unverified, and what is missing cannot be told`(
    number: Int
  ) throws {
    let golden = try Self.goldens[number].get()
    let outcome = try salvage(golden, after: "UPDATE vault SET head = zeroblob(length(head))")
    #expect(outcome.listing == golden.listing)
    #expect(outcome.report.unverified.count == golden.items.count)
    #expect(outcome.report.lost.map(\.kind) == [.count])
  }

  @Test func `Without a chunk its buckets come out unverified, and nothing is lost`() throws {
    let golden = try GoldenVault.chunked.get()
    let outcome = try salvage(golden, after: "DELETE FROM node WHERE id = 1 << 32")
    #expect(outcome.listing == golden.listing)
    #expect(outcome.report.isComplete)
    #expect(outcome.report.problems.map(\.buckets) == [0...127])
    let unverified = outcome.report.unverified.count
    #expect(unverified > 0 && unverified < golden.items.count)
    #expect(outcome.verified.isSubset(of: golden.listing))
  }

  @Test(arguments: ["UPDATE node SET sealed = zeroblob(length(sealed))", "DELETE FROM node"])
  func `What lost buckets held is missing by number, and the rest comes out verified`(
    sql: String
  ) throws {
    for (golden, ids) in [
      (try GoldenVault.chunked.get(), "3, 7, 129"), (try GoldenVault.heavy.get(), "(1 << 33) + 2"),
      (try GoldenVault.heavy.get(), "(2 << 33) + 1, (2 << 33) + 2"),
    ] {
      let outcome = try salvage(golden, after: "\(sql) WHERE id IN (\(ids))")
      #expect(outcome.report.unverified.isEmpty)
      #expect(outcome.listing.isSubset(of: golden.listing))
      let missing = outcome.report.lost.compactMap(\.missing).reduce(0, +)
      #expect(missing == golden.items.count - outcome.items.count && missing > 0)
    }
  }

  @Test func `A group whose record is lost comes out by its rows' own seals`() throws {
    let golden = try GoldenVault.heavy.get()
    let outcome = try salvage(golden, after: "DELETE FROM node WHERE id = 1")
    #expect(outcome.listing.isSubset(of: golden.listing))
    // All but those that were in the same bucket as the group's record.
    #expect(outcome.items.count > golden.items.count * 2 / 3)
    #expect(!outcome.report.unverified.isEmpty)
  }

  @Test(arguments: ["DELETE FROM node", "UPDATE node SET sealed = zeroblob(length(sealed))"])
  func `An item whose large secret is lost is left out and named`(sql: String) throws {
    let golden = try GoldenVault.small.get()
    let outcome = try salvage(golden, after: "\(sql) WHERE id > 1 << 62")
    let large = golden.items.filter { $0.secret?.count ?? 0 > 1024 }
    #expect(!large.isEmpty)
    #expect(Set(outcome.report.lost.compactMap(\.item)) == Set(large.map(\.id)))
    #expect(outcome.report.lost.allSatisfy { $0.item == nil || $0.server != nil })
    #expect(outcome.items.count == golden.items.count - large.count)
    #expect(outcome.listing.isSubset(of: golden.listing))
  }

  @Test(arguments: [
    "CREATE TABLE extra (x)", "CREATE TRIGGER t AFTER UPDATE ON vault BEGIN DELETE FROM node; END",
    "ALTER TABLE node RENAME TO old", "CREATE INDEX i ON node (sealed)",
    "PRAGMA application_id = 0", "PRAGMA user_version = 9", "PRAGMA journal_mode = WAL",
    "UPDATE sqlite_schema SET sql = upper(sql)", "DELETE FROM sqlite_schema",
    "UPDATE sqlite_schema SET rootpage = 99 WHERE name = 'node'",
    "INSERT INTO node VALUES (77, randomblob(512)), (-5, zeroblob(512))",
    "INSERT INTO slot VALUES (9, zeroblob(148))",
  ])
  func `A changed schema or foreign rows keep nothing from coming out verified`(sql: String) throws
  {
    let golden = try GoldenVault.small.get()
    let outcome = try salvage(golden, after: sql)
    #expect(outcome.listing == golden.listing)
    #expect(outcome.report.isComplete && outcome.report.unverified.isEmpty)
  }

  // MARK: Anywhere

  /// Judges a salvage: every item that came out must be as it was, every one called verified must
  /// be verified, and every missing one must be reported.
  private static func judge(
    _ bytes: [UInt8], _ golden: GoldenVault, _ folder: Folder
  ) -> AnswerCheck.Verdict {
    do {
      let outcome = try salvage(bytes, key: golden.key, in: folder)
      guard outcome.listing.isSubset(of: golden.listing) else { return .wrong("a wrong item") }
      let isWhole = outcome.listing == golden.listing
      guard isWhole || !outcome.report.isComplete else { return .wrong("a loss that is not told") }
      return isWhole ? .right : .refused(.damaged)
    } catch {
      unsafe unlink(folder("out"))
      // The change hit ident or slots: nobody could open anything.
      guard let error = error as? VaultError, [.damaged, .notAVault].contains(error.code) else {
        return .wrong("\(error)")
      }
      return .refused(error.code)
    }
  }

  @Test(arguments: 0..<3)
  func `Whatever page is zeros, the others' rows come out`(number: Int) throws {
    let golden = try Self.goldens[number].get()
    let all = golden.bytes.count / 4096
    let pages = Array(stride(from: 0, to: all, by: AttackRun.isComplete ? 1 : max(1, all / 9)))
    let campaign = AttackRun.run(pages) { page, _, folder in
      var bytes = golden.bytes
      bytes.replaceSubrange(page * 4096..<page * 4096 + 4096, with: repeatElement(0, count: 4096))
      return Self.judge(bytes, golden, folder)
    }
    #expect(campaign.wrong == [])
    // The first page, and inner pages, are needed by SQLite alone.
    #expect(campaign.right > 0)
  }

  @Test(arguments: 0..<3)
  func `Wherever the file ends, what lies before comes out`(number: Int) throws {
    let golden = try Self.goldens[number].get()
    let step = AttackRun.isComplete ? 512 : max(1024, golden.bytes.count / 4096 / 9 * 4096)
    let blocks = Array(stride(from: 0, to: golden.bytes.count, by: step))
    let ends: [Int] = blocks + blocks.map { $0 + 77 }
    let campaign = AttackRun.run(ends) { end, _, folder in
      Self.judge(Array(golden.bytes.prefix(end)), golden, folder)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.count == ends.count || Sanitizer.isActive)
  }

  @Test func `Whatever byte is another, no wrong secret comes out`() throws {
    let golden = try GoldenVault.small.get()
    let places = Array(stride(from: 0, to: golden.bytes.count, by: AttackRun.isComplete ? 1 : 29))
    let campaign = AttackRun.run(places) { place, turn, folder in
      var bytes = golden.bytes
      bytes[place] ^= 1 << UInt8(turn % 8)
      return Self.judge(bytes, golden, folder)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.right > 0 && campaign.refused > 0)
  }

  // MARK: Old states

  /// Returns a vault before and after its items were changed, each with access to the other's rows.
  private func changed(
    _ change: (FileTransaction, Item) throws(VaultError) -> Void
  ) throws -> (fixture: VaultFixture, before: ItemBytes, after: ItemBytes) {
    let fixture = try VaultFixture(holding: Workload.spread)
    let before = ItemBytes(
      try GoldenVault.read(fixture.vault, key: fixture.key, stateFolder: fixture.stateFolder),
      withSecrets: true)
    try File.write(File.read(fixture.vault), to: fixture.folder("before"))
    try fixture.withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        for item in try transaction.find(ItemQuery(), withSecrets: true) {
          try change(transaction, item)
        }
      }
    }
    let after = ItemBytes(
      try GoldenVault.read(fixture.vault, key: fixture.key, stateFolder: fixture.stateFolder),
      withSecrets: true)
    return (fixture, before, after)
  }

  @Test func `An old bucket in the place of the present one comes out, and is called unverified`()
    throws
  {
    let (fixture, before, after) = try changed { (transaction, item) throws(VaultError) in
      _ = try transaction.modify(item.id, hint: item.key, [.secret(Secret("newer"))])
    }
    try Database.run(
      "UPDATE main.node SET sealed = (SELECT sealed FROM other.node WHERE id = 1) WHERE id = 1",
      on: fixture.vault, other: fixture.folder("before"))
    let outcome = try Self.salvage(File.read(fixture.vault), key: fixture.key, in: Folder())
    #expect(outcome.items.count == before.count)
    #expect(outcome.verified.isSubset(of: after) && outcome.verified.count > 0)
    let old = Set(outcome.report.unverified.map(\.id))
    let items = outcome.items.filter { old.contains($0.id) }
    #expect(!items.isEmpty && ItemBytes(items, withSecrets: true).isSubset(of: before))
  }

  @Test func `What a good bucket proves to be removed does not come back`() throws {
    let (fixture, _, _) = try changed { (transaction, item) throws(VaultError) in
      // Entries of the log would need more buckets than the item that stays.
      try transaction.setLogDays(0)
      if item.account != "base0" {
        try transaction.remove(item.id, hint: item.key, removal: .permanent)
      }
    }
    // The rows of buckets that were merged away are there again, and something else is damaged.
    try Database.run(
      "INSERT OR IGNORE INTO main.node SELECT * FROM other.node; INSERT INTO node VALUES (99, x'00')",
      on: fixture.vault, other: fixture.folder("before"))
    let outcome = try Self.salvage(File.read(fixture.vault), key: fixture.key, in: Folder())
    #expect(outcome.items.map(\.account) == ["base0"])
    #expect(outcome.report.isComplete && outcome.report.unverified.isEmpty)
    // If the one bucket itself is lost, only those rows are left, and they are marked.
    try Database.run("UPDATE node SET sealed = zeroblob(512) WHERE id = 0", on: fixture.vault)
    let other = try Self.salvage(File.read(fixture.vault), key: fixture.key, in: Folder())
    #expect(other.report.unverified.count == other.items.count)
    #expect(!other.items.isEmpty)
  }

  @Test func `What a good bucket proves to be removed stays away, also where another one is lost`()
    throws
  {
    let items = (0..<200).map { number in
      Item(
        server: HostName(canonical: "host\(number).example.org"), account: "user\(number)",
        secret: Secret("secret"))
    }
    let fixture = try VaultFixture(holding: items)
    try File.write(File.read(fixture.vault), to: fixture.folder("before"))
    try fixture.withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        for item in try transaction.find(ItemQuery(), withSecrets: true).prefix(110) {
          try transaction.remove(item.id, hint: item.key, removal: .permanent)
        }
      }
    }
    let after = try GoldenVault(name: "after", bytes: File.read(fixture.vault), key: fixture.key)
    try Database.run(
      "INSERT OR IGNORE INTO main.node SELECT * FROM other.node; DELETE FROM main.node WHERE id = 0",
      on: fixture.vault, other: fixture.folder("before"))
    let outcome = try Self.salvage(File.read(fixture.vault), key: fixture.key, in: Folder())
    #expect(outcome.listing.isSubset(of: after.listing))
    #expect(outcome.report.unverified.isEmpty && !outcome.report.isComplete)
    #expect(outcome.items.count > 60)
  }

  @Test func `A journal that waits to be played back counts, and is left alone`() throws {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    for call in [3, 8, 1000] {
      let driver = try fixture.driver(
        "write",
        [
          "workload": "modify", "first": "0", "count": "0", "switch": "before-commit",
          "call": "\(call)",
        ])
      #expect(driver.wait() == .killed(signal: SIGKILL))
      let (vault, journal) = (
        try File.read(fixture.vault), try File.read(fixture.vault + "-journal")
      )
      let out = fixture.folder("out")
      let report = try Salvage.run(
        from: VaultPath(fixture.vault), to: VaultPath(out), key: fixture.key, cost: .minimum)
      #expect(report.isComplete && report.unverified.isEmpty && report.problems == [])
      let items = try GoldenVault.read(out, key: fixture.key)
      let contents = Dictionary(
        uniqueKeysWithValues: items.map { ($0.account, $0.secret?.text ?? "") })
      #expect(contents == Workload.modify.state(after: 0))
      #expect(try File.read(fixture.vault) == vault)
      #expect(try File.read(fixture.vault + "-journal") == journal)
      try File.remove(out)
      #expect(try fixture.contents() == Workload.modify.state(after: 0))
    }
  }

  // MARK: Memory

  /// Creates a vault with the given number of secrets of 1 MiB, one after another: each is a row of
  /// its own.
  private func makeLarge(_ count: Int) throws -> VaultFixture {
    let fixture = try VaultFixture()
    try fixture.withStore { (store) throws(VaultError) in
      for number in 0..<count {
        _ = try store.add(
          Item(
            server: HostName(canonical: "large.example"), account: "\(number)",
            secret: Secret(String(repeating: "\(number % 10)", count: 1 << 20))))
      }
    }
    return fixture
  }

  /// Salvages in a process that may use the given number of MiB more than it has at its beginning.
  private func salvage(_ fixture: VaultFixture, within space: Int) throws -> [String] {
    let out = fixture.folder("out")
    let driver = try fixture.driver("salvage-small", ["out": out, "space": "\(space)"])
    let lines = driver.lines()
    #expect(driver.wait() == .exited(0))
    return lines
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer's shadow needs terabytes of address space"))
  func `A vault larger than the memory there is comes out whole`() throws {
    let fixture = try makeLarge(100)
    #expect(try File.read(fixture.vault).count > 100 << 20)
    #expect(try salvage(fixture, within: 48) == ["items 100", "complete true"])
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer's shadow needs terabytes of address space"))
  func `Planted cells that all name the same pages hold and cost nothing`() throws {
    let fixture = try makeLarge(2)
    var bytes = try File.read(fixture.vault)
    // Pages full of cells, each of which says that it is a row of 1 MiB whose rest begins at page
    // 20.
    let cell: [UInt8] =
      [0xC0, 0x80, 0x08, 0x85, 0x00] + [0x06, 0x00, 0xC0, 0x80, 0x0C]
      + [UInt8](repeating: 7, count: 9)
    for _ in 0..<400 {
      var page: [UInt8] = [0x0D, 0, 0, 1, 0x80, 0, 0, 0]
      for number in 0..<384 {
        let offset = 800 + number * 8
        page += [UInt8(offset >> 8), UInt8(offset & 255)]
      }
      while page.count < 4096 { page += cell }
      bytes += page.prefix(4096)
    }
    try File.write(bytes, to: fixture.vault)
    #expect(try salvage(fixture, within: 48) == ["items 2", "complete true"])
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer's shadow needs terabytes of address space"))
  func `Planted cells that each name another page that is not there hold nothing`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    // Rows of 968 ⋅ 512 bytes with 489 of them on the page, as nodes have, and the rest on a page
    // beyond the file.
    let cell: [UInt8] =
      [0x9E, 0xA0, 0x05, 0x01] + [5, 0, 0xBC, 0xC0, 0x0C] + [UInt8](repeating: 0, count: 484)
    var page: [UInt8] = [0x0D, 0, 0, 0, 8, 0, 0, 0]
    for number in 0..<8 {
      let offset = 24 + number * (cell.count + 4)
      page += [UInt8(offset >> 8), UInt8(offset & 255)]
    }
    for _ in 0..<8 { page += cell + [0, 0, 0, 0] }
    page += [UInt8](repeating: 0, count: 4096 - page.count)
    var bytes = try File.read(fixture.vault)
    for number in 0..<25_000 {
      for row in 0..<8 {
        let name = UInt32(1 << 24 + 8 * number + row)
        let end = 24 + (row + 1) * (cell.count + 4)
        for byte in 0..<4 { page[end - 1 - byte] = UInt8(truncatingIfNeeded: name >> (8 * byte)) }
      }
      bytes += page
    }
    try File.write(bytes, to: fixture.vault)
    #expect(
      try salvage(fixture, within: 4) == ["items \(Workload.add.base.count)", "complete true"])
  }

  @Test func `A vault that this process has open comes out whole, and stays usable`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try fixture.withStore { (store) throws(VaultError) in
      let report = try Salvage.run(
        from: VaultPath(fixture.vault), to: VaultPath(fixture.folder("out")), key: fixture.key,
        cost: .minimum)
      #expect(report.isComplete)
      _ = try store.add(Workload.item("later", "later"))
    }
    #expect(try fixture.problems() == [])
  }

  @Test func `Nothing is written where nothing can be, or without the right key`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    func outcome(_ from: String, _ to: String, _ key: UnlockKey) -> VaultError.Code? {
      AttackSupport.outcome { () throws(VaultError) in
        _ = try Salvage.run(from: VaultPath(from), to: VaultPath(to), key: key, cost: .minimum)
      }?.code
    }
    let out = fixture.folder("out")
    #expect(outcome(fixture.vault, out, .keyFile(KeyFile())) == .authenticationFailed)
    #expect(outcome(fixture.vault, out, .passphrase(Secret("x"))) == .authenticationFailed)
    #expect(outcome(fixture.folder("nothing"), out, fixture.key) == .vaultNotFound)
    try File.write(Array(repeating: 7, count: 9000), to: fixture.folder("text"))
    #expect(outcome(fixture.folder("text"), out, fixture.key) == .notAVault)
    #expect(outcome(fixture.vault, fixture.folder("text"), fixture.key) == .cannotCreate)
    try Database.run("DELETE FROM slot", on: fixture.vault)
    #expect(outcome(fixture.vault, out, fixture.key) == .damaged)
    #expect(!File.exists(out))
    try File.setMode(0o644, of: fixture.vault)
    #expect(outcome(fixture.vault, out, fixture.key) == .unsafePermissions)
  }
}
