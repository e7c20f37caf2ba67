import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// One answer for several requests, whose responses differ about it.
@Suite struct SharedAnswerTests {
  private static let challenge = ResponseHead.challenge("Basic realm=\"Team\"")

  /// Returns two requests of one space that were both challenged, and send ann's password, which
  /// was asked for once.
  private func two(_ authenticator: Authenticator) async throws -> (Exchange, Exchange) {
    var one = try authenticator.exchange("https://h/page")
    var two = try authenticator.exchange("https://h/admin")
    #expect(try await one.next(after: Self.challenge).schemes == [.basic])
    #expect(try await two.next(after: Self.challenge).schemes == [.basic])
    return (one, two)
  }

  @Test(
    "one page rejects it and another accepts it: it is stored all the same, for good",
    arguments: [true, false])
  func rejectedOnce(_ isFirst: Bool) async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    // The request that it was asked for, or the one that found it pending.
    var (accepted, rejected) = try await two(authenticator)
    if !isFirst { swap(&accepted, &rejected) }
    #expect(try await rejected.next(after: Self.challenge).reason == .rejected)
    #expect(try fixture.items().isEmpty)
    let outcome = try await accepted.next(after: .status(200)).outcome
    #expect(outcome?.reason == .done && outcome?.storageError == nil)
    let items = try fixture.items()
    #expect(items.map(\.persistence) == [.permanent] && items.allSatisfy { $0.has("right") })
    #expect(items.map(\.realm) == ["Team"])
  }

  @Test("the vault locked and unlocked before it was accepted: it is stored all the same, for good")
  func relocked() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("ann", "right"))
    var (_, two) = try await two(Authenticator(vault: fixture.vault, prompt: prompt))
    try await fixture.vault.lock()
    try await fixture.vault.unlock(with: fixture.key)
    #expect(try fixture.items().isEmpty)
    let outcome = try await two.next(after: .status(200)).outcome
    #expect(outcome?.reason == .done && outcome?.storageError == nil)
    let items = try fixture.items()
    #expect(items.map(\.persistence) == [.permanent] && items.allSatisfy { $0.has("right") })
  }

  @Test("the vault still locked when it is accepted: the response is the caller's, with the error")
  func locked() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("ann", "right"))
    var (one, _) = try await two(Authenticator(vault: fixture.vault, prompt: prompt))
    try await fixture.vault.lock()
    let outcome = try await one.next(after: .status(200)).outcome
    #expect(outcome?.reason == .done && outcome?.storageError == VaultError(.locked, ""))
  }

  @Test("both reject it: each ends as rejected, and nothing is left of it")
  func rejectedTwice() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("ann", "wrong"))
    var (one, two) = try await two(Authenticator(vault: fixture.vault, prompt: prompt))
    #expect(try await two.next(after: Self.challenge).reason == .rejected)
    #expect(try await one.next(after: Self.challenge).reason == .rejected)
    #expect(try fixture.items().isEmpty)
  }

  @Test("rejected when the vault is locked already: the rejection is none of the vault's errors")
  func rejectedLocked() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(keys: [fixture.key]) { question in
      question.failures == 0 ? .use("ann", "wrong") : .goOnWithout
    }
    var (one, _) = try await two(Authenticator(vault: fixture.vault, prompt: prompt))
    try await fixture.vault.lock()
    #expect(try await one.next(after: Self.challenge).reason == .rejected)
    #expect(prompt.unlocking.count == 1)
    #expect(try fixture.items().isEmpty)
  }

  @Test("both accept it: it is stored once, as one change of the vault")
  func acceptedTwice() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("ann", "right"))
    var (one, two) = try await two(Authenticator(vault: fixture.vault, prompt: prompt))
    let events = Lock<[VaultEvent]>([])
    let observation = fixture.vault.events.observe { event in events.withLock { $0.append(event) } }
    #expect(try await one.next(after: .status(200)).outcome?.storageError == nil)
    #expect(try await two.next(after: .status(200)).outcome?.storageError == nil)
    observation.cancel()
    #expect(events.withLock { $0.count } == 1)
    let item = try #require(try fixture.items().first)
    #expect(try fixture.vault.history.entries(of: item).isEmpty)
  }

  @Test("what one side has accepted is stored once: removed meanwhile, it does not come back")
  func acceptedOnce() async throws {
    let fixture = try Fixture()
    let prompt = ScriptedPrompt(.use("pat", "passing"), .use("ann", "right", .none))
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    var exchange = try authenticator.exchange(
      "http://h/x", through: Proxy(host: "proxy", port: 3128))
    #expect(
      try await exchange.next(after: .proxyChallenge("Basic realm=\"P\"")).schemes == [.basic])
    #expect(try await exchange.next(after: Self.challenge).schemes == [.basic, .basic])
    let item = try #require(try fixture.items().first)
    #expect(item.persistence == .permanent)
    try await fixture.vault.remove(item)
    #expect(try await exchange.next(after: .status(200)).reason == .done)
    #expect(try fixture.items().isEmpty)
  }
}
