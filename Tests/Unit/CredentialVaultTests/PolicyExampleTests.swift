import CredentialVault
import SecureMemory
import Testing
import VaultModel

@Suite("the example of the persistence policy")
struct PolicyExampleTests {
  /// Repeats the lines of `Documentation/persistence-policy.md`.
  func example(
    _ vault: Vault, _ credential: Credential, _ space: ProtectionSpace, isAccepted: Bool
  ) throws {
    try vault.policy.update { (rules) throws(VaultError) in
      var rule = PersistencePolicy.Rule(name: "only what works")
      rule.host = try HostPattern("*.example.com")
      rule.persistOnlyAfterAcceptance = true
      rules.append(rule)
    }

    let stored = try vault.set(credential, for: space)
    // The credential is found from here on. The server answers, and then:
    if let pending = stored.pending {
      if isAccepted {
        try vault.pending.confirm(pending)
      } else {
        try vault.pending.reject(pending)
      }
    }
  }

  @Test("it keeps what was accepted, and drops what was rejected", arguments: [true, false])
  func acceptance(isAccepted: Bool) throws {
    let fixture = try Fixture()
    let space = try ProtectionSpace(url: "https://git.example.com")
    let credential = Credential(user: "ann", secret: Secret("x"), persistence: .permanent)
    try example(fixture.vault, credential, space, isAccepted: isAccepted)
    try fixture.vault.close()
    #expect(try fixture.open().users(for: space) == (isAccepted ? ["ann"] : []))
  }
}
