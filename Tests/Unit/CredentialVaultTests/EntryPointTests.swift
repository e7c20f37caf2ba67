import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Policy: every way to store a credential")
struct EntryPointTests {
  @Test("is known to these tests")
  func known() throws {
    let (names, asynchronous, count) = try EntryPoints.declared()
    #expect(names.count + asynchronous.count == count, "a declaration that this cannot read")
    let declared = Set(names)
    let known = Set(EntryPoints.storing.map(\.name)).union(EntryPoints.others)
    #expect(declared.subtracting(known).isEmpty, "new functions: do they store something?")
    #expect(known.subtracting(declared).isEmpty)
    let ofVault = declared.union(names.map { $0.replacing("VaultReading.", with: "Vault.") })
    #expect(EntryPoints.asynchronous.isSubset(of: ofVault))
    #expect(Set(asynchronous) == EntryPoints.asynchronous.union(["Vault.perform(_:)"]))
  }

  /// Rules, and their decision on a request.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let limit: @Sendable (inout PersistencePolicy.Rule) -> Void
    let outcome: @Sendable (Persistence) -> Outcome

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "a rule for another host") {
      $0.host = .exact(HostName(canonical: "other.example"))
      $0.refuse = true
    } outcome: {
      Outcome(persistence: $0, isLimited: false)
    },
    Case(name: "an exception") { _ in
    } outcome: {
      Outcome(persistence: $0, isLimited: false)
    },
    Case(name: "session at most") {
      $0.maximumPersistence = .session
    } outcome: {
      Outcome(persistence: min($0, .session), isLimited: false)
    },
    Case(name: "none at most") {
      $0.maximumPersistence = .none
    } outcome: { _ in
      .none
    },
    Case(name: "refuse") {
      $0.refuse = true
    } outcome: { _ in
      .refused
    },
    Case(name: "a lifetime") {
      $0.lifetime = .seconds(3600)
    } outcome: {
      Outcome(persistence: $0, isLimited: true)
    },
    Case(name: "after acceptance") {
      $0.persistOnlyAfterAcceptance = true
    } outcome: {
      Outcome(persistence: $0, isLimited: false)
    },
    Case(name: "session at most, a lifetime") {
      $0.maximumPersistence = .session
      $0.lifetime = .seconds(3600)
    } outcome: {
      Outcome(persistence: min($0, .session), isLimited: true)
    },
  ]

  @Test("grants the same for the same request", arguments: EntryPoints.storing, cases)
  func same(_ entry: EntryPoint, _ rules: Case) throws {
    for requested in [Persistence.session, .permanent] {
      if requested == .session, EntryPoints.onlyPermanent.contains(entry.name) { continue }
      let stage = try StoringFixture(requested)
      try entry.prepare(stage)
      var rule = PersistencePolicy.Rule(name: "the rule")
      rules.limit(&rule)
      try stage.vault.policy.update { [rule] in $0 = [rule] }
      let expected = rules.outcome(requested)
      guard !expected.isRefused else {
        let error = #expect(throws: VaultError.self) { _ = try entry.store(stage) }
        #expect(error?.code == .policyRefused && error?.context.contains("\"the rule\"") == true)
        #expect(try stage.outcome() == stage.before(entry))
        continue
      }
      let decision = try entry.store(stage)
      #expect(decision.granted == expected.persistence && decision.requested == requested)
      // A move that is not granted the requested persistence leaves the credential where it was.
      let isMove = entry.name.hasPrefix("Vault.move")
      let stays = isMove && expected.persistence < requested
      #expect(try stage.outcome() == (stays ? stage.before(entry) : expected))
    }
  }

  @Test("a default is kept as strongly as its space's credentials may be", arguments: cases)
  func defaults(_ rules: Case) throws {
    for isTransaction in [false, true] {
      let stage = try StoringFixture(.permanent)
      try stage.vault.add(item("ann", "new"))
      var rule = PersistencePolicy.Rule(name: "the rule")
      rules.limit(&rule)
      try stage.vault.policy.update { [rule] in $0 = [rule] }
      let choose = {
        if isTransaction {
          let space = try space()
          return try stage.vault.write { (transaction) throws(VaultError) in
            try transaction.setDefaultUser("ann", for: space)
          }
        }
        return try stage.vault.setDefaultUser("ann", for: space())
      }
      let expected = rules.outcome(.permanent)
      guard !expected.isRefused else {
        expect(.policyRefused) { _ = try choose() }
        #expect(try stage.vault.defaults().isEmpty)
        continue
      }
      #expect(try choose().granted == expected.persistence)
      let isPermanent = try Vault.openCopy(of: stage).defaults().isEmpty == false
      #expect(isPermanent == (expected.persistence == .permanent))
      #expect(try stage.vault.defaults().isEmpty == (expected.persistence == .none))
    }
  }
}

extension StoringFixture {
  /// Returns the result from before the request, for a request that changed nothing.
  func before(_ entry: EntryPoint) -> Outcome {
    guard entry.name.hasPrefix("Vault.move") else { return .none }
    return Outcome(persistence: requested == .session ? .permanent : .session, isLimited: false)
  }
}

extension Vault {
  /// Opens a copy of the stage's file, without the session.
  fileprivate static func openCopy(of stage: StoringFixture) throws -> Vault {
    let path = stage.fixture.folder.file("copy.vault")
    try stage.vault.maintenance.backup(to: path)
    return try Vault.open(path: path, key: stage.fixture.key)
  }
}
