import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// A user and password that have answered Digest are not sent in clear, wherever they come from;
/// others may be.
@Suite struct DowngradedCredentialTests {
  private static let digest = ResponseHead.challenge(
    "Digest realm=\"Team\", nonce=\"n\", qop=\"auth\"")
  private static let basic = ResponseHead.challenge("Basic realm=\"Files\"")

  private let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func authenticator(
    _ prompt: any CredentialPrompt = NoPrompt(), _ beforeChallenge: BeforeChallenge = .never
  ) -> Authenticator {
    Authenticator(
      vault: fixture.vault, prompt: prompt, settings: .init(beforeChallenge: beforeChallenge))
  }

  /// Stores ann's password for the whole server, in place of the one before.
  private func share(_ password: String, realm: String = "") throws {
    try fixture.vault.set(
      Credential(user: "ann", secret: Secret(password), persistence: .permanent),
      for: ProtectionSpace(url: "http://h/", realm: realm))
  }

  /// Challenges a request, perhaps with ann's password of its own, and accepts what answers.
  ///
  /// - Returns: The scheme that answers; nil if the password was withheld.
  private func visit(
    _ authenticator: Authenticator, at url: String = "http://h/x", own password: String? = nil,
    _ challenge: ResponseHead, accepting status: Int = 200
  ) async throws -> AuthenticationMethod? {
    var request = try RequestHead.get(url)
    request.credential = password.map { .of("ann", $0) }
    var exchange = try await authenticator.exchange(for: request)
    #expect(exchange.fields.isEmpty)
    let step = try await exchange.next(after: challenge)
    guard step.fields != nil else {
      #expect(step.reason == .downgraded)
      return nil
    }
    _ = try await exchange.next(after: status == 401 ? challenge : .status(status))
    return step.schemes.first
  }

  @Test("a success with one password lets no other password of that user out")
  func otherPassword() async throws {
    let authenticator = authenticator()
    #expect(try await visit(authenticator, own: "old", Self.basic) == .basic)
    #expect(try await visit(authenticator, own: "new", Self.digest) == .digest)
    #expect(try await visit(authenticator, own: "new", Self.basic) == nil)
    #expect(try await visit(authenticator, own: "old", Self.basic) == .basic)
  }

  @Test("a success with an item's password does not let the next one of that item out")
  func changedItem() async throws {
    let authenticator = authenticator()
    try share("old")
    #expect(try await visit(authenticator, Self.basic) == .basic)
    try share("new")
    #expect(try await visit(authenticator, Self.digest) == .digest)
    #expect(try await visit(authenticator, Self.basic) == nil)
  }

  @Test(
    "a password that answered Digest is withheld wherever it comes from then",
    arguments: ["request", "item", "prompt"], ["request", "item"])
  func otherSource(_ first: String, _ second: String) async throws {
    let authenticator = authenticator(
      first == "prompt" ? ScriptedPrompt(.use("ann", "right", .none)) : ScriptedPrompt())
    func own(_ source: String) -> String? { source == "request" ? "right" : nil }
    if first == "item" { try share("right") }
    #expect(try await visit(authenticator, own: own(first), Self.digest) == .digest)
    try fixture.vault.removeAll(.permanent)
    if second == "item" { try share("right") }
    #expect(try await visit(authenticator, own: own(second), Self.basic) == nil)
  }

  @Test("a wrong password that was tried with Digest does not bar the right one")
  func wrong() async throws {
    let authenticator = authenticator()
    #expect(
      try await visit(authenticator, own: "wrong", Self.digest, accepting: 401) == .digest)
    try share("right")
    #expect(try await visit(authenticator, Self.basic) == .basic)
  }

  @Test(
    "an earlier success sends no other password unasked that has answered Digest since",
    arguments: [false, true])
  func unasked(_ isOwn: Bool) async throws {
    let authenticator = authenticator(NoPrompt(), .afterSuccess)
    func fields(_ password: String) async throws -> Int {
      var request = try RequestHead.get("http://h/files/y")
      request.credential = isOwn ? .of("ann", password) : nil
      return try await authenticator.exchange(for: request).fields.count
    }
    if !isOwn { try share("old") }
    func own(_ password: String) -> String? { isOwn ? password : nil }
    #expect(
      try await visit(authenticator, at: "http://h/files/x", own: own("old"), Self.basic) == .basic)
    #expect(try await fields("old") == 1)
    if !isOwn { try share("new") }
    #expect(try await visit(authenticator, own: own("new"), Self.digest) == .digest)
    #expect(try await fields("new") == 0)
  }

  @Test("an earlier success with Basic sends nothing unasked once its realm has asked for Digest")
  func unaskedInRealm() async throws {
    let authenticator = authenticator(NoPrompt(), .afterSuccess)
    try share("old", realm: "Team")
    let basic = ResponseHead.challenge("Basic realm=\"Team\"")
    #expect(try await visit(authenticator, at: "http://h/files/x", basic) == .basic)
    try share("new", realm: "Team")
    #expect(try await visit(authenticator, Self.digest) == .digest)
    #expect(try await authenticator.exchange(for: .get("http://h/files/y")).fields.isEmpty)
  }
}
