import SecureMemory
import TestSupport
import VaultModel

@testable import TLSCredentials

/// A vault of one test's own, whose clocks the test sets, and identities to store in it.
struct IdentityVault {
  let folder: TemporaryFolder
  let clock: TestClock
  let vault: Vault
  let issuance: Issuance

  init() throws {
    StateFolder.useOwn()
    issuance = try Issuance.shared
    folder = try TemporaryFolder()
    let key = folder.file("key")
    try KeyFile.create(at: key)
    try Vault.create(path: folder.file("vault/own.vault"), key: .keyFile(key), slotName: "own")
      .close()
    clock = TestClock(.now().adding(.seconds(1)))
    vault = try Vault.open(
      path: folder.file("vault/own.vault"), key: .keyFile(key), time: clock.source)
  }

  var identities: VaultIdentities { vault.identities }

  func identity(_ kind: String) throws -> Identity {
    try IdentityFile(issuance.secret(kind + ".p12"), passphrase: Secret("secret")).identities[0]
  }

  @discardableResult
  func add(
    _ kind: String, for url: String? = "https://api.example.com", realm: String = "",
    persistence: Persistence = .permanent
  ) throws -> StoredIdentity {
    let space = try url.map { try ProtectionSpace(url: $0, realm: realm) }
    return try identities.add(
      identity(kind), for: space, name: kind, persistence: persistence
    ).identity
  }

  /// Returns the name of the chosen identity.
  func choice(
    for url: String = "https://api.example.com/", _ request: IdentityRequest = IdentityRequest()
  ) throws -> String {
    try identities.choose(for: url, request, suffixes: ChoosingTests.list).item.account
  }
}
