import VaultModel

/// The way in which the served vault was unlocked, and its end.
enum Opening: Equatable {
  typealias Instant = ContinuousClock.Instant

  case key
  /// The kernel's memory, which `vaultctl lock` also ends for this process.
  case remembered(lastLook: Instant)
  /// A key that nobody remembers but this process. `until` is its end without another call, and
  /// not after `end`.
  case typed(until: Instant, end: Instant)

  /// The time without a call after which a passphrase has to be typed again, and the time in any
  /// case: what `vaultctl unlock` takes, if the vault does not shorten it.
  private static let time = RememberedTime()
  /// The time between two looks at the kernel's memory, each of which costs as much as a lookup.
  private static let lookInterval = Duration.seconds(1)

  /// Returns an opening by a passphrase that was typed now, limited to the seconds for which the
  /// vault lets its keys be remembered, but for a minute at least.
  static func typed(at now: Instant, limit: UInt32? = nil) -> Opening {
    let most = min(time.most, limit.map { max($0, 60) } ?? .max)
    return .typed(
      until: now + .seconds(Int64(min(time.idle, most))), end: now + .seconds(Int64(most)))
  }

  /// The time of the next look at it; nil if it has no end.
  var nextLook: Instant? {
    switch self {
    case .typed(let until, _): until
    case .remembered(let lastLook): lastLook + Self.lookInterval
    case .key: nil
    }
  }

  /// Returns the same after a call: a typed passphrase holds longer.
  func used(at now: Instant) -> Opening {
    guard case .typed(_, let end) = self else { return self }
    return .typed(until: min(now + .seconds(Int64(Self.time.idle)), end), end: end)
  }
}
