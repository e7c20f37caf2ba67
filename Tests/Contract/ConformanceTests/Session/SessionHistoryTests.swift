import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("the session: previous secrets")
struct SessionHistoryTests {
  private let clock = TestClock()
  private let session: SessionStore

  init() {
    session = SessionStore(time: clock.source)
  }

  /// Adds an item that had two secrets before the present one, each kept for an hour.
  private func add() throws -> Item {
    var given = try item(secret: "a")
    given.keptUntil = clock.now.adding(.seconds(3600))
    let added = try session.add(given)
    for secret in ["b", "c"] {
      clock.pass(.seconds(60))
      let end = clock.now.adding(.seconds(3600))
      _ = try session.modify(added.id, hint: added.key, [.secret(Secret(secret))]) { _ in
        .here(until: end)
      }
    }
    return added
  }

  private func history(_ item: Item) throws -> [[UInt8]?] {
    try session.history(of: item.id, hint: item.key, withSecrets: true).map { $0.secret?.array }
  }

  private let both: [[UInt8]?] = [[98], [97]]

  // MARK: Taken out and put back

  @Test("an item that was taken out comes back just as it was, with its history")
  func putBack() throws {
    let added = try add()
    let before = try session.find(ItemQuery(), withSecrets: true).map(Content.init)
    let taken = try session.takeOut(added.id, hint: added.key)
    #expect(taken.item.secret?.array == [99])
    #expect(try session.find(ItemQuery(), withSecrets: false).isEmpty)
    try session.putBack(taken.back)
    #expect(try session.find(ItemQuery(), withSecrets: true).map(Content.init) == before)
    #expect(try history(added) == both)
  }

  @Test("it does not come back over another item, nor twice")
  func occupied() throws {
    let added = try add()
    let taken = try session.takeOut(added.id, hint: added.key)
    let other = try session.add(item())
    expect(.duplicateItem) { try session.putBack(taken.back) }
    _ = try session.modify(other.id, hint: other.key, [.account("bob")])
    try session.putBack(taken.back)
    _ = try session.modify(added.id, hint: added.key, [.account("carl")])
    expect(.duplicateItem) { try session.putBack(taken.back) }
    #expect(try session.find(ItemQuery(), withSecrets: false).count == 2)
  }

  @Test("it does not come back into another session, where it could not be opened")
  func ended() throws {
    let added = try add()
    let taken = try session.takeOut(added.id, hint: added.key)
    session.close()
    expect(.locked) { try session.putBack(taken.back) }
    session.open()
    expect(.itemNotFound) { try session.putBack(taken.back) }
    _ = try session.add(item("other"))
    expect(.itemNotFound) { try session.putBack(taken.back) }
    #expect(try session.find(ItemQuery(), withSecrets: false).count == 1)
  }

  // MARK: The session's clock

  @Test(
    "a clock of the day that is set neither ends a previous secret nor keeps it longer",
    arguments: [Duration.seconds(86400), .seconds(-86400)])
  func setClock(by jump: Duration) throws {
    let added = try add()
    clock.set(by: jump)
    #expect(try history(added) == both)
    // The reported times are true on the clock as it is now.
    let told = try session.history(of: added.id, hint: added.key, withSecrets: false)
    #expect(told.map(\.keptUntil) == [3540, 3480].map { clock.now.adding(.seconds($0)) })
    #expect(told.map(\.set) == [-60, -120].map { clock.now.adding(.seconds($0)) })
    clock.pass(.milliseconds(3_480_000))
    #expect(try history(added) == [[98], nil])
    clock.pass(.milliseconds(60_000))
    #expect(try history(added) == [nil, nil])
  }

  @Test("what has expired of it is forgotten with what else has expired")
  func removeExpired() throws {
    let added = try add()
    clock.pass(.milliseconds(3_480_000))
    #expect(try session.removeExpired().isEmpty)
    #expect(try history(added) == [[98]])
  }

  @Test("nothing of it is left when the session has ended")
  func locked() throws {
    let added = try add()
    session.close()
    expect(.locked) { _ = try history(added) }
    session.open()
    expect(.itemNotFound) { _ = try history(added) }
  }
}
