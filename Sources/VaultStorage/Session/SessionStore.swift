import SecureMemory
import VaultCrypto
package import VaultModel

/// Credentials of the session: in memory, gone with the process.
///
/// Secrets are sealed under a key that never leaves this object, so a thousand of them need no
/// guarded memory of their own, and wiping the key wipes them all.
package final class SessionStore: Sendable {
  struct Entry {
    var item: InternetPassword
    var sealedSecret: [UInt8] = []
    var sealedRefreshToken: [UInt8] = []
  }

  struct State {
    var isOpen = true
    /// Made with the first secret: most processes keep none.
    var keys: EpochKeys?
    /// Items by the space that they answer, whatever its method.
    var groups: [ProtectionSpace: [Entry]] = [:]
    /// Items that answer no space: without a server or with an odd one.
    var loose: [Entry] = []
    var defaults: [ProtectionSpace: String] = [:]
    var revision: UInt64 = 0
  }

  /// Of the file, too, if this is a file's session: the order of its events is that of both stores' changes.
  package let events = EventQueue()
  private let state = Lock(State())
  private let canary = ForkCanary()

  /// A closed session takes and gives nothing: that of a file which is locked.
  package init(isOpen: Bool = true) {
    state.withLock { $0.isOpen = isOpen }
  }

  package func open() {
    state.withLock { $0.isOpen = true }
  }

  /// Forgets everything and takes nothing more until it is opened again.
  package func close() {
    let wasOpen = state.withLock { state in
      defer { state = State(isOpen: false) }
      return state.isOpen
    }
    if wasOpen { wipeStack() }
  }

  /// Forgets everything; the old secrets cannot be opened any more.
  package func removeAll() {
    Delivery.after { _ in
      state.withLock { state in
        if events.isObserved { events.post(state.removals) }
        state = State()
      }
      wipeStack()
    }
  }

  /// As ``withState(_:)``, for what posts events: they are delivered when nothing is locked any more.
  func change<R>(_ body: (inout State) throws(VaultError) -> R) throws(VaultError) -> R {
    try Delivery.after { (_) throws(VaultError) in try withState(body) }
  }

  /// Tells observers of a change that was made in quiet steps.
  package func note(_ event: @autoclosure () -> VaultEvent) {
    events.post(event())
  }

  func withState<R>(_ body: (inout State) throws(VaultError) -> R) throws(VaultError) -> R {
    guard !canary.isForkedChild else {
      throw VaultError(.locked, "the session began before this process was forked")
    }
    return try state.withLock { (state) throws(VaultError) in
      guard state.isOpen else { throw VaultError(.locked, "the vault is locked") }
      return try body(&state)
    }
  }
}
