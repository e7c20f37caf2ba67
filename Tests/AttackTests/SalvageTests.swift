import AttackSupport
import Glibc
import SecureMemory
import StoreTesting
import Testing
import VaultCrypto
import VaultFile
import VaultModel
import VaultRecovery
import VaultSession

/// Salvage of a damaged vault: everything that is still there, and never a wrong secret.
@Suite struct SalvageTests {
  /// The result of salvaging some bytes.
  struct Outcome {
    let report: SalvageReport
    let items: [InternetPassword]
    var listing: Listing { Listing(items, secrets: true) }

    /// The items that a good tree led to.
    var verified: Listing {
      let unverified = Set(report.unverified.map(\.id))
      return Listing(items.filter { !unverified.contains($0.id) }, secrets: true)
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
    let items = try Specimen.withStore(folder("out"), key: key) { (store) throws(VaultError) in
      guard try store.verify().problems.isEmpty else {
        throw VaultError(.internalError, "the new vault does not verify")
      }
      return try store.find(ItemQuery(), secrets: true)
    }
    #expect(items.count == report.itemCount)
    return Outcome(report: report, items: items)
  }

  private func salvage(_ specimen: Specimen, after sql: String) throws -> Outcome {
    let folder = try Folder()
    try File.write(specimen.bytes, to: folder("v"))
    try Database.run(sql, on: folder("v"))
    return try Self.salvage(File.read(folder("v")), key: specimen.key, in: folder)
  }

  private static let specimens = [Specimen.small, Specimen.heavy, Specimen.chunked]

  @Test(arguments: 0..<3)
  func `A vault that is well comes out whole and verified, with all kinds of records`(
    number: Int
  ) throws {
    let specimen = try Self.specimens[number].get()
    let folder = try Folder()
    try File.write(specimen.bytes, to: folder("v"))
    let report = try Salvage.run(
      from: VaultPath(folder("v")), to: VaultPath(folder("out")), key: specimen.key, cost: .minimum)
    #expect(report.isComplete && report.unverified.isEmpty && report.problems == [])
    let states = try ["v", "out"].map { name in
      try Specimen.withStore(folder(name), key: specimen.key) { (store) throws(VaultError) in
        let listing = Listing(try store.find(ItemQuery(), secrets: true), secrets: true)
        return (try store.information(), try store.defaults(), listing)
      }
    }
    #expect(states[0].2 == states[1].2 && states[1].2 == specimen.listing)
    #expect(states[0].1 == states[1].1)
    #expect(states[0].0.ident.vaultID != states[1].0.ident.vaultID)
    #expect(states[1].0.ident.epoch == 1 && states[1].0.slots.count == 1)
    // A revision is the generation of a write, so the next one must be above all.
    let newest = specimen.items.map(\.revision).max() ?? 0
    #expect(states[1].0.generation >= newest)
    // The result can be used.
    try Specimen.withStore(folder("out"), key: specimen.key) { (store) throws(VaultError) in
      _ = try store.add(Workload.item("new", "new"))
      #expect(try store.verify().problems == [])
    }
  }

  @Test(arguments: 0..<3)
  func `Without a head everything comes out, unverified, and what is missing cannot be told`(
    number: Int
  ) throws {
    let specimen = try Self.specimens[number].get()
    let outcome = try salvage(specimen, after: "UPDATE vault SET head = zeroblob(length(head))")
    #expect(outcome.listing == specimen.listing)
    #expect(outcome.report.unverified.count == specimen.items.count)
    #expect(outcome.report.lost.map(\.kind) == [.count])
  }

  @Test func `Without a chunk its buckets come out unverified, and nothing is lost`() throws {
    let specimen = try Specimen.chunked.get()
    let outcome = try salvage(specimen, after: "DELETE FROM node WHERE id = 1 << 32")
    #expect(outcome.listing == specimen.listing)
    #expect(outcome.report.isComplete)
    #expect(outcome.report.problems.map(\.buckets) == [0...127])
    let unverified = outcome.report.unverified.count
    #expect(unverified > 0 && unverified < specimen.items.count)
    #expect(outcome.verified.isSubset(of: specimen.listing))
  }

