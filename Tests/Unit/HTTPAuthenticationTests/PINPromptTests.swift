import CredentialVault
import HTTPAuthentication
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// Stored credentials that need a PIN.
@Suite struct PINPromptTests {
  /// A prompt that has PINs, and continues without a credential.
  private final class PINs: CredentialPrompt {
    private let pins: Lock<[String]>
    let asked = Lock<[PINQuestion]>([])
    let questions = Lock(0)

    init(_ pins: String...) {
      self.pins = Lock(pins)
    }

    func answer(_ question: Question) async -> Answer {
      questions.withLock { $0 += 1 }
      return .goOnWithout
    }

    func pin(_ question: PINQuestion) async -> Secret? {
      asked.withLock { $0.append(question) }
      return pins.withLock { $0.isEmpty ? nil : Secret($0.removeFirst()) }
    }
  }

  private let fixture: Fixture
  private let server = MemoryServer()

  init() throws {
    fixture = try Fixture()
  }

  private func seal(_ user: String = "ann", _ password: String = "right") throws {
    let item = try fixture.store(user, password)
    try fixture.vault.pins.set(Secret("7391"), on: item, cost: .minimum)
  }

  private func get(_ prompt: PINs) async throws -> Int {
    try await Authenticator(vault: fixture.vault, prompt: prompt).get("https://h/x", from: server)
      .status
  }

  @Test("the PIN is asked for, the password is sent, and the item stays sealed")
  func asked() async throws {
    try seal()
    let prompt = PINs("7391")
    #expect(try await get(prompt) == 200)
    let asked = prompt.asked.withLock { $0 }
    #expect(asked.map(\.failures) == [0] && asked.first?.item.account == "ann")
    #expect(asked.first?.item.secret == nil)
    #expect(prompt.questions.withLock { $0 } == 0)
    let items = try fixture.items()
    #expect(items.count == 1 && items.allSatisfy { $0.needsPIN && $0.secret == nil })
  }

  @Test("a credential that needs none is sent first, and no PIN is asked for")
  func other() async throws {
    try seal("ann", "wrong")
    try fixture.store("bob", "right")
    let prompt = PINs("7391")
    _ = try await get(prompt)
    #expect(prompt.asked.withLock { $0 }.isEmpty)
  }

  @Test("without a PIN another credential is asked for")
  func none() async throws {
    try seal()
    let prompt = PINs()
    #expect(try await get(prompt) == 401)
    #expect(prompt.asked.withLock { $0 }.count == 1 && prompt.questions.withLock { $0 } == 1)
  }

  @Test("a wrong PIN is asked for again, and the third one is an error")
  func wrong() async throws {
    try seal()
    #expect(try await get(PINs("1234", "7391")) == 200)
    let prompt = PINs("1234", "1235", "1236", "7391")
    await #expect(throws: VaultError(.authenticationFailed, "")) { try await get(prompt) }
    #expect(prompt.asked.withLock { $0 }.map(\.failures) == [0, 1, 2])
  }

  @Test("a password that is refused is not asked for again")
  func refused() async throws {
    try seal("ann", "wrong")
    let prompt = PINs("7391", "7391")
    #expect(try await get(prompt) == 401)
    #expect(prompt.asked.withLock { $0 }.count == 1 && prompt.questions.withLock { $0 } == 1)
  }
}
