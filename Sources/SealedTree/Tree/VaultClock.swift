import Synchronization
import VaultCrypto
package import VaultModel

/// The time of day of a vault: the clock's, but never before the vault's newest known commit.
///
/// So a clock that is set back does not revive anything that had expired by the last commit.
package final class VaultClock: Sendable {
  private let source: TimeSource
  /// In milliseconds, like a timestamp; not under a lock, for which a forked child could not wait.
  private let newestCommit = Atomic(Int64.min)

  package init(_ source: TimeSource = .system) {
    self.source = source
  }

  /// The vault's time, for code that does not have the vault.
  package var time: TimeSource { TimeSource(now: { self.now() }, session: source.session) }

  package func now() -> Timestamp {
    // A later time from a faulty clock could not be stored.
    min(
      max(source.now(), Timestamp(milliseconds: newestCommit.load(ordering: .acquiring))),
      SealedNumber.lastMoment)
  }

  /// Advances to the time of a commit whose head was verified.
  package func advance(to commit: Timestamp) {
    newestCommit.max(commit.milliseconds, ordering: .acquiringAndReleasing)
  }
}

extension Item {
  /// Returns whether it has expired; the clock is read only if necessary.
  package func isExpired(by clock: VaultClock) -> Bool {
    mayExpire && isExpired(at: clock.now())
  }
}