  @Test(arguments: ["UPDATE node SET sealed = zeroblob(length(sealed))", "DELETE FROM node"])
  func `What lost buckets held is missing by number, and the rest comes out verified`(
    sql: String
  ) throws {
    for (specimen, ids) in [
      (try Specimen.chunked.get(), "3, 7, 129"), (try Specimen.heavy.get(), "(1 << 33) + 2"),
      (try Specimen.heavy.get(), "(2 << 33) + 1, (2 << 33) + 2"),
    ] {
      let outcome = try salvage(specimen, after: "\(sql) WHERE id IN (\(ids))")
      #expect(outcome.report.unverified.isEmpty)
      #expect(outcome.listing.isSubset(of: specimen.listing))
      let missing = outcome.report.lost.compactMap(\.missing).reduce(0, +)
      #expect(missing == specimen.items.count - outcome.items.count && missing > 0)
    }
  }

  @Test func `A group whose record is lost comes out by its rows' own seals`() throws {
    let specimen = try Specimen.heavy.get()
    let outcome = try salvage(specimen, after: "DELETE FROM node WHERE id = 1")
    #expect(outcome.listing.isSubset(of: specimen.listing))
    // All but those that were in the same bucket as the group's record.
    #expect(outcome.items.count > specimen.items.count * 2 / 3)
    #expect(!outcome.report.unverified.isEmpty)
  }

  @Test(arguments: ["DELETE FROM node", "UPDATE node SET sealed = zeroblob(length(sealed))"])
  func `An item whose large secret is lost is left out and named`(sql: String) throws {
    let specimen = try Specimen.small.get()
    let outcome = try salvage(specimen, after: "\(sql) WHERE id > 1 << 62")
    let large = specimen.items.filter { $0.secret?.count ?? 0 > 1024 }
    #expect(!large.isEmpty)
    #expect(Set(outcome.report.lost.compactMap(\.item)) == Set(large.map(\.id)))
    #expect(outcome.report.lost.allSatisfy { $0.item == nil || $0.server != nil })
    #expect(outcome.items.count == specimen.items.count - large.count)
    #expect(outcome.listing.isSubset(of: specimen.listing))
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
    let specimen = try Specimen.small.get()
    let outcome = try salvage(specimen, after: sql)
    #expect(outcome.listing == specimen.listing)
    #expect(outcome.report.isComplete && outcome.report.unverified.isEmpty)
  }

  // MARK: Anywhere

  /// Judges a salvage: every item that came out must be as it was, every one called verified must
  /// be verified, and every missing one must be reported.
  private static func judge(
    _ bytes: [UInt8], _ specimen: Specimen, _ folder: Folder
  ) -> Judge.Verdict {
    do {
      let outcome = try salvage(bytes, key: specimen.key, in: folder)
      guard outcome.listing.isSubset(of: specimen.listing) else { return .wrong("a wrong item") }
      let isWhole = outcome.listing == specimen.listing
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
    let specimen = try Self.specimens[number].get()
    let all = specimen.bytes.count / 4096
    let pages = Array(stride(from: 0, to: all, by: Campaign.isComplete ? 1 : max(1, all / 9)))
    let campaign = Campaign.run(pages) { page, _, folder in
      var bytes = specimen.bytes
      bytes.replaceSubrange(page * 4096..<page * 4096 + 4096, with: repeatElement(0, count: 4096))
      return Self.judge(bytes, specimen, folder)
    }
    #expect(campaign.wrong == [])
    // The first page, and inner pages, are needed by SQLite alone.
    #expect(campaign.right > 0)
  }

  @Test(arguments: 0..<3)
  func `Wherever the file ends, what lies before comes out`(number: Int) throws {
    let specimen = try Self.specimens[number].get()
    let step = Campaign.isComplete ? 512 : max(1024, specimen.bytes.count / 4096 / 9 * 4096)
    let blocks = Array(stride(from: 0, to: specimen.bytes.count, by: step))
    let ends: [Int] = blocks + blocks.map { $0 + 77 }
    let campaign = Campaign.run(ends) { end, _, folder in
      Self.judge(Array(specimen.bytes.prefix(end)), specimen, folder)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.count == ends.count || Sanitizer.isActive)
  }

  @Test func `Whatever byte is another, no wrong secret comes out`() throws {
    let specimen = try Specimen.small.get()
    let places = Array(stride(from: 0, to: specimen.bytes.count, by: Campaign.isComplete ? 1 : 29))
    let campaign = Campaign.run(places) { place, turn, folder in
      var bytes = specimen.bytes
      bytes[place] ^= 1 << UInt8(turn % 8)
      return Self.judge(bytes, specimen, folder)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.right > 0 && campaign.refused > 0)
  }

  // MARK: Old states

  /// Returns a vault before and after its items were changed, each with access to the other's rows.
  private func changed(
    _ change: (FileTransaction, InternetPassword) throws(VaultError) -> Void
  ) throws -> (scene: Scene, before: Listing, after: Listing) {
    let scene = try Scene(holding: Workload.spread)
    let before = Listing(
      try Specimen.read(scene.vault, key: scene.key, stateFolder: scene.stateFolder), secrets: true)
    try File.write(File.read(scene.vault), to: scene.folder("before"))
    try scene.withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        for item in try transaction.find(ItemQuery(), secrets: true) {
          try change(transaction, item)
        }
      }
    }
    let after = Listing(
      try Specimen.read(scene.vault, key: scene.key, stateFolder: scene.stateFolder), secrets: true)
    return (scene, before, after)
  }

