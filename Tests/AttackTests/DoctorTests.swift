import AttackSupport
import Glibc
import SealedTree
import SecureMemory
import StoreTesting
import Testing
import VaultCrypto
import VaultFile
import VaultModel
import VaultRecovery

/// Findings from outside the vault, which the diagnosis leaves unchanged.
@Suite struct DoctorTests {
  private func findings(
    _ scene: Scene, key: UnlockKey? = nil, path: String? = nil
  ) -> [String: [DiagnosticResult]] {
    let diagnostics = Diagnostics(
      of: path ?? scene.vault, stateFolder: scene.stateFolder, key: key)
    return Dictionary(grouping: diagnostics.findings, by: \.check)
  }

  private func codes(
    _ scene: Scene, key: UnlockKey? = nil, path: String? = nil
  ) -> [VaultError.Code] {
    findings(scene, key: key, path: path).values.joined().compactMap(\.code)
  }

  /// Returns every file below the scene's folder, with its bytes and when it was changed.
  private func state(_ scene: Scene) throws -> [String: [UInt8]] {
    var state: [String: [UInt8]] = [:]
    for folder in ["", "vault", "state", "state/vaultctl"] where File.exists(scene.folder(folder)) {
      for name in try scene.folder.contents(of: folder) {
        var information = stat()
        let path = scene.folder("\(folder)/\(name)")
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
    let scene = try Scene(holding: Workload.add.base)
    try File.move(scene.folder("state"), to: scene.folder("away"))
    let before = try state(scene)
    for key in [scene.key, nil] {
      let found = findings(scene, key: key)
      #expect(found.values.joined().allSatisfy { $0.status < .problem })
      #expect(found["rollback-memory"]?.map(\.status) == [.note])
      #expect((found["key"] == nil) == (key == nil))
    }
    #expect(try state(scene) == before)
    try File.move(scene.folder("away"), to: scene.folder("state"))
    let remembered = try state(scene)
    let found = findings(scene, key: scene.key)
    #expect(found["rollback-memory"]?.map(\.status) == [.ok])
    #expect(found["key"]?.first?.text.contains("\(Workload.add.base.count) items") == true)
    #expect(try state(scene) == remembered)
  }

  @Test func `A journal that waits to be played back is told and left alone`() throws {
    let scene = try Scene(holding: Workload.modify.base)
    let driver = try scene.driver(
      "write",
      [
        "workload": "modify", "first": "0", "count": "0", "switch": "before-commit",
        "call": "1000",
      ])
    #expect(driver.wait() == .killed(signal: SIGKILL))
    let before = try state(scene)
    try #require(before["vault/v-journal"]?.isEmpty == false)
    let found = findings(scene, key: scene.key)
    #expect(found["journal"]?.map(\.status) == [.warning])
    #expect(found["key"] == nil && found["format"]?.map(\.status) == [.note])
    #expect(try state(scene) == before)
    #expect(try scene.contents() == Workload.modify.state(after: 0))
    #expect(findings(scene)["journal"]?.map(\.status) == [.ok])
    try File.write([UInt8](repeating: 0, count: 512), to: scene.vault + "-journal")
    #expect(findings(scene)["journal"]?.map(\.status) == [.note])
  }

  @Test func `Permissions that let others in are told, of the file, its folder and those above`()
    throws
  {
    let scene = try Scene()
    for (path, mode) in [(scene.vault, UInt32(0o640)), (scene.folder("vault"), 0o770)] {
      try File.setMode(mode, of: path)
      #expect(codes(scene).contains(.unsafePermissions))
      try File.setMode(path == scene.vault ? 0o600 : 0o700, of: path)
    }
    #expect(codes(scene) == [])
    try File.setMode(0o755, of: scene.folder("vault"))
    #expect(findings(scene)["folder"]?.map(\.status) == [.note])
    try File.setMode(0o700, of: scene.folder("vault"))
    try File.setMode(0o770, of: scene.folder.path)
    #expect(findings(scene)["folder"]?.map(\.status) == [.ok, .warning])
    try File.setMode(0o777, of: scene.folder.path)
    #expect(findings(scene)["folder"]?.map(\.status) == [.problem])
    try File.setMode(0o700, of: scene.folder.path)
    try File.makeHardLink(scene.folder("second"), to: scene.vault)
    #expect(codes(scene) == [.unsafePermissions])
  }

  @Test func `What is no vault, or none that can be read, is told by the code that using it gives`()
    throws
  {
    let scene = try Scene()
    try File.write(Array("hello".utf8), to: scene.folder("text"))
    try File.makeSymbolicLink(scene.folder("link"), to: scene.vault)
    let good = try File.read(scene.vault)
    var cut = good
    cut[18] = 2
    try File.write(cut, to: scene.folder("journal-mode"))
    let cases: [(String, VaultError.Code)] = [
      (scene.folder("nothing"), .vaultNotFound), (scene.folder("no/vault"), .vaultNotFound),
      (scene.folder("text"), .notAVault), (scene.folder("link"), .unsafePermissions),
      (scene.folder("vault"), .notAVault), (scene.folder("journal-mode"), .damaged),
    ]
    for (path, code) in cases { #expect(codes(scene, path: path) == [code], "\(path)") }
  }

  @Test func `Damage of slots, head and structure is told, and so is a wrong key`() throws {
    let scene = try Scene()
    let good = try File.read(scene.vault)
    for (sql, check) in [
      ("UPDATE slot SET body = zeroblob(148)", "slots"), ("DELETE FROM slot", "slots"),
      ("UPDATE vault SET head = zeroblob(2048)", "key"),
      ("UPDATE slot SET id = 2", "slots"), ("UPDATE vault SET ident = zeroblob(48)", "format"),
      ("CREATE TABLE more (x)", "format"),
    ] {
      try File.write(good, to: scene.vault)
      try Database.run(sql, on: scene.vault)
      let found = findings(scene, key: scene.key)[check] ?? []
      #expect(found.contains { $0.code == .damaged }, "\(sql)")
    }
    // Its number is that of a slot only in 32 bits.
    try File.write(good, to: scene.vault)
    try Database.run("INSERT INTO slot SELECT id + 4294967296, body FROM slot", on: scene.vault)
    #expect(findings(scene, key: scene.key)["slots"]?.map(\.code) == [.damaged])
    refuses(.damaged) { try scene.contents() }
    try File.write(good, to: scene.vault)
    #expect(codes(scene, key: .keyFile(KeyFile())) == [.authenticationFailed])
    #expect(codes(scene, key: scene.key) == [])
    var lost = good + [UInt8](repeating: 0, count: 4096)
    lost[31] = UInt8(good.count / 4096 + 1)
    try File.write(lost, to: scene.vault)
    #expect(findings(scene)["structure"]?.compactMap(\.code) == [.damaged])
  }

  @Test func `An old copy put back, and another history, are told without being remembered`() throws
  {
    let scene = try Scene(holding: Workload.add.base)
    func add(_ name: String) throws {
      try scene.withStore { (store) throws(VaultError) in
        _ = try store.add(Workload.item(name, name))
      }
    }
    let older = try File.read(scene.vault)
    try add("one")
    let newer = try File.read(scene.vault)
    try File.write(older, to: scene.vault)
    for _ in 0..<2 { #expect(codes(scene, key: scene.key) == [.rolledBack]) }
    try Specimen.withStore(scene.vault, key: scene.key) { (store) throws(VaultError) in
      _ = try store.add(Workload.item("two", "two"))
    }
    #expect(codes(scene, key: scene.key) == [.forked])
    try File.write(newer, to: scene.vault)
    #expect(codes(scene, key: scene.key) == [])
  }

  @Test
  func `A writer at work is named, a slot that is cheap to guess is told, and what a kill left`()
    throws
  {
    let scene = try Scene()
    let holder = try scene.driver("hold")
    #expect(holder.line() == "holding")
    let locks = findings(scene)["locks"]
    #expect(locks?.map(\.status) == [.warning])
    #expect(locks?.first?.text.contains("VaultTestDriver") == true)
    holder.tell("")
    #expect(holder.wait() == .exited(0))
    #expect(findings(scene)["locks"]?.map(\.status) == [.ok])

    let slow = scene.folder("passphrase")
    try FileStore.create(
      VaultPath(slow), key: .passphrase(Secret("cheap")), slotName: "", cost: .minimum,
      stateFolder: nil,
      lockTimeout: .seconds(1)
    ).close()
    #expect(findings(scene, path: slow)["passphrase-cost"]?.map(\.status) == [.warning])

    try File.write([1], to: scene.folder("vault/.v.abc.new"))
    try File.write([1], to: scene.folder("vault/v.replaced-20261120"))
    try File.write([1], to: scene.folder("vault/other"))
    #expect(findings(scene)["leftovers"]?.map(\.status) == [.warning, .note])
  }

  @Test func `The libraries and the memory of this process are told`() throws {
    let found = try findings(Scene())
    #expect(found["libraries"]?.count == 3)
    #expect(found["libraries"]?.allSatisfy { $0.status == .ok } == true)
    for check in [
      "locked-memory", "core-dumps", "forked-children", "clock", "space", "file-system",
    ] {
      #expect(found[check]?.count == 1, "\(check)")
    }
  }
}
