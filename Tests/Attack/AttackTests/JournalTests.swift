import AttackSupport
import Glibc
import SealedTree
import StoreTesting
import Testing
import VaultStore
import VaultModel

/// Files beside a vault that have its journal's name.
@Suite struct JournalTests {
  /// Returns a vault whose writer was killed in its commit: the file as it was left, and its hot
  /// journal.
  static func killed(
    _ fixture: VaultFixture, call: Int = 1000
  ) throws -> (vault: [UInt8], journal: [UInt8]) {
    let driver = try fixture.driver(
      "write",
      [
        "workload": "modify", "first": "0", "count": "0", "switch": "before-commit",
        "call": "\(call)",
      ])
    #expect(driver.wait() == .killed(signal: SIGKILL))
    return (try File.read(fixture.vault), try File.read(fixture.vault + "-journal"))
  }

  @Test(arguments: [0, 1, 27, 28, 512, 513, 5000])
  func `A journal of garbage is refused or changes nothing`(count: Int) throws {
    let golden = try GoldenVault.small.get()
    let folder = try Folder()
    for first in [UInt8(0), 0xA5, 0xD9] {
      var journal = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 193 &+ 7) }
      if count > 0 { journal[0] = first }
      for turn in 0..<5 {
        try File.write(journal, to: folder("v-journal"))
        try File.write(golden.bytes, to: folder("v"))
        #expect(AnswerCheck(golden, at: folder("v")).judge(turn: turn) == .right)
      }
    }
  }

  /// The moment at which a writer was killed.
  enum Moment: CaseIterable, Sendable {
    /// Some pages are written, others are not.
    case amongPages
    /// All pages are written, and only the journal says that they do not count yet.
    case beforeCommit
  }

  /// Returns a vault whose writer was killed while it wrote pages: without the journal it is
  /// damaged.
  private static func killedAmongPages(
    _ fixture: VaultFixture
  ) throws -> (vault: [UInt8], journal: [UInt8]) {
    for call in 1..<100 {
      let (vault, journal) = try killed(fixture, call: call)
      do {
        _ = try GoldenVault(name: "torn", bytes: vault, key: fixture.key)
      } catch VaultError.Code.damaged {
        return (vault, journal)
      }
    }
    throw VaultError(.internalError, "no kill left the vault half-written")
  }

  /// Judges a killed vault with a journal that was tampered with.
  ///
  /// It may have its content from before the transaction or, if all pages are written and the
  /// journal is lost, from after it.
  private static func attack<Change: Sendable>(
    _ changes: [Change], at moment: Moment,
    _ apply: @escaping @Sendable (Change, [UInt8]) -> [UInt8]
  ) throws -> AttackRun {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let before = try GoldenVault(name: "before", bytes: File.read(fixture.vault), key: fixture.key)
    let isWhole = moment == .beforeCommit
    let (vault, journal) = try isWhole ? killed(fixture) : killedAmongPages(fixture)
    #expect(vault != before.bytes)
    #expect(journal.first == 0xD9)
    let after = isWhole ? [try GoldenVault(name: "after", bytes: vault, key: fixture.key)] : []
    return AttackRun.run(changes) { change, turn, folder in
      var verdict = AnswerCheck.Verdict.right
      for golden in [before] + after {
        try File.write(apply(change, journal), to: folder("v-journal"))
        verdict = try AnswerCheck(golden, at: folder("v")).judge(vault, turn: turn)
        guard case .wrong = verdict else { break }
      }
      return verdict
    }
  }

  @Test(arguments: Moment.allCases)
  func `A flipped bit in a hot journal gives a state of the vault or is refused`(
    moment: Moment
  ) throws {
    let step = AttackRun.isComplete ? 1 : 61
    let bits = Array(0..<40 * 8) + stride(from: 40 * 8, to: 24_000 * 8, by: step)
    let campaign = try Self.attack(bits, at: moment) { bit, journal in
      var bytes = journal
      if bit / 8 < bytes.count { bytes[bit / 8] ^= 1 << (bit % 8) }
      return bytes
    }
    #expect(campaign.wrong == [])
    #expect(campaign.right > 0)
  }

  @Test(arguments: Moment.allCases)
  func `A hot journal that is cut off or lost gives a state of the vault or is refused`(
    moment: Moment
  ) throws {
    let lengths = Array(stride(from: 0, to: 24_000, by: AttackRun.isComplete ? 1 : 41))
    let campaign = try Self.attack(lengths, at: moment) { length, journal in
      Array(journal.prefix(length))
    }
    #expect(campaign.wrong == [])
    #expect(campaign.right > 0 && (campaign.refused > 0 || moment == .beforeCommit))
  }

  @Test func `A journal of another vault, or of an older state, does not bring its data in`() throws
  {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let (_, journal) = try Self.killed(fixture)
    let other = try VaultFixture(holding: Workload.add.base)
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item("newer", "newer"))
    }
    for fixture in [fixture, other] {
      let bytes = try File.read(fixture.vault)
      let golden = try GoldenVault(name: "planted", bytes: bytes, key: fixture.key)
      for turn in 0..<5 {
        let state = fixture.folder("planted\(turn)")
        try File.write(bytes, to: fixture.vault)
        _ = try GoldenVault.read(fixture.vault, key: fixture.key, stateFolder: state)
        try File.write(journal, to: fixture.vault + "-journal")
        let judge = AnswerCheck(
          golden, at: fixture.vault,
          expecting: [.damaged, .rolledBack, .authenticationFailed, .anotherVault],
          stateFolder: state)
        let verdict = judge.judge(turn: turn)
        // The pages of another vault include its slots, which this key does not open, or its name.
        #expect(
          verdict != .right && verdict != .refused(.authenticationFailed)
            || fixture.vault == other.vault)
        if case .wrong(let what) = verdict { Issue.record("\(what)") }
      }
    }
  }

  /// The power fails while the first page is written: its sector is garbage until the journal is
  /// replayed.
  @Test func `A first page torn by a power cut is restored from the journal`() throws {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let before = try GoldenVault(name: "before", bytes: File.read(fixture.vault), key: fixture.key)
    let (vault, journal) = try Self.killed(fixture)
    for (turn, count) in [100, 512, 4096].enumerated() {
      var torn = vault
      for offset in 0..<count { torn[offset] = 0x5A }
      let folder = try Folder()
      try File.write(journal, to: folder("v-journal"))
      #expect(
        try AnswerCheck(before, at: folder("v")).judge(torn, turn: turn)
          == AnswerCheck.Verdict.right)
      #expect(try folder.contents() == ["v"])
    }
  }

  enum Plant: CaseIterable, Sendable {
    case symbolicLink, folder, pipe, writableByOthers, ofAnotherOwner
  }

  @Test(
    .enabled(if: geteuid() == 0, "a file of another owner needs root"), arguments: Plant.allCases)
  func `A journal that somebody else could have put there is refused`(plant: Plant) throws {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let (vault, journal) = try Self.killed(fixture)
    let path = fixture.vault + "-journal"
    try File.write(journal, to: fixture.folder("elsewhere"))
    try File.remove(path)
    switch plant {
    case .symbolicLink: try File.makeSymbolicLink(path, to: fixture.folder("elsewhere"))
    case .folder: try File.makeFolder(path)
    case .pipe: try File.makePipe(path)
    case .writableByOthers: try File.write(journal, to: path, mode: 0o666)
    case .ofAnotherOwner:
      try File.write(journal, to: path)
      try File.setOwner(65534, of: path)
    }
    let error = #expect(throws: VaultError.self) { try fixture.contents() }
    #expect(error?.code == .unsafePermissions)
    #expect(try File.read(fixture.vault) == vault)
  }

  /// Returns owner and mode.
  private static func permissions(_ path: String) throws -> [UInt32] {
    var information = stat()
    // The structure is this function's.
    try #require(unsafe lstat(path, &information) == 0)
    return [information.st_uid, information.st_mode & 0o7777]
  }

  private static func check(_ backup: String, against fixture: VaultFixture) -> VaultError.Code? {
    do throws(VaultError) {
      _ = try FileStore.check(
        backup, against: fixture.vault, key: fixture.key, lockTimeout: .zero)
      return nil
    } catch {
      return error.code
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `Reading a backup gives its owner no file that has a journal's name`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let other = try Folder()
    try File.write(File.read(fixture.vault), to: other("b"))
    try File.setOwner(65534, of: other("b"))
    for first in [UInt8?.none, 0, 0x72] {
      let bytes = first.map { [$0] + [UInt8](repeating: 0, count: 600) } ?? []
      try File.write(bytes, to: other("mine"))
      try File.setMode(0o640, of: other("mine"))
      try File.makeHardLink(other("b-journal"), to: other("mine"))
      // The journal of a backup is not played back if it looks like one.
      let outcome = Self.check(other("b"), against: fixture)
      #expect(outcome == (first == 0x72 ? .readOnly : nil))
      #expect(try Self.permissions(other("mine")) == [0, 0o640])
      try File.remove(other("b-journal"))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `A journal that is refused stays refused when the vault was only looked at`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let backup = fixture.folder("backup")
    try File.write(File.read(fixture.vault), to: backup)
    let before = try File.read(fixture.vault)
    let journal = fixture.vault + "-journal"
    try File.write(PlantedJournal.header(pageCount: 1), to: journal)
    try File.setOwner(65534, of: journal)
    for _ in 0..<2 {
      #expect(throws: VaultError.self) { try fixture.contents() }
      #expect(Self.check(backup, against: fixture) == nil)
      #expect(try Self.permissions(journal).first == 65534)
    }
    #expect(try File.read(fixture.vault) == before)
  }

  @Test func `A vault that was put into WAL mode is refused, and gets no side files`() throws {
    let golden = try GoldenVault.small.get()
    for offset in [18, 19] {
      let folder = try Folder()
      var bytes = golden.bytes
      bytes[offset] = 2
      #expect(try AnswerCheck(golden, at: folder("v")).judge(bytes, turn: 0) == .refused(.damaged))
      #expect(try folder.contents() == ["v"])
      #expect(try File.read(folder("v")) == bytes)
    }
  }
}
