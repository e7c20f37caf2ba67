import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestTraits
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

/// As an app's module has it, whose code was written for Apple's class.
private typealias URLCredentialStorage = VaultCredentialStorage

@Suite("The vault of the process", .waiting, .serialized) struct SharedVaultTests {
  @Test("code for Apple's shared storage and a session like the shared one use it")
  func shared() async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let vault = Vault.inMemory()
    VaultCredentialStorage.share(vault)
    URLCredentialStorage.shared.setDefaultCredential(
      foundationCredential("ann", "right", .forSession),
      for: foundationSpace("127.0.0.1", port: server.port, realm: "Team", protocol: "http"))
    let (data, _) = try await URLSession.vaultShared.data(from: server.url())
    #expect(data.text == "OK ann")
    try await Vault.perform {
      try (URLCredentialStorage.shared as? VaultCredentialStorage)?.flush()
    }
    #expect(try await vault.findAll(ItemQuery()).map(\.account) == ["ann"])
    // Foundation's own stays what it is.
    #expect(!(FoundationNetworking.URLCredentialStorage.shared is VaultCredentialStorage))
  }
}