  @Test func `An old bucket in the place of the present one comes out, and is called unverified`()
    throws
  {
    let (scene, before, after) = try changed { (transaction, item) throws(VaultError) in
      _ = try transaction.modify(item.id, hint: item.key, [.secret(Secret("newer"))])
    }
    try Database.run(
      "UPDATE main.node SET sealed = (SELECT sealed FROM other.node WHERE id = 1) WHERE id = 1",
      on: scene.vault, other: scene.folder("before"))
    let outcome = try Self.salvage(File.read(scene.vault), key: scene.key, in: Folder())
    #expect(outcome.items.count == before.count)
    #expect(outcome.verified.isSubset(of: after) && outcome.verified.count > 0)
    let old = Set(outcome.report.unverified.map(\.id))
    let items = outcome.items.filter { old.contains($0.id) }
    #expect(!items.isEmpty && Listing(items, secrets: true).isSubset(of: before))
  }

  @Test func `What a good bucket proves to be removed does not come back`() throws {
    let (scene, _, _) = try changed { (transaction, item) throws(VaultError) in
      if item.account != "base0" {
        try transaction.remove(item.id, hint: item.key, isForGood: true)
      }
    }
    // The rows of buckets that were merged away are there again, and something else is damaged.
    try Database.run(
      "INSERT OR IGNORE INTO main.node SELECT * FROM other.node; INSERT INTO node VALUES (99, x'00')",
      on: scene.vault, other: scene.folder("before"))
    let outcome = try Self.salvage(File.read(scene.vault), key: scene.key, in: Folder())
    #expect(outcome.items.map(\.account) == ["base0"])
    #expect(outcome.report.isComplete && outcome.report.unverified.isEmpty)
    // If the one bucket itself is lost, only those rows are left, and they are marked.
    try Database.run("UPDATE node SET sealed = zeroblob(512) WHERE id = 0", on: scene.vault)
    let other = try Self.salvage(File.read(scene.vault), key: scene.key, in: Folder())
    #expect(other.report.unverified.count == other.items.count)
    #expect(!other.items.isEmpty)
  }

