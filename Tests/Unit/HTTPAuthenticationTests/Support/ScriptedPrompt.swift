import CredentialVault
import HTTPAuthentication
import SecureMemory
import VaultModel

/// A prompt that answers as a test says and keeps its questions.
final class ScriptedPrompt: CredentialPrompt {
  private struct State {
    var questions: [Question] = []
    var unlocking: [UnlockQuestion] = []
  }

  private let state = Lock(State())
  private let script: @Sendable (Question) async -> Answer
  private let keys: [KeySource]

  init(
    keys: [KeySource] = [],
    _ script: @escaping @Sendable (Question) async -> Answer = { _ in .goOnWithout }
  ) {
    self.keys = keys
    self.script = script
  }

  /// Gives these answers one after the other, and none after the last.
  convenience init(_ first: Answer, _ others: Answer...) {
    let rest = Lock([first] + others)
    self.init { _ in rest.withLock { $0.isEmpty ? .goOnWithout : $0.removeFirst() } }
  }

  var questions: [Question] { state.withLock { $0.questions } }
  var unlocking: [UnlockQuestion] { state.withLock { $0.unlocking } }

  func answer(_ question: Question) async -> Answer {
    state.withLock { $0.questions.append(question) }
    return await script(question)
  }

  func key(_ question: UnlockQuestion) async -> KeySource? {
    state.withLock { $0.unlocking.append(question) }
    return keys.indices.contains(question.failures) ? keys[question.failures] : nil
  }
}

extension Answer {
  static func use(
    _ user: String, _ password: String, _ persistence: Persistence = .permanent
  ) -> Answer {
    .use(Credential(user: user, secret: Secret(password), persistence: persistence))
  }
}

extension ScriptedPrompt {
  /// Waits until that many questions were asked.
  func wasAsked(_ count: Int) async {
    while questions.count < count { await Task.yield() }
  }
}

/// A prompt that returns a key, or none, when its gate is open.
final class GatedKey: CredentialPrompt {
  private let key: KeySource?
  private let gate: Gate
  private let count = Lock(0)

  init(_ key: KeySource?, _ gate: Gate) {
    self.key = key
    self.gate = gate
  }

  /// The number of times that it was asked to unlock.
  var calls: Int { count.withLock { $0 } }

  func answer(_ question: Question) async -> Answer { .goOnWithout }

  func key(_ question: UnlockQuestion) async -> KeySource? {
    count.withLock { $0 += 1 }
    await gate.passUnlessCancelled()
    return key
  }

  /// Waits until it was asked.
  func wasAsked() async {
    while calls == 0 { await Task.yield() }
  }
}
