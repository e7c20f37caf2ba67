import AttackSupport
import VaultAdministration
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("records and state files: which backups are kept")
struct KeptBackupsTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }
  var folder: String { fixture.folder.file("backups") }

  init() throws {
    fixture = try Fixture()
    try File.makeFolder(fixture.folder.file("backups"))
  }

  /// Makes backups of that many different states, the oldest first.
  private func backUp(_ count: Int) throws -> [String] {
    try (0..<count).map { number in
      try vault.add(item("user\(number)"))
      return try vault.maintenance.backup(to: folder).path
    }
  }

  private func name(_ number: Int) -> String { folder + "/own-2999010\(number)T000000Z.vault" }

  @Test("names of what is no backup cost no good one, and are told")
  func forgedNames() throws {
    let good = try backUp(3)
    // The clear part of a real one, and a forgery that a stranger can make of it.
    var bytes = try File.read(good[2])
    bytes.replaceSubrange(4096 * 2..<4096 * 3, with: repeatElement(0x5A, count: 4096))
    try File.write(bytes, to: name(1))
    try File.write(Array(File.read(good[2]).prefix(4096)), to: name(2))
    let stranger = try Fixture()
    try stranger.vault.maintenance.backup(to: name(3))
    // The head of a real one, and a bucket that does not open.
    var damaged = try File.read(good[2])
    damaged[damaged.count - 40] ^= 0xFF
    try File.write(damaged, to: name(4))
    try vault.add(item("newer"))
    let new = try vault.maintenance.backup(to: folder, keeping: 4)
    #expect(new.removed == [])
    #expect(new.uncounted.map(\.path) == [1, 2, 3, 4].map(name))
    #expect(new.uncounted.allSatisfy { !$0.reason.isEmpty })
    #expect((good + [new.path] + [1, 2, 3, 4].map(name)).allSatisfy(File.exists))
    // For an unchanged vault the previous copy is removed first, and then the oldest state.
    #expect(try vault.maintenance.backup(to: folder, keeping: 4).removed == [new.path])
    try vault.add(item("newest"))
    #expect(try vault.maintenance.backup(to: folder, keeping: 4).removed == [good[0]])
  }

  @Test("copies of one backup push no other out, whatever their names say")
  func copies() throws {
    let good = try backUp(3)
    for number in 1...3 { try File.write(File.read(good[0]), to: name(number)) }
    for number in 4...6 { try File.write(File.read(good[2]), to: name(number)) }
    try vault.add(item("newer"))
    let new = try vault.maintenance.backup(to: folder, keeping: 4)
    let left = try File.names(in: folder)
    #expect(left.count == 4)
    // One of each state; copies of them are as good as the originals.
    let counts = try left.map { name in
      try VaultMaintenance.check(
        backup: folder + "/" + name, against: fixture.path, key: fixture.key
      )
      .itemCount
    }
    #expect(counts.sorted() == [1, 2, 3, 4])
    #expect(File.exists(new.path) && new.uncounted.isEmpty)
  }

  @Test("a backup from before a rekey is neither counted nor removed, and that is said")
  func rekeyed() throws {
    let good = try backUp(2)
    _ = try vault.keys.rekey(keeping: [fixture.key])
    try vault.add(item("newer"))
    let first = try vault.maintenance.backup(to: folder, keeping: 1)
    #expect(first.removed == [] && Set(first.uncounted.map(\.path)) == Set(good))
    #expect(first.uncounted.allSatisfy { $0.reason.contains("epoch 1") })
    try vault.add(item("newest"))
    let second = try vault.maintenance.backup(to: folder, keeping: 1)
    #expect(second.removed == [first.path])
    #expect(good.allSatisfy(File.exists))
  }

  @Test("an older state does not become the newest by its name, nor the newest the oldest")
  func dates() throws {
    let good = try backUp(3)
    try File.move(good[0], to: name(1))
    try File.move(good[2], to: folder + "/own-20000101T000000Z.vault")
    try vault.add(item("newer"))
    let new = try vault.maintenance.backup(to: folder, keeping: 2)
    #expect(Set(new.removed) == [name(1), good[1]])
    #expect(File.exists(folder + "/own-20000101T000000Z.vault"))
  }
}

@Suite("records and state files: backups that were cut short")
struct AbandonedDraftTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }
  var folder: String { fixture.folder.file("backups") }
  var draft: String { folder + "/.own.vault.backup-0123456789abc.new" }

  init() throws {
    fixture = try Fixture()
    try File.makeFolder(fixture.folder.file("backups"))
    try vault.add(item())
  }

  @Test("what a killed backup left is removed by the next one into the folder, with its journal")
  func removed() throws {
    let backup = try vault.maintenance.backup(to: folder + "/good")
    let contents: [[UInt8]] = [
      [], [UInt8](repeating: 0, count: 8192), Array(try File.read(backup.path).prefix(8192)),
    ]
    // A restore and a salvage are made under the other name.
    let other = folder + "/.own.vault.0123456789abc.new"
    for (content, draft) in contents.flatMap({ content in [draft, other].map { (content, $0) } }) {
      // As on a file system that keeps no modes.
      try File.write(content, to: draft, mode: 0o755)
      try File.write([1, 2, 3], to: draft + "-journal")
      let made = try vault.maintenance.backup(to: folder)
      #expect(try File.names(in: folder).filter { $0.hasPrefix(".") } == [])
      #expect(File.exists(made.path))
    }
  }

  @Test("what is in the making, of another program, or of another kind is left alone")
  func left() throws {
    let names = [
      ".own.vault.backup-0123456789abc.new-more", "own.vault.backup-0123456789abc.new",
      ".own.vault.backup-0123456789ab.new", ".own.vault.backup-0123456789ABC.new",
      ".own.vault.0123456789ab.new", ".vimrc", ".own.vault.backup-1123456789abc.new-journal",
    ]
    for name in names { try File.write([], to: "\(folder)/\(name)") }
    try File.write(Array("somebody's precious text".utf8), to: draft)
    let others = (1...2).map { "\(folder)/.own.vault.backup-\($0)123456789xyz.new" }
    try File.makeFolder(others[0])
    try File.makeSymbolicLink(others[1], to: folder)
    // A file that another process holds, as its maker does: the lock is of the description, not of
    // the process.
    let held = folder + "/.own.vault.backup-9123456789xyz.new"
    try File.write([], to: held)
    let descriptor = unsafe open(held, O_RDWR)
    defer { close(descriptor) }
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    (range.l_start, range.l_len) = (1 << 40, 1)
    // F_OFD_SETLK; the structure is this function's.
    try #require(unsafe fcntl(descriptor, 37, &range) == 0)
    let before = try File.names(in: folder)
    let made = try vault.maintenance.backup(to: folder)
    #expect(try File.names(in: folder).filter { !made.path.hasSuffix($0) } == before)
  }

  @Test("a backup that fails leaves nothing")
  func failed() throws {
    try vault.close()
    try Database.run("UPDATE node SET sealed = zeroblob(512)", on: fixture.path)
    let damaged = try fixture.open()
    expect(.damaged) { try damaged.maintenance.backup(to: folder) }
    #expect(try File.names(in: folder) == [])
  }
}
