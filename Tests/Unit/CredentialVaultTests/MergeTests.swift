import AttackSupport
import VaultAdministration
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel

@Suite("Vault: merge")
struct MergeTests {
  private static let large = String(repeating: "large", count: 500)

  private static func copies() throws -> Copies {
    try Copies { vault in
      for name in ["ann", "bob", "carl", "dora", "emil", "fred"] { try vault.add(item(name)) }
    }
  }

  @Test("what each copy added, changed or removed is so in the merged vault")
  func apart() throws {
    let copies = try Self.copies()
    let (ours, theirs) = (copies.ours, copies.theirs)
    try ours.change("ann", [.secret(Secret("here"))])
    try ours.remove(ours.named("bob"))
    try ours.add(item("hans", "new"))
    try theirs.change("carl", [.secret(Secret(Self.large)), .label("there")])
    try theirs.remove(theirs.named("dora"))
    try theirs.add(item("theo", Self.large))
    let generation = try ours.generation()
    let report = try copies.merge()
    #expect(
      report.kinds == [
        "ann changed-here", "bob removed-here", "carl changed-there", "dora removed-there",
        "hans added-here", "theo added-there",
      ])
    #expect(report.changes.first { $0.key?.account == "carl" }?.attributes == ["label", "secret"])
    #expect(report.isWritten && report.relation == .forked && report.conflicts.isEmpty)
    #expect(try ours.generation() == max(generation, theirs.generation()) + 1)
    #expect(try ours.accounts() == ["ann", "carl", "emil", "fred", "hans", "theo"])
    #expect(try ours.text("ann") == "here" && ours.text("carl") == Self.large)
    #expect(try ours.text("theo") == Self.large && ours.named("carl").label == "there")
    #expect(try ours.past("carl") == ["one"] && ours.past("ann") == ["one"])
    #expect(try ours.trash.items().map(\.item.account).sorted() == ["bob", "dora"])
    #expect(try ours.maintenance.verify().isClean)
    #expect(report.itemCount == 6)
    try ours.add(item("later"))
  }

  @Test("copies that were apart for long know when they parted")
  func partedLongAgo() throws {
    // With no other item in both, only the ancestors tell.
    let copies = try Copies { vault in try vault.add(item("ann")) }
    let (ours, theirs) = (copies.ours, copies.theirs)
    try ours.change("ann", [.secret(Secret("here"))])
    try ours.add(item("hans"))
    try theirs.add(item("theo"))
    for number in 0..<100 {
      try ours.change("hans", [.comment("here \(number)")])
      try theirs.change("theo", [.comment("there \(number)")])
    }
    let report = try copies.merge()
    #expect(report.conflicts.isEmpty && report.kinds.contains("ann changed-here"))
    #expect(try ours.text("ann") == "here")
    // The other copy continues, and so does what is known of it.
    for number in 0..<100 { try theirs.change("theo", [.comment("later \(number)")]) }
    let again = try copies.merge()
    #expect(again.conflicts.isEmpty && again.kinds.contains("theo changed-there"))
    #expect(try ours.named("theo").comment == "later 99")
    #expect(try ours.maintenance.verify().isClean)
  }

  @Test("a merged copy, and an older one, have nothing to merge, and nothing is written")
  func known() throws {
    let copies = try Self.copies()
    try copies.theirs.add(item("theo"))
    let other = try copies.otherCopy()
    try copies.merge()
    let generation = try copies.ours.generation()
    for path in [other, try copies.otherCopy()] {
      let report = try VaultMaintenance.merge(
        path, into: copies.fixture.path, key: copies.fixture.key)
      #expect(!report.isWritten && report.changes.isEmpty)
    }
    #expect(try copies.ours.generation() == generation)
  }

  @Test("what the other copy does after a merge is merged, without what it did before")
  func again() throws {
    let copies = try Self.copies()
    let (ours, theirs) = (copies.ours, copies.theirs)
    try theirs.add(item("theo"))
    try theirs.change("ann", [.secret(Secret("there 1"))])
    try theirs.change("bob", [.secret(Secret("there 1"))])
    try ours.change("carl", [.secret(Secret("here 1"))])
    try copies.merge()
    try ours.remove(ours.named("bob"))
    try theirs.change("theo", [.secret(Secret("there 2"))])
    try theirs.change("ann", [.secret(Secret("there 2"))])
    try theirs.add(item("hans"))
    let report = try copies.merge()
    #expect(
      report.kinds == [
        "ann changed-there", "bob removed-here", "carl changed-here", "hans added-there",
        "theo changed-there",
      ])
    #expect(try ours.text("ann") == "there 2" && ours.past("ann") == ["there 1", "one"])
    // The other copy does not know the changes that the vault had before the merge.
    try theirs.change("carl", [.secret(Secret("there 3"))])
    #expect(try copies.merge(dryRun: true).conflicts.map(\.key?.account) == ["carl"])
  }

  @Test("what both changed is a conflict: nothing is written until somebody decides")
  func conflict() throws {
    let copies = try Self.copies()
    let (ours, theirs) = (copies.ours, copies.theirs)
    try ours.change("ann", [.secret(Secret("here"))])
    try theirs.change("ann", [.secret(Secret("there"))])
    try ours.remove(ours.named("bob"))
    try theirs.change("bob", [.comment("kept")])
    try ours.change("carl", [.comment("kept")])
    try theirs.remove(theirs.named("carl"))
    let generation = try ours.generation()
    do {
      try copies.merge()
      Issue.record("merged")
    } catch let error as VaultError {
      #expect(error.code == .conflict && error.candidates.count == 3)
    }
    let plan = try copies.merge(dryRun: true)
    #expect(
      plan.kinds == [
        "ann changed-in-both open", "bob removed-here-changed-there open",
        "carl changed-here-removed-there open",
      ])
    #expect(!plan.isWritten && plan.conflicts.count == 3)
    #expect(try ours.generation() == generation)
  }

  @Test("a preference decides; the secret that is not taken is the newest of the history")
  func preference() throws {
    for preference in MergePreference.allCases {
      let copies = try Self.copies()
      let (ours, theirs) = (copies.ours, copies.theirs)
      try ours.change("ann", [.secret(Secret("here"))])
      try theirs.change("ann", [.secret(Secret("there 1"))])
      try theirs.change("ann", [.secret(Secret(Self.large))])
      try ours.remove(ours.named("bob"))
      try theirs.change("bob", [.secret(Secret("there"))])
      try theirs.remove(theirs.named("carl"))
      try ours.change("carl", [.secret(Secret("here"))])
      let report = try copies.merge(preferring: preference)
      #expect(report.conflicts.isEmpty && report.changes.count == 3)
      let isOurs = preference == .ours
      #expect(try ours.text("ann") == (isOurs ? "here" : Self.large))
      #expect(
        try ours.past("ann") == [isOurs ? Self.large : "here", "there 1", "one"],
        "\(preference)")
      // Bob was changed there after he was removed here, Carl here after he was removed there.
      #expect(try ours.accounts().contains("bob") == !isOurs)
      #expect(try ours.accounts().contains("carl") == (preference != .theirs))
      let trash = try ours.trash.items().map(\.item.account)
      #expect(trash.contains("bob") && trash.contains("carl"))
      if isOurs {
        // The other copy's later state can be brought back.
        let newest = try #require(ours.trash.items().first { $0.item.account == "bob" })
        try ours.trash.restore(newest)
        #expect(try ours.text("bob") == "there")
      }
      #expect(try ours.maintenance.verify().isClean)
    }
  }

  @Test("items that were added apart with one key are one item with both secrets")
  func sameKey() throws {
    let copies = try Self.copies()
    try copies.ours.add(item("new", "here"))
    try copies.theirs.add(item("new", "there"))
    try copies.ours.add(item("same", "both"))
    try copies.theirs.add(item("same", "both"))
    #expect(try copies.merge(dryRun: true).kinds == ["new changed-in-both open"])
    let id = try copies.ours.named("new").id
    try copies.merge(preferring: .theirs)
    #expect(try copies.ours.text("new") == "there" && copies.ours.past("new") == ["here"])
    #expect(try copies.ours.named("new").id == id)
    #expect(try copies.ours.accounts().count == 8)
  }

  @Test("items that exchanged their keys are merged; two that would have one key are a conflict")
  func keys() throws {
    let copies = try Self.copies()
    let theirs = copies.theirs
    try theirs.change("ann", [.account("x"), .secret(Secret("was ann"))])
    try theirs.change("bob", [.account("ann"), .secret(Secret("was bob"))])
    try theirs.change("x", [.account("bob")])
    try copies.merge()
    #expect(try copies.ours.text("ann") == "was bob" && copies.ours.text("bob") == "was ann")
    #expect(try copies.ours.past("ann") == ["one"] && copies.ours.maintenance.verify().isClean)
    try theirs.change("carl", [.account("new")])
    try copies.ours.change("dora", [.account("new")])
    let generation = try copies.ours.generation()
    expect(.conflict) { try copies.merge(preferring: .newer) }
    #expect(try copies.ours.generation() == generation)
  }

  @Test("generic passwords, defaults and rules are merged too")
  func others() throws {
    let copies = try Self.copies()
    let (ours, theirs) = (copies.ours, copies.theirs)
    func rule(_ name: String, _ host: String) throws -> PersistencePolicy.Rule {
      var rule = PersistencePolicy.Rule(name: name)
      rule.host = try HostPattern(host)
      return rule
    }
    try theirs.add(
      Item(service: "npm", account: "ann", secret: Secret("token")))
    try theirs.setDefaultUser("bob", for: space())
    let one = try rule("one", "a.example.com")
    try ours.policy.update { rules in rules = try [one, rule("two", "*")] }
    try theirs.policy.update { rules in rules = try [rule("zero", "z.example.com"), one] }
    let report = try copies.merge()
    #expect(report.changes.count == 4)
    #expect(try ours.policy.current().rules.map(\.name) == ["zero", "one", "two"])
    #expect(try ours.defaultUser(for: space()) == "bob")
    #expect(try ours.findAll(ItemQuery(itemClass: .genericPassword)).map(\.account) == ["ann"])
    try ours.setDefaultUser("ann", for: space())
    try theirs.setDefaultUser("carl", for: space())
    expect(.conflict) { try copies.merge() }
    try copies.merge(preferring: .theirs)
    #expect(try ours.defaultUser(for: space()) == "carl")
  }

  @Test("what the merged policy does not let the vault keep is left out")
  func policy() throws {
    let copies = try Self.copies()
    try copies.ours.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "nobody")
      rule.refuse = true
      rules = [rule]
    }
    try copies.theirs.add(item("theo"))
    try copies.theirs.change("ann", [.secret(Secret("there"))])
    let report = try copies.merge()
    #expect(report.changes.filter { $0.subject == .item }.map(\.refusedBy) == ["nobody", "nobody"])
    #expect(try copies.ours.text("ann") == "one")
    #expect(try !copies.ours.accounts().contains("theo"))
  }

  @Test("heads that have forgotten each other are compared by the items' revisions")
  func longApart() throws {
    let copies = try Self.copies()
    for number in 0..<70 {
      try copies.ours.change("ann", [.comment("here \(number)")])
      try copies.theirs.change("bob", [.comment("there \(number)")])
    }
    try copies.theirs.remove(copies.theirs.named("carl"))
    let report = try copies.merge()
    #expect(report.kinds == ["ann changed-here", "bob changed-there", "carl removed-there"])
    #expect(try copies.ours.named("bob").comment == "there 69")
  }

  @Test("what two copies took over from a third in one generation is no state that both had")
  func longApartWithThird() throws {
    let copies = try Self.copies()
    let (fixture, third) = (copies.fixture, copies.fixture.folder.file("third.vault"))
    try copies.theirs.maintenance.backup(to: third)
    let vault = try Vault.open(path: third, key: fixture.key)
    try vault.add(item("theo"))
    try vault.close()
    try copies.ours.change("ann", [.secret(Secret("here"))])
    try copies.theirs.remove(copies.theirs.named("ann"))
    for number in 0..<70 {
      try copies.ours.change("bob", [.comment("here \(number)")])
      try copies.theirs.change("carl", [.comment("there \(number)")])
    }
    for path in [fixture.path, copies.otherPath] {
      try VaultMaintenance.merge(third, into: path, key: fixture.key, preferring: .ours)
    }
    #expect(try copies.ours.named("theo").revision == copies.theirs.named("theo").revision)
    #expect(try copies.merge(dryRun: true).conflicts.map(\.key?.account) == ["ann"])
  }

  @Test("an item that was removed for good comes back, since nothing proves its removal")
  func removedForGood() throws {
    let copies = try Self.copies()
    try copies.theirs.remove(copies.theirs.named("carl"), removal: .permanent)
    #expect(try copies.merge().kinds == ["carl added-here"])
    #expect(try copies.ours.accounts().contains("carl"))
  }

  @Test("after a rekey here the other copy is merged; after one there it is refused")
  func epochs() throws {
    let copies = try Self.copies()
    try copies.theirs.change("ann", [.secret(Secret("there"))])
    try copies.theirs.add(item("theo", Self.large))
    try copies.ours.change("bob", [.secret(Secret("here"))])
    _ = try copies.ours.keys.rekey(keeping: [copies.fixture.key])
    let report = try copies.merge()
    #expect(report.kinds == ["ann changed-there", "bob changed-here", "theo added-there"])
    #expect(!report.slotsDiffer && report.relation == .olderEpoch)
    #expect(try copies.ours.text("ann") == "there" && copies.ours.text("theo") == Self.large)
    #expect(try copies.ours.past("ann") == ["one"] && copies.ours.maintenance.verify().isClean)
    _ = try copies.theirs.keys.rekey(keeping: [copies.fixture.key])
    _ = try copies.theirs.keys.rekey(keeping: [copies.fixture.key])
    let generation = try copies.ours.generation()
    expect(.rolledBack) { try copies.merge() }
    #expect(try copies.ours.generation() == generation)
  }

  @Test("what is no other copy is refused, and nothing is touched")
  func refused() throws {
    let copies = try Self.copies()
    try copies.theirs.add(item("theo"))
    let (fixture, folder) = (copies.fixture, copies.fixture.folder)
    let other = try Fixture()
    let otherCopy = folder.file("foreign")
    try other.vault.maintenance.backup(to: otherCopy)
    try File.makeSymbolicLink(folder.file("link"), to: fixture.path)
    try File.write(Array("text".utf8), to: folder.file("text"))
    try copies.ours.close()
    let bytes = try File.read(fixture.path)
    func merge(_ source: String) throws {
      try VaultMaintenance.merge(
        source, into: fixture.path, key: fixture.key, lockTimeout: .milliseconds(20))
    }
    expect(.invalidArgument) { try merge(fixture.path) }
    expect(.invalidArgument) { try merge(folder.file("link")) }
    expect(.missingInput) { try merge(folder.file("nothing")) }
    expect(.notAVault) { try merge(folder.file("text")) }
    expect(.notAVault) { try merge(folder.file("vault")) }
    expect(.invalidArgument) { try merge(otherCopy) }
    expect(.authenticationFailed) {
      try VaultMaintenance.merge(
        copies.otherCopy(), into: fixture.path, key: fixture.key, otherKey: other.key)
    }
    let held = try copies.otherCopy()
    let holder = try LockHolder(held)
    try holder.lock("EXCLUSIVE")
    expect(.busy) { try merge(held) }
    #expect(try File.read(fixture.path) == bytes)
  }

  @Test("another copy with any damage is refused or has no effect on the result")
  func damaged() throws {
    let copies = try Self.copies()
    try copies.theirs.change("ann", [.secret(Secret("there"))])
    let other = try copies.otherCopy()
    try copies.ours.close()
    let (before, bytes) = (try File.read(copies.fixture.path), try File.read(other))
    for offset in stride(from: 0, to: bytes.count, by: 331) {
      var changed = bytes
      changed[offset] ^= 0x40
      try File.write(changed, to: other)
      do {
        try VaultMaintenance.merge(other, into: copies.fixture.path, key: copies.fixture.key)
        let opened = try copies.fixture.open()
        #expect(try opened.text("ann") == "there" && opened.accounts().count == 6)
        try opened.close()
        try VaultMaintenance.restore(
          from: copies.fixture.folder.file("vault/other.vault"), to: copies.fixture.path,
          key: copies.fixture.key)
        break
      } catch let error as VaultError {
        #expect([.damaged, .notAVault, .tooNew].contains(error.code), "\(offset): \(error)")
        #expect(try File.read(copies.fixture.path) == before)
      }
    }
  }

  @Test("whatever two copies do, no item, secret or key is lost or doubled", arguments: 0..<12)
  func anything(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let copies = try Self.copies()
    let names = ["ann", "bob", "carl", "dora", "emil", "fred", "gus", "hans"]
    var newest: [String: Set<String>] = [:]
    for step in 0..<40 {
      let vault = Bool.random(using: &random) ? copies.ours : copies.theirs
      let name = try #require(names.randomElement(using: &random))
      let isThere = try vault.accounts().contains(name)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where isThere: try vault.remove(vault.named(name))
      case 1 where isThere: try vault.change(name, [.label("label \(step)")])
      case 2 where isThere:
        try vault.change(name, [.secret(Secret(Self.large + "\(step)"))])
      case _ where isThere: try vault.change(name, [.secret(Secret("secret \(step)"))])
      default: try vault.add(item(name, "added \(step)"))
      }
    }
    for vault in [copies.ours, copies.theirs] {
      for name in try vault.accounts() { newest[name, default: []].insert(try vault.text(name)) }
    }
    let preference = try #require(MergePreference.allCases.randomElement(using: &random))
    let report = try copies.merge(preferring: preference)
    let ours = copies.ours
    #expect(try ours.maintenance.verify().isClean)
    #expect(try report.itemCount == ours.accounts().count)
    let accounts = try ours.accounts()
    #expect(Set(accounts).count == accounts.count)
    let trash = Set(try ours.trash.items().map(\.item.account))
    for (name, secrets) in newest {
      #expect(accounts.contains(name) || trash.contains(name), "\(name)")
      guard accounts.contains(name) else { continue }
      let kept = try [ours.text(name)] + ours.past(name)
      #expect(Set(kept).count == kept.count)
      #expect(secrets.contains(kept[0]))
    }
    // A second merge of the same copy finds nothing.
    #expect(try !copies.merge(preferring: preference).isWritten)
  }
}
