import SecureMemory
import VaultCrypto
package import VaultModel

/// Credentials of the session: in memory, gone with the process.
///
/// Secrets are sealed under a key that never leaves this object, so a thousand of them need no
/// guarded memory of their own, and wiping the key wipes them all. How long an item is kept and how old
/// its secret is are counted on the session's clock; ``InternetPassword/expires`` is a time of day.
package final class SessionStore: Sendable {
  struct Entry: Sendable {
    /// Without its secrets; its ``InternetPassword/secretChanged`` and ``InternetPassword/keptUntil`` are what they were
    /// when it was stored.
    var item: InternetPassword
    /// When the secret was last changed.
    var changed: SessionTime
    /// Until when the item is kept; nil exactly if it is kept without end.
    var deadline: SessionTime?
    /// The item's: asking an item for what few have would copy the item.
    let accountDomain: String
    var sealedSecret: [UInt8] = []
    var sealedRefreshToken: [UInt8] = []
    /// The newest first.
    var history: [Previous] = []
  }

  /// A secret that an item had before.
  struct Previous: Sendable {
    /// The item as it was then, without refresh token and history.
    var entry: Entry
    /// When the secret was replaced, later than those before it.
    let replaced: Timestamp
  }

  /// An entry that no server has accepted yet.
  struct Pending {
    let entry: Entry
    /// How strongly it is to be kept once it is accepted.
    let requested: Persistence
  }

  struct State {
    var isOpen = true
    /// Made with the first secret: most processes keep none.
    var keys: EpochKeys?
    /// Items by the space that they answer, whatever its method.
    var groups: [ProtectionSpace: [Entry]] = [:]
    /// Items that answer no space: without a server or with an odd one.
    var loose: [Entry] = []
    /// The oldest first; usually none.
    var pending: [Pending] = []
    var defaults: [ProtectionSpace: String] = [:]
    var revision: UInt64 = 0
  }

  package let time: TimeSource
  /// Of the file, too, if this is a file's session: the order of its events is that of both stores' changes.
  package let events = EventQueue()
  private let state: Lock<State>
  private let canary = ForkCanary()

  /// A closed session takes and gives nothing: that of a file which is locked.
  package init(isOpen: Bool = true, time: TimeSource = .system) {
    self.time = time
    state = Lock(State(isOpen: isOpen))
  }

  package func open() {
    state.withLock { $0.isOpen = true }
  }

  /// Forgets everything and takes nothing more until it is opened again.
  package func close() {
    let wasOpen = state.withLock { state in
      defer { state = State(isOpen: false, revision: state.revision) }
      return state.isOpen
    }
    if wasOpen { wipeStack() }
  }

  /// Forgets everything, defaults and what is pending too; the old secrets cannot be opened any more.
  ///
  /// What is open stays open.
  package func removeAll() {
    Delivery.after { _ in
      state.withLock { state in
        if events.isObserved { events.post(state.removals) }
        state = State(isOpen: state.isOpen, revision: state.revision)
      }
      wipeStack()
    }
  }

  /// As ``withState(_:)``, for what posts events: they are delivered when nothing is locked any more.
  func change<R>(_ body: (inout State) throws(VaultError) -> R) throws(VaultError) -> R {
    try Delivery.after { (_) throws(VaultError) in try withState(body) }
  }

  /// Forgets what has expired, by its own time or by its deadline, previous secrets too.
  ///
  /// - Returns: The items that it was, without their secrets.
  /// - Throws: ``VaultError/Code/locked``.
  @discardableResult
  package func removeExpired() throws(VaultError) -> [InternetPassword] {
    try change { (state) throws(VaultError) in
      let now = Moment(time)
      var expired: [InternetPassword] = []
      state.visitAll { if $0.isExpired(at: now) { expired.append($0.item(at: now)) } }
      for item in expired {
        state.remove(item)
        events.post(.removed(VaultEvent.Subject(item)))
      }
      state.pending.removeAll { pending in
        guard pending.entry.isExpired(at: now) else { return false }
        expired.append(pending.entry.item(at: now))
        return true
      }
      state.removeExpiredHistory(at: now)
      ItemQuery.sort(&expired, ranks: expired.map { _ in 0 })
      return expired
    }
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
