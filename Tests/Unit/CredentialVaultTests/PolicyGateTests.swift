@testable import CredentialVault
import SecureMemory
import Testing
import VaultModel
import VaultSession

@Suite("Policy: taking changes of the session back")
struct PolicyGateTests {
  let session = SessionStore()
  let old: InternetPassword
  let new: InternetPassword

  init() throws {
    old = try session.add(item("old"))
    new = try item("new")
  }

  private func afterwards(_ failure: VaultError.Code) throws -> [String] {
    let gate = PolicyGate(session, now: .now()) { () throws(VaultError) in .empty }
    _ = try gate.takeFromSession(old)
    _ = try gate.addToSession(new)
    gate.undo(after: VaultError(failure, ""))
    return try session.find(ItemQuery(), secrets: false).map(\.account).sorted()
  }

  @Test("after a failure the session is as it was")
  func failure() throws {
    #expect(try afterwards(.busy) == ["old"])
  }

  @Test("where the file may have been written nothing is lost")
  func unknown() throws {
    #expect(try afterwards(.outcomeUnknown) == ["new", "old"])
  }
}
