import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// A dry run of a merge of two vaults that are no copies of each other.
@Suite("Vault: compared with another one")
struct VaultComparisonTests {
  private let fixture: Fixture
  private let other: Fixture
  private let here: Vault
  private let there: Vault

  init() throws {
    (fixture, other) = (try Fixture(), try Fixture())
    // Both remove at one time, as an export and an import do.
    let time = TestClock(.now().adding(.seconds(1))).source
    func open(_ fixture: Fixture) throws -> Vault {
      try fixture.vault.close()
      return try Vault.open(path: fixture.path, key: fixture.key, time: time)
    }
    (here, there) = (try open(fixture), try open(other))
    // The rules have one identity, as those of an export do.
    let rules = ["one", "two"].map { PersistencePolicy.Rule(name: $0) }
    for vault in [here, there] {
      for name in ["ann", "bob", "carl"] {
        try vault.add(item(name))
        try vault.change(name, [.secret(Secret("two"))])
      }
      try vault.change("ann", [.refreshToken(Secret("token"))])
      try vault.remove(vault.named("carl"))
      try vault.set(credential("dora", "one"), for: space())
      try vault.setDefaultUser("dora", for: space())
      try vault.policy.update { $0 = rules }
    }
  }

  /// Returns the differences, and checks that nothing was written, and that none has a side.
  private func differences() throws -> [String] {
    let copy = fixture.folder.file("copy-\(ItemID().text)")
    try there.maintenance.backup(to: copy)
    let generation = try here.generation()
    let report = try VaultMaintenance.merge(
      copy, into: fixture.path, key: fixture.key, otherKey: other.key, dryRun: true)
    #expect(report.relation == .anotherVault && !report.isWritten)
    #expect(report.changes.allSatisfy { $0.side == nil })
    #expect(try here.generation() == generation)
    return report.changes.map { change in
      "\(change.key?.account ?? change.ruleName ?? "") \(change.kind.rawValue) "
        + change.attributes.joined(separator: ",")
    }
  }

  @Test("vaults with the same content are equal, whatever their ids and times")
  func equal() throws {
    #expect(try differences().isEmpty)
  }

  @Test("each part of an item that differs is named")
  func items() throws {
    try there.change("ann", [.label("there"), .refreshToken(Secret("other"))])
    try here.change("bob", [.secret(Secret("three"))])
    try here.change("bob", [.secret(Secret("two"))])
    try here.add(item("hans"))
    try there.add(item("theo"))
    #expect(
      try differences() == [
        "ann changed-in-both label,refresh_token", "bob changed-in-both previous secrets",
        "hans added-here ", "theo added-there ",
      ])
    try here.change("bob", [.secret(Secret("new"))])
    #expect(try differences()[1] == "bob changed-in-both secret,previous secrets")
  }

  @Test("a removed item is the same if its secrets and its time of removal are")
  func trash() throws {
    #expect(try there.trash.empty() == 1)
    #expect(try differences() == ["carl removed-here "])
    try there.add(item("bob 2", "x"))
    try there.remove(there.named("bob 2"))
    #expect(try differences() == ["bob 2 removed-there ", "carl removed-here "])
  }

  @Test("as many previous secrets, of which one is another, are a difference")
  func history() throws {
    for (vault, secret) in [(here, "one"), (there, "other")] {
      try vault.add(item("hans", secret))
      try vault.change("hans", [.secret(Secret("two"))])
    }
    #expect(try differences() == ["hans changed-in-both previous secrets"])
  }

  @Test("two removed items of one key and time differ if their secrets or histories do")
  func removed() throws {
    for (vault, secret) in [(here, "one"), (there, "other")] {
      try vault.add(item("hans", secret))
      try vault.remove(vault.named("hans"))
    }
    #expect(try differences() == ["hans removed-here ", "hans removed-there "])
  }

  @Test("a default, a rule and the order of rules count")
  func policy() throws {
    try there.set(credential("emil", "one"), for: space())
    try here.set(credential("emil", "one"), for: space())
    try there.setDefaultUser("emil", for: space())
    try there.policy.update { $0.reverse() }
    #expect(
      try differences() == [
        "dora changed-in-both ", "one changed-in-both order", "two changed-in-both order",
      ])
    try here.setDefaultUser(nil, for: space())
    try here.policy.update { $0[0].note = "here" }
    try there.policy.update { $0 = [$0[1]] }
    #expect(
      try differences() == ["emil added-there ", "one changed-in-both ", "two added-here "])
  }

  @Test("without a dry run, another vault is refused")
  func refused() throws {
    let copy = fixture.folder.file("copy")
    try there.maintenance.backup(to: copy)
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try VaultMaintenance.merge(
        copy, into: fixture.path, key: fixture.key, otherKey: other.key)
    }
  }
}
