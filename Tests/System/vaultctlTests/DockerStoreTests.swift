import CredentialVault
import Interchange
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCommands

@Suite("DockerStore")
struct DockerStoreTests {
  @Test("an item of the session that somebody else has removed since it was listed is removed")
  func removedMeanwhile() throws {
    StateFolder.useOwn()
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let vault = try Vault.create(path: folder.file("vault"), key: .keyFile(folder.file("key")))
    let items = try ["ann", "bob"].map { user in
      try vault.add(
        DockerServer("\(user).example.com").item(user: user, Secret("one")) { _ in false },
        persistence: .session
      ).item
    }
    try vault.remove(items[0])
    try vault.writing { (transaction) throws(VaultError) in
      try transaction.remove(listed: items)
    }
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }
}
