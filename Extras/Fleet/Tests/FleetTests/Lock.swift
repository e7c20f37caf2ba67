import Synchronization

/// A value that threads change in turn, for closures that keep it.
final class Lock<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  func withLock<R: Sendable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    try value.withLock { (value) throws(E) in try body(&value) }
  }
}
