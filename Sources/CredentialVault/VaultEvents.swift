public import VaultModel
import VaultSession

/// The registration of an observer, which is called as long as this object exists.
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
  /// If a call is running on another thread, this waits for it. The caller must not hold anything
  /// that the handler waits for. Within a handler, or a transaction of a vault, this does not wait.
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
  /// - Each observer gets each event once, in the order of the commits: those of the file and of
  ///   the session, through any ``Vault`` of this process.
  /// - A change by another process is reported at the next operation at the latest; several of them
  ///   are one ``VaultEvent/changedElsewhere``. Rekeying, changing slots, migrating and compacting
  ///   change nothing that this process would have to look up again, and are not reported.
  /// - The handler is called by one thread at a time, often by the one that made the change, before
  ///   its call returns. It may call the vault; its own changes are reported after those that are
  ///   already queued. While it runs, other observers wait.
  /// - After ``Vault/close()`` only earlier commits are reported. A forked child gets no events.
  ///
  /// - Parameter handler: Called on any thread.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe(_ handler: @escaping @Sendable (VaultEvent) -> Void) -> Observation {
    observe(handler, ended: {})
  }

  /// Iterates over every change that is committed from now on, until the vault is closed or
  /// released.
  ///
  /// Events that have not been consumed are buffered without a limit.
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
    // If the vault was closed already, or meanwhile, nothing else would end the observation.
    if vault.isOver { vault.session.events.end(ObjectIdentifier(vault)) }
    return Observation(observer)
  }
}
