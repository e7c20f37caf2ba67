import AttackSupport
import VaultAdministration
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@Suite("Vault: machines")
struct MachineTests {
  let fixture: Fixture
  let admin: String
  var vault: Vault { fixture.vault }
  var adminKey: KeySource { .keyFile(admin) }

  /// Makes a vault with an item, and an admin's machine.
  init() throws {
    fixture = try Fixture()
    admin = fixture.folder.file("admin.key")
    try fixture.vault.add(item("ann", "one"))
    try fixture.vault.keys.machines.begin(keyFile: admin, name: "admin")
  }

  /// Makes a machine's key and admits it; returns the path of its key.
  @discardableResult
  private func join(_ name: String, isAdmin: Bool = false) throws -> String {
    let path = fixture.folder.file("\(name).key")
    let request = try MachineKeyFile.create(
      at: path, name: name, adminKey: vault.keys.machines.adminKey())
    try vault.keys.machines.admit(request, asAdmin: isAdmin, with: adminKey)
    return path
  }

  /// Returns a copy of the vault as it is, at a path of its own.
  private func copy(_ name: String) throws -> String {
    let path = fixture.folder.file("vault/\(name)")
    try vault.maintenance.backup(to: path)
    return path
  }

  private func secret(_ vault: Vault) throws -> String {
    try String(decoding: vault.named("ann").secret?.array ?? [], as: UTF8.self)
  }

