import AttackSupport
import Glibc
import SealedTree
import StoreTesting
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// A whole older or other file in a vault's place, and the record that detects it.
@Suite struct RollbackTests {
  private func add(_ account: String, to fixture: VaultFixture) throws {
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item(account, account))
    }
  }

  private func record(of fixture: VaultFixture) throws -> String { try fixture.seenPath() }

  @Test func `An older copy in the vault's place is noticed, and a newer one after that is not`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let older = try File.read(fixture.vault)
    try add("newer", to: fixture)
    let newer = try File.read(fixture.vault)
    try File.write(older, to: fixture.vault)
    #expect(fixture.readingOutcome() == .rolledBack)
    #expect(throws: VaultError.self) { try add("none", to: fixture) }
    #expect(try File.read(fixture.vault) == older)
    try File.write(newer, to: fixture.vault)
    #expect(fixture.readingOutcome() == nil)
  }

  @Test func `An older copy elsewhere is a backup, and opens`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let older = try File.read(fixture.vault)
    try add("newer", to: fixture)
    try File.write(older, to: fixture.folder("backup"))
    let items = try GoldenVault.read(
      fixture.folder("backup"), key: fixture.key, stateFolder: fixture.stateFolder)
    #expect(items.count == Workload.add.base.count)
  }

  @Test(arguments: [1, 5, 63])
  func `A copy that was changed apart is a fork, for as long as the head remembers`(
    lead: Int
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let common = try File.read(fixture.vault)
    // Elsewhere, without this machine's record.
    let elsewhere = fixture.folder("elsewhere")
    try File.write(common, to: elsewhere)
    try GoldenVault.withStore(elsewhere, key: fixture.key) { (store) throws(VaultError) in
      for number in 0..<lead { _ = try store.add(Workload.item("apart\(number)", "apart")) }
    }
    let fork = try File.read(elsewhere)
    try add("here", to: fixture)
    try File.write(fork, to: fixture.vault)
    #expect(fixture.readingOutcome() == .forked)
    #expect(throws: VaultError.self) { try add("none", to: fixture) }
    #expect(try File.read(fixture.vault) == fork)
  }

  @Test func `An open vault notices what was put in its place`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let older = try File.read(fixture.vault)
    try add("newer", to: fixture)
    try File.write(older, to: fixture.folder("older"))
    let store = try FileStore.open(
      VaultPath(fixture.vault), stateFolder: fixture.stateFolder, lockTimeout: .seconds(1))
    try store.unlock(with: fixture.key)
    _ = try store.find(ItemQuery(), withSecrets: true)
    // Another file, so this process's locks are not touched.
    try File.move(fixture.folder("older"), to: fixture.vault)
    // A writer notices at once; a reader checks within a second.
    let error = #expect(throws: VaultError.self) { try store.add(Workload.item("none", "none")) }
    #expect(error?.code == .rolledBack)
    let second = #expect(throws: VaultError.self) { try store.find(ItemQuery(), withSecrets: true) }
    #expect(second?.code == .rolledBack || second?.code == .locked)
    try store.close()
    #expect(try File.read(fixture.vault) == older)
  }

  struct Seen: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let epoch: UInt64
    let generation: UInt64
    let isSameHead: Bool
    let answer: VaultError.Code?
  }

  /// The table of `Documentation/format.md` §8; the file has epoch 1 and generation 2.
  @Test(arguments: [
    Seen(testDescription: "the same", epoch: 1, generation: 2, isSameHead: true, answer: nil),
    Seen(
      testDescription: "another head", epoch: 1, generation: 2, isSameHead: false, answer: .forked),
    Seen(
      testDescription: "higher", epoch: 1, generation: 3, isSameHead: false, answer: .rolledBack),
    Seen(
      testDescription: "highest", epoch: 1, generation: .max, isSameHead: false, answer: .rolledBack
    ),
    Seen(testDescription: "lower", epoch: 1, generation: 1, isSameHead: false, answer: .forked),
    Seen(testDescription: "generation 0", epoch: 1, generation: 0, isSameHead: false, answer: nil),
    Seen(
      testDescription: "newer epoch", epoch: 2, generation: 1, isSameHead: false,
      answer: .rolledBack),
    Seen(
      testDescription: "last epoch", epoch: .max, generation: 0, isSameHead: true,
      answer: .rolledBack),
    Seen(
      testDescription: "older epoch", epoch: 0, generation: .max, isSameHead: false, answer: nil),
  ])
  func `What was seen is judged by epoch, generation and head`(seen: Seen) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let path = try record(of: fixture)
    let old = try File.read(path)
    let bytes = try StateRecord(of: fixture.vault, key: fixture.key).seen(
      epoch: seen.epoch, generation: seen.generation,
      head: seen.isSameHead ? Array(old[24..<40]) : Array(repeating: 7, count: 16),
      at: fixture.vault)
    try File.write(bytes, to: path)
    #expect(fixture.readingOutcome() == seen.answer)
    // Good answers raise the record, bad ones leave it.
    let now = try File.read(path)
    #expect(now == (seen.answer == nil ? old : bytes))
  }

  enum Trouble: CaseIterable, Sendable {
    case missing, empty, torn, garbage, long, anotherVaults, folder, symbolicLink, pipe, readOnly
    case stateIsFile, readOnlyState, anotherOwners
  }

  @Test(arguments: Trouble.allCases)
  func `A record that is missing, torn or cannot be written is a first use, and fails nothing`(
    trouble: Trouble
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let path = try record(of: fixture)
    let bytes = try File.read(path)
    switch trouble {
    case .missing: try File.remove(path)
    case .empty: try File.write([], to: path)
    case .torn: try File.write(Array(bytes[..<30]), to: path)
    case .garbage: try File.write(bytes.map { $0 ^ 0x55 }, to: path)
    case .long: try File.write(bytes + bytes, to: path)
    case .anotherVaults:
      let other = try VaultFixture(holding: Workload.batch.base)
      // It is under this vault's name, but this vault's key does not prove it.
      try File.write(File.read(record(of: other)), to: path)
    case .folder:
      try File.remove(path)
      try File.makeFolder(path)
    case .symbolicLink:
      try File.write(Array("precious".utf8), to: fixture.folder("precious"))
      try File.remove(path)
      try File.makeSymbolicLink(path, to: fixture.folder("precious"))
    case .pipe:
      try File.remove(path)
      try File.makePipe(path)
    case .readOnly: try File.setMode(0o400, of: path)
    case .stateIsFile:
      try File.move(fixture.stateFolder, to: fixture.folder("moved"))
      try File.write([], to: fixture.stateFolder)
    case .readOnlyState: try File.setMode(0o500, of: fixture.stateFolder)
    case .anotherOwners:
      guard geteuid() == 0 else { return }
      // It would say that another history was seen.
      let forked = try StateRecord(of: fixture.vault, key: fixture.key).seen(
        epoch: 1, generation: 2, head: (0..<16).map { $0 }, at: fixture.vault)
      try File.write(forked, to: path)
      try File.setOwner(65534, of: path)
    }
    #expect(fixture.readingOutcome() == nil)
    try add("more", to: fixture)
    #expect(try fixture.contents()["more"] == "more")
    if trouble == .symbolicLink {
      #expect(try File.read(fixture.folder("precious")) == Array("precious".utf8))
    }
  }

  @Test func `A record that another process keeps locked holds nobody up for good`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let path = try record(of: fixture)
    // Closed at the end of the test.
    let descriptor = unsafe open(path, O_RDWR)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    let lines = try fixture.driver("probe").lines()
    #expect(lines == ["open", "done", "done"])
  }

  @Test func `A record with any length, or any byte changed, is not believed, and is mended`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let path = try record(of: fixture)
    let bytes = try File.read(path)
    try add("newer", to: fixture)
    for length in 0..<bytes.count {
      try File.write(Array(bytes[..<length]), to: path)
      #expect(fixture.readingOutcome() == nil, "\(length)")
    }
    let good = try File.read(path)
    for offset in good.indices {
      var changed = good
      changed[offset] ^= 0x80
      try File.write(changed, to: path)
      #expect(fixture.readingOutcome() == nil, "\(offset)")
      #expect(try File.read(path) == good)
      // A complete record that does not verify was written by somebody, and is kept for the report.
      let aside = try fixture.unverified()
      #expect(aside.isEmpty == (offset < 8))
      for name in aside {
        #expect(try File.read(fixture.stateFolder + "/" + name) == changed)
        try File.remove(fixture.stateFolder + "/" + name)
      }
    }
  }

  @Test func `Two machines that share a file and remember on their own never alarm each other`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    for number in 0..<70 {
      let state = fixture.folder("state\(number % 2)")
      try GoldenVault.withStore(fixture.vault, key: fixture.key, stateFolder: state) {
        (store) throws(VaultError) in
        _ = try store.add(Workload.item("\(number)", "one of two"))
      }
    }
    #expect(fixture.readingOutcome() == nil)
  }

  @Test func `A vault that moved to another machine with its home is good there`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let moved = try Folder()
    for name in ["vault", "state", "state/vaultctl"] { try File.makeFolder(moved(name)) }
    let record = try record(of: fixture)
    let name = try #require(record.split(separator: "/").last)
    try File.write(File.read(record), to: moved("state/vaultctl/\(name)"))
    try File.write(File.read(fixture.vault), to: moved("vault/v"))
    for _ in 0..<2 {
      try GoldenVault.withStore(
        moved("vault/v"), key: fixture.key, stateFolder: moved("state/vaultctl")
      ) {
        (store) throws(VaultError) in
        _ = try store.add(Workload.item("moved\(UInt64.random(in: 0 ... .max))", "moved"))
      }
    }
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can become another user"),
    arguments: [UInt32(0o700), 0o755])
  func `A state folder of another user is not used, and alarms nobody`(mode: UInt32) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try add("newer", to: fixture)
    // The folder still belongs to root, and so does the record of a generation that the file is
    // made to lack.
    let newer = try File.read(record(of: fixture))
    try add("newest", to: fixture)
    #expect(try File.read(record(of: fixture)) != newer)
    try File.setMode(mode, of: fixture.stateFolder)
    try File.setMode(0o644, of: record(of: fixture))
    for name in ["", "key", "vault", "vault/v"] {
      try File.setOwner(65534, of: fixture.folder(name))
    }
    let backup = fixture.folder("backup")
    try File.write(File.read(fixture.vault), to: backup)
    #expect(try fixture.driver("probe", ["user": "65534"]).lines() == ["open", "done", "done"])
  }

  @Test func `What went back says to which generation and time, and what was seen`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let older = try File.read(fixture.vault)
    for number in 0..<3 { try add("\(number)", to: fixture) }
    try File.write(older, to: fixture.vault)
    let error = #expect(throws: VaultError.self) { try fixture.contents() }
    let words = error?.context ?? ""
    #expect(words.contains("generation 2 of 2") && words.contains("generation 5 was seen"))
    #expect(words.contains(fixture.vault))
  }
}
