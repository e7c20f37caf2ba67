import CredentialVault
import FoundationNetworking
import SecureMemory
import Testing
import VaultModel
import VaultURLSession

/// A default that was the session's, and is made permanent by somebody else.
@Suite("A default that is raised") struct RaisedDefaultTests {
  @Test("stays the storage's default")
  func raised() throws {
    let fixture = try StorageFixture { vault in
      for user in ["ann", "bob"] {
        try vault.set(
          Credential(user: user, secret: Secret("one"), persistence: .permanent), for: gitSpace())
      }
    }
    for persistence in [Persistence.session, .permanent] {
      try fixture.vault.setDefaultCredential(
        Credential(user: "ann", secret: Secret("one"), persistence: persistence), for: gitSpace())
      try fixture.settle()
      #expect(try fixture.vault.defaultUser(for: gitSpace()) == "ann")
      #expect(fixture.storage.defaultCredential(for: foundationSpace())?.user == "ann")
    }
  }
}
