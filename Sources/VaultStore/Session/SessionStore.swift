import SecureMemory
import Synchronization
import VaultCrypto
package import VaultModel

/// Credentials of the session: in memory, until the process ends.
///
/// Secrets are sealed under a key that never leaves this object. So a thousand of them need no
/// guarded memory of their own, and wiping the key wipes them all. An item's retention and the age
/// of its secret are measured on the session's clock; ``Item/expires`` is a time of
/// day.
package final class SessionStore: Sendable {
  struct Entry: Sendable {
    /// The item without its secrets; its ``Item/secretChanged`` and
    /// ``Item/keptUntil`` have the values of the time when it was stored.
    var item: Item
    /// The time of the secret's last change.
    var changed: SessionTime
    /// The end of the item's retention; nil if and only if it is unlimited.
    var deadline: SessionTime?
    /// The item's account domain: reading it from the item would copy the item.
    let accountDomain: String
    var sealedSecret: [UInt8] = []
    var furtherSecrets: [Attribute: [UInt8]] = [:]
    /// The previous secrets, the newest first.
    var history: [Previous] = []
  }

  /// A previous secret of an item.
  struct Previous: Sendable {
    /// The item at that time, without refresh token and history.
    var entry: Entry
    /// The time when the secret was replaced, later than those of its predecessors.
    let replaced: Timestamp
  }

  /// An entry that no server has accepted yet.
  struct Pending {
    let entry: Entry
    /// The persistence once it is accepted.
    let requested: Persistence
  }

  struct State {
    var isOpen = true
    /// The keys, made with the first secret: most processes store none.
    var keys: EpochKeys?
    /// The items by the space that they answer, with any method.
    var groups: [SpaceOfAnyMethod: [Entry]] = [:]
    /// The items that answer no space: without a server, or with an unusual one.
    var loose: [Entry] = []
    /// The pending items, the oldest first; usually none.
    var pending: [Pending] = []
    var defaults: [ProtectionSpace: String] = [:]
    var revision: UInt64 = 0
    /// The number of sessions that have ended here: nothing of an earlier one is put back.
    var ended: UInt64 = 0

    /// Returns the state after everything was dropped.
    func emptied(isOpen: Bool) -> State {
      State(isOpen: isOpen, revision: revision, ended: ended + 1)
    }
  }

  package let time: TimeSource
  /// The events, shared with the file if this is a file's session: in the order of both stores'
  /// changes.
  package let events = EventQueue()
  /// The epoch of the file at the last look, for what belongs to one; 0 without a file.
  package var epoch: UInt64 {
    get { knownEpoch.load(ordering: .relaxed) }
    set { knownEpoch.store(newValue, ordering: .relaxed) }
  }
  private let knownEpoch = Atomic<UInt64>(0)
  private let state: Lock<State>
  private let companion = Lock(WeakCompanion())
  private let canary = ForkCanary()

  /// Creates a session; a closed one, as for a locked file, stores and returns nothing.
  package init(isOpen: Bool = true, time: TimeSource = .system) {
    self.time = time
    state = Lock(State(isOpen: isOpen))
  }

  /// Whether it stores and returns anything.
  package var isOpen: Bool { state.withLock(\.isOpen) }

  package func open() {
    state.withLock { $0.isOpen = true }
  }

  /// Drops everything, and stores nothing until it is opened again.
  package func close() {
    let wasOpen = state.withLock { state in
      defer { state = state.emptied(isOpen: false) }
      return state.isOpen
    }
    guard wasOpen else { return }
    wipeStack()
    companion.withLock { $0.value }?.sessionHasEnded()
  }

  /// Returns the one companion of this session, which is made if there is none.
  package func companion<Companion: SessionCompanion>(
    orMake make: () -> Companion
  ) -> Companion {
    companion.withLock { companion in
      if let known = companion.value as? Companion { return known }
      let new = make()
      companion.value = new
      return new
    }
  }

  /// Drops everything, including defaults and pending items; old secrets cannot be opened any more.
  ///
  /// An open session stays open.
  package func removeAll() {
    EventDelivery.after { _ in
      state.withLock { state in
        if events.isObserved { events.post(state.removals) }
        state = state.emptied(isOpen: state.isOpen)
      }
      wipeStack()
    }
  }

  /// Runs `body` as ``withState(_:)`` does, and delivers its events when nothing is locked any
  /// more.
  func change<R>(_ body: (inout State) throws(VaultError) -> R) throws(VaultError) -> R {
    try EventDelivery.after { (_) throws(VaultError) in try withState(body) }
  }

  /// Drops items and previous secrets that have expired, by their own time or by their deadline,
  /// except for items whose refresh token is still good.
  ///
  /// - Returns: The dropped items, without their secrets.
  /// - Throws: ``VaultError/Code/locked``.
  @discardableResult
  package func removeExpired() throws(VaultError) -> [Item] {
    try change { (state) throws(VaultError) in
      let now = Moment(time)
      var expired: [Item] = []
      state.visitAll { if $0.isOver(at: now) { expired.append($0.item(at: now)) } }
      for item in expired {
        state.remove(item)
        events.post(.removed(VaultEvent.Subject(item)))
      }
      state.pending.removeAll { pending in
        guard pending.entry.isOver(at: now) else { return false }
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

/// Something that has to be closed whenever this process's session ends, since it also has
/// credentials of the session.
package protocol SessionCompanion: AnyObject, Sendable {
  /// Closes it, after the vault was locked or closed; called while its lock is held.
  func sessionHasEnded()
}

/// A session's companion, for as long as others keep it.
struct WeakCompanion {
  weak var value: (any SessionCompanion)?
}
