import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// An app's own answer before the vault's, and prompts in order.
@Suite struct PromptOrderTests {
  @Test("the app's answer comes before the vault's; without one the vault answers, then a prompt")
  func before() async throws {
    let fixture = try Fixture()
    try fixture.store("bob", "also")
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    let app = ScriptedPrompt(.use("ann", "right", .none), .goOnWithout, .goOnWithout)
    let terminal = ScriptedPrompt(.use("ann", "right", .none))
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: terminal,
      settings: .init(beforeChallenge: .never, promptBeforeVault: app))
    for user in ["ann", "bob"] {
      #expect(try await authenticator.get("https://h/x", from: server).status == 200)
      #expect(server.log.last?.user == user)
    }
    #expect(terminal.questions.isEmpty)
    try fixture.vault.removeAll(.permanent)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(app.questions.count == 3 && terminal.questions.count == 1)
  }

  @Test("the app is asked again after a refusal, its answer stored once accepted, locked or not")
  func refused() async throws {
    let fixture = try Fixture()
    let server = MemoryServer()
    let app = ScriptedPrompt(.use("ann", "wrong"), .use("ann", "right"), .use("ann", "right"))
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never, promptBeforeVault: app))
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(app.questions.map(\.failures) == [0, 1])
    #expect(try fixture.items().map(\.persistence) == [.permanent])
    try await fixture.vault.lock()
    let (status, outcome) = try await authenticator.get("https://h/x", from: server)
    #expect(status == 200 && outcome.storageError?.code == .locked)
  }

  @Test("an app that names a stored user is asked once, and that user's password is sent")
  func useStored() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    try fixture.store("bob", "also")
    let app = ScriptedPrompt { _ in .useStored(user: "bob") }
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never, promptBeforeVault: app))
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
    #expect(app.questions.count == 1)
  }

  @Test("an app that always gives the same wrong answer ends the exchange")
  func stubborn() async throws {
    let fixture = try Fixture()
    let app = ScriptedPrompt { _ in .use("ann", "wrong", .none) }
    let authenticator = Authenticator(vault: fixture.vault, settings: .init(promptBeforeVault: app))
    let server = MemoryServer()
    #expect(try await authenticator.get("https://h/x", from: server).1.reason == .rejected)
    #expect(app.questions.count == 2)
  }

  @Test("after unasked Digest, the request is sent without a field before the app is asked")
  func afterUnaskedDigest() async throws {
    let fixture = try Fixture()
    let app = ScriptedPrompt(.goOnWithout, .use("bob", "also", .none))
    try await fixture.vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .permanent),
      for: ProtectionSpace(url: "http://h/", realm: "Team"))
    let authenticator = Authenticator(vault: fixture.vault, settings: .init(promptBeforeVault: app))
    var first = try authenticator.exchange("http://h/x")
    let digest = ResponseHead.challenge("Digest realm=\"Team\", nonce=\"n\", qop=\"auth\"")
    #expect(try await first.next(after: digest).schemes == [.digest])
    #expect(try await first.next(after: .status(200)).reason == .done)
    var exchange = try authenticator.exchange("http://h/x")
    #expect(exchange.fields.map { $0.digest != nil } == [true])
    let basic = ResponseHead.challenge("Basic realm=\"Files\"")
    #expect(try await exchange.next(after: basic).fields?.isEmpty == true)
    #expect(app.questions.count == 1)
    #expect(try await exchange.next(after: basic).schemes == [.basic])
    #expect(app.questions.count == 2)
  }

  @Test("a chain asks one prompt after the other, for credentials and for keys, until one answers")
  func chain() async throws {
    let fixture = try Fixture()
    let key = fixture.key
    let question = Question(
      space: try ProtectionSpace(host: "h", realm: "Team"), url: try RequestURL("https://h/x"))
    let silent = ScriptedPrompt()
    let second = ScriptedPrompt(keys: [key]) { _ in .declineScheme }
    let last = ScriptedPrompt(keys: [key]) { _ in .cancel(.all) }
    let chain = PromptChain(silent, second, last)
    guard case .declineScheme = await chain.answer(question) else {
      return #expect(Bool(false))
    }
    #expect(await chain.key(UnlockQuestion(path: nil)) != nil)
    #expect(silent.questions.count == 1 && silent.unlocking.count == 1)
    #expect(last.questions.isEmpty && last.unlocking.isEmpty)
    guard case .goOnWithout = await PromptChain(silent).answer(question) else {
      return #expect(Bool(false))
    }
    #expect(await PromptChain().key(UnlockQuestion(path: nil)) == nil)
  }
}
