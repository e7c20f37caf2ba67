public import VaultModel
import VaultSession

/// What keeps an observer informed, for as long as it lives.
public final class Observation: Sendable {
  private let observer: Observer

  init(_ observer: Observer) {
    self.observer = observer
  }

  deinit {
    observer.cancel()
  }

  /// Ends the observation: no call of its handler begins after this.
  ///
  /// It waits for a call that is running on another thread, so it must not hold anything up that the handler waits
  /// for. Within a handler, or a transaction of a vault, it does not wait.
  public func cancel() {
    observer.cancel()
  }
}

extension Vault {
  /// Calls `handler` with every change that is committed from now on.
  ///
  /// - Each observer gets each event once, in the order of the commits: those of the file and of the session,
  ///   whichever ``Vault`` of this process they were made through.
  /// - A change by another process is told at the next operation at the latest, several of them as one
  ///   ``VaultEvent/changedElsewhere``. Rekeying, other slots, migrating and compacting change nothing that this process
  ///   would have to look up again, and are not told.
  /// - The handler is called by one thread at a time, often by the one that made the change, before its call returns.
  ///   It may call the vault; what it changes is told after what is waiting already. While it runs, other
  ///   observers wait.
  /// - After ``close()`` nothing is told but what was committed before. A forked child is told nothing.
  ///
  /// - Parameter handler: Is called on any thread.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe(_ handler: @escaping @Sendable (VaultEvent) -> Void) -> Observation {
    observe(handler, ended: {})
  }

  /// Every change that is committed from now on, as ``observe(_:)`` tells it, until the vault is closed or released.
  ///
  /// What was not taken yet is kept without a bound. Each use makes a stream of its own.
  public var events: AsyncStream<VaultEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: VaultEvent.self)
    let observation = observe { event in
      continuation.yield(event)
    } ended: {
      continuation.finish()
    }
    continuation.onTermination = { _ in observation.cancel() }
    return stream
  }

  private func observe(
    _ handler: @escaping @Sendable (VaultEvent) -> Void, ended: @escaping @Sendable () -> Void
  ) -> Observation {
    let observer = session.events.observe(
      owner: ObjectIdentifier(self), ended: ended, handler)
    // Closed before, or meanwhile: nothing more would end it.
    if isOver { session.events.end(ObjectIdentifier(self)) }
    return Observation(observer)
  }
}
