/// The time for which a machine remembers a vault's key.
public struct RememberedTime: Hashable, Sendable {
  /// The seconds without a use after which the key is forgotten; 0 for one use.
  public let idle: UInt32
  /// The seconds after which it is forgotten in any case.
  public let most: UInt32

  /// For one use within a minute: Git's next call of the same operation.
  public static let oneUse = RememberedTime(idle: 0, most: 60)

  private init(idle: UInt32, most: UInt32) {
    (self.idle, self.most) = (min(idle, most), most)
  }

  /// Creates times of at least one second each.
  ///
  /// - Parameters:
  ///   - idle: The seconds without a use; nil is a quarter of an hour.
  ///   - most: The seconds in any case; nil is eight hours, or `idle` if that is longer.
  public init(idle: Int64? = nil, most: Int64? = nil) {
    let idle = Self.seconds(idle ?? 900)
    self.init(idle: idle, most: most.map(Self.seconds) ?? max(28_800, idle))
  }

  /// Reads a setting: `yes`, `no` or `never`, `operation`, a time such as `15m`, or two such as
  /// `15m,8h`.
  ///
  /// - Returns: Nil for `no` and `never`.
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  package static func setting(_ text: String) throws(VaultError) -> RememberedTime? {
    switch text {
    case "no", "never": return nil
    case "yes", "": return RememberedTime()
    case "operation": return oneUse
    default:
      let times = text.split(separator: ",", omittingEmptySubsequences: false)
        .map { TimeSpan.seconds($0) }
      guard times.count <= 2, let idle = times[0], times.count < 2 || times[1] != nil else {
        throw VaultError(
          .invalidArgument,
          "not a time like 15m, with s, m, h or d, nor two like 15m,8h, nor yes, no or operation")
      }
      return RememberedTime(idle: idle, most: times.count < 2 ? nil : times[1])
    }
  }

  /// Returns the same, but no longer than a limit in seconds; nil is no limit.
  package func limited(to limit: UInt32?) -> RememberedTime {
    RememberedTime(idle: idle, most: min(most, limit ?? .max))
  }

  /// Returns seconds as the kernel counts them, in 32 bits: one at least.
  private static func seconds(_ seconds: Int64) -> UInt32 { UInt32(clamping: max(seconds, 1)) }
}

/// Spans of time as people write them: `15m`, `30d`.
package enum TimeSpan {
  /// The seconds of each unit; a year has 365 days.
  private static let units: [Character: Int64] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000,
  ]

  /// Returns the seconds of a span: digits and a unit, perhaps after a plus sign; nil for anything
  /// else.
  ///
  /// One that is too long to count is the longest.
  package static func seconds(_ text: some StringProtocol) -> Int64? {
    let digits = (text.hasPrefix("+") ? text.dropFirst() : text[...]).dropLast()
    guard let unit = text.last.flatMap({ units[$0] }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    let (seconds, isTooLong) = (Int64(digits) ?? .max).multipliedReportingOverflow(by: unit)
    return isTooLong ? .max : seconds
  }
}
