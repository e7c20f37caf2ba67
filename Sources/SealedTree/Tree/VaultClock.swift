import Synchronization
import VaultCrypto
package import VaultModel

/// The time of day as a vault sees it: the clock's, but never before the newest commit that was seen of the vault.
///
/// So a clock that is set back revives nothing that had expired by the last commit.
package final class VaultClock: Sendable {
  private let source: TimeSource
  /// In milliseconds, as a timestamp is; no lock, which a forked child could not wait for.
  private let newestCommit = Atomic(Int64.min)

  package init(_ source: TimeSource = .system) {
    self.source = source
  }

  /// For those who are given the time and not the vault.
  package var time: TimeSource { TimeSource(now: { self.now() }, session: source.session) }

  package func now() -> Timestamp {
    // What a clock gone wild says could not be written down.
    min(
      max(source.now(), Timestamp(milliseconds: newestCommit.load(ordering: .acquiring))),
      SealedNumber.lastMoment)
  }

  /// Notes when a head was committed that is believed.
  package func advance(to commit: Timestamp) {
    newestCommit.max(commit.milliseconds, ordering: .acquiringAndReleasing)
  }
}

extension InternetPassword {
  /// Whether it has expired; the clock is read only if it may have.
  package func isExpired(by clock: VaultClock) -> Bool {
    mayExpire && isExpired(at: clock.now())
  }
}
