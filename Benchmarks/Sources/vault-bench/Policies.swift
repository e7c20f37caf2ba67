import CredentialVault
import VaultModel

/// A policy of 100 rules, against a bare loop that compares the host with 100 strings.
struct Policies {
  let report: Report

  private static let count = 100

  func run() throws {
    let spaces = try (0..<Self.count).map { (number) throws(VaultError) in
      try Sample(number: number).space()
    }
    try decide(
      "none matches", spaces, rules: Self.rules { number in try HostPattern(Self.pattern(number)) })
    try decide(
      "the last matches", spaces,
      rules: Self.rules { number in
        try HostPattern(number == Self.count - 1 ? "*.example.com" : Self.pattern(number))
      })
  }

  private func decide(
    _ which: String, _ spaces: [ProtectionSpace], rules: [PersistencePolicy.Rule]
  ) throws {
    let policy = try PersistencePolicy(rules: rules)
    let names = (0..<Self.count).map(Self.pattern)
    let isMatch = which != "none matches"
    let now = Timestamp.now()
    func pass(_ ask: (ProtectionSpace) -> Bool) throws -> Double {
      try seconds {
        for _ in 0..<100 {
          for space in spaces where ask(space) != isMatch { throw Failure("decide") }
        }
      } / Double(100 * spaces.count)
    }
    let times = try alternating(21) {
      try pass { policy.decide($0, requested: .permanent, now: now).rule != nil }
    } peer: {
      try pass { space in
        var isFound = isMatch
        for name in names where space.host.name == name { isFound = !isMatch }
        return isFound
      }
    }
    report.add(
      "decide with 100 rules of names below a host, \(which); against 100 strings compared",
      Self.count, times.ours.median, peer: Report.time(times.peer.median),
      ratio: times.ours.median / times.peer.median, atMost: 2e-6, "≤ 2 µs")
  }

  private static func rules(
    _ host: (Int) throws -> HostPattern
  ) rethrows -> [PersistencePolicy.Rule] {
    try (0..<count).map { number in
      var rule = PersistencePolicy.Rule(name: "rule \(number)")
      rule.host = try host(number)
      rule.maximumPersistence = .session
      return rule
    }
  }

  /// As long as the hosts of the sample, and alike to the end.
  private static func pattern(_ number: Int) -> String {
    "*.git-\(1000 + number).int.example.com"
  }
}
