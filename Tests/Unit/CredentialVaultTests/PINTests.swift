import AttackSupport
import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: PINs of items")
struct PINTests {
  let clocked: ClockedVault
  var clock: TestClock { clocked.clock }
  var vault: Vault { clocked.vault }
  private let pin = Secret("7391")

  static let places = [Persistence.session, .permanent]

  init() throws {
    clocked = try ClockedVault()
  }

  /// Adds an item whose secret needs the PIN.
  private func sealed(_ place: Persistence = .permanent) throws -> Item {
    let added = try vault.add(item("ann", "one"), persistence: place).item
    return try vault.pins.set(pin, on: added, cost: .minimum).item
  }

  private func text(_ item: Item) -> String? {
    item.secret.map { String(decoding: $0.array, as: UTF8.self) }
  }

  @Test("the PIN opens the secret; without it nothing gives it", arguments: places)
  func opens(_ place: Persistence) throws {
    let item = try sealed(place)
    #expect(item.needsPIN && item.persistence == place)
    #expect(try text(vault.pins.open(item, pin: pin)) == "one")

    var found = try vault.findAll(ItemQuery(), withSecrets: true)
    found.append(try vault.find(ItemQuery(), withSecrets: true))
    found.append(try vault.findUnique(ItemQuery(), withSecrets: true))
    found.append(try vault.item(item.id, withSecrets: true))
    found += try vault.write { try $0.findAll(ItemQuery(), withSecrets: true) }
    #expect(found.count >= 4)
    for item in found { #expect(item.needsPIN && item.secret == nil) }
    expect(.pinRequired) { _ = try vault.known(space()) }
    expect(.pinRequired) { _ = try vault.knownDefault(space()) }
    #expect(try vault.candidates(ItemQuery(space())).isEmpty)
    #expect(try vault.allCredentials().isEmpty)
    #expect(try vault.history.entries(of: item, withSecrets: true).isEmpty)
  }

  @Test("what the file has is another secret than the item's, and than the PIN's other seals")
  func file() throws {
    let item = try sealed()
    let copy = try vault.item(item.id, withSecrets: true)
    #expect(copy.storedSecret?.array.contains(Array("one".utf8)) == false)
    #expect((copy.storedSecret?.count ?? 0) > 50)
  }

  @Test("a PIN of fewer than four bytes, an item without a secret, and further secrets are refused")
  func refused() throws {
    let item = try vault.add(item("ann", "one")).item
    expect(.invalidArgument) {
      try vault.pins.set(Secret("123"), on: item, cost: .minimum)
    }
    let empty = try vault.add(CredentialVaultTests.item("bob", "")).item
    expect(.invalidArgument) { try vault.pins.set(pin, on: empty, cost: .minimum) }
    for change in [ItemChange.refreshToken(Secret("token")), .oneTimePasswordKey(Secret("KEY"))] {
      try vault.modify(item, [change])
      expect(.invalidArgument) { try vault.pins.set(pin, on: item, cost: .minimum) }
      try vault.modify(item, [ItemChange(change.attribute, nil)])
    }
    #expect(try text(vault.item(item.id, withSecrets: true)) == "one")
    expect(.invalidArgument) { _ = try vault.pins.open(item, pin: pin) }
  }

  @Test("another PIN opens nothing, and a right one makes the count begin anew", arguments: places)
  func wrong(_ place: Persistence) throws {
    let item = try sealed(place)
    for _ in 0..<3 {
      for _ in 0..<2 {
        expect(.authenticationFailed) {
          _ = try vault.pins.open(item, pin: Secret("1234"))
        }
      }
      #expect(try text(vault.pins.open(item, pin: pin)) == "one")
    }
  }

  @Test("after three wrong PINs each is delayed twice as long, also the right one, up to an hour")
  func delayed() throws {
    let item = try sealed()
    let wrong = Secret("1234")
    for _ in 0..<3 {
      expect(.authenticationFailed) { _ = try vault.pins.open(item, pin: wrong) }
    }
    var delay: Int64 = 1
    for _ in 0..<14 {
      expect(.tooManyAttempts) { _ = try vault.pins.open(item, pin: pin) }
      clock.pass(.milliseconds(delay * 1000 - 1))
      expect(.tooManyAttempts) { _ = try vault.pins.open(item, pin: pin) }
      clock.pass(.milliseconds(1))
      expect(.authenticationFailed) { _ = try vault.pins.open(item, pin: wrong) }
      delay = min(delay * 2, 3600)
    }
    #expect(delay == 3600)
    clock.pass(.seconds(3600))
    #expect(try text(vault.pins.open(item, pin: pin)) == "one")
    expect(.authenticationFailed) { _ = try vault.pins.open(item, pin: wrong) }
  }

  @Test("the count is that of the machine: another opening goes on with it")
  func shared() throws {
    let item = try sealed()
    let other = try Vault.open(
      path: clocked.fixture.path, key: clocked.fixture.key, time: clock.source)
    for vault in [vault, other, vault] {
      expect(.authenticationFailed) { _ = try vault.pins.open(item, pin: Secret("1234")) }
    }
    for vault in [vault, other] {
      expect(.tooManyAttempts) { _ = try vault.pins.open(item, pin: pin) }
    }
  }

  @Test("eight threads at once have three tries together")
  func together() throws {
    let item = try sealed()
    let (vault, codes) = (vault, Lock<[VaultError.Code]>([]))
    inThreads(8) { _ in
      do throws(VaultError) {
        _ = try vault.pins.open(item, pin: Secret("1234"))
      } catch {
        codes.withLock { $0.append(error.code) }
      }
    }
    let all = codes.withLock { $0 }
    #expect(all.count == 8 && all.count { $0 == .authenticationFailed } <= 3, "\(all)")
    #expect(all.allSatisfy { [.authenticationFailed, .tooManyAttempts, .busy].contains($0) })
    expect(.tooManyAttempts) { _ = try vault.pins.open(item, pin: pin) }
  }

  @Test("a clock that is set back shortens no delay")
  func clockBack() throws {
    let item = try sealed()
    for _ in 0..<3 {
      expect(.authenticationFailed) { _ = try vault.pins.open(item, pin: Secret("1234")) }
    }
    clock.set(by: .seconds(-7200))
    clock.pass(.seconds(3600))
    expect(.tooManyAttempts) { _ = try vault.pins.open(item, pin: pin) }
    clock.pass(.seconds(3601))
    #expect(try text(vault.pins.open(item, pin: pin)) == "one")
  }

  @Test("the secret changes with the PIN alone, whoever asks", arguments: places)
  func changing(_ place: Persistence) throws {
    let item = try sealed(place)
    let new = Secret("two")
    expect(.pinRequired) { try vault.modify(item, [.secret(new)]) }
    expect(.pinRequired) { try vault.modify(item, [.secretKind(.password)]) }
    expect(.pinRequired) { try vault.modify(item, [.refreshToken(new)]) }
    expect(.pinRequired) {
      try vault.upsert(CredentialVaultTests.item("ann", "two"), persistence: place)
    }
    expect(.pinRequired) { try vault.pins.set(Secret("12345"), on: item, cost: .minimum) }
    expect(.authenticationFailed) {
      try vault.pins.setSecret(new, of: item, pin: Secret("1234"), cost: .minimum)
    }
    try vault.modify(item, [.comment("changed")])
    try vault.pins.setSecret(new, of: item, pin: pin, cost: .minimum)
    let opened = try vault.pins.open(item, pin: pin)
    #expect(text(opened) == "two" && opened.comment == "changed" && opened.id == item.id)
  }

  @Test("no secret in clear is stored as one that needs a PIN")
  func unsealed() throws {
    var forged = try item("bob", "one")
    forged.secretKind = SecretKind(rawValue: 0x80)
    expect(.invalidArgument) { try vault.add(forged) }
    let item = try vault.add(item("ann", "one")).item
    expect(.invalidArgument) {
      try vault.modify(item, [.secretKind(SecretKind(rawValue: 0x80)), .secret(Secret("two"))])
    }
    expect(.invalidArgument) { try vault.modify(item, [.secretKind(SecretKind(rawValue: 0x80))]) }
    #expect(try text(vault.item(item.id, withSecrets: true)) == "one")
  }

  @Test("a PIN is replaced and removed with itself alone", arguments: places)
  func replacing(_ place: Persistence) throws {
    let item = try sealed(place)
    let new = Secret("a longer one")
    expect(.authenticationFailed) {
      try vault.pins.set(new, on: item, replacing: new, cost: .minimum)
    }
    try vault.pins.set(new, on: item, replacing: pin, cost: .minimum)
    expect(.authenticationFailed) { _ = try vault.pins.open(item, pin: pin) }
    expect(.authenticationFailed) { try vault.pins.remove(from: item, pin: pin) }
    let plain = try vault.pins.remove(from: item, pin: new).item
    #expect(!plain.needsPIN && plain.id == item.id)
    #expect(try text(vault.item(item.id, withSecrets: true)) == "one")
  }

  @Test(
    "setting a PIN leaves no previous secret in clear, and later ones stay sealed",
    arguments: places)
  func history(_ place: Persistence) throws {
    let added = try vault.add(item("ann", "zero"), persistence: place).item
    clock.pass(.seconds(1))
    try vault.modify(added, [.secret(Secret("one"))])
    clock.pass(.seconds(1))
    let item = try vault.pins.set(pin, on: added, cost: .minimum).item
    #expect(try vault.history.entries(of: item).isEmpty)
    clock.pass(.seconds(1))
    try vault.pins.setSecret(Secret("two"), of: item, pin: pin, cost: .minimum)
    let past = try vault.history.entries(of: item, withSecrets: true)
    #expect(past.count == 1 && past.allSatisfy { $0.secret == nil && $0.kind.needsPIN })
    clock.pass(.seconds(1))
    try vault.history.revert(item)
    #expect(try text(vault.pins.open(item, pin: pin)) == "one")
  }

  @Test("a copy, a move and a restored backup stay sealed, and open with the PIN")
  func copies() throws {
    let item = try sealed(.session)
    var copy = try vault.item(item.id, withSecrets: true)
    copy.server = try HostName("other.example.com")
    let other = try vault.add(copy).item
    #expect(other.needsPIN && other.id != item.id)
    #expect(try text(vault.pins.open(other, pin: pin)) == "one")

    let backup = clocked.fixture.folder.file("backup")
    try vault.maintenance.backup(to: backup)
    try vault.remove(other, removal: .permanent)
    try vault.maintenance.restoreItem(other.id, from: backup, key: clocked.fixture.key)
    let restored = try vault.find(ItemQuery(key: other.key), withSecrets: true)
    #expect(restored.needsPIN && restored.secret == nil)
    #expect(try text(vault.pins.open(restored, pin: pin)) == "one")
  }

  @Test("a rule that demands a PIN keeps other credentials for the session")
  func rule() throws {
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "sealed")
      rule.requiresPIN = true
      rules.append(rule)
    }
    let plain = try vault.add(item("bob", "one"))
    #expect(plain.item.persistence == .session && plain.decision.onlyWithPIN)
    let added = try vault.pins.add(item("ann", "one"), pin: pin, cost: .minimum)
    #expect(added.item.persistence == .permanent && added.item.needsPIN)
    #expect(try text(vault.pins.open(added.item, pin: pin)) == "one")
    // Without its PIN it is for the session alone, and the file's stays as it was.
    let open = try vault.pins.remove(from: added.item, pin: pin)
    #expect(open.item.persistence == .session && !open.item.needsPIN)
    #expect(try vault.policy.excesses().isEmpty)
  }

  @Test("what was kept before a rule demands a PIN is too much")
  func review() throws {
    let sealed = try sealed()
    let plain = try vault.add(item("bob", "one")).item
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "sealed")
      rule.requiresPIN = true
      rules.append(rule)
    }
    let found = try vault.policy.excesses()
    #expect(found.map(\.id) == [plain.id] && found.first?.remedy == .moveToSession)
    #expect(try vault.item(sealed.id).persistence == .permanent)
  }

  @Test("another copy's secrets in clear do not come back by a merge")
  func merge() throws {
    let added = try vault.add(item("ann", "zero")).item
    let copy = clocked.fixture.folder.file("copy")
    try vault.maintenance.backup(to: copy)
    clock.pass(.seconds(1))
    let item = try vault.pins.set(pin, on: added, cost: .minimum).item
    _ = try VaultMaintenance.merge(copy, into: clocked.fixture.path, key: clocked.fixture.key)
    let past = try vault.history.entries(of: item, withSecrets: true)
    #expect(past.allSatisfy { $0.secret == nil }, "\(past.count)")
    #expect(try vault.item(item.id, withSecrets: true).secret == nil)
    #expect(try text(vault.pins.open(item, pin: pin)) == "zero")
  }

  @Test("the trash keeps the seal")
  func trash() throws {
    let item = try sealed()
    try vault.remove(item)
    let removed = try #require(try vault.trash.items(.everything).first)
    try vault.trash.restore(removed)
    #expect(try vault.item(item.id, withSecrets: true).secret == nil)
    #expect(try text(vault.pins.open(item, pin: pin)) == "one")
  }
}
