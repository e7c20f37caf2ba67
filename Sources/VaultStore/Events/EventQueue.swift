import SecureMemory
import Synchronization
package import VaultModel

/// The committed changes of a vault that wait for its observers: one queue for a file and its
/// session.
///
/// A store posts while it still holds the lock of its commit, so the events are in commit order.
/// They are delivered by one thread at a time, when it holds no store's lock. An observer may
/// therefore call the vault. A slow observer delays the others, but events are never reordered.
package final class EventQueue: Sendable {
  private struct Entry {
    enum Content {
      case event(VaultEvent)
      /// The observers of an owner receive nothing more.
      case end(ObjectIdentifier)
    }

    let number: UInt64
    let content: Content
  }

  private struct State {
    var observers: [Observer] = []
    var waiting: [Entry] = []
    var isDelivering = false
    /// The counter of both observers and entries: an observer receives events posted after it was
    /// added.
    var count: UInt64 = 0
  }

  private let state = Lock(State())
  /// Separate from the state: without observers, a change costs one read.
  private let hasObservers = Atomic(false)
  private let canary = ForkCanary()

  package init() {}

  /// Whether this is a forked child of the process that made it, where a missing thread may hold
  /// its lock.
  var isForked: Bool { canary.isForkedChild }

  /// Whether there are observers.
  package var isObserved: Bool { hasObservers.load(ordering: .relaxed) }

  /// Posts committed changes; the order of the calls is the order of the events.
  package func post(_ events: [VaultEvent]) {
    guard isObserved, !events.isEmpty else { return }
    append(events.map(Entry.Content.event))
  }

  /// Posts a committed change; `event` is evaluated only if there are observers.
  package func post(_ event: @autoclosure () -> VaultEvent) {
    guard isObserved else { return }
    append([.event(event())])
  }

  private func append(_ contents: [Entry.Content]) {
    guard !isForked else { return }
    EventDelivery.after { delivery in
      state.withLock { state in
        for content in contents {
          state.count += 1
          state.waiting.append(Entry(number: state.count, content: content))
        }
      }
      delivery.owe(self)
    }
  }

  // MARK: Observers

  /// Calls `handler` with every event posted from now on, until it is cancelled or its owner ends.
  ///
  /// - Parameters:
  ///   - owner: The owner for ``end(_:)``.
  ///   - ended: Called once after the last event, if the owner ends before the observer is
  ///     cancelled.
  ///   - handler: Called without our locks, on any thread, by one thread at a time.
  /// - Returns: The observer, which stays until it is cancelled.
  package func observe(
    owner: ObjectIdentifier, ended: @escaping @Sendable () -> Void = {},
    _ handler: @escaping @Sendable (VaultEvent) -> Void
  ) -> Observer {
    guard !isForked else {
      return Observer(of: self, number: 0, owner: owner, handler: handler, ended: ended)
    }
    return state.withLock { state in
      state.count += 1
      let observer = Observer(
        of: self, number: state.count, owner: owner, handler: handler, ended: ended)
      state.observers.append(observer)
      hasObservers.store(true, ordering: .relaxed)
      return observer
    }
  }

  /// Ends an owner's observers after the events posted before.
  package func end(_ owner: ObjectIdentifier) {
    guard isObserved else { return }
    append([.end(owner)])
  }

  /// Removes the observers that match, and returns them, because none of their state may be
  /// released under our lock.
  @discardableResult
  func remove(where isGone: (Observer) -> Bool) -> [Observer] {
    guard !isForked else { return [] }
    return state.withLock { state in
      let gone = state.observers.filter(isGone)
      state.observers.removeAll(where: isGone)
      hasObservers.store(!state.observers.isEmpty, ordering: .relaxed)
      return gone
    }
  }

  // MARK: Delivery

  /// Calls the observers with all waiting events, unless another thread is delivering.
  func deliver() {
    var isFirst = true
    while let batch = next(isFirst) {
      isFirst = false
      for entry in batch { deliver(entry) }
    }
  }

  private func next(_ isFirst: Bool) -> [Entry]? {
    // Also between batches: an observer may fork.
    guard !isForked else { return nil }
    return state.withLock { state in
      guard !(isFirst && state.isDelivering) else { return nil }
      state.isDelivering = !state.waiting.isEmpty
      guard state.isDelivering else { return nil }
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  private func deliver(_ entry: Entry) {
    switch entry.content {
    case .event(let event):
      var last: UInt64 = 0
      while let observer = observer(after: last, before: entry.number) {
        observer.call(event)
        last = observer.number
      }
    case .end(let owner):
      let ended = remove { $0.owner == owner && $0.number < entry.number }
      for observer in ended { observer.end() }
    }
  }

  /// Returns the next observer; one at a time, because each may add and cancel others.
  private func observer(after last: UInt64, before number: UInt64) -> Observer? {
    guard !isForked else { return nil }
    return state.withLock { state in
      state.observers.first { $0.number > last && $0.number < number }
    }
  }
}
