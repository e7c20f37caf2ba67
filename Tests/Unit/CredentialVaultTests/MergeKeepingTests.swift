import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// A merge keeps what either copy had: in the trash, in histories, and of rules and defaults.
@Suite("Vault: what a merge keeps")
struct MergeKeepingTests {
  private static func copies() throws -> Copies {
    try Copies { vault in
      for name in ["ann", "bob", "carl"] { try vault.add(item(name)) }
    }
  }

  /// Restores the only removed item of an account.
  private func restore(_ account: String, in vault: Vault) throws {
    let removed = try vault.trash.items().filter { $0.item.account == account }
    #expect(removed.count == 1)
    try vault.trash.restore(#require(removed.first))
  }

  // MARK: Trash

  @Test("an item changed and then removed there is in the trash as it was there, once")
  func changedAndRemoved() throws {
    let copies = try Self.copies()
    try copies.theirs.change("bob", [.secret(Secret("there 1")), .comment("there")])
    try copies.theirs.change("bob", [.secret(Secret("there 2"))])
    try copies.theirs.remove(copies.theirs.named("bob"))
    try copies.theirs.remove(copies.theirs.named("carl"))
    #expect(try copies.merge().kinds == ["bob removed-there", "carl removed-there"])
    #expect(try copies.ours.trash.items().count == 2)
    try restore("bob", in: copies.ours)
    #expect(try copies.ours.text("bob") == "there 2" && copies.ours.named("bob").comment == "there")
    #expect(try copies.ours.past("bob") == ["there 1", "one"])
    try restore("carl", in: copies.ours)
    #expect(try copies.ours.text("carl") == "one" && copies.ours.past("carl").isEmpty)
    #expect(try copies.ours.maintenance.verify().isClean)
  }

  @Test("an item that was renamed and then removed there is in the trash under its new key")
  func renamedAndRemoved() throws {
    let copies = try Self.copies()
    try copies.theirs.change("bob", [.account("rob"), .secret(Secret("there"))])
    try copies.theirs.remove(copies.theirs.named("rob"))
    try copies.theirs.add(item("bob", "another"))
    try copies.merge(preferring: .theirs)
    #expect(try copies.ours.text("bob") == "another")
    try copies.ours.remove(copies.ours.named("bob"))
    try restore("rob", in: copies.ours)
    #expect(try copies.ours.text("rob") == "there" && copies.ours.maintenance.verify().isClean)
  }

  @Test("an item that was added and removed there comes into the trash, with its history, once")
  func addedAndRemoved() throws {
    let copies = try Self.copies()
    try copies.theirs.add(item("theo", "there 1"))
    let large = String(repeating: "large", count: 500)
    try copies.theirs.change("theo", [.secret(Secret(large)), .refreshToken(Secret("token"))])
    try copies.theirs.remove(copies.theirs.named("theo"))
    #expect(try copies.merge(dryRun: true).kinds == ["theo removed-there"])
    #expect(try copies.ours.trash.items().isEmpty)
    let report = try copies.merge()
    #expect(report.kinds == ["theo removed-there"] && report.itemCount == 3)
    try copies.theirs.add(item("later"))
    #expect(try copies.merge().kinds == ["later added-there"])
    try restore("theo", in: copies.ours)
    #expect(try copies.ours.text("theo") == large && copies.ours.past("theo") == ["there 1"])
    #expect(try copies.ours.named("theo").refreshToken?.isEqual(to: Secret("token")) == true)
    #expect(try copies.ours.maintenance.verify().isClean)
  }

  @Test("an item that was in both trashes, and then in one for good, does not come back")
  func emptied() throws {
    let copies = try Copies { vault in
      try vault.add(item("bob"))
      try vault.remove(vault.named("bob"))
    }
    try copies.ours.trash.empty()
    try copies.theirs.add(item("theo"))
    #expect(try copies.merge().kinds == ["theo added-there"])
    #expect(try copies.ours.trash.items().isEmpty)
  }

  @Test("what the policy does not let the vault keep does not come into the trash either")
  func refused() throws {
    let copies = try Self.copies()
    try copies.ours.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "nobody")
      rule.refuse = true
      rules = [rule]
    }
    try copies.theirs.add(item("theo"))
    try copies.theirs.remove(copies.theirs.named("theo"))
    let report = try copies.merge()
    #expect(report.changes.filter { $0.subject == .item }.map(\.refusedBy) == ["nobody"])
    #expect(try copies.ours.trash.items().isEmpty)
  }

  @Test("a removal that was decided against is not asked about again")
  func decidedOnce() throws {
    let copies = try Self.copies()
    try copies.ours.change("bob", [.secret(Secret("here"))])
    try copies.theirs.remove(copies.theirs.named("bob"))
    #expect(try copies.merge(preferring: .ours).changes.count == 1)
    try copies.theirs.add(item("theo"))
    #expect(try copies.merge().kinds == ["bob added-here", "theo added-there"])
    #expect(try copies.ours.text("bob") == "here")
  }

  // MARK: Histories

  @Test("further secrets that are not taken are in the trash, with its item as it was")
  func furtherSecrets() throws {
    for preference in [MergePreference.ours, .theirs] {
      let copies = try Self.copies()
      for (vault, name) in [(copies.ours, "here"), (copies.theirs, "there")] {
        try vault.change(
          "bob",
          [
            .secret(Secret(name)), .refreshToken(Secret("token \(name)")), .label(name),
            .oneTimePasswordKey(Secret("key \(name)")),
          ])
        try vault.change("carl", [.label(name)])
      }
      let report = try copies.merge(preferring: preference)
      #expect(report.changes.first?.attributes == ["label", "secret", "refresh_token", "totp_key"])
      let ours = copies.ours
      try ours.remove(ours.named("carl"))
      let (kept, lost) = preference == .ours ? ("here", "there") : ("there", "here")
      #expect(try ours.text("bob") == kept && ours.past("bob") == [lost, "one"])
      try ours.remove(ours.named("bob"))
      let removed = try ours.trash.items().filter { $0.item.account == "bob" }
      #expect(removed.count == 2)
      try ours.trash.restore(#require(removed.last))
      #expect(try ours.text("bob") == lost && ours.named("bob").label == lost)
      let token = try #require(ours.named("bob").refreshToken)
      #expect(token.isEqual(to: Secret("token \(lost)")))
      #expect(
        try ours.named("bob").oneTimePasswordKey?.isEqual(to: Secret("key \(lost)")) == true)
      #expect(try ours.maintenance.verify().isClean)
    }
  }

  @Test("a secret that a merge there did not take is kept here too, though the item is unchanged")
  func handedOn() throws {
    let copies = try Self.copies()
    try copies.ours.change("bob", [.secret(Secret("here"))])
    try copies.theirs.change("bob", [.secret(Secret("there"))])
    let third = copies.fixture.folder.file("third.vault")
    try copies.theirs.maintenance.backup(to: third)
    try copies.theirs.close()
    // The other copy keeps its own secret, and what it did not take in its history.
    let source = copies.fixture.folder.file("source")
    try copies.ours.maintenance.backup(to: source)
    try VaultMaintenance.merge(
      source, into: copies.otherPath, key: copies.fixture.key, preferring: .ours)
    let report = try VaultMaintenance.merge(
      copies.otherPath, into: third, key: copies.fixture.key)
    #expect(report.changes.map(\.attributes) == [["previous secrets"]] && report.isWritten)
    let vault = try Vault.open(path: third, key: copies.fixture.key)
    #expect(try vault.text("bob") == "there" && vault.past("bob") == ["here", "one"])
    #expect(try vault.maintenance.verify().isClean)
  }

  // MARK: A third copy

  @Test("what a third copy changed since is no change that the other one knows")
  func third() throws {
    let copies = try Self.copies()
    try copies.theirs.change("bob", [.secret(Secret("there 1"))])
    let third = copies.fixture.folder.file("third.vault")
    try copies.theirs.maintenance.backup(to: third)
    let vault = try Vault.open(path: third, key: copies.fixture.key)
    try vault.change("bob", [.secret(Secret("third"))])
    try vault.close()
    try VaultMaintenance.merge(third, into: copies.fixture.path, key: copies.fixture.key)
    try copies.theirs.change("bob", [.secret(Secret("there 2"))])
    #expect(try copies.merge(dryRun: true).kinds == ["bob changed-in-both open"])
    try copies.merge(preferring: .theirs)
    #expect(try copies.ours.past("bob") == ["third", "there 1", "one"])
  }

  // MARK: Defaults and rules

  @Test("a copy that continues the vault has its defaults and rules, also those it removed")
  func continued() throws {
    func rule(_ name: String) throws -> PersistencePolicy.Rule {
      var rule = PersistencePolicy.Rule(name: name)
      rule.host = try HostPattern("\(name).example.com")
      return rule
    }
    let copies = try Copies { vault in
      for user in ["bob", "carl"] {
        for space in try [space(), space("other.example.com")] {
          try vault.set(credential(user, "one"), for: space)
          try vault.setDefaultUser("bob", for: space)
        }
      }
      try vault.policy.update { rules in rules = try [rule("one"), rule("two"), rule("three")] }
    }
    let theirs = copies.theirs
    try theirs.setDefaultUser(nil, for: space())
    try theirs.setDefaultUser("carl", for: space("other.example.com"))
    try theirs.policy.update { rules in
      rules = [rules[2], rules[0]]
      rules[1].note = "changed"
    }
    let report = try copies.merge()
    #expect(
      report.kinds == [
        "bob changed-there", "bob removed-there", "one changed-there", "two removed-there",
      ])
    #expect(try copies.ours.defaultUser(for: space()) == nil)
    #expect(try copies.ours.defaultUser(for: space("other.example.com")) == "carl")
    let rules = try copies.ours.policy.current().rules
    #expect(rules.map(\.name) == ["three", "one"] && rules.last?.note == "changed")
    // Once the vault has a change of its own, nothing proves a removal.
    try theirs.policy.update { rules in rules = [] }
    #expect(try copies.merge().kinds == ["one added-here", "three added-here"])
    #expect(try copies.ours.policy.current().rules.count == 2)
  }
}
