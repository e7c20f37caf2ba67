import SecureMemory
import Synchronization
package import VaultModel

/// The committed changes of a vault on their way to its observers: one queue for a file and its session.
///
/// A store posts while it still holds the lock under which it committed, so events lie here in the order of the
/// commits. They are delivered by one thread at a time, once it holds no store's lock: an observer may call the vault,
/// and a slow one delays the others but cannot be overtaken.
package final class EventQueue: Sendable {
  private struct Entry {
    enum Content {
      case event(VaultEvent)
      /// The observers of an owner get nothing any more.
      case end(ObjectIdentifier)
    }

    let number: UInt64
    let content: Content
  }

  private struct State {
    var observers: [Observer] = []
    var waiting: [Entry] = []
    var isDelivering = false
    /// Counts observers and entries alike: an observer gets what was posted after it came.
    var count: UInt64 = 0
  }

  private let state = Lock(State())
  /// Beside the state: a change that nobody observes costs one read.
  private let hasObservers = Atomic(false)
  private let canary = ForkCanary()

  package init() {}

  /// Whether this is a forked child of the process that made it: its lock may be held by a thread that is not.
  var isForked: Bool { canary.isForkedChild }

  /// Whether anybody would be told of a change now.
  package var isObserved: Bool { hasObservers.load(ordering: .relaxed) }

  /// Notes changes that are committed; the order of the calls is the order of the events.
  package func post(_ events: [VaultEvent]) {
    guard isObserved, !events.isEmpty else { return }
    append(events.map(Entry.Content.event))
  }

  /// Notes a change that is committed; `event` is only made if somebody is told.
  package func post(_ event: @autoclosure () -> VaultEvent) {
    guard isObserved else { return }
    append([.event(event())])
  }

  private func append(_ contents: [Entry.Content]) {
    guard !isForked else { return }
    Delivery.after { delivery in
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

  /// Calls `handler` with everything that is posted from now on, until it is cancelled or its owner ends.
  ///
  /// - Parameters:
  ///   - owner: What ``end(_:)`` names.
  ///   - ended: Is called once after the last event, if the owner ends before it is cancelled.
  ///   - handler: Is called without a lock of ours, on any thread, by one at a time.
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

  /// Ends an owner's observers after what was posted before.
  package func end(_ owner: ObjectIdentifier) {
    guard isObserved else { return }
    append([.end(owner)])
  }

  /// Forgets the observers for which that is said, and returns them: nothing of theirs may be released under our lock.
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

  // MARK: Delivering

  /// Calls the observers with everything that waits, unless another thread is about it.
  func deliver() {
    var isFirst = true
    while let batch = next(isFirst) {
      isFirst = false
      for entry in batch { deliver(entry) }
    }
  }

  private func next(_ isFirst: Bool) -> [Entry]? {
    // Also in the middle: an observer may fork.
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

  /// Asked for one by one: each may add and cancel others.
  private func observer(after last: UInt64, before number: UInt64) -> Observer? {
    guard !isForked else { return nil }
    return state.withLock { state in
      state.observers.first { $0.number > last && $0.number < number }
    }
  }
}
