public import VaultModel
import VaultStore

/// The registration of an observer, which is called as long as this object exists.
public final class VaultObserver: Sendable {
  /// The observer; nil for a vault that was over.
  private let observer: Observer?

  init(_ observer: Observer?) {
    self.observer = observer
  }

  deinit {
    observer?.cancel()
  }

  /// Ends the observation: no call of its handler begins after this.
  ///
  /// If a call is running on another thread, this waits for it. The caller must not hold anything
  /// that the handler waits for. Within a handler, or a transaction of a vault, this does not wait.
  /// A task iterates over ``Vault/events`` instead, which ends without a wait.
  public func cancel() {
    observer?.cancel()
  }
}

/// The committed changes of a vault: `vault.events`.
///
/// ```swift
/// for await event in vault.events { print(event) }
/// ```
///
/// It does not keep the vault.
public struct VaultEvents: Sendable, AsyncSequence {
  private weak let vault: Vault?

  init(vault: Vault) {
    self.vault = vault
  }

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
  /// - The handler cannot throw: the change is already committed, and nobody waits for an error.
  ///
  /// - Parameter handler: Called on any thread.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func observe(_ handler: @escaping @Sendable (VaultEvent) -> Void) -> VaultObserver {
    VaultObserver(observer(handler, ended: {}))
  }

  /// Iterates over every change that is committed from now on, until the vault is closed or
  /// released, or the task is cancelled.
  ///
  /// Events that have not been consumed are buffered without a limit.
  public func makeAsyncIterator() -> AsyncStream<VaultEvent>.Iterator {
    let (stream, continuation) = AsyncStream.makeStream(of: VaultEvent.self)
    let observer = observer { event in
      continuation.yield(event)
    } ended: {
      continuation.finish()
    }
    guard let observer else {
      continuation.finish()
      return stream.makeAsyncIterator()
    }
    // It must not wait for a running call: a task that is being cancelled cannot be resumed by the
    // call's `yield`. After the end, a `yield` has no effect.
    continuation.onTermination = { _ in observer.stop() }
    return stream.makeAsyncIterator()
  }

  /// Registers an observer; returns nil if the vault was released.
  private func observer(
    _ handler: @escaping @Sendable (VaultEvent) -> Void, ended: @escaping @Sendable () -> Void
  ) -> Observer? {
    guard let vault else { return nil }
    let observer = vault.session.events.observe(
      owner: ObjectIdentifier(vault), ended: ended, handler)
    // If the vault was closed already, or meanwhile, nothing else would end the observation.
    if vault.isOver { vault.session.events.end(ObjectIdentifier(vault)) }
    return observer
  }
}
