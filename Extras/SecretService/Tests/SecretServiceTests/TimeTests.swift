import BusMessages
import CredentialVault
import SecureMemory
import Testing
import VaultModel

@testable import SecretService

@Suite("The Secret Service's hold on a key")
struct TimeTests {
  /// Returns a service over a vault that was locked, whose passphrase was typed.
  private func typed() throws -> ServiceFixture {
    let bench = try ServiceFixture()
    _ = try bench.create(["a": "1"], Secret("one"))
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    try bench.type()
    return bench
  }

  private func isLocked(_ bench: ServiceFixture) throws -> Bool? {
    try bench.property("Locked", of: ServiceFixture.login, "Collection")?.flag
  }

  @Test("a typed passphrase ends a quarter of an hour after the last call, after eight at most")
  func typedEnds() throws {
    let bench = try typed()
    #expect(bench.served.nextLook == bench.clock.now + .seconds(900))
    bench.clock.now += .seconds(899)
    #expect(try isLocked(bench) == false)
    bench.clock.now += .seconds(899)
    try bench.service.refresh()
    #expect(try bench.vault.state() == .unlocked)
    _ = bench.service.takeLockSignals()
    bench.clock.now += .seconds(1)
    // Without any call, and everybody is told.
    try bench.service.refresh()
    #expect(try bench.vault.state() == .locked)
    #expect(bench.service.takeLockSignals().contains { $0.member == "PropertiesChanged" })
    #expect(bench.served.nextLook == nil)

    try bench.type()
    let end = bench.clock.now + .seconds(28_800)
    while bench.clock.now + .seconds(800) < end {
      bench.clock.now += .seconds(800)
      #expect(try isLocked(bench) == false)
    }
    #expect(bench.served.nextLook == end)
    bench.clock.now = end
    // The call that comes too late renews nothing.
    #expect(try isLocked(bench) == true)
  }

  @Test("the vault's own limit shortens the time, to a minute at least", arguments: [0, 60, 7200])
  func limited(limit: UInt32) throws {
    let bench = try typed()
    try bench.vault.policy.setMostRemembered(limit)
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    try bench.type()
    let most = Int64(max(limit, 60))
    #expect(bench.served.nextLook == bench.clock.now + .seconds(min(most, 900)))
    let end = bench.clock.now + .seconds(most)
    while bench.clock.now < end {
      #expect(try isLocked(bench) == false)
      bench.clock.now += .seconds(min(most, 600))
    }
    #expect(try isLocked(bench) == true)
  }

  @Test("while a key is derived, everything is answered, and the vault counts as locked")
  func deriving() throws {
    let bench = try typed()
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    _ = bench.service.takeLockSignals()
    // The vault is unlocked already, but a thread may still be in it: nothing asks it.
    var search: UInt64 = 0
    try bench.type {
      #expect(try isLocked(bench) == true)
      search = try bench.beginSearch(["a": "1"])
      #expect(refusal { () throws(BusError) in _ = try bench.create(["a": "2"]) } == "IsLocked")
      try bench.service.refresh()
      #expect(try bench.served.hasSessionItems())
      #expect(bench.service.takeLockSignals().isEmpty)
    }
    #expect(try isLocked(bench) == false)
    #expect(try bench.takeFound()[search]??.count == 1)
  }

  @Test("a Lock while a key is derived is answered at once, and comes first")
  func lockedMeanwhile() throws {
    let bench = try typed()
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    try bench.type {
      let locked = try bench.call(
        ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
      #expect(locked[0].paths == [ServiceFixture.login])
      #expect(try bench.vault.state() == .unlocked)
    }
    #expect(try bench.vault.state() == .locked)
    #expect(bench.served.isLockedByClient)
    // A later one is not locked again.
    try bench.type()
    #expect(try isLocked(bench) == false)
  }

  @Test("a passphrase that nobody waits for any more unlocks nothing")
  func unwanted() throws {
    let bench = try typed()
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    try bench.type(isWanted: false)
    #expect(try bench.vault.state() == .locked)
    #expect(try isLocked(bench) == true)
  }

  private static let hasKeyrings = (try? RememberedKey.require()) != nil

  @Test(
    "a remembered key is used by each call and looked at each second; one of one use is as typed",
    .enabled("the kernel's keyrings are denied here") { hasKeyrings })
  func remembered() throws {
    let bench = try ServiceFixture()
    _ = try bench.create(["a": "1"], Secret("one"))
    try RememberedKey(bench.vault).remember(for: RememberedTime(idle: 60, most: 600))
    try bench.vault.lock()
    #expect(try isLocked(bench) == false)
    #expect(!bench.served.holdsTypedKey)
    #expect(bench.served.nextLook == bench.clock.now + .seconds(1))
    #expect(try RememberedKey(bench.vault).forget())
    // Not looked at yet.
    try bench.service.refresh()
    #expect(try bench.vault.state() == .unlocked)
    bench.clock.now += .seconds(1)
    try bench.service.refresh()
    #expect(try bench.vault.state() == .locked)

    try bench.vault.unlock(with: .passphrase(ServiceFixture.passphrase))
    try RememberedKey(bench.vault).remember(for: .oneUse)
    try bench.vault.lock()
    #expect(try isLocked(bench) == false)
    #expect(try !RememberedKey(bench.vault).isKept())
    #expect(bench.served.holdsTypedKey)
    bench.clock.now += .seconds(899)
    #expect(try isLocked(bench) == false)
    bench.clock.now += .seconds(900)
    #expect(try isLocked(bench) == true)
  }

  @Test(
    "a typed passphrase opens the vault for other programs, too, if that is wanted",
    .enabled("the kernel's keyrings are denied here") { hasKeyrings })
  func shared() throws {
    let bench = try ServiceFixture()
    bench.remembering = RememberedTime(idle: 60, most: 600)
    _ = try bench.create(["a": "1"], Secret("one"))
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    #expect(try !RememberedKey(bench.vault).isKept())
    try bench.type()
    #expect(try RememberedKey(bench.vault).isKept())
    #expect(!bench.served.holdsTypedKey)
    #expect(try RememberedKey(bench.vault).forget())
  }
}
