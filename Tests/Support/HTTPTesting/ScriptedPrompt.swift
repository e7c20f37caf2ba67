package import CredentialVault
@testable package import HTTPAuthentication
import SecureMemory
package import VaultModel

/// A prompt that answers as a test says and keeps its questions.
package final class ScriptedPrompt: CredentialPrompt {
  private struct State {
    var questions: [Question] = []
    var unlocking: [UnlockQuestion] = []
    var crowd = 1
    var isOfAnyKind = false
  }

  private let state = Lock(State())
  private let script: @Sendable (Question) async -> Answer
  private let keys: [KeySource]

  /// Creates a prompt that answers by a function, and unlocks a vault with its keys in turn.
  package init(
    keys: [KeySource] = [],
    _ script: @escaping @Sendable (Question) async -> Answer = { _ in .goOnWithout }
  ) {
    self.keys = keys
    self.script = script
  }

  /// Creates a prompt that gives these answers one after the other, and none after the last.
  package convenience init(_ first: Answer, _ others: Answer...) {
    self.init([first] + others, last: .goOnWithout)
  }

  /// Creates a prompt that gives these answers one after the other, and another one after the last.
  package convenience init(
    _ answers: [Answer], last: Answer = .cancel(.request), keys: [KeySource] = []
  ) {
    let rest = Lock(answers)
    self.init(keys: keys) { _ in rest.withLock { $0.isEmpty ? last : $0.removeFirst() } }
  }

  /// The questions so far.
  package var questions: [Question] { state.withLock { $0.questions } }

  /// The requests to unlock a vault so far.
  package var unlocking: [UnlockQuestion] { state.withLock { $0.unlocking } }

  /// Delays its next answer until that many requests wait for it, or for any answer.
  package func wait(for crowd: Int, ofAnyKind: Bool = false) {
    state.withLock {
      $0.crowd = crowd
      $0.isOfAnyKind = ofAnyKind
    }
  }

  /// Waits until that many questions were asked.
  package func wasAsked(_ count: Int) async {
    while questions.count < count { await Task.yield() }
  }

  /// Answers when enough requests wait.
  package func answer(_ question: Question) async -> Answer {
    let (crowd, isOfAnyKind) = state.withLock { state in
      state.questions.append(question)
      defer { state.crowd = 1 }
      return (state.crowd, state.isOfAnyKind)
    }
    while crowd > 1, Self.waiting(ofAnyKind: isOfAnyKind) < crowd, !Task.isCancelled {
      await Task.yield()
    }
    return await script(question)
  }

  /// Returns how many requests wait for the present answer, or for any.
  private static func waiting(ofAnyKind: Bool) -> Int {
    PromptQueue.process.state.withLock { line in
      guard let key = line.question?.key else { return .max }
      return line.waiters.count { ofAnyKind || $0.key == key }
    }
  }

  /// Returns the key for this many failures, or none.
  package func key(_ question: UnlockQuestion) async -> KeySource? {
    state.withLock { $0.unlocking.append(question) }
    return keys.indices.contains(question.failures) ? keys[question.failures] : nil
  }
}

extension Answer {
  /// Returns an answer with a user, a password, and their persistence.
  package static func use(
    _ user: String, _ password: String, _ persistence: Persistence = .permanent
  ) -> Self {
    .use(Credential(user: user, secret: Secret(password), persistence: persistence))
  }
}
