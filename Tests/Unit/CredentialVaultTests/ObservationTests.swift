import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: what observers are told")
struct ObservationTests {
  typealias Subject = VaultEvent.Subject

  let fixture: Fixture
  let recorder = EventRecorder()
  let observation: VaultObserver
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
    observation = fixture.vault.events.observe(recorder)
  }

  @Test(
    "each change is one event, with id, space and place",
    arguments: [Persistence.session, .permanent])
  func changes(persistence: Persistence) throws {
    let added = try vault.add(item(), persistence: persistence).item
    let subject = Subject(id: added.id, space: try space(), persistence: persistence)
    #expect(recorder.take() == [.added(subject)])
    let modified = try vault.modify(added, [.secret(Secret("two")), .comment("x")]).item
    #expect(recorder.take() == [.modified(subject)])
    try vault.modify(modified, [.port(8443)])
    let other = Subject(id: added.id, space: try space(port: 8443), persistence: persistence)
    #expect(recorder.take() == [.modified(other)])
    try vault.setDefaultUser("ann", for: space(port: 8443))
    #expect(recorder.take() == [.defaultChanged(try space(port: 8443))])
    try vault.setDefaultUser(nil, for: space(port: 8443))
    #expect(recorder.take() == [.defaultChanged(try space(port: 8443))])
    try vault.remove(vault.findUnique(ItemQuery(), withSecrets: true))
    #expect(recorder.take() == [.removed(other)])
  }

  @Test(
    "what networking code stores and removes is told as well",
    arguments: [Persistence.session, .permanent])
  func credentials(persistence: Persistence) throws {
    try vault.set(credential("ann", "one", persistence), for: space())
    let subject = Subject(try vault.findUnique(ItemQuery(), withSecrets: true))
    #expect(recorder.take() == [.added(subject)])
    try vault.setDefaultCredential(credential("ann", "two", persistence), for: space())
    #expect(recorder.take() == [.modified(subject), .defaultChanged(try space())])
    try vault.remove(user: "ann", for: space())
    #expect(recorder.take() == [.removed(subject)])
  }

  @Test("an item that names no server has no space")
  func withoutServer() throws {
    let added = try vault.add(Item(account: "ann", secret: Secret("one"))).item
    #expect(recorder.take() == [.added(Subject(id: added.id, space: nil, persistence: .permanent))])
  }

  @Test("what changes nothing is not told", arguments: [Persistence.session, .permanent])
  func unchanged(persistence: Persistence) throws {
    let ann = try vault.add(item(), persistence: persistence).item
    try vault.setDefaultUser("ann", for: space())
    _ = recorder.take()
    expect(.duplicateItem) { try vault.add(item(), persistence: persistence) }
    expect(.invalidArgument) {
      try vault.modify(ann, [.account(String(decoding: [0], as: UTF8.self))])
    }
    try vault.modify(ann, [.secret(Secret("one")), .comment("")])
    try vault.setDefaultUser("ann", for: space())
    try vault.setDefaultUser(nil, for: space("none.example.com"))
    expect(.itemNotFound) { try vault.setDefaultUser("bob", for: space()) }
    try vault.add(item("bob"), persistence: .none)
    _ = try vault.findAll(ItemQuery(), withSecrets: true)
    _ = try vault.credentials(for: space())
    try vault.remove(ann)
    #expect(recorder.take() == [.removed(Subject(ann))])
    expect(.itemNotFound) { try vault.remove(ann) }
    #expect(recorder.take() == [])
  }

  @Test("a transaction is told after its commit, in the order of its changes")
  func transaction() throws {
    let ann = try vault.add(item()).item
    _ = recorder.take()
    let bob = try item("bob")
    let added = try vault.write { (transaction) throws(VaultError) in
      let added = try transaction.add(bob).item
      try transaction.modify(ann, [.comment("x")])
      try transaction.setDefaultUser("bob", for: bob.server.space)
      try transaction.remove(ann)
      #expect(recorder.take() == [])
      return added
    }
    #expect(
      recorder.take() == [
        .added(Subject(added)), .modified(Subject(ann)),
        .defaultChanged(try bob.server.space), .removed(Subject(ann)),
      ])
  }

  @Test("nothing is told of a transaction that fails or changes nothing")
  func noTransaction() throws {
    let ann = try vault.add(item()).item
    let bob = try item("bob")
    _ = recorder.take()
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        try transaction.add(bob)
        try transaction.remove(ann)
        throw VaultError(.conflict, "thrown by the body")
      }
    }
    _ = try vault.write { (transaction) throws(VaultError) in
      try transaction.modify(ann, [.secret(Secret("one"))])
    }
    try vault.write { (transaction) throws(VaultError) in
      do throws(VaultError) {
        try transaction.add(ann)
      } catch {
        #expect(error.code == .duplicateItem)
      }
    }
    #expect(recorder.take() == [])
  }

  @Test("locking and unlocking are told once, and what did not happen is not")
  func locking() throws {
    try vault.add(item(), persistence: .session)
    _ = recorder.take()
    try vault.lock()
    try vault.lock()
    #expect(recorder.take() == [.locked])
    expect(.authenticationFailed) { try vault.unlock(with: .passphrase(Secret("wrong"))) }
    _ = try vault.keys.test(fixture.key)
    expect(.locked) { _ = try vault.findAll(ItemQuery()) }
    #expect(recorder.take() == [])
    try vault.unlock(with: fixture.key)
    try vault.unlock(with: fixture.key)
    _ = try vault.keys.test(fixture.key)
    #expect(recorder.take() == [.unlocked])
  }

  @Test("what leaves every item as it was is not told")
  func administration() throws {
    try vault.add(item())
    _ = recorder.take()
    _ = try vault.keys.add(.passphrase(Secret("other")), name: "other", cost: .minimum)
    try vault.keys.rename(id: 2, to: "another")
    try vault.keys.remove(id: 2)
    _ = try vault.keys.rekey(keeping: [fixture.key])
    _ = try vault.maintenance.compact()
    _ = try vault.maintenance.verify()
    try vault.maintenance.backup(to: fixture.folder.file("copy.vault"))
    _ = try vault.findAll(ItemQuery(), withSecrets: true)
    #expect(recorder.take() == [])
  }

  @Test("an item that is brought back is added or modified")
  func restoringItem() throws {
    let ann = try vault.add(item()).item
    let copy = fixture.folder.file("copy.vault")
    try vault.maintenance.backup(to: copy)
    try vault.modify(ann, [.secret(Secret("two"))])
    _ = recorder.take()
    try vault.maintenance.restoreItem(ann.id, from: copy)
    #expect(recorder.take() == [.modified(Subject(ann))])
    try vault.remove(ann)
    try vault.maintenance.restoreItem(ann.id, from: copy)
    #expect(recorder.take() == [.removed(Subject(ann)), .added(Subject(ann))])
  }

  @Test("a restore over the open vault is one change elsewhere, told at the next operation")
  func restoring() throws {
    try vault.add(item())
    let copy = fixture.folder.file("copy.vault")
    try vault.maintenance.backup(to: copy)
    let bob = try vault.add(item("bob")).item
    _ = recorder.take()
    try VaultMaintenance.restore(from: copy, to: fixture.path, key: fixture.key)
    _ = try vault.findAll(ItemQuery())
    _ = try vault.findAll(ItemQuery())
    #expect(recorder.take() == [.changedElsewhere])
    expect(.itemNotFound) { try vault.remove(bob) }
    #expect(recorder.take() == [])
  }

  @Test("a vault in memory tells what is stored, what locking it removes, and its end")
  func inMemory() throws {
    let vault = Vault.inMemory()
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    let ann = try vault.add(item(), persistence: .session).item
    try vault.setDefaultUser("ann", for: space())
    _ = recorder.take()
    try vault.lock()
    #expect(recorder.take() == [.removed(Subject(ann)), .defaultChanged(try space())])
    try vault.close()
    try vault.close()
    #expect(recorder.take() == [.locked])
    observation.cancel()
  }

  @Test("what is told holds no secret and no user")
  func noSecret() throws {
    let added = try vault.add(item("the user", "the secret")).item
    try vault.modify(added, [.refreshToken(Secret("the token")), .comment("the comment")])
    try vault.setDefaultUser("the user", for: space())
    try vault.remove(added)
    let events = recorder.take()
    #expect(events.count == 4)
    var text = ""
    dump(events, to: &text)
    text += events.map(\.description).joined()
    #expect(text.contains("git.example.com") && !text.contains("the "))
    #expect(!text.contains("Secret"))
  }
}

extension HostName {
  /// The space of the tests' items on this host.
  fileprivate var space: ProtectionSpace {
    get throws(VaultError) {
      try ProtectionSpace(host: name, realm: "Team Git", authenticationMethod: .basic)
    }
  }
}
