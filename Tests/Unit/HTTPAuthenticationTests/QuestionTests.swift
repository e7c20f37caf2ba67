import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// The content of a question, how often it is asked, and the reason if nobody answers.
@Suite struct QuestionTests {
  @Test("a question shows neither user nor password of the URL, and wants no account domain")
  func shows() async throws {
    let prompt = ScriptedPrompt()
    try await Authenticator(vault: .inMemory(), prompt: prompt)
      .get("https://ann:bad@h/x?q", from: MemoryServer(offers: [.digest, .basic]))
    let question = try #require(prompt.questions.first)
    #expect(question.url.user == nil && question.url.password == nil)
    #expect(question.url.target == "/x?q")
    #expect(question.user == "ann")
    #expect(!question.requiresAccountDomain)
  }

  @Test("the same wrong answer again is the end: it is asked for twice and sent once")
  func sameAgain() async throws {
    let vault = Vault.inMemory()
    let prompt = ScriptedPrompt { _ in .use("ann", "wrong") }
    let server = MemoryServer()
    let (_, outcome) = try await Authenticator(vault: vault, prompt: prompt)
      .get("https://h/x", from: server)
    #expect(outcome.reason == .rejected)
    #expect(prompt.questions.count == 2)
    #expect(server.log.filter(\.hasField).count == 1)
    #expect(try await vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("that another user's credential has expired is no reason to say so")
  func expiredOfAnother() async throws {
    let fixture = try Fixture()
    let item = try fixture.store()
    _ = try fixture.vault.modify(item, [.expires(Timestamp.now().adding(.seconds(-60)))])
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer()
    #expect(try await authenticator.get("https://bob@h/x", from: server).1.reason == .noCredential)
    #expect(try await authenticator.get("https://ann@h/x", from: server).1.reason == .expired)
  }

  @Test("a stored user whom the scheme cannot carry has not expired")
  func unsendable() async throws {
    let fixture = try Fixture()
    try fixture.store("a:b")
    let server = MemoryServer()
    let (_, outcome) = try await Authenticator(vault: fixture.vault).get(
      "https://h/x", from: server)
    #expect(outcome.reason == .noCredential)
    #expect(server.statuses == [401])
  }

  @Test("the prompt's choice of another stored user stands over the account of the request")
  func anotherStoredUser() async throws {
    let fixture = try Fixture()
    try fixture.store("bob", "also")
    let prompt = ScriptedPrompt(.useStored(user: "bob"))
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    #expect(try await authenticator.get("https://ann@h/x", from: server).status == 200)
    #expect(prompt.questions.map(\.user) == ["ann"])
    #expect(prompt.questions.map(\.storedUsers) == [["bob"]])
    #expect(server.log.map(\.user) == [nil, "bob"])
  }

  @Test("a realm's only stored user is taken, whoever is stored without a realm")
  func realmFirst() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    try fixture.store("bob", "also", realm: "")
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    #expect(
      try await Authenticator(vault: fixture.vault).get("https://h/x", from: server).status == 200)
    #expect(server.log.map(\.user) == [nil, "ann"])
  }
}
