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

/// The committed changes of a vault: `vault.events`.
///
/// ```swift
/// for await event in vault.events { … }
/// ```
public struct VaultEvents: Sendable, AsyncSequence {
  let vault: Vault

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
  /// - After ``Vault/close()`` nothing is told but what was committed before. A forked child is told nothing.
  ///
  /// - Parameter handler: Is called on any thread.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe(_ handler: @escaping @Sendable (VaultEvent) -> Void) -> Observation {
    observe(handler, ended: {})
  }

  /// Iterates over every change that is committed from now on, until the vault is closed or released.
  ///
  /// Events that were not taken yet are kept without a bound.
  public func makeAsyncIterator() -> AsyncStream<VaultEvent>.Iterator {
    let (stream, continuation) = AsyncStream.makeStream(of: VaultEvent.self)
    let observation = observe { event in
      continuation.yield(event)
    } ended: {
      continuation.finish()
    }
    continuation.onTermination = { _ in observation.cancel() }
    return stream.makeAsyncIterator()
  }

  private func observe(
    _ handler: @escaping @Sendable (VaultEvent) -> Void, ended: @escaping @Sendable () -> Void
  ) -> Observation {
    let observer = vault.session.events.observe(
      owner: ObjectIdentifier(vault), ended: ended, handler)
    // Closed before, or meanwhile: nothing more would end it.
    if vault.isOver { vault.session.events.end(ObjectIdentifier(vault)) }
    return Observation(observer)
  }
}
