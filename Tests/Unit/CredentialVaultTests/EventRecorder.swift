import CredentialVault
import SecureMemory
import VaultModel

/// The events that an observer got, in order.
final class EventRecorder: Sendable {
  private let lines = Lock<[VaultEvent]>([])

  func write(_ event: VaultEvent) {
    lines.withLock { $0.append(event) }
  }

  /// Returns the events since the last call.
  func take() -> [VaultEvent] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

extension VaultEvents {
  func observe(_ recorder: EventRecorder) -> Observation {
    observe { recorder.write($0) }
  }
}
