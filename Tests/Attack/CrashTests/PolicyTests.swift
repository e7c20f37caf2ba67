import AttackSupport
import Glibc
import SealedTree
import TestTraits
import Testing
import VaultStore
import VaultModel

/// A persistence policy and several processes.
@Suite(.waiting) struct PolicyTests {
  private func refuse(_ isRefused: Bool, in fixture: VaultFixture) throws {
    var rule = PersistencePolicy.Rule(name: "nothing")
    rule.refuse = true
    let policy = try PersistencePolicy(rules: isRefused ? [rule] : [])
    try fixture.withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in try transaction.setPolicy(policy) }
    }
  }

  @Test(arguments: ["add", "session"])
  func `What one process forbids, the other's next store does not do`(request: String) throws {
    let fixture = try VaultFixture(holding: Workload.add.base(2))
    let looker = try fixture.driver("look")
    #expect(looker.line() == "open")
    // It knows the policy as it was.
    looker.tell("look")
    #expect(looker.line() == "2 first")
    try refuse(true, in: fixture)
    looker.tell(request)
    #expect(looker.line() == "error policy-refused")
    try refuse(false, in: fixture)
    looker.tell(request)
    #expect(looker.line() == "3 first,looker")
  }

  @Test func `A crash before a credential is confirmed leaves no trace of it in any file`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base(2))
    // The state folder is written at the first read.
    _ = try fixture.contents()
    let before = try fixture.everyFile()
    let looker = try fixture.driver("look")
    #expect(looker.line() == "open")
    looker.tell("pending")
    #expect(looker.line() == "3 first,looker")
    looker.signal(SIGKILL)
    #expect(looker.wait() == .killed(signal: SIGKILL))
    #expect(try fixture.everyFile() == before)
    // A control: storing permanently changes the file.
    let other = try fixture.driver("look")
    #expect(other.line() == "open")
    other.tell("add")
    #expect(other.line() == "3 first,looker")
    #expect(try fixture.everyFile() != before)
  }
}

extension VaultFixture {
  /// Returns the bytes of every file in the vault's and the state folder.
  fileprivate func everyFile() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in ["vault", "state/vaultctl"] {
      for file in try folder.contents(of: name) {
        files["\(name)/\(file)"] = try File.read(folder("\(name)/\(file)"))
      }
    }
    return files
  }
}
