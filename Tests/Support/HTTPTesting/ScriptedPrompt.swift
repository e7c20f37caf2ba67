package import CredentialVault
@testable package import HTTPAuthentication
import SecureMemory
package import VaultModel

/// A prompt that answers as a test says, in order, and records the questions; after the last answer
/// it gives up.
package final class ScriptedPrompt: CredentialPrompt {
  private struct State {
    var answers: [Answer]
    var keys: [KeySource]
    var questions: [Question] = []
    var unlocks: [UnlockQuestion] = []
    var crowd = 1
    var isOfAnyKind = false
  }

  private let state: Lock<State>

  /// Creates a prompt with its answers, and the keys that it unlocks vaults with.
  package init(_ answers: [Answer] = [], keys: [KeySource] = []) {
    state = Lock(State(answers: answers, keys: keys))
  }

  /// The questions so far.
  package var questions: [Question] { state.withLock { $0.questions } }

  /// The requests to unlock the vault so far.
  package var unlocks: [UnlockQuestion] { state.withLock { $0.unlocks } }

  /// Delays its next answer until that many requests wait for it, or for any answer.
  package func wait(for crowd: Int, ofAnyKind: Bool = false) {
    state.withLock {
      $0.crowd = crowd
      $0.isOfAnyKind = ofAnyKind
    }
  }

  /// Answers when enough requests wait.
  package func answer(_ question: Question) async -> Answer {
    let (crowd, isOfAnyKind) = state.withLock { state in
      state.questions.append(question)
      defer { state.crowd = 1 }
      return (state.crowd, state.isOfAnyKind)
    }
    while Self.waiting(ofAnyKind: isOfAnyKind) < crowd, !Task.isCancelled { await Task.yield() }
    return state.withLock { state in
      state.answers.isEmpty ? .cancel(.request) : state.answers.removeFirst()
    }
  }

  /// Returns how many requests wait for the present answer, or for any.
  private static func waiting(ofAnyKind: Bool) -> Int {
    PromptQueue.process.state.withLock { line in
      guard let key = line.question?.key else { return .max }
      return line.waiters.count { ofAnyKind || $0.key == key }
    }
  }

  /// Returns the next key.
  package func key(_ question: UnlockQuestion) async -> KeySource? {
    state.withLock { state in
      state.unlocks.append(question)
      return state.keys.isEmpty ? nil : state.keys.removeFirst()
    }
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
