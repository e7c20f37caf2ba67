import CredentialVault
import SecureMemory
import VaultModel

/// The cost of a policy of 100 rules.
struct Policies {
  let report: Report

  private static let count = 100

  /// Measures one decision, against a bare loop that compares the host with 100 strings.
  func decisions() throws {
    let spaces = try (0..<Self.count).map { (number) throws(VaultError) in
      try Sample(number: number).space()
    }
    try decide("none matches", spaces, rules: Self.strangers())
    try decide(
      "the last matches", spaces,
      rules: Self.rules { (number) throws(VaultError) in
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
    let pairs = try alternating(21) {
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
      Self.count, pairs, .time(2e-6))
  }

  /// Measures warm lookups, in a vault with the rules and in one without.
  func lookups(_ stores: Stores) throws {
    let path = "\(stores.folder)/rules.vault"
    let ruled = try Subject(path: path, key: stores.key, creating: true)
    defer {
      ruled.close()
      Stores.remove(path)
    }
    try ruled.insertAll(
      Sample.shuffled(0..<stores.count).map { (sample) throws(VaultError) in try sample.item() })
    try Self.addRules(to: ruled.vault)
    func pass(_ subject: Subject) throws -> Double {
      try seconds {
        for lookup in stores.lookups {
          guard try subject.find(lookup.space, lookup.account) != nil else {
            throw Failure("not found")
          }
        }
      } / Double(stores.lookups.count)
    }
    let pairs = try alternating(21) {
      try pass(ruled)
    } peer: {
      try pass(stores.subject)
    }
    report.add(
      "find, warm, with 100 rules; against the vault without rules", stores.count, pairs,
      .ratio(1.05))
  }

  /// Measures the session's memory, with the rules and without.
  func sessions(_ count: Int) throws {
    let policy = try PersistencePolicy(rules: Self.strangers())
    let (ruled, free) = (Vault.inMemory(policy: policy), Vault.inMemory())
    let spaces = try Sample.shuffled(0..<count).prefix(10_000).map { (sample) throws(VaultError) in
      let space = try sample.space()
      let credential = Credential(
        user: sample.account, secret: Secret(sample.secret), persistence: .session)
      try ruled.set(credential, for: space)
      try free.set(credential, for: space)
      return space
    }
    let repeats = max(1, 10_000 / spaces.count)
    func pass(_ vault: Vault) throws -> Double {
      try seconds {
        for _ in 0..<repeats {
          for space in spaces where try vault.credentials(for: space).isEmpty {
            throw Failure("not found")
          }
        }
      } / Double(repeats * spaces.count)
    }
    let pairs = try alternating(21) {
      try pass(ruled)
    } peer: {
      try pass(free)
    }
    report.add(
      "session lookup with 100 rules; against the session without rules", count, pairs,
      .ratio(1.05))
  }

  /// Measures many adds in one transaction into a new vault, with the rules and without.
  func bulk(_ stores: Stores) throws {
    let items = try Sample.shuffled(0..<stores.count).map { (sample) throws(VaultError) in
      try sample.item()
    }
    let path = "\(stores.folder)/rules.vault"
    func pass(hasRules: Bool) throws -> Double {
      Stores.remove(path)
      let subject = try Subject(path: path, key: stores.key, creating: true)
      defer { subject.close() }
      if hasRules { try Self.addRules(to: subject.vault) }
      return try seconds { try subject.insertAll(items) } / Double(items.count)
    }
    let rounds = stores.count > 10_000 ? 7 : 31
    let pairs = try alternating(rounds) {
      try pass(hasRules: true)
    } peer: {
      try pass(hasRules: false)
    }
    Stores.remove(path)
    report.add(
      "bulk add in one transaction with 100 rules, an item, no disk; against the vault without rules",
      stores.count, pairs, .ratio(1.2))
  }

  // MARK: Rules

  private static func addRules(to vault: Vault) throws {
    try vault.policy.update { rules in rules = try strangers() }
  }

  /// Rules of which none matches a sample.
  private static func strangers() throws(VaultError) -> [PersistencePolicy.Rule] {
    try rules { (number) throws(VaultError) in try HostPattern(pattern(number)) }
  }

  private static func rules(
    _ host: (Int) throws(VaultError) -> HostPattern
  ) throws(VaultError) -> [PersistencePolicy.Rule] {
    try (0..<count).map { (number) throws(VaultError) in
      var rule = PersistencePolicy.Rule(name: "rule \(number)")
      rule.host = try host(number)
      rule.maximumPersistence = .session
      return rule
    }
  }

  /// Returns a pattern as long as the hosts of the sample, and alike to the end.
  private static func pattern(_ number: Int) -> String {
    "*.git-\(1000 + number).int.example.com"
  }
}
