import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

/// The order of credentials: request, URL, session, file, prompt.
@Suite struct PrecedenceTests {
  private func credential(_ user: String, _ password: String) -> Credential {
    Credential(user: user, secret: Secret(password), persistence: .none)
  }

  @Test("the request's own stands over the URL's, that over the vault's, that over the prompt")
  func order() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "file")
    let prompt = ScriptedPrompt(.use("ann", "asked", .none))
    let server = MemoryServer(users: ["ann": "asked"])
    let tried = Lock<[String]>([])
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    var request = try RequestHead(url: RequestURL("https://ann:url@h/x"))
    request.credential = credential("ann", "request")
    let (status, _) = try await authenticator.send(request) { fields in
      for password in ["request", "url", "file", "asked"] where fields.count == 1 {
        let expected = try BasicResponse.value(credential("ann", password))
        if fields[0].value.isEqual(to: expected) { tried.withLock { $0.append(password) } }
      }
      let response = server.answer(request, fields)
      return (response, response.status)
    }
    #expect(status == 200)
    #expect(tried.withLock { $0 } == ["request", "url", "file", "asked"])
    #expect(prompt.questions.map(\.failures) == [3])
  }

  @Test("what is on the request or in its URL is used and stored nowhere, the vault locked or not")
  func ownNeedsNoVault() async throws {
    let fixture = try Fixture()
    try await fixture.vault.lock()
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer()
    #expect(try await authenticator.get("https://ann:right@h/x", from: server).status == 200)
    try await fixture.vault.unlock(with: fixture.key)
    #expect(try fixture.items().isEmpty)
  }

  @Test("a user in the URL, or the request's account, is the one whose credential is used")
  func account() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    try fixture.store("bob", "also")
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .never))
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    #expect(try await authenticator.get("https://bob@h/x", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
    var request = try RequestHead(url: RequestURL("https://bob:wrong@h/x"))
    request.user = "ann"
    #expect(try await authenticator.get(request, from: server).status == 200)
    #expect(server.log.last?.user == "ann")
    #expect(server.statuses == [401, 200, 401, 200])
  }

  @Test("another user's credential is never tried in place of the one that was refused")
  func noOtherUser() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "wrong")
    try fixture.store("bob", "also")
    try fixture.vault.setDefaultUser(
      "ann", for: ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic))
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    let (status, outcome) = try await Authenticator(vault: fixture.vault)
      .get("https://h/x", from: server)
    #expect(status == 401)
    #expect(outcome.reason == .rejected)
    #expect(server.statuses == [401, 401])
  }

  @Test(
    "several users and no default: the prompt chooses among them, and without one it is ambiguous")
  func ambiguous() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    try fixture.store("bob", "also")
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    let (_, outcome) = try await Authenticator(vault: fixture.vault)
      .get("https://h/x", from: server)
    #expect(outcome.reason == .ambiguous(users: ["ann", "bob"]))

    let prompt = ScriptedPrompt(.useStored(user: "bob"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(prompt.questions.map(\.storedUsers) == [["ann", "bob"]])
    #expect(server.log.last?.user == "bob")
    // The user of the last success there is still meant.
    #expect(try await authenticator.get("https://h/", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
    #expect(prompt.questions.count == 1)
  }

  @Test("one user refused, the prompt may choose another who is stored, or name a new one")
  func anotherUser() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "wrong")
    try fixture.store("bob", "also")
    try fixture.vault.setDefaultUser(
      "ann", for: ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic))
    let server = MemoryServer(users: ["bob": "also", "cat": "new"])
    let prompt = ScriptedPrompt(.useStored(user: "bob"))
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: prompt, settings: .init(beforeChallenge: .never))
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
    let question = try #require(prompt.questions.first)
    #expect(question.user == nil && question.failedUser == "ann")
    #expect(question.storedUsers == ["bob"])

    let naming = Authenticator(
      vault: fixture.vault, prompt: ScriptedPrompt(.use("cat", "new")),
      settings: .init(beforeChallenge: .never))
    #expect(try await naming.get("https://h/x", from: server).status == 200)
    #expect(server.log.last?.user == "cat")
    #expect(try fixture.items().count == 3)
  }

  @Test("the account of the request is told to the prompt, and only its stored credential is tried")
  func accountOfQuestion() async throws {
    let fixture = try Fixture()
    try fixture.store("bob", "also")
    let prompt = ScriptedPrompt(.use("ann", "right", .session))
    let server = MemoryServer()
    var request = try RequestHead(url: RequestURL("https://h/x"))
    request.user = "ann"
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    #expect(try await authenticator.get(request, from: server).status == 200)
    #expect(prompt.questions.map(\.user) == ["ann"])
    #expect(server.statuses == [401, 200])
  }

  @Test("the default user is taken of several")
  func defaultUser() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    try fixture.store("bob", "also")
    try fixture.vault.setDefaultUser(
      "bob", for: ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic))
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
  }

  @Test("the user of the last success being gone, the default user is taken again")
  func lastUserGone() async throws {
    let fixture = try Fixture()
    let ann = try fixture.store("ann", "right")
    try fixture.store("bob", "also")
    try fixture.store("cat", "new")
    try fixture.vault.setDefaultUser(
      "bob", for: ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic))
    let server = MemoryServer(users: ["ann": "right", "bob": "also"])
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try await authenticator.get("https://ann@h/x", from: server).status == 200)
    try await fixture.vault.remove(ann)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.log.last?.user == "bob")
  }

  @Test("a request that names a user makes nobody else's request that user's")
  func namedOnce() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right")
    try fixture.store("root", "all")
    let space = try ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic)
    let server = MemoryServer(users: ["ann": "right", "root": "all"])
    let authenticator = Authenticator(vault: fixture.vault)
    try await authenticator.get("https://root@h/x", from: server)
    let (_, outcome) = try await authenticator.get("https://h/x", from: server)
    #expect(outcome.reason == .ambiguous(users: ["ann", "root"]))
    #expect(server.log.map(\.user) == [nil, "root", nil])
    // A default overrides the user of earlier requests, also preemptively.
    try fixture.vault.setDefaultUser("ann", for: space)
    try await authenticator.get("https://h/x", from: server)
    try await authenticator.get("https://root@h/x", from: server)
    try await authenticator.get("https://h/x", from: server)
    #expect(server.log.map(\.user).suffix(4) == [nil, "ann", "root", "ann"])
    try fixture.vault.setDefaultUser("root", for: space)
    try await authenticator.get("https://h/x", from: server)
    #expect(server.log.last?.user == "root")
  }

  @Test("two realms of one host have each their credential")
  func realms() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right", realm: "One")
    try fixture.store("bob", "also", realm: "Two")
    let server = MemoryServer(users: ["ann": "right", "bob": "also"]) { target in
      target.hasPrefix("/one/") ? "One" : "Two"
    }
    let authenticator = Authenticator(vault: fixture.vault)
    #expect(try await authenticator.get("https://h/one/x", from: server).status == 200)
    #expect(try await authenticator.get("https://h/two/x", from: server).status == 200)
    #expect(server.log.map(\.user) == [nil, "ann", nil, "bob"])
  }

  @Test(
    "a locked vault asks to be unlocked, with further keys if one is wrong, never for a password")
  func locked() async throws {
    let fixture = try Fixture()
    try fixture.store()
    try KeyFile.create(at: fixture.folder.file("other"))
    try await fixture.vault.lock()
    let prompt = ScriptedPrompt(keys: [.keyFile(fixture.folder.file("other")), fixture.key])
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let server = MemoryServer()
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(prompt.unlocking.map(\.failures) == [0, 1])
    #expect(prompt.questions.isEmpty)
  }

  @Test("a vault that nobody unlocks is an error, after which nothing was sent")
  func staysLocked() async throws {
    let fixture = try Fixture()
    try await fixture.vault.lock()
    let prompt = ScriptedPrompt()
    let server = MemoryServer()
    await #expect(throws: VaultError(.locked, "")) {
      try await Authenticator(vault: fixture.vault, prompt: prompt).get("https://h/x", from: server)
    }
    #expect(prompt.unlocking.count == 1)
    #expect(prompt.questions.isEmpty)
    #expect(server.log.map(\.hasField) == [false])
  }
}
