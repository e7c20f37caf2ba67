import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import Testing
import VaultModel

/// A request that is cancelled when the response to a typed password has arrived.
@Suite("The verdict on a typed password", .timeLimit(.minutes(5))) struct CancelledVerdictTests {
  private static let basic = ResponseHead.challenge("Basic realm=\"Team\"")
  private static let digest = ResponseHead.challenge(
    "Digest realm=\"Team\", nonce=\"n\", qop=\"auth\"")

  /// Returns an exchange that sends a typed password in answer to a challenge.
  private func typed(
    _ fixture: Fixture, _ password: String = "right", for challenge: ResponseHead = basic
  ) async throws -> Exchange {
    let prompt = ScriptedPrompt(.use("ann", password))
    var exchange = try Authenticator(vault: fixture.vault, prompt: prompt).exchange("https://h/x")
    #expect(try await exchange.next(after: challenge).schemes.count == 1)
    #expect(try fixture.items().map(\.persistence) == [.session])
    return exchange
  }

  /// Starts the next step in a task that is cancelled before.
  private func cancelled(
    _ exchange: Exchange, after response: ResponseHead
  ) -> Task<Step, any Error> {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      var exchange = exchange
      return try await exchange.next(after: response)
    }
    task.cancel()
    return task
  }

  @Test("accepted: it is stored, though the request is cancelled")
  func accepted() async throws {
    let fixture = try Fixture()
    let step = cancelled(try await typed(fixture), after: .status(200))
    let outcome = try await step.value.outcome
    #expect(outcome?.reason == .done && outcome?.storageError == nil)
    #expect(try fixture.items().map(\.persistence) == [.permanent])
  }

  @Test("accepted: it is stored, though the request is cancelled while it waits for the vault")
  func acceptedLater() async throws {
    let fixture = try Fixture()
    let exchange = try await typed(fixture)
    let step = try await fixture.vault.whileHeld { cancelled(exchange, after: .status(200)) }
    let outcome = try await step.value.outcome
    #expect(outcome?.reason == .done && outcome?.storageError == nil)
    #expect(try fixture.items().map(\.persistence) == [.permanent])
  }

  @Test("rejected: nothing is left of it, and the request ends as cancelled")
  func rejected() async throws {
    let fixture = try Fixture()
    let step = cancelled(try await typed(fixture, "wrong"), after: Self.basic)
    await #expect(throws: VaultError(.interrupted, "")) { try await step.value }
    #expect(try fixture.items().isEmpty)
  }

  @Test("unproven: nothing is left of it, though the request is cancelled")
  func unproven() async throws {
    let fixture = try Fixture()
    let exchange = try await typed(fixture, for: Self.digest)
    let step = cancelled(exchange, after: .status(200, info: "qop=auth, rspauth=\"00\""))
    #expect(try await step.value.reason == .unproven)
    #expect(try fixture.items().isEmpty)
  }
}
