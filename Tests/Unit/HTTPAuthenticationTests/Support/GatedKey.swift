import HTTPTesting
import CredentialVault
import HTTPAuthentication
import SecureMemory

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
