import CredentialVault
import Glibc
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

/// The way an answer is stored in the vault, and where.
@Suite struct StoringTests {
  @Test("a vault that cannot be written says so beside the 200, and the answer is used on")
  func readOnly() async {
    // In a process of its own, because the effective user belongs to all threads.
    await #expect(processExitsWith: .success) {
      let fixture = try Fixture()
      try await fixture.vault.close()
      // The user that owns the files may not write them, unless it is root.
      for name in ["", "key", "vault", "vault/own.vault"] where geteuid() == 0 {
        // The path is a C string for this call.
        try #require(unsafe chown(fixture.folder.file(name), 65534, 65534) == 0)
      }
      // The path is a C string for this call.
      try #require(unsafe chmod(fixture.path, 0o400) == 0)
      if geteuid() == 0 { try #require(seteuid(65534) == 0) }
      let vault = try await Vault.open(path: fixture.path, key: fixture.key)
      let prompt = ScriptedPrompt(.use("ann", "right"))
      let authenticator = Authenticator(vault: vault, prompt: prompt)
      let (status, outcome) = try await authenticator.get("https://h/x", from: MemoryServer())
      #expect(status == 200)
      #expect(outcome.reason == .done)
      #expect(outcome.storageError == VaultError(.readOnly, ""))
      #expect(try await vault.findAll(ItemQuery()).map(\.persistence) == [.session])
      #expect(try await authenticator.get("https://h/x", from: MemoryServer()).status == 200)
      #expect(prompt.questions.count == 1)
    }
  }

  @Test("a permanent answer in a vault without a file is kept for the session, without an error")
  func withoutFile() async throws {
    let vault = Vault.inMemory()
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(
      vault: vault, prompt: prompt, settings: .init(beforeChallenge: .never))
    for _ in 0..<2 {
      let (status, outcome) = try await authenticator.get("https://h/x", from: MemoryServer())
      #expect(status == 200)
      #expect(outcome.storageError == nil)
    }
    let candidates = try vault.candidates(ItemQuery())
    #expect(candidates.map(\.item.persistence) == [.session])
    #expect(candidates.allSatisfy { $0.pending == nil })
    #expect(prompt.questions.count == 1)
  }

  @Test("a proxy's accepted answer is stored although the server says 403 at once")
  func proxyBeside403() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("pat", "passing"))
    var request = try RequestHead.get("http://h/x", through: Proxy(host: "proxy", port: 3128))
    request.credential = .of("ann")
    let proxy = MemoryServer(users: ["pat": "passing"], isProxy: true)
    let server = MemoryServer()
    server.setStatus(403)
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    // With this, the server's credential is sent preemptively, and both are judged by one response.
    #expect(try await authenticator.get(request, from: MemoryServer()).status == 200)
    let (status, outcome) = try await authenticator.get(request, from: server, through: proxy)
    #expect(status == 403)
    #expect(outcome.reason == .refused)
    #expect(server.log.map(\.hasField) == [true])
    #expect(try fixture.items().map(\.account) == ["pat"])
    #expect(try fixture.items().map(\.persistence) == [.permanent])
  }

  @Test("what was typed for a server that cannot prove to be the one is dropped")
  func unproven() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    var exchange = try authenticator.exchange("https://h/x")
    let digest = ResponseHead.challenge("Digest realm=\"Team\", nonce=\"n\", qop=\"auth\"")
    #expect(try await exchange.next(after: digest).schemes == [.digest])
    #expect(try fixture.items().map(\.persistence) == [.session])
    let end = try await exchange.next(after: .status(200, info: "qop=auth, rspauth=\"00\""))
    #expect(end.reason == .unproven)
    #expect(try fixture.items().isEmpty)
  }

  @Test("a new user's answer does not go where another user's credential has no realm")
  func home() async throws {
    let fixture = try Fixture()
    let bob = try fixture.store("bob", "wrong", realm: "")
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    #expect(try await authenticator.get("https://h/x", from: MemoryServer()).status == 200)
    let items = try fixture.items()
    #expect(items.first { $0.account == "ann" }?.realm == "Team")
    #expect(items.first { $0.id == bob.id }?.has("wrong") == true)
    #expect(items.count == 2)
  }

  @Test("the account domain of an item survives its new password")
  func accountDomain() async throws {
    let fixture = try Fixture()
    let item = try await fixture.vault.set(
      Credential(
        user: "ann", secret: Secret("wrong"), persistence: .permanent, accountDomain: "CORP"),
      for: ProtectionSpace(host: "h", realm: "Team")
    ).item
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    #expect(try await authenticator.get("https://h/x", from: MemoryServer()).status == 200)
    let items = try fixture.items()
    #expect(items.map(\.id) == [item.id] && items[0].has("right"))
    #expect(items[0].accountDomain == "CORP" && items[0].authenticationMethod == .default)
  }
}
