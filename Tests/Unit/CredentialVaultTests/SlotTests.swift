import AttackSupport
import VaultAdministration
import Glibc
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel

/// The slots that unlock a vault, as a program that links the library uses them.
@Suite("slots of a vault")
struct SlotTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func passphrase(_ text: String) -> KeySource { .passphrase(Secret(text)) }

  @Test("slots say their kind, name, date and cost")
  func information() throws {
    try vault.keys.add(passphrase("p"), name: "laptop", cost: .minimum)
    _ = try vault.keys.addRecoveryCode(name: "safe")
    let slots = try vault.keys.slots()
    #expect(slots.map(\.id) == [1, 2, 3])
    #expect(slots.map(\.kind) == [.keyFile, .passphrase, .recoveryCode])
    #expect(slots.map(\.name) == ["own", "laptop", "safe"])
    #expect(slots.map(\.cost) == [nil, .minimum, nil])
    let now = Timestamp.now()
    for slot in slots { #expect(slot.created <= now) }
  }

  @Test("a recovery code opens the vault as it was shown, typed otherwise, or from a file")
  func recovery() throws {
    let code = try vault.keys.addRecoveryCode().code
    let text = String(decoding: code.array, as: UTF8.self)
    let file = try fixture.folder.write(Array((text + "\n").utf8), as: "code")
    let typed = Secret(text.lowercased().replacing("-", with: " "))
    for key in [KeySource.recoveryCode(code), .recoveryCode(typed), .recoveryFile(file)] {
      try vault.lock()
      try vault.unlock(with: key)
      #expect(try vault.state() == .unlocked)
    }
    try vault.lock()
    expect(.authenticationFailed) {
      try vault.unlock(with: .recoveryCode(VaultKeys.newRecoveryCode()))
    }
    expect(.invalidData) { try vault.unlock(with: .recoveryCode(Secret("ABCDE"))) }
    // The path is a C string for this call.
    try #require(unsafe chmod(file, 0o644) == 0)
    expect(.unsafePermissions) { try vault.unlock(with: .recoveryFile(file)) }
    expect(.missingInput) { try vault.unlock(with: .recoveryFile(file + "x")) }
    #expect(try vault.state() == .locked)
  }

  @Test("a vault can be born with a recovery slot")
  func born() throws {
    let code = VaultKeys.newRecoveryCode()
    let path = fixture.folder.file("second.vault")
    let second = try Vault.create(
      path: path, key: passphrase("p"), cost: .minimum, recoveryCode: code)
    #expect(try second.keys.slots().map(\.kind) == [.passphrase, .recoveryCode])
    #expect(try second.generation() == 1)
    try second.close()
    let opened = try Vault.open(path: path, key: .recoveryCode(code))
    #expect(try opened.state() == .unlocked)
    expect(.invalidData) {
      _ = try Vault.create(
        path: fixture.folder.file("third.vault"), key: passphrase("p"), cost: .minimum,
        recoveryCode: Secret("no code"))
    }
    #expect(!KeyFile.isPresent(at: fixture.folder.file("third.vault")))
  }

  @Test("the slots of a locked vault can be listed and tested, and nothing else")
  func locked() throws {
    try vault.keys.add(passphrase("p"), cost: .minimum)
    try vault.lock()
    #expect(try vault.keys.slots().map(\.id) == [1, 2])
    #expect(try vault.keys.test(passphrase("p")).id == 2)
    #expect(try vault.keys.test(fixture.key).id == 1)
    #expect(try vault.keys.test(fixture.key, id: 1).id == 1)
    expect(.authenticationFailed) { _ = try vault.keys.test(passphrase("wrong")) }
    expect(.authenticationFailed) { _ = try vault.keys.test(passphrase("p"), id: 1) }
    for id in [0, -1, 3, .max] {
      expect(.itemNotFound) { _ = try vault.keys.test(passphrase("p"), id: id) }
    }
    #expect(try vault.state() == .locked)
    expect(.locked) { _ = try vault.keys.addRecoveryCode() }
    expect(.locked) { try vault.keys.add(passphrase("q"), cost: .minimum) }
    expect(.locked) { try vault.keys.remove(id: 2) }
    expect(.locked) { try vault.keys.rename(id: 2, to: "n") }
  }

  @Test("a passphrase is changed in its slot, which unlocks the vault, and only to a passphrase")
  func change() throws {
    try vault.keys.add(passphrase("old"), name: "laptop", cost: .minimum)
    try vault.lock()
    let changed = try vault.keys.changePassphrase(
      from: passphrase("old"), to: passphrase("new"), cost: .minimum)
    #expect(changed.id == 2 && changed.name == "laptop")
    #expect(try vault.state() == .unlocked)
    try vault.lock()
    expect(.authenticationFailed) { try vault.unlock(with: passphrase("old")) }
    expect(.authenticationFailed) {
      try vault.keys.changePassphrase(from: passphrase("old"), to: passphrase("x"), cost: .minimum)
    }
    for (old, new) in [(fixture.key, passphrase("x")), (passphrase("new"), fixture.key)] {
      expect(.invalidArgument) {
        try vault.keys.changePassphrase(from: old, to: new, cost: .minimum)
      }
    }
    #expect(try vault.keys.test(passphrase("new")).id == 2)
  }

  /// Returns a passphrase and the key file of the fixture, or another one.
  private func both(_ text: String, _ file: String = "key") -> KeySource {
    .both(passphrase(text), .keyFile(fixture.folder.file(file)))
  }

  @Test("a slot that needs both opens with both, and a half is locked and says what is missing")
  func both() throws {
    let added = try vault.keys.add(both("p"), name: "two", cost: .minimum)
    #expect(added.kind == .both && added.cost == .minimum)
    // The key file opens its own slot alone.
    try vault.lock()
    try vault.unlock(with: fixture.key)
    try vault.keys.remove(id: 1)
    #expect(try vault.keys.slots().map(\.kind) == [.both])
    expect(.invalidArgument) { try vault.keys.remove(id: 2) }
    try vault.lock()
    try KeyFile.create(at: fixture.folder.file("other"))
    for (key, half) in [(fixture.key, "a passphrase as"), (passphrase("p"), "a key file as")] {
      let error = #expect(throws: VaultError.self) { try vault.unlock(with: key) }
      #expect(error?.code == .locked && error?.context.contains(half) == true)
    }
    for wrong in [both("q"), both("p", "other")] {
      expect(.authenticationFailed) { try vault.unlock(with: wrong) }
    }
    #expect(try vault.state() == .locked)
    for right in [both("p"), .both(fixture.key, passphrase("p"))] {
      try vault.unlock(with: right)
      #expect(try vault.keys.test(right).id == 2)
      try vault.lock()
    }
    expect(.invalidArgument) { try vault.unlock(with: .both(passphrase("p"), passphrase("p"))) }
    expect(.invalidArgument) { try vault.unlock(with: .both(fixture.key, fixture.key)) }
  }

  @Test("passwd changes the passphrase of a slot that needs both, and its key file stays")
  func changeBoth() throws {
    try vault.keys.add(both("old"), name: "two", cost: .minimum)
    try vault.keys.remove(id: 1)
    try vault.lock()
    expect(.locked) {
      try vault.keys.changePassphrase(from: passphrase("old"), to: passphrase("x"), cost: .minimum)
    }
    let changed = try vault.keys.changePassphrase(
      from: .both(fixture.key, passphrase("old")), to: passphrase("new"), cost: .minimum)
    #expect(changed.id == 2 && changed.kind == .both && changed.name == "two")
    try vault.lock()
    expect(.authenticationFailed) { try vault.unlock(with: both("old")) }
    expect(.locked) { try vault.unlock(with: passphrase("new")) }
    try vault.unlock(with: both("new"))
  }

  @Test("a cheap slot that needs both is made dearer on opening, too")
  func raiseBoth() throws {
    try vault.keys.add(both("p"), cost: .minimum)
    try vault.close()
    let opened = try Vault.open(path: fixture.path, key: both("p"))
    let slot = try opened.keys.slots()[1]
    #expect(slot.kind == .both && (slot.cost?.memoryKiB ?? 0) >= PassphraseCost.policy.memoryKiB)
    try opened.lock()
    try opened.unlock(with: both("p"))
    #expect(try opened.keys.test(both("p"), id: 2).id == 2)
  }

  @Test("a rekey keeps a slot that needs both if its halves are given, together or apart")
  func rekeyBoth() throws {
    try KeyFile.create(at: fixture.folder.file("second"))
    try vault.keys.add(both("p", "second"), name: "two", cost: .minimum)
    expect(.invalidArgument) { _ = try vault.keys.rekey(keeping: [fixture.key], cost: .minimum) }
    expect(.invalidArgument) {
      _ = try vault.keys.rekey(keeping: [fixture.key, both("q", "second")], cost: .minimum)
    }
    let file = KeySource.keyFile(fixture.folder.file("second"))
    for keys in [[both("p", "second")], [passphrase("p"), file]] {
      let report = try vault.keys.rekey(keeping: [fixture.key] + keys, cost: .minimum)
      #expect(report.removedSlots.isEmpty)
      #expect(try vault.keys.slots().map(\.kind) == [.keyFile, .both])
      #expect(try vault.keys.test(both("p", "second")).name == "two")
    }
    // Asked for when nothing else opens the slot.
    let report = try vault.keys.rekey(
      keeping: [fixture.key, file], cost: .minimum,
      otherSlot: { (slot) throws(VaultError) in slot.kind == .both ? passphrase("p") : nil })
    #expect(report.removedSlots.isEmpty)
    #expect(try vault.keys.test(both("p", "second")).id == 2)
  }

  @Test("a rekey removes the slots that are named, whose keys are not given for nothing else")
  func rekeyDropping() throws {
    try KeyFile.create(at: fixture.folder.file("second"))
    let file = KeySource.keyFile(fixture.folder.file("second"))
    for key in [file, fixture.key, both("p", "second")] { try vault.keys.add(key, cost: .minimum) }
    for id in [0, -1, 5] {
      expect(.itemNotFound) { _ = try vault.keys.rekey(keeping: [fixture.key], removing: [id]) }
    }
    expect(.invalidArgument) {
      _ = try vault.keys.rekey(keeping: [fixture.key, file], removing: [2, 4])
    }
    // Its key also opens the first slot, and a key that is given twice is used once.
    let report = try vault.keys.rekey(
      keeping: [fixture.key, file, fixture.key], removing: [3, 4], cost: .minimum)
    #expect(report.removedSlots == [3, 4])
    #expect(try vault.keys.slots().map(\.id) == [1, 2])
  }

  @Test("a backup whose slot needs both is restored with both, and salvaged with both")
  func restoreBoth() throws {
    try vault.keys.add(both("p"), cost: .minimum)
    try vault.keys.remove(id: 1)
    try vault.add(item())
    let backup = try vault.maintenance.backup(to: fixture.folder.file("backup")).path
    try vault.close()
    let target = fixture.folder.file("vault/restored.vault")
    for half in [passphrase("p"), fixture.key] {
      expect(.locked) { _ = try VaultMaintenance.restore(from: backup, to: target, key: half) }
    }
    _ = try VaultMaintenance.restore(from: backup, to: target, key: both("p"))
    let restored = try Vault.open(path: target, key: both("p"), minimumCost: .minimum)
    #expect(try restored.findAll(ItemQuery()).count == 1)
    try restored.close()
    let saved = fixture.folder.file("vault/saved.vault")
    _ = try VaultMaintenance.salvage(path: target, to: saved, key: both("p"), cost: .minimum)
    expect(.locked) { _ = try Vault.open(path: saved, key: passphrase("p")) }
    #expect(
      try Vault.open(path: saved, key: both("p"), minimumCost: .minimum).keys.slots().first?.kind
        == .both)
  }

  @Test("the last slot stays")
  func last() throws {
    expect(.invalidArgument) { try vault.keys.remove(id: 1) }
    _ = try vault.keys.addRecoveryCode()
    try vault.keys.remove(id: 1)
    expect(.invalidArgument) { try vault.keys.remove(id: 2) }
    #expect(try vault.keys.slots().map(\.kind) == [.recoveryCode])
  }

  @Test("a vault in memory has no slots")
  func memory() throws {
    let vault = Vault.inMemory()
    expect(.unsupported) { _ = try vault.keys.slots() }
    expect(.unsupported) { _ = try vault.keys.addRecoveryCode() }
    expect(.unsupported) { try vault.keys.remove(id: 1) }
    expect(.unsupported) { _ = try vault.keys.test(passphrase("p")) }
  }

  @Test("opened without a key a vault is locked, whatever the environment has")
  func openLocked() throws {
    try vault.close()
    let opened = try Vault.openLocked(path: fixture.path)
    #expect(try opened.state() == .locked)
    try opened.unlock(with: fixture.key)
    #expect(try opened.state() == .unlocked)
  }

  @Test("a cheap passphrase is made dearer on opening, but not by whoever chose its cost")
  func raise() throws {
    try vault.keys.add(passphrase("p"), cost: .minimum)
    try vault.close()
    func cost(minimum: PassphraseCost) throws -> Int {
      let opened = try Vault.open(
        path: fixture.path, key: passphrase("p"), minimumCost: minimum)
      defer { try? opened.close() }
      return try opened.keys.slots()[1].cost?.memoryKiB ?? 0
    }
    #expect(try cost(minimum: .minimum) == 8192)
    #expect(try cost(minimum: .policy) >= PassphraseCost.policy.memoryKiB)
    #expect(try cost(minimum: .minimum) >= PassphraseCost.policy.memoryKiB)
    let chosen = try Vault.create(
      path: fixture.folder.file("second.vault"), key: passphrase("p"), cost: .minimum)
    try chosen.lock()
    try chosen.unlock(with: passphrase("p"))
    #expect(try chosen.keys.slots()[0].cost == .minimum)
  }

  @Test("where nothing can be written a cheap passphrase opens the vault all the same")
  func raiseBesideWriter() throws {
    try vault.keys.add(passphrase("p"), cost: .minimum)
    try vault.close()
    let writer = try LockHolder(fixture.path)
    try writer.lock("IMMEDIATE")
    // A program that waits for the writer would wait for ever.
    let opened = try Vault.open(
      path: fixture.path, key: passphrase("p"), lockTimeout: .seconds(1_000_000))
    #expect(try opened.keys.slots()[1].cost == .minimum)
    try opened.close()
    try writer.unlock()
  }
}
