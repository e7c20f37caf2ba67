import AttackSupport
import VaultAdministration
import Glibc
import SealedTree
import SecureMemory
import StoreTesting
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Results from outside the vault, which the diagnosis leaves unchanged.
@Suite struct DoctorTests {
  private func results(
    _ fixture: VaultFixture, key: UnlockKey? = nil, path: String? = nil
  ) -> [String: [DiagnosticResult]] {
    let diagnostics = Diagnostics(
      of: path ?? fixture.vault, stateFolder: fixture.stateFolder, key: key)
    return Dictionary(grouping: diagnostics.results, by: \.check.rawValue)
  }

  private func codes(
    _ fixture: VaultFixture, key: UnlockKey? = nil, path: String? = nil
  ) -> [VaultError.Code] {
    results(fixture, key: key, path: path).values.joined().compactMap(\.code)
  }

  /// Returns every file below the fixture's folder, with its bytes and when it was changed.
  private func state(_ fixture: VaultFixture) throws -> [String: [UInt8]] {
    var state: [String: [UInt8]] = [:]
    for folder in ["", "vault", "state", "state/vaultctl"] where File.exists(fixture.folder(folder))
    {
      for name in try fixture.folder.contents(of: folder) {
        var information = stat()
        let path = fixture.folder("\(folder)/\(name)")
        // The structure is this function's.
        try #require(unsafe lstat(path, &information) == 0)
        let changed = "\(information.st_mtim.tv_sec).\(information.st_mtim.tv_nsec)"
        let isFile = information.st_mode & S_IFMT == S_IFREG
        state["\(folder)/\(name)"] = try Array(changed.utf8) + (isFile ? File.read(path) : [])
      }
    }
    return state
  }

