@testable import CredentialVault
import SecureMemory
import Testing
import VaultModel
import VaultStore

@Suite("Policy: taking changes of the session back")
struct PolicyGateTests {
  let session = SessionStore()
  let old: Item
  let new: Item

  init() throws {
    old = try session.add(item("old"))
    new = try item("new")
  }

  private func afterwards(_ failure: VaultError.Code) throws -> [String] {
    let gate = PolicyGate(LayeredSession(own: session), now: .now()) {
      () throws(VaultError) in .empty
    }
    _ = try gate.takeFromSession(old)
    _ = try gate.addToSession(new)
    gate.undo(after: VaultError(failure, ""))
    return try session.find(ItemQuery(), withSecrets: false).map(\.account).sorted()
  }

  @Test("after a failure the session is as it was")
  func failure() throws {
    #expect(try afterwards(.busy) == ["old"])
  }

  @Test("a pending credential comes back to its place")
  func pendingOrder() throws {
    let first = try session.addPending(item("ann", "first"), requested: .permanent)
    let second = try session.addPending(item("ann", "second"), requested: .permanent)
    let gate = PolicyGate(LayeredSession(own: session), now: .now()) {
      () throws(VaultError) in .empty
    }
    try gate.dropPending(first.id)
    try gate.dropPending(second.id)
    gate.undo(after: VaultError(.busy, ""))
    #expect(try session.pending(matching: ItemQuery()).map(\.id) == [second.id, first.id])
  }

  @Test("what was taken out does not come back into a later session", arguments: [true, false])
  func laterSession(isLocked: Bool) throws {
    let waiting = try session.addPending(item("ann", ""), requested: .permanent)
    let gate = PolicyGate(LayeredSession(own: session), now: .now()) {
      () throws(VaultError) in .empty
    }
    try gate.dropPending(waiting.id)
    _ = try gate.takeFromSession(old)
    if isLocked { session.close() } else { session.removeAll() }
    session.open()
    gate.undo(after: VaultError(.busy, ""))
    #expect(try session.find(ItemQuery(), withSecrets: false).isEmpty)
  }

  @Test("where the file may have been written nothing is lost")
  func unknown() throws {
    #expect(try afterwards(.outcomeUnknown) == ["new", "old"])
  }
}
