import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

/// A team's read-only vault behind one's own.
@Suite struct VaultsInOrderTests {
  private let own: Fixture
  private let team: Fixture
  private let server = MemoryServer(users: ["ann": "right", "bob": "right"])

  init() throws {
    own = try Fixture()
    team = try Fixture()
  }

  /// Opens both, the team's vault with its own key; no other object may hold it as one to write.
  private func list() throws -> VaultList {
    try team.vault.close()
    return try list([ListedVault(own.path), ListedVault(team.path, isReadOnly: true)])
  }

  private func list(_ vaults: [ListedVault]) throws -> VaultList {
    try VaultList(vaults, default: nil) { (entry) throws(VaultError) in
      let vault = try Vault.openLocked(entry, lockTimeout: .seconds(10))
      try vault.unlock(with: entry.path == own.path ? own.key : team.key)
      return vault
    }
  }

  /// Returns the users that requests of one authenticator logged in as, one for each attempt.
  private func users(
    url: String = "https://h/x", requests: Int = 2, _ prompt: any CredentialPrompt = NoPrompt()
  ) async throws -> [String?] {
    let authenticator = Authenticator(vaults: try list(), prompt: prompt)
    for _ in 0..<requests { try await authenticator.get(url, from: server) }
    return server.log.map(\.user)
  }

  @Test("a credential of the second vault is found, sent before the next challenge, and not copied")
  func second() async throws {
    try team.store()
    #expect(try await users() == [nil, "ann", "ann"])
    #expect(try own.items().isEmpty)
  }

  @Test("the first vault that has one answers: two vaults are never ambiguous")
  func first() async throws {
    try own.store("bob")
    try team.store("ann")
    #expect(try await users() == [nil, "bob", "bob"])
  }

  @Test("two users of the first vault are ambiguous, whatever the second has")
  func ambiguous() async throws {
    for user in ["ann", "bob"] { try own.store(user) }
    try team.store()
    let outcome = try await Authenticator(vaults: list()).get("https://h/x", from: server).1
    #expect(outcome.reason == .ambiguous(users: ["ann", "bob"]))
  }

  @Test("the account that is meant is found behind another user of the first vault")
  func account() async throws {
    try own.store("bob")
    try team.store("ann")
    #expect(try await users(url: "https://ann@h/x") == [nil, "ann", "ann"])
  }

  @Test("after a rejection the same user is tried from the second vault, and no other")
  func rejection() async throws {
    try own.store("ann", "wrong")
    try team.store("ann")
    #expect(try await users(requests: 1) == [nil, nil, "ann"])
  }

  @Test("after a rejection another user of the second vault is only offered, and then remembered")
  func otherUser() async throws {
    try own.store("ann", "wrong")
    try team.store("bob")
    let prompt = ScriptedPrompt(.useStored(user: "bob"))
    #expect(try await users(prompt) == [nil, nil, "bob", "bob"])
    #expect(prompt.questions.map(\.storedUsers) == [["bob"]])
  }

  @Test("an accepted answer is stored in one's own vault")
  func storing() async throws {
    try team.store("ann", "wrong")
    let prompt = ScriptedPrompt(.use("ann", "right"))
    #expect(try await users(prompt) == [nil, nil, "ann", "ann"])
    #expect(try own.items().map { $0.has("right") } == [true])
  }

  @Test("if all are read-only, an answer is used, and the outcome says that it is not kept")
  func readOnly() async throws {
    try await team.vault.close()
    let list = try list([ListedVault(team.path, isReadOnly: true)])
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let (status, outcome) = try await Authenticator(vaults: list, prompt: prompt)
      .get("https://h/x", from: server)
    #expect(status == 200)
    #expect(outcome.storageError?.code == .readOnly)
  }

  @Test(
    "what waits for a verdict in another vault is sent, and neither kept nor dropped here",
    arguments: ["right", "wrong"])
  func othersPending(_ password: String) async throws {
    let list = try list([ListedVault(own.path), ListedVault(team.path)])
    let credential = Credential(user: "ann", secret: Secret(password), persistence: .permanent)
    let space = try ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic)
    let stored = try team.vault.pending.set(credential, for: space)
    let pending = try #require(stored.pending)
    try await Authenticator(vaults: list).get("https://h/x", from: server)
    #expect(server.log.map(\.hasField) == [false, true])
    #expect(try own.items().isEmpty)
    let kept = try team.vault.pending.confirm(pending)
    #expect(kept.item.persistence == .permanent)
  }

  @Test("each locked vault prompts for its key, and none is skipped")
  func unlocking() async throws {
    try team.store()
    let list = try list()
    for vault in list.vaults { try await vault.lock() }
    let prompt = TwoKeys([own.path: own.key, team.path: team.key])
    let authenticator = Authenticator(vaults: list, prompt: prompt)
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(prompt.paths == [own.path, team.path])
    try await list.vaults[1].lock()
    await #expect(throws: VaultError(.locked, "")) {
      try await Authenticator(vaults: list).get("https://h/x", from: server)
    }
  }

  @Test("a vault that cannot be read is an error that names it")
  func unreadable() async throws {
    try team.store()
    let list = try list()
    try await list.vaults[1].close()
    let error = await #expect(throws: VaultError.self) {
      try await Authenticator(vaults: list).get("https://h/x", from: server)
    }
    #expect(error?.code == .closed)
    #expect(error?.context.contains(team.path) == true)
  }
}

/// A prompt that has a key for each vault.
private final class TwoKeys: CredentialPrompt {
  private let keys: [String: KeySource]
  private let asked = Lock<[String]>([])

  init(_ keys: [String: KeySource]) {
    self.keys = keys
  }

  var paths: [String] { asked.withLock { $0 } }

  func answer(_ question: Question) async -> Answer { .goOnWithout }

  func key(_ question: UnlockQuestion) async -> KeySource? {
    let path = question.path ?? ""
    asked.withLock { $0.append(path) }
    return keys[path]
  }
}