  @Test
  func `A vault that is well has no problem, and nothing is changed, not even what is remembered`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try File.move(fixture.folder("state"), to: fixture.folder("away"))
    let before = try state(fixture)
    for key in [fixture.key, nil] {
      let found = results(fixture, key: key)
      #expect(found.values.joined().allSatisfy { $0.status < .problem })
      #expect(found["rollback-memory"]?.map(\.status) == [.note])
      #expect(found["key"]?.map(\.status) == [key == nil ? .warning : .ok])
    }
    #expect(try state(fixture) == before)
    try File.move(fixture.folder("away"), to: fixture.folder("state"))
    let remembered = try state(fixture)
    let found = results(fixture, key: fixture.key)
    #expect(found["rollback-memory"]?.map(\.status) == [.ok])
    #expect(found["key"]?.first?.text.contains("\(Workload.add.base.count) items") == true)
    #expect(try state(fixture) == remembered)
  }

  @Test func `A journal that waits to be played back is told and left alone`() throws {
    let fixture = try VaultFixture(holding: Workload.modify.base)
    let driver = try fixture.driver(
      "write",
      [
        "workload": "modify", "first": "0", "count": "0", "switch": "before-commit",
        "call": "1000",
      ])
    #expect(driver.wait() == .killed(signal: SIGKILL))
    let before = try state(fixture)
    try #require(before["vault/v-journal"]?.isEmpty == false)
    let found = results(fixture, key: fixture.key)
    #expect(found["journal"]?.map(\.status) == [.warning])
    #expect(found["key"] == nil && found["format"]?.map(\.status) == [.note])
    #expect(try state(fixture) == before)
    #expect(try fixture.contents() == Workload.modify.state(after: 0))
    #expect(results(fixture)["journal"]?.map(\.status) == [.ok])
    try File.write([UInt8](repeating: 0, count: 512), to: fixture.vault + "-journal")
    #expect(results(fixture)["journal"]?.map(\.status) == [.note])
  }

  @Test func `Permissions that let others in are told, of the file, its folder and those above`()
    throws
  {
    let fixture = try VaultFixture()
    for (path, mode) in [(fixture.vault, UInt32(0o640)), (fixture.folder("vault"), 0o770)] {
      try File.setMode(mode, of: path)
      #expect(codes(fixture).contains(.unsafePermissions))
      try File.setMode(path == fixture.vault ? 0o600 : 0o700, of: path)
    }
    #expect(codes(fixture) == [])
    try File.setMode(0o755, of: fixture.folder("vault"))
    #expect(results(fixture)["folder"]?.map(\.status) == [.note])
    try File.setMode(0o700, of: fixture.folder("vault"))
    try File.setMode(0o770, of: fixture.folder.path)
    #expect(results(fixture)["folder"]?.map(\.status) == [.ok, .warning])
    try File.setMode(0o777, of: fixture.folder.path)
    #expect(results(fixture)["folder"]?.map(\.status) == [.problem])
    try File.setMode(0o700, of: fixture.folder.path)
    try File.makeHardLink(fixture.folder("second"), to: fixture.vault)
    #expect(codes(fixture) == [.unsafePermissions])
  }

  @Test func `A remedy says what is to be done, and to which file, without a command`() throws {
    let fixture = try VaultFixture()
    func remedies(_ check: String, path: String? = nil) -> [Remedy] {
      (results(fixture, path: path)[check] ?? []).compactMap(\.remedy)
    }
    let folder = fixture.folder("vault")
    #expect(remedies("folder") == [])
    #expect(remedies("file") == [])
    #expect(remedies("file", path: fixture.folder("nothing")) == [.initialize])

    try File.setMode(0o755, of: folder)
    #expect(remedies("folder") == [.access(.makePrivate(path: folder))])
    try File.setMode(0o700, of: folder)
    try File.setMode(0o770, of: fixture.folder.path)
    let above = Remedy.access(.removeWriteAccess(path: fixture.folder.path, from: .groupAndOthers))
    #expect(remedies("folder") == [above])
    try File.setMode(0o700, of: fixture.folder.path)
    try File.setMode(0o640, of: fixture.vault)
    #expect(remedies("file") == [.access(.takeOwnership(path: fixture.vault, of: .file))])
    try File.setMode(0o600, of: fixture.vault)

    let kept = folder + "/v.replaced-20261120"
    try File.write([1], to: kept)
    #expect(remedies("leftovers") == [.removeFile(path: kept, once: .notNeeded)])
    try File.write([1], to: fixture.vault + "-wal")
    let aside = Remedy.moveAside(path: fixture.vault + "-wal", mayBeNeeded: false)
    #expect(remedies("side-files") == [aside])
    try File.remove(fixture.vault + "-wal")

    try Database.run("UPDATE slot SET body = zeroblob(148)", on: fixture.vault)
    #expect(remedies("slots").first == .removeSlot(id: 1))
    try File.write(Array("hello".utf8), to: fixture.vault)
    #expect(remedies("format") == [.restoreOrSalvage])
  }

  @Test func `What is no vault, or none that can be read, is told by the code that using it gives`()
    throws
  {
    let fixture = try VaultFixture()
    try File.write(Array("hello".utf8), to: fixture.folder("text"))
    try File.makeSymbolicLink(fixture.folder("link"), to: fixture.vault)
    let good = try File.read(fixture.vault)
    var cut = good
    cut[18] = 2
    try File.write(cut, to: fixture.folder("journal-mode"))
    let cases: [(String, VaultError.Code)] = [
      (fixture.folder("nothing"), .vaultNotFound), (fixture.folder("no/vault"), .vaultNotFound),
      (fixture.folder("text"), .notAVault), (fixture.folder("link"), .unsafePermissions),
      (fixture.folder("vault"), .notAVault), (fixture.folder("journal-mode"), .damaged),
    ]
    for (path, code) in cases { #expect(codes(fixture, path: path) == [code], "\(path)") }
  }

  @Test func `Damage of slots, head and structure is told, and so is a wrong key`() throws {
    let fixture = try VaultFixture()
    let good = try File.read(fixture.vault)
    for (sql, check) in [
      ("UPDATE slot SET body = zeroblob(148)", "slots"), ("DELETE FROM slot", "slots"),
      ("UPDATE vault SET head = zeroblob(2048)", "key"),
      ("UPDATE slot SET id = 2", "slots"), ("UPDATE vault SET ident = zeroblob(48)", "format"),
      ("CREATE TABLE more (x)", "format"),
    ] {
      try File.write(good, to: fixture.vault)
      try Database.run(sql, on: fixture.vault)
      let found = results(fixture, key: fixture.key)[check] ?? []
      #expect(found.contains { $0.code == .damaged }, "\(sql)")
    }
    // Its number is that of a slot only in 32 bits.
    try File.write(good, to: fixture.vault)
    try Database.run("INSERT INTO slot SELECT id + 4294967296, body FROM slot", on: fixture.vault)
    #expect(results(fixture, key: fixture.key)["slots"]?.map(\.code) == [.damaged])
    refuses(.damaged) { try fixture.contents() }
    try File.write(good, to: fixture.vault)
    #expect(codes(fixture, key: .keyFile(KeyFile())) == [.authenticationFailed])
    #expect(codes(fixture, key: fixture.key) == [])
    var lost = good + [UInt8](repeating: 0, count: 4096)
    lost[31] = UInt8(good.count / 4096 + 1)
    try File.write(lost, to: fixture.vault)
    #expect(results(fixture)["structure"]?.compactMap(\.code) == [.damaged])
  }

  @Test func `An old copy put back, and another history, are told without being remembered`() throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    func add(_ name: String) throws {
      try fixture.withStore { (store) throws(VaultError) in
        _ = try store.add(Workload.item(name, name))
      }
    }
    let older = try File.read(fixture.vault)
    try add("one")
    let newer = try File.read(fixture.vault)
    try File.write(older, to: fixture.vault)
    for _ in 0..<2 { #expect(codes(fixture, key: fixture.key) == [.rolledBack]) }
    try GoldenVault.withStore(fixture.vault, key: fixture.key) { (store) throws(VaultError) in
      _ = try store.add(Workload.item("two", "two"))
    }
    #expect(codes(fixture, key: fixture.key) == [.forked])
    try File.write(newer, to: fixture.vault)
    #expect(codes(fixture, key: fixture.key) == [])
  }

  @Test
  func `A writer at work is named, a slot that is cheap to guess is told, and what a kill left`()
    throws
  {
    let fixture = try VaultFixture()
    let holder = try fixture.driver("hold")
    #expect(holder.line() == "holding")
    let locks = results(fixture)["locks"]
    #expect(locks?.map(\.status) == [.warning])
    #expect(locks?.first?.text.contains("VaultTestDriver") == true)
    holder.tell("")
    #expect(holder.wait() == .exited(0))
    #expect(results(fixture)["locks"]?.map(\.status) == [.ok])

    let slow = fixture.folder("passphrase")
    try FileStore.create(
      VaultPath(slow), key: .passphrase(Secret("cheap")), slotName: "", cost: .minimum,
      stateFolder: nil,
      lockTimeout: .seconds(1)
    ).close()
    #expect(results(fixture, path: slow)["passphrase-cost"]?.map(\.status) == [.warning])

    try File.write([1], to: fixture.folder("vault/.v.abc.new"))
    try File.write([1], to: fixture.folder("vault/v.replaced-20261120"))
    try File.write([1], to: fixture.folder("vault/other"))
    #expect(results(fixture)["leftovers"]?.map(\.status) == [.warning, .note])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a folder to another user"))
  func `A key file below another user's folder is a problem, and one of the user's alone is none`()
    throws
  {
    let fixture = try VaultFixture()
    try File.makeFolder(fixture.folder("other"))
    try File.makeFolder(fixture.folder("other/own"))
    let path = fixture.folder("other/own/key")
    try File.write(File.read(fixture.folder("key")), to: path)
    func problems() throws -> [DiagnosticResult] {
      try VaultMaintenance.diagnose(path: fixture.vault, key: .keyFile(path)).results
        .filter { $0.check == .keySource && $0.status == .problem }
    }
    #expect(try problems().isEmpty)
    for folder in ["other", "other/own"] {
      let folder = fixture.folder(folder)
      try File.setOwner(65534, of: folder)
      let found = try problems()
      #expect(found.map(\.code) == [.unsafePermissions])
      #expect(found.first?.remedy == .access(.takeOwnership(path: folder, of: .folder)))
      try File.setOwner(0, of: folder)
    }
  }

  @Test func `The libraries and the memory of this process are told`() throws {
    let found = try results(VaultFixture())
    #expect(found["libraries"]?.count == 3)
    #expect(found["libraries"]?.allSatisfy { $0.status == .ok } == true)
    for check in [
      "locked-memory", "core-dumps", "forked-children", "clock", "space", "file-system",
    ] {
      #expect(found[check]?.count == 1, "\(check)")
    }
  }
}
