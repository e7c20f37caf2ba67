import VaultAdministration
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: two on one file")
struct SharingTests {
  let fixture: Fixture
  let other: Vault
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
    other = try fixture.open()
  }

  @Test("what one writes the other sees at once, in the file and in the session")
  func sharing() throws {
    try vault.set(credential("ann", "1"), for: space())
    #expect(try other.known(space()) == [CredentialValues("ann", "1")])
    try other.set(credential("ann", "2"), for: space())
    #expect(try vault.known(space()) == [CredentialValues("ann", "2")])
    try vault.set(credential("ann", "session", .session), for: space())
    #expect(try other.known(space()) == [CredentialValues("ann", "session", .session)])
    try other.remove(user: "ann", for: space())
    #expect(try vault.known(space()) == [])
    #expect(try vault.generation() == other.generation())
  }

  @Test("locking one locks both, and one key unlocks both")
  func locking() throws {
    try vault.lock()
    #expect(try other.state() == .locked)
    expect(.locked) { _ = try other.findAll(ItemQuery()) }
    expect(.locked) { try other.add(item(), persistence: .session) }
    try other.unlock(with: fixture.key)
    #expect(try vault.state() == .unlocked)
  }

  @Test("locking one ends the session of both")
  func sessions() throws {
    try other.set(credential("ann", "session", .session), for: space())
    try vault.lock()
    try vault.unlock(with: fixture.key)
    #expect(try other.known(space()) == [])
  }

  @Test("closing one from many threads at once closes it once, and leaves the other open")
  func closingAtOnce() throws {
    for _ in 0..<50 {
      let third = try fixture.open()
      inThreads(8) { _ in
        do throws(VaultError) { try third.close() } catch { Issue.record(error) }
      }
    }
    #expect(try vault.state() == .unlocked && other.state() == .unlocked)
  }

  @Test("closing one leaves the other open, and closing the last locks the file")
  func closing() throws {
    try vault.add(item())
    try vault.close()
    #expect(try vault.state() == .closed && other.state() == .unlocked)
    expect(.closed) { _ = try vault.findAll(ItemQuery()) }
    #expect(try other.findAll(ItemQuery()).count == 1)
    try other.close()
    try other.close()
    let third = try fixture.open()
    #expect(try third.findAll(ItemQuery()).count == 1)
  }

  @Test("a wrong key given to one locks neither")
  func failedUnlock() throws {
    let wrong = KeySource.passphrase(Secret("wrong"))
    expect(.authenticationFailed) { try other.unlock(with: wrong) }
    #expect(try vault.state() == .unlocked)
  }

  @Test("a file is the same one by whatever path it is opened")
  func paths() throws {
    let link = fixture.folder.file("folder")
    // Both paths are C strings for this call.
    try #require(unsafe symlink(fixture.folder.file("vault"), link) == 0)
    let third = try Vault.open(path: link + "//own.vault", key: fixture.key)
    #expect(third.path == vault.path)
    try third.add(item())
    #expect(try vault.findAll(ItemQuery()).count == 1)
  }

  @Test("threads that write through both lose nothing, and readers see whole items")
  func threads() async throws {
    let (vault, other) = (vault, other)
    await withTaskGroup(of: Int.self) { group in
      for (index, writer) in [vault, other, vault, other].enumerated() {
        group.addTask {
          for number in 0..<20 {
            do {
              try writer.add(item("user \(index) \(number)", "secret \(index) \(number)"))
            } catch {
              return 1
            }
          }
          return 0
        }
      }
      for reader in [vault, other] {
        group.addTask {
          for _ in 0..<100 {
            do {
              let items = try reader.findAll(ItemQuery(), withSecrets: true)
              let areWhole = items.allSatisfy {
                $0.secret?.array == Array($0.account.replacing("user", with: "secret").utf8)
              }
              if !areWhole { return 1 }
            } catch {
              return 1
            }
          }
          return 0
        }
      }
      for await failures in group { #expect(failures == 0) }
    }
    #expect(try await vault.findAll(ItemQuery()).count == 80)
    #expect(try vault.maintenance.verify().isClean)
  }

  @Test("a change in the session and a transaction that looks there never wait for each other")
  func lockOrder() throws {
    let vault = vault
    try vault.policy.update { $0 = [PersistencePolicy.Rule(name: "rule")] }
    let known = try vault.add(item("ann"), persistence: .session).item
    let space = try space()
    let failures = Lock<[String]>([])
    inThreads(2) { thread in
      do {
        guard thread == 0 else {
          // Either the transaction begins first or these do; in both cases it reads while one of
          // them waits for it.
          for number in 0..<100 { try vault.modify(known, [.comment("\(number)")]) }
          return
        }
        for _ in 0..<20 {
          try vault.write { (transaction) throws(VaultError) in
            for _ in 0..<200 { try transaction.setDefaultUser("ann", for: space) }
          }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try vault.item(known.id, withSecrets: true).comment == "99")
  }

  @Test("a backup is a vault of its own: the same items, opened with the same key")
  func backup() throws {
    try vault.setDefaultCredential(credential("ann", "1"), for: space())
    try vault.set(credential("bob", "only here", .session), for: space())
    let copy = fixture.folder.file("copy.vault")
    #expect(try vault.maintenance.backup(to: copy).itemCount == 1)
    let opened = try Vault.open(path: copy, key: fixture.key)
    #expect(try opened.known(space()) == [CredentialValues("ann", "1")])
    #expect(try opened.knownDefault(space()) == CredentialValues("ann", "1"))
    #expect(try opened.maintenance.information().vaultID == vault.maintenance.information().vaultID)
    try opened.add(item("carl"))
    #expect(try vault.findAll(ItemQuery()).count == 2)
    expect(.cannotCreate) { _ = try vault.maintenance.backup(to: copy) }
    expect(.cannotCreate) { _ = try vault.maintenance.backup(to: fixture.path) }
  }

  @Test("information names the slot, the counts and the size")
  func information() throws {
    try vault.add(item())
    let information = try vault.maintenance.information()
    #expect(information.path == fixture.path && information.itemCount == 1)
    #expect("\(information.formatVersion)" == "1.0, schema 1" && information.epoch == 1)
    #expect(information.vaultID.utf8.count == 32 && information.fileBytes > 4096)
    #expect(information.slots.map(\.kind) == [.keyFile])
    #expect(information.slots.map(\.name) == ["own"] && information.slots.map(\.id) == [1])
  }
}
