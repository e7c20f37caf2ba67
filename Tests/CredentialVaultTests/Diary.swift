import CredentialVault
import SecureMemory
import VaultModel

/// What an observer was told, in its order.
final class Diary: Sendable {
  private let lines = Lock<[VaultEvent]>([])

  func write(_ event: VaultEvent) {
    lines.withLock { $0.append(event) }
  }

  /// What was written since this was asked last.
  func take() -> [VaultEvent] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

extension VaultEvents {
  func observe(_ diary: Diary) -> Observation {
    observe { diary.write($0) }
  }
}
