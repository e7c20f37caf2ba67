package import CredentialVault
@testable package import HTTPAuthentication
import SecureMemory
package import VaultModel

/// Answers as a test says, in order, and takes note of the questions; after the last answer it gives up.
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

  /// Makes one with its answers, and the keys that it unlocks vaults with.
  package init(_ answers: [Answer] = [], keys: [KeySource] = []) {
    state = Lock(State(answers: answers, keys: keys))
  }

  /// What was asked so far.
  package var questions: [Question] { state.withLock { $0.questions } }

  /// How often it was asked to unlock the vault.
  package var unlocks: [UnlockQuestion] { state.withLock { $0.unlocks } }

  /// Lets it give its next answer only when so many requests wait for that, or for any answer.
  package func wait(for crowd: Int, ofAnyKind: Bool = false) {
    state.withLock {
      $0.crowd = crowd
      $0.isOfAnyKind = ofAnyKind
    }
  }

  /// Answers when the crowd is there.
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

  /// How many requests wait for the answer that is being asked for, or for any.
  private static func waiting(ofAnyKind: Bool) -> Int {
    PromptQueue.process.state.withLock { line in
      guard let key = line.question?.key else { return .max }
      return line.waiters.count { ofAnyKind || $0.key == key }
    }
  }

  /// Gives the next key.
  package func key(_ question: UnlockQuestion) async -> KeySource? {
    state.withLock { state in
      state.unlocks.append(question)
      return state.keys.isEmpty ? nil : state.keys.removeFirst()
    }
  }
}

extension Answer {
  /// A user, a password, and how long they are to be kept.
  package static func use(
    _ user: String, _ password: String, _ persistence: Persistence = .permanent
  ) -> Self {
    .use(Credential(user: user, secret: Secret(password), persistence: persistence))
  }
}