  @Test("an admitted machine opens the vault with its own key, and nobody else's")
  func admitted() throws {
    let key = try join("build")
    let path = try copy("build")
    let opened = try Vault.open(path: path, key: .keyFile(key))
    #expect(try secret(opened) == "one")
    try opened.add(item("bob"))
    #expect(try opened.maintenance.verify().isClean)
    try opened.close()
    let other = fixture.folder.file("other.key")
    _ = try MachineKeyFile.create(
      at: other, name: "other", adminKey: vault.keys.machines.adminKey())
    expect(.authenticationFailed) { _ = try Vault.open(path: path, key: .keyFile(other)) }
    let machines = try vault.keys.machines.list()
    #expect(
      machines.map(\.name) == ["admin", "build"] && machines.map(\.isAdmin) == [true, false])
    #expect(try vault.keys.slots().map(\.kind) == [.keyFile, .machine, .machine])
    #expect(machines.map(\.id) == [17, 18])
  }

  @Test("fingerprints are the same on both machines, and a mistyped line is refused")
  func fingerprints() throws {
    let line = try vault.keys.machines.adminKey()
    let path = fixture.folder.file("web.key")
    let request = try MachineKeyFile.create(at: path, name: "web-1 \u{fc}ber", adminKey: line)
    let admitted = try vault.keys.machines.admit(request, with: adminKey)
    #expect(try MachineKeyFile.fingerprint(of: request) == admitted.fingerprint)
    #expect(admitted.name == "web-1 \u{fc}ber")
    #expect(
      admitted.fingerprint.split(separator: " ").map(\.utf8.count) == Array(repeating: 5, count: 8))
    #expect(try MachineKeyFile.fingerprint(of: line) != admitted.fingerprint)
    for (index, character) in zip(request.indices, request) {
      var wrong = request
      wrong.replaceSubrange(index...index, with: character == "0" ? "1" : "0")
      expect(.invalidData) { _ = try MachineKeyFile.fingerprint(of: wrong) }
      expect(.invalidData) { try vault.keys.machines.admit(wrong, with: adminKey) }
    }
    expect(.invalidData) { try vault.keys.machines.admit(line, with: adminKey) }
    expect(.invalidData) {
      _ = try MachineKeyFile.create(
        at: fixture.folder.file("x"), name: "x", adminKey: request)
    }
  }

  @Test("a machine, or its name, is admitted once")
  func twice() throws {
    let path = fixture.folder.file("web.key")
    let request = try MachineKeyFile.create(
      at: path, name: "web", adminKey: vault.keys.machines.adminKey())
    try vault.keys.machines.admit(request, with: adminKey)
    expect(.duplicateItem) { try vault.keys.machines.admit(request, with: adminKey) }
    let again = try MachineKeyFile.create(
      at: fixture.folder.file("again.key"), name: "web", adminKey: vault.keys.machines.adminKey())
    expect(.duplicateItem) { try vault.keys.machines.admit(again, with: adminKey) }
    expect(.invalidArgument) {
      try vault.keys.machines.begin(keyFile: fixture.folder.file("second.key"), name: "second")
    }
    expect(.invalidArgument) {
      _ = try MachineKeyFile.create(
        at: fixture.folder.file("y"), name: "", adminKey: vault.keys.machines.adminKey())
    }
    #expect(!KeyFile.isPresent(at: fixture.folder.file("second.key")))
  }

  @Test("one key opens the vaults that the machine has joined, an admin's own ones too")
  func severalVaults() throws {
    let second = try Fixture()
    try second.vault.add(item("bob"))
    try second.vault.keys.machines.begin(keyFile: admin, name: "admin")
    let key = try join("build")
    let line = try second.vault.keys.machines.adminKey()
    let stranger = try MachineKeyFile.create(
      at: second.folder.file("x.key"), name: "build", adminKey: line)
    // Admitted by an admin whom it does not know, it opens nothing of his.
    let request = try MachineKeyFile.create(
      at: key, name: "build", adminKey: vault.keys.machines.adminKey())
    #expect(request != stranger)
    try second.vault.keys.machines.admit(request, with: adminKey)
    let path = second.folder.file("vault/copy")
    try second.vault.maintenance.backup(to: path)
    expect(.anotherVault) { _ = try Vault.open(path: path, key: .keyFile(key)) }
    #expect(try MachineKeyFile.create(at: key, name: "build", adminKey: line) == request)
    for (path, account) in [(try copy("build"), "ann"), (path, "bob")] {
      let opened = try Vault.open(path: path, key: .keyFile(key))
      #expect(try opened.findAll(.everything).map(\.account) == [account])
      try opened.close()
    }
    // Another key file is not taken for a machine's.
    let other = fixture.folder.file("plain.key")
    try KeyFile.create(at: other)
    expect(.cannotCreate) {
      _ = try MachineKeyFile.create(at: other, name: "x", adminKey: line)
    }
  }

  @Test("several machines are admitted in one commit, or none of them")
  func several() throws {
    let requests = try ["build", "web"].map { name in
      try MachineKeyFile.create(
        at: fixture.folder.file("\(name).key"), name: name,
        adminKey: vault.keys.machines.adminKey())
    }
    expect(.duplicateItem) {
      try vault.keys.machines.admit(all: requests + [requests[0]], with: adminKey)
    }
    expect(.invalidData) {
      try vault.keys.machines.admit(all: requests + ["x"], with: adminKey)
    }
    let before = try vault.maintenance.information().generation
    let admitted = try vault.keys.machines.admit(all: requests, with: adminKey)
    #expect(admitted.map(\.name) == ["build", "web"] && admitted.map(\.id) == [18, 19])
    #expect(try vault.maintenance.information().generation == before + 1)
    for name in ["build", "web"] {
      let opened = try Vault.open(
        path: copy("\(name).vault"), key: .keyFile(fixture.folder.file("\(name).key")))
      #expect(try secret(opened) == "one")
      try opened.close()
    }
  }

  @Test("only an admin's machine admits, drops or renames machines")
  func notAdmin() throws {
    let key = try join("build")
    let request = try MachineKeyFile.create(
      at: fixture.folder.file("web.key"), name: "web", adminKey: vault.keys.machines.adminKey())
    for other in [KeySource.keyFile(key), fixture.key] {
      expect(.invalidArgument) { try vault.keys.machines.admit(request, with: other) }
    }
    expect(.invalidArgument) { try vault.keys.remove(id: 18) }
    expect(.invalidArgument) { try vault.keys.rename(id: 18, to: "x") }
    expect(.invalidArgument) {
      _ = try vault.keys.rekey(keeping: [fixture.key, .keyFile(key)], removing: [17])
    }
    // Without an admin's key, every machine would be lost.
    expect(.invalidArgument) { _ = try vault.keys.rekey(keeping: [fixture.key]) }
    // A second admin can.
    let second = try join("second", isAdmin: true)
    try vault.keys.machines.admit(request, with: .keyFile(second))
    #expect(try vault.keys.machines.list().map(\.name) == ["admin", "build", "second", "web"])
    #expect(try vault.maintenance.verify().isClean)
  }

  /// Opens the vault's file as another program would that has a machine's key.
  private func elsewhere(_ path: String) throws -> VaultFile {
    let key = UnlockKey.machine(try Self.machineKey(path))
    let file = try VaultFile(
      path: VaultPath(fixture.path), stateFolder: nil, lockTimeout: .seconds(5))
    try file.unlock(with: key, keyFile: { key })
    return file
  }

  /// Returns the epoch of the key with which a file is read now.
  private func epoch(_ file: VaultFile) throws -> UInt64 {
    file.forgetLabel()
    return try file.read { (_) throws(VaultError) in try file.requireUnlocked().keys.ident.epoch }
  }

  @Test("a rekey drops a machine, and the others follow by themselves, with no key of theirs")
  func dropped() throws {
    let (build, web) = (try join("build"), try join("web"))
    let (stays, gone) = (try elsewhere(build), try elsewhere(web))
    #expect(try epoch(stays) == 1 && epoch(gone) == 1)
    let report = try vault.keys.rekey(keeping: [fixture.key, adminKey], removing: [19])
    #expect(report.epoch == 2 && report.removedSlots == [19])
    #expect(try epoch(stays) == 2)
    expect(.locked) { _ = try epoch(gone) }
    expect(.authenticationFailed) { _ = try elsewhere(web) }
    #expect(try vault.keys.machines.list().map(\.name) == ["admin", "build"])
    #expect(try vault.maintenance.verify().isClean)
    let again = try vault.keys.rekey(keeping: [adminKey], removing: [1])
    #expect(again.epoch == 3 && again.removedSlots == [1])
    #expect(try epoch(stays) == 3 && secret(vault) == "one")
  }

  @Test("whoever has the vault's key, but no admin's, cannot make a machine follow")
  func falseEpoch() throws {
    let build = try join("build")
    let stored = try Self.machineKey(build)
    #expect(try MachineText.line(of: stored.admins[0]) == vault.keys.machines.adminKey())
    let path = try copy("forged")
    let forger = AdminSecret()
    let own = MachineKey(joining: forger.key)
    let store = try FileStore.open(VaultPath(path), stateFolder: nil, lockTimeout: .seconds(5))
    let key = try Self.unlockKey(fixture.key)
    try store.unlock(with: key)
    #expect(throws: VaultError(.invalidArgument, "")) {
      try store.addFirstMachine(own, name: "x", signer: forger)
    }
    // Without the machines, and then with them again.
    _ = try store.rekey(
      keeping: [key], removing: [17, 18], cost: .minimum,
      otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
    _ = try store.addFirstMachine(own, name: "x", signer: forger)
    _ = try store.admit(
      [NewMachine(stored.publicKey, name: "build", isAdmin: false)], with: .machine(own))
    try store.close()
    let opened = try Vault.open(path: path, key: fixture.key)
    #expect(try opened.keys.machines.list().map(\.name) == ["x", "build"])
    try opened.close()
    expect(.anotherVault) { _ = try Vault.open(path: path, key: .keyFile(build)) }
    // Nor to restore under it.
    let backup = try copy("backup")
    try vault.close()
    try FileManager.default.removeItem(atPath: fixture.path)
    try FileManager.default.moveItem(atPath: path, toPath: fixture.path)
    expect(.rolledBack) {
      try VaultMaintenance.restore(from: backup, to: fixture.path, key: .keyFile(build))
    }
    expect(.anotherVault) { _ = try Vault.open(path: fixture.path, key: .keyFile(build)) }
  }

  @Test("a backup comes back with the machines that it had, or those that the vault has now")
  func restored() throws {
    let (build, backup) = (try join("build"), try copy("backup"))
    let web = try join("web")
    try VaultMaintenance.restore(from: backup, to: fixture.path, key: fixture.key)
    #expect(try vault.keys.machines.list().map(\.name) == ["admin", "build"])
    #expect(try vault.maintenance.verify().isClean)
    #expect(try secret(Vault.open(path: fixture.path, key: .keyFile(build))) == "one")
    expect(.authenticationFailed) {
      _ = try Vault.open(path: fixture.path, key: .keyFile(web))
    }
    _ = try vault.keys.rekey(keeping: [fixture.key, adminKey], removing: [18])
    // What was dropped with a rekey stays so.
    try VaultMaintenance.restore(from: backup, to: fixture.path, key: adminKey)
    try vault.unlock(with: adminKey)
    #expect(try vault.keys.machines.list().map(\.name) == ["admin"])
    #expect(try vault.maintenance.verify().isClean)
    expect(.authenticationFailed) {
      _ = try Vault.open(path: fixture.path, key: .keyFile(build))
    }
  }

  private static func unlockKey(_ source: KeySource) throws -> UnlockKey {
    guard case .keyFile(let path) = source else { throw VaultError(.internalError, "no key file") }
    return .keyFile(
      try File.read(path).withSpan { (bytes) throws(VaultError) in
        try VaultCrypto.KeyFile(decoding: bytes)
      })
  }

  private static func machineKey(_ path: String) throws -> MachineKey {
    try File.read(path).withSpan { (bytes) throws(VaultError) in try MachineKey(decoding: bytes) }
  }
}
