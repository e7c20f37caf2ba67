import CredentialVault
import Foundation
import KeychainServices
import SecureMemory
import TestSupport
import Testing

/// In a process of its own, because the environment belongs to all threads.
@Suite("SecItem: the user's list of vaults")
struct UsersListTests {
  private static let team: Dictionary = ["class": .text("genp"), "svce": .text("team")]
  private static let own: Dictionary = ["class": .text("genp"), "svce": .text("own")]

  @Test("items are found in all vaults in order, and new ones go to the default vault")
  func list() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let (mine, theirs) = (folder.file("own.vault"), folder.file("team.vault"))
      let key = folder.file("key")
      try KeyFile.create(at: key)
      try Vault.create(path: mine, key: .keyFile(key)).close()
      let shared = try Vault.create(path: theirs, key: .keyFile(key))
      try shared.add(Item(service: "team", secret: Secret("one")))
      try shared.close()
      try FileManager.default.createDirectory(
        atPath: folder.file("vaultctl"), withIntermediateDirectories: true)
      let text = "search = read-only \(theirs)\nsearch = \(mine)\nkey = \(key)\n"
      try Data(text.utf8).write(to: URL(filePath: folder.file("vaultctl/config")))
      // The process has no other thread yet that reads the environment.
      for name in ["VAULTCTL_VAULT", "VAULTCTL_KEY_FILE", "VAULTCTL_PASSPHRASE"] {
        unsafe unsetenv(name)
      }
      _ = unsafe setenv("XDG_CONFIG_HOME", folder.path, 1)
      _ = unsafe setenv("XDG_STATE_HOME", folder.file("state"), 1)
      _ = unsafe setenv("VAULTCTL_TRUSTED_FOLDERS", folder.path, 1)

      let items = KeychainItems.standard
      #expect(items.copying(Self.team).status == 0)
      #expect(items.adding(Self.own).status == 0)
      #expect(items.copying(Self.own).status == 0)
      #expect(items.updating(Self.team, ["icmt": .text("note")]) == -25292)
      #expect(items.deleting(Self.team) == -25292)
      #expect(items.deleting(Self.own) == 0)
      #expect(
        try Vault.open(path: mine, key: .keyFile(key)).findAll(
          ItemQuery(itemClass: .genericPassword)
        ).isEmpty)
    }
  }
}
