import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// The choice among several stored users if nobody names one.
@Suite struct DefaultUserTests {
  private let server = MemoryServer(users: ["ann": "right", "bob": "right", "cat": "right"])

  private func space(
    _ realm: String = "Team", _ method: AuthenticationMethod = .basic
  ) throws -> ProtectionSpace {
    try ProtectionSpace(host: "h", realm: realm, authenticationMethod: method)
  }

  /// Returns the user that is logged in without a prompt; nil if nobody.
  private func user(_ vault: Vault) async throws -> String? {
    try await Authenticator(vault: vault).get("https://h/x", from: server)
    return server.log.last?.user
  }

  @Test("the default for any method is the default of this one")
  func anyMethod() async throws {
    let fixture = try Fixture()
    for user in ["ann", "bob", "cat"] { try fixture.store(user, "right", .permanent, .default) }
    try fixture.vault.setDefaultUser("bob", for: space("Team", .default))
    #expect(try await user(fixture.vault) == "bob")
  }

  @Test("the default of this very method stands over the one for any")
  func exactMethod() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right", .permanent, .default)
    try fixture.store("bob")
    try fixture.vault.setDefaultUser("ann", for: space("Team", .default))
    #expect(try await user(fixture.vault) == "ann")
    try fixture.vault.setDefaultUser("bob", for: space())
    #expect(try await user(fixture.vault) == "bob")
  }

  @Test("the default without a realm counts for what is stored without one, below the realm's")
  func withoutRealm() async throws {
    let fixture = try Fixture()
    for user in ["ann", "bob"] { try fixture.store(user, "right", realm: "") }
    try fixture.vault.setDefaultUser("bob", for: space(""))
    #expect(try await user(fixture.vault) == "bob")
    for user in ["ann", "cat"] { try fixture.store(user, "right") }
    try fixture.vault.setDefaultUser("cat", for: space())
    #expect(try await user(fixture.vault) == "cat")
  }

  @Test("the default is taken though another user has logged in since", arguments: [true, false])
  func overLastUser(_ isStored: Bool) async throws {
    let fixture = try Fixture()
    for user in isStored ? ["ann", "bob", "cat"] : ["bob", "cat"] { try fixture.store(user) }
    try fixture.vault.setDefaultUser("bob", for: space())
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never))
    let url = isStored ? "https://ann@h/x" : "https://ann:right@h/x"
    #expect(try await authenticator.get(url, from: server).status == 200)
    #expect(server.log.last?.user == "ann")
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
  }

  @Test("without a default the user who logged in last is taken, if no request had named that user")
  func lastUser() async throws {
    let fixture = try Fixture()
    for user in ["ann", "bob", "cat"] { try fixture.store(user) }
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never))
    for user in ["ann", "bob", "ann"] {
      try fixture.vault.setDefaultUser(user, for: space())
      try await authenticator.get("https://h/x", from: server)
      try fixture.vault.setDefaultUser(nil, for: space())
      try await authenticator.get("https://cat@h/x", from: server)
      #expect(try await authenticator.get("https://h/x", from: server).status == 200)
      #expect(server.log.last?.user == user)
    }
  }
}