  @Test func `What a good bucket proves to be removed stays away, also where another one is lost`()
    throws
  {
    let items = (0..<200).map { number in
      InternetPassword(
        server: HostName(canonical: "host\(number).example.org"), account: "user\(number)",
        secret: Secret("secret"))
    }
    let scene = try Scene(holding: items)
    try File.write(File.read(scene.vault), to: scene.folder("before"))
    try scene.withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        for item in try transaction.find(ItemQuery(), secrets: true).prefix(110) {
          try transaction.remove(item.id, hint: item.key, isForGood: true)
        }
      }
    }
    let after = try Specimen(name: "after", bytes: File.read(scene.vault), key: scene.key)
    try Database.run(
      "INSERT OR IGNORE INTO main.node SELECT * FROM other.node; DELETE FROM main.node WHERE id = 0",
      on: scene.vault, other: scene.folder("before"))
    let outcome = try Self.salvage(File.read(scene.vault), key: scene.key, in: Folder())
    #expect(outcome.listing.isSubset(of: after.listing))
    #expect(outcome.report.unverified.isEmpty && !outcome.report.isComplete)
    #expect(outcome.items.count > 60)
  }

  @Test func `A journal that waits to be played back counts, and is left alone`() throws {
    let scene = try Scene(holding: Workload.modify.base)
    for call in [3, 8, 1000] {
      let driver = try scene.driver(
        "write",
        [
          "workload": "modify", "first": "0", "count": "0", "switch": "before-commit",
          "call": "\(call)",
        ])
      #expect(driver.wait() == .killed(signal: SIGKILL))
      let (vault, journal) = (try File.read(scene.vault), try File.read(scene.vault + "-journal"))
      let out = scene.folder("out")
      let report = try Salvage.run(
        from: VaultPath(scene.vault), to: VaultPath(out), key: scene.key, cost: .minimum)
      #expect(report.isComplete && report.unverified.isEmpty && report.problems == [])
      let items = try Specimen.read(out, key: scene.key)
      let contents = Dictionary(
        uniqueKeysWithValues: items.map { ($0.account, $0.secret?.text ?? "") })
      #expect(contents == Workload.modify.state(after: 0))
      #expect(try File.read(scene.vault) == vault)
      #expect(try File.read(scene.vault + "-journal") == journal)
      try File.remove(out)
      #expect(try scene.contents() == Workload.modify.state(after: 0))
    }
  }

  // MARK: Memory

  /// Creates a vault with the given number of secrets of 1 MiB, one after another: each is a row of
  /// its own.
  private func makeLarge(_ count: Int) throws -> Scene {
    let scene = try Scene()
    try scene.withStore { (store) throws(VaultError) in
      for number in 0..<count {
        _ = try store.add(
          InternetPassword(
            server: HostName(canonical: "large.example"), account: "\(number)",
            secret: Secret(String(repeating: "\(number % 10)", count: 1 << 20))))
      }
    }
    return scene
  }

  /// Salvages in a process that may use the given number of MiB more than it has at its beginning.
  private func salvage(_ scene: Scene, within space: Int) throws -> [String] {
    let out = scene.folder("out")
    let driver = try scene.driver("salvage-small", ["out": out, "space": "\(space)"])
    let lines = driver.lines()
    #expect(driver.wait() == .exited(0))
    return lines
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer's shadow needs terabytes of address space"))
  func `A vault larger than the memory there is comes out whole`() throws {
    let scene = try makeLarge(100)
    #expect(try File.read(scene.vault).count > 100 << 20)
    #expect(try salvage(scene, within: 48) == ["items 100", "complete true"])
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer's shadow needs terabytes of address space"))
  func `Planted cells that all name the same pages hold and cost nothing`() throws {
    let scene = try makeLarge(2)
    var bytes = try File.read(scene.vault)
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
    try File.write(bytes, to: scene.vault)
    #expect(try salvage(scene, within: 48) == ["items 2", "complete true"])
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer's shadow needs terabytes of address space"))
  func `Planted cells that each name another page that is not there hold nothing`() throws {
    let scene = try Scene(holding: Workload.add.base)
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
    var bytes = try File.read(scene.vault)
    for number in 0..<25_000 {
      for row in 0..<8 {
        let name = UInt32(1 << 24 + 8 * number + row)
        let end = 24 + (row + 1) * (cell.count + 4)
        for byte in 0..<4 { page[end - 1 - byte] = UInt8(truncatingIfNeeded: name >> (8 * byte)) }
      }
      bytes += page
    }
    try File.write(bytes, to: scene.vault)
    #expect(try salvage(scene, within: 4) == ["items \(Workload.add.base.count)", "complete true"])
  }

  @Test func `Nothing is written where nothing can be, or without the right key`() throws {
    let scene = try Scene(holding: Workload.add.base)
    func outcome(_ from: String, _ to: String, _ key: UnlockKey) -> VaultError.Code? {
      do throws(VaultError) {
        _ = try Salvage.run(from: VaultPath(from), to: VaultPath(to), key: key, cost: .minimum)
        return nil
      } catch {
        return error.code
      }
    }
    let out = scene.folder("out")
    #expect(outcome(scene.vault, out, .keyFile(KeyFile())) == .authenticationFailed)
    #expect(outcome(scene.vault, out, .passphrase(Secret("x"))) == .authenticationFailed)
    #expect(outcome(scene.folder("nothing"), out, scene.key) == .vaultNotFound)
    try File.write(Array(repeating: 7, count: 9000), to: scene.folder("text"))
    #expect(outcome(scene.folder("text"), out, scene.key) == .notAVault)
    #expect(outcome(scene.vault, scene.folder("text"), scene.key) == .cannotCreate)
    try scene.withStore { (_) throws(VaultError) in
      #expect(outcome(scene.vault, out, scene.key) == .invalidArgument)
    }
    try Database.run("DELETE FROM slot", on: scene.vault)
    #expect(outcome(scene.vault, out, scene.key) == .damaged)
    #expect(!File.exists(out))
    try File.setMode(0o644, of: scene.vault)
    #expect(outcome(scene.vault, out, scene.key) == .unsafePermissions)
  }
}
