import AttackSupport
import SecureMemory
import StoreTesting
import TestTraits
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// A rekey by another process, seen by processes that have the vault open.
@Suite(.waiting) struct RekeyTests {
  /// Opens the vault of a fixture that also has a passphrase slot.
  private func open(_ fixture: VaultFixture, with key: UnlockKey) throws -> FileStore {
    let store = try FileStore.open(
      VaultPath(fixture.vault), stateFolder: fixture.stateFolder, lockTimeout: .seconds(5))
    try store.unlock(with: key) { key }
    return store
  }

  private func rekeyElsewhere(_ fixture: VaultFixture, to epoch: Int = 2) throws {
    let driver = try fixture.driver("rekey")
    #expect(driver.lines() == ["epoch \(epoch)"])
    #expect(driver.wait() == .exited(0))
  }

  @Test func `A vault that was opened with a key file goes on, reading and writing`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let store = try open(fixture, with: fixture.key)
    let session = Item(
      server: try HostName("session.example.com"), secret: Secret("kept"))
    _ = try store.session.add(session)
    #expect(try store.find(ItemQuery(), withSecrets: true).count == Workload.add.base.count)
    try rekeyElsewhere(fixture)
    _ = try store.add(Workload.item("after", "after"))
    #expect(try store.information().ident.epoch == 2)
    let found = try store.find(ItemQuery(), withSecrets: true)
    #expect(found.count == Workload.add.base.count + 1)
    // Nobody was locked out, so nothing of the session is lost.
    #expect(try store.session.find(ItemQuery(), withSecrets: true).first?.secret?.text == "kept")
    try store.close()
    #expect(try fixture.problems() == [])
  }

  @Test func `A read meets the rekey too, without a write before it`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let store = try open(fixture, with: fixture.key)
    _ = try store.find(ItemQuery())
    try rekeyElsewhere(fixture)
    #expect(try store.find(ItemQuery(), withSecrets: true).count == Workload.add.base.count)
    try store.close()
  }

  @Test func `A vault that was locked meanwhile opens with its key, in the new epoch`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let store = try FileStore.open(
      VaultPath(fixture.vault), stateFolder: fixture.stateFolder, lockTimeout: .seconds(5))
    // Its ident is the old one until then, and with that no slot opens.
    try rekeyElsewhere(fixture)
    try store.unlock(with: fixture.key)
    #expect(try store.information().ident.epoch == 2)
    try store.lockUp()
    try rekeyElsewhere(fixture, to: 3)
    try store.unlock(with: fixture.key)
    #expect(try store.find(ItemQuery(), withSecrets: true).count == Workload.add.base.count)
    try store.close()
    #expect(try fixture.problems() == [])
  }

  @Test func `It goes on as well if slots were tested and a passphrase changed before`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let (old, new) = (UnlockKey.passphrase(Secret("old")), UnlockKey.passphrase(Secret("new")))
    let store = try open(fixture, with: fixture.key)
    _ = try store.addSlot(old, name: "", cost: .minimum)
    _ = try store.replaceKey(old, with: new, cost: .minimum)
    _ = try store.testSlot(with: new, id: 2)
    // Its key is not given to the rekey.
    try store.removeSlot(2)
    try rekeyElsewhere(fixture)
    #expect(try store.find(ItemQuery(), withSecrets: true).count == Workload.add.base.count)
    try store.close()
  }
}
