import CredentialVault
import Glibc
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import TestSupport
import VaultModel

/// An attacker who can change the traffic does not get the password of a Digest in clear.
@Suite struct DowngradeTests {
  private static let digest = ResponseHead.challenge(
    "Digest realm=\"Team\", nonce=\"n\", qop=\"auth\"")

  private func basic(_ realm: String) -> ResponseHead { .challenge("Basic realm=\"\(realm)\"") }

  /// Creates a vault with ann's password for `http` and `https`, for any method, of a realm or of
  /// all.
  private func fixture(realm: String) throws -> Fixture {
    let fixture = try Fixture()
    for url in ["http://h/", "https://h/"] {
      try fixture.vault.set(
        Credential(user: "ann", secret: Secret("right"), persistence: .permanent),
        for: ProtectionSpace(url: url, realm: realm))
    }
    return fixture
  }

  @Test(
    "Digest answered, then Basic in clear, of the same realm or of another: nothing goes out",
    arguments: ["http://ann:right@h/x", "http://h/x"], ["Team", "Other"])
  func sameExchange(_ url: String, _ realm: String) async throws {
    let fixture = try fixture(realm: "")
    let prompt = ScriptedPrompt(.use("ann", "typed"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    var exchange = try authenticator.exchange(url)
    #expect(try await exchange.next(after: Self.digest).schemes == [.digest])
    let end = try await exchange.next(after: basic(realm))
    #expect(end.reason == .downgraded)
    #expect(prompt.questions.isEmpty)
  }

  @Test("Digest tried in one exchange, well or not, Basic in clear in the next: nothing goes out")
  func laterExchange() async throws {
    for isGood in [true, false] {
      let fixture = try fixture(realm: "Team")
      let prompt = ScriptedPrompt()
      let authenticator = Authenticator(
        vault: fixture.vault, prompt: prompt, settings: .init(beforeChallenge: .never))
      var one = try authenticator.exchange("http://h/x")
      #expect(try await one.next(after: Self.digest).schemes == [.digest])
      let end = try await one.next(after: isGood ? .status(200) : Self.digest)
      #expect(end.reason == (isGood ? .done : .rejected))
      let questions = prompt.questions.count
      var two = try authenticator.exchange("http://h/x")
      #expect(try await two.next(after: basic("Team")).reason == .downgraded)
      #expect(prompt.questions.count == questions)
    }
  }

  @Test("over TLS Basic is answered after Digest, at once and later, in whichever realm")
  func overTLS() async throws {
    for realm in ["Team", "Other"] {
      let fixture = try fixture(realm: "")
      let authenticator = Authenticator(
        vault: fixture.vault, settings: .init(beforeChallenge: .never))
      var one = try authenticator.exchange("https://h/x")
      #expect(try await one.next(after: Self.digest).schemes == [.digest])
      #expect(try await one.next(after: basic(realm)).schemes == [.basic])
      var two = try authenticator.exchange("https://h/x")
      #expect(try await two.next(after: basic(realm)).schemes == [.basic])
    }
  }

  @Test("the prompt may decline Digest that an earlier request tried, and then type it in clear")
  func declined() async throws {
    let prompt = ScriptedPrompt(
      .use("ann", "right", .none), .declineScheme, .use("ann", "right", .none))
    let authenticator = Authenticator(
      vault: .inMemory(), prompt: prompt, settings: .init(beforeChallenge: .never))
    let server = MemoryServer(offers: [.digest, .basic])
    #expect(try await authenticator.get("http://h/x", from: server).status == 200)
    #expect(try await authenticator.get("http://h/x", from: server).status == 200)
    #expect(server.schemes == [nil, "digest", nil, "basic"])
    #expect(prompt.questions.map(\.space.authenticationMethod) == [.digest, .digest, .basic])
  }

  @Test("to decline Digest after it was sent does not let the password out in clear")
  func declinedTooLate() async throws {
    let prompt = ScriptedPrompt(.use("ann", "wrong"), .declineScheme, .use("ann", "right"))
    let server = MemoryServer(offers: [.digest, .basic])
    let (_, outcome) = try await Authenticator(vault: .inMemory(), prompt: prompt)
      .get("http://h/x", from: server)
    #expect(outcome.reason == .rejected)
    #expect(server.schemes == [nil, "digest"])
    #expect(prompt.questions.count == 2)
  }

  @Test("a hash that libcrypto refuses counts as Digest that was tried")
  func refusedHash() async {
    // In a process of its own, because libcrypto is configured once, from the environment.
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      // As in FIPS mode, without its provider: no hash, but randomness.
      let lines = """
        openssl_conf = all
        [all]
        alg_section = fetching
        random = generator
        [fetching]
        default_properties = fips=yes
        [generator]
        properties = -fips
        seed_properties = -fips

        """
      let path = try folder.write(Array(lines.utf8), as: "libcrypto.cnf")
      // setenv copies both strings.
      unsafe setenv("OPENSSL_CONF", path, 1)
      for user in ["ann:pw@", ""] {
        try await answerBoth("http://\(user)h/x", with: [], end: .downgraded)
        try await answerBoth("https://\(user)h/x", with: [.basic], end: nil)
      }
    }
  }
}

/// Expects the answer to a challenge for Digest and Basic, with the credential in the URL or the
/// stored one.
private func answerBoth(
  _ url: String, with schemes: [AuthenticationMethod], end: Outcome.Reason?
) async throws {
  let vault = Vault.inMemory()
  try await vault.set(
    Credential(user: "bob", secret: Secret("pw"), persistence: .session),
    for: ProtectionSpace(url: url, realm: "T"))
  var exchange = try Authenticator(vault: vault).exchange(url)
  let step = try await exchange.next(
    after: .challenge("Digest realm=\"T\", nonce=\"n\"", "Basic realm=\"T\""))
  #expect(step.schemes == schemes)
  #expect(step.reason == end)
}
