import VaultAdministration
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// A way to store a credential, and its result.
struct EntryPoint: Sendable, CustomTestStringConvertible {
  /// The name as ``EntryPoints/declared()`` spells it.
  let name: String
  /// Stores what has to exist before the policy is set.
  var prepare: @Sendable (StoringFixture) throws -> Void = { _ in }
  let store: @Sendable (StoringFixture) throws -> PersistencePolicy.Decision

  var testDescription: String { name }
}

/// A vault in which one user's credential of one space is to be stored.
final class StoringFixture: Sendable {
  let fixture: Fixture
  let requested: Persistence

  var vault: Vault { fixture.vault }
  static let pin = Secret("7391")

  init(_ requested: Persistence) throws {
    self.requested = requested
    fixture = try Fixture()
  }

  var credential: Credential { CredentialVaultTests.credential("ann", "new", requested) }

  /// Returns the user's item, as it is kept.
  func kept() throws -> Item {
    try #require(vault.findAll(ItemQuery(), withSecrets: true).first { $0.account == "ann" })
  }

  /// Returns the user's generic password, as it is kept.
  func keptGeneric() throws -> Item {
    try vault.find(ItemQuery(service: "npm"), withSecrets: true)
  }

  /// Returns the user's item in the trash.
  func removed() throws -> RemovedItem {
    try #require(vault.trash.items().first { $0.item.account == "ann" })
  }

  /// Returns where the new secret can be found, and until when: the strongest place.
  func outcome() throws -> Outcome {
    let query = ItemQuery.everything
    let permanent = try vault.write { (transaction) throws(VaultError) in
      try transaction.findAll(query, withSecrets: true)
    }
    let all = try permanent + vault.findAll(query, withSecrets: true)
    let new = try all.filter { item in
      let open = item.needsPIN ? try vault.pins.open(item, pin: Self.pin) : item
      return open.secret?.isEqual(to: Secret("new")) ?? false
    }
    guard let strongest = new.max(by: { $0.persistence < $1.persistence }) else {
      return .none
    }
    let hour = strongest.secretChanged.adding(.seconds(3600))
    // The clock is read for the decision and then for the item: never longer, and hardly shorter.
    if let end = strongest.keptUntil { #expect(end <= hour && hour < end.adding(.seconds(5))) }
    return Outcome(persistence: strongest.persistence, isLimited: strongest.keptUntil != nil)
  }
}

/// The result of a request.
struct Outcome: Equatable, CustomStringConvertible {
  static let none = Outcome(persistence: .none, isLimited: false)
  static let refused = Outcome(persistence: .none, isLimited: false, isRefused: true)

  var persistence: Persistence
  var isLimited: Bool
  var isRefused = false

  var description: String { isRefused ? "refused" : "\(persistence)\(isLimited ? " limited" : "")" }
}

enum EntryPoints {
  /// Every function of the library that stores a credential.
  static let storing: [EntryPoint] = [
    EntryPoint(name: "Vault.add(_:persistence:afterAcceptance:)") { stage in
      try stage.vault.add(item("ann", "new"), persistence: stage.requested, afterAcceptance: true)
        .decision
    },
    EntryPoint(name: "VaultPINs.add(_:pin:persistence:cost:)") { stage in
      try stage.vault.pins.add(
        item("ann", "new"), pin: StoringFixture.pin, persistence: stage.requested, cost: .minimum
      ).decision
    },
    EntryPoint(name: "VaultPINs.setSecret(_:of:pin:cost:)", prepare: sealed) { stage in
      try stage.vault.pins.setSecret(
        Secret("new"), of: stage.kept(), pin: StoringFixture.pin, cost: .minimum
      ).decision
    },
    EntryPoint(name: "Vault.upsert(_:persistence:afterAcceptance:)") { stage in
      try stage.vault.upsert(
        item("ann", "new"), persistence: stage.requested, afterAcceptance: true
      )
      .decision
    },
    EntryPoint(name: "Vault.modify(_:_:ifRevision:afterAcceptance:removal:)", prepare: old) {
      stage in
      try stage.vault.modify(stage.kept(), [.secret(Secret("new"))], afterAcceptance: true).decision
    },
    EntryPoint(name: "VaultHistory.revert(_:to:ifRevision:afterAcceptance:)", prepare: replaced) {
      stage in
      try stage.vault.history.revert(stage.kept(), afterAcceptance: true).decision
    },
    EntryPoint(name: "Vault.set(_:for:at:afterAcceptance:)") { stage in
      try stage.vault.set(stage.credential, for: space(), afterAcceptance: true).decision
    },
    EntryPoint(name: "Vault.setDefaultCredential(_:for:afterAcceptance:)") { stage in
      let stored = try stage.vault.setDefaultCredential(
        stage.credential, for: space(), afterAcceptance: true)
      #expect(
        try stage.vault.defaultUser(for: space()) == (stored.item.persistence > .none ? "ann" : nil)
      )
      return stored.decision
    },
    EntryPoint(name: "PendingCredentials.set(_:for:at:)", store: confirmed),
    EntryPoint(name: "PendingCredentials.confirm(_:)", store: confirmed),
    EntryPoint(name: "Vault.move(user:for:to:afterAcceptance:)", prepare: elsewhere) { stage in
      let moved = try stage.vault.move(
        user: "ann", for: space(), to: stage.requested, afterAcceptance: true)
      return try #require(moved.first).decision
    },
    EntryPoint(name: "VaultMaintenance.restoreItem(from:key:select:)", prepare: backedUp) { stage in
      try stage.vault.maintenance.restoreItem(from: stage.fixture.folder.file("backup.vault")) {
        (find) throws(VaultError) in try ItemQuery().first(find)
      }.decision
    },
    EntryPoint(name: "VaultMaintenance.restoreItem(_:from:key:)", prepare: backedUp) { stage in
      let backup = try Vault.open(
        path: stage.fixture.folder.file("backup.vault"), key: stage.fixture.key)
      let id = try #require(backup.findAll(ItemQuery()).first).id
      try backup.close()
      return try stage.vault.maintenance.restoreItem(
        id, from: stage.fixture.folder.file("backup.vault")
      )
      .decision
    },
    EntryPoint(name: "VaultTrash.restore(_:)", prepare: deleted) { stage in
      try stage.vault.trash.restore(stage.removed()).decision
    },
    EntryPoint(name: "Vault.add(_:persistence:afterAcceptance:)") { stage in
      try stage.vault.add(
        generic("new"), persistence: stage.requested, afterAcceptance: true
      ).decision
    },
    EntryPoint(name: "Vault.upsert(_:persistence:afterAcceptance:)") { stage in
      try stage.vault.upsert(
        generic("new"), persistence: stage.requested, afterAcceptance: true
      ).decision
    },
    EntryPoint(name: "Vault.modify(_:_:ifRevision:afterAcceptance:removal:)", prepare: oldGeneric) {
      stage in
      try stage.vault.modify(
        stage.keptGeneric(), [.secret(Secret("new"))], afterAcceptance: true
      ).decision
    },
    EntryPoint(
      name: "VaultHistory.revert(_:to:ifRevision:afterAcceptance:)", prepare: replacedGeneric
    ) { stage in
      try stage.vault.history.revert(stage.keptGeneric(), afterAcceptance: true).decision
    },
    EntryPoint(name: "VaultTrash.restore(_:)", prepare: deletedGeneric) { stage in
      let removed = try #require(
        stage.vault.trash.items(ItemQuery(itemClass: .genericPassword)).first)
      return try stage.vault.trash.restore(removed).decision
    },
    EntryPoint(name: "Writer.add(_:persistence:afterAcceptance:)") { stage in
      try stage.vault.write { transaction in
        try transaction.add(generic("new"), persistence: stage.requested, afterAcceptance: true)
          .decision
      }
    },
    EntryPoint(name: "Writer.upsert(_:persistence:afterAcceptance:)") { stage in
      try stage.vault.write { transaction in
        try transaction.upsert(generic("new"), persistence: stage.requested, afterAcceptance: true)
          .decision
      }
    },
    EntryPoint(name: "Writer.modify(_:_:ifRevision:afterAcceptance:removal:)", prepare: oldGeneric)
    {
      stage in
      let kept = try stage.keptGeneric()
      return try stage.vault.write { transaction in
        try transaction.modify(
          kept, [.secret(Secret("new"))], afterAcceptance: true
        ).decision
      }
    },
    EntryPoint(name: "Writer.restore(_:)", prepare: deleted) { stage in
      let removed = try stage.removed()
      return try stage.vault.write { (transaction) throws(VaultError) in
        try transaction.restore(removed).decision
      }
    },
    EntryPoint(name: "Writer.add(_:persistence:afterAcceptance:)") { stage in
      try stage.vault.write { (transaction) throws(VaultError) in
        try transaction.add(newItem(), persistence: stage.requested, afterAcceptance: true).decision
      }
    },
    EntryPoint(name: "Writer.upsert(_:persistence:afterAcceptance:)") { stage in
      try stage.vault.write { (transaction) throws(VaultError) in
        try transaction.upsert(newItem(), persistence: stage.requested, afterAcceptance: true)
          .decision
      }
    },
    EntryPoint(name: "Writer.revert(_:to:ifRevision:afterAcceptance:)", prepare: replaced) {
      stage in
      let kept = try stage.kept()
      return try stage.vault.write { (transaction) throws(VaultError) in
        try transaction.revert(kept, afterAcceptance: true).decision
      }
    },
    EntryPoint(name: "Writer.modify(_:_:ifRevision:afterAcceptance:removal:)", prepare: old) {
      stage in
      let kept = try stage.kept()
      return try stage.vault.write { (transaction) throws(VaultError) in
        try transaction.modify(kept, [.secret(Secret("new"))], afterAcceptance: true).decision
      }
    },
  ]

  /// The functions with an asynchronous form; ``Vault/perform(_:)`` is that of all others.
  static let asynchronous: Set<String> = [
    "Vault.open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)",
    "Vault.unlock(with:)", "Vault.lock()", "Vault.close()", "Vault.find(_:withSecrets:)",
    "Vault.findAll(_:withSecrets:)", "Vault.credentials(for:)", "Vault.defaultCredential(for:)",
    "Vault.add(_:persistence:afterAcceptance:)", "Vault.set(_:for:at:afterAcceptance:)",
    "Vault.remove(_:ifRevision:removal:)", "Vault.remove(user:for:removal:)",
    "Vault.read(_:)", "Vault.write(_:)",
  ]

  /// The functions that can only request a permanent credential.
  static let onlyPermanent: Set<String> = [
    "VaultMaintenance.restoreItem(from:key:select:)", "VaultMaintenance.restoreItem(_:from:key:)",
    "VaultTrash.restore(_:)", "Writer.restore(_:)",
    "Writer.modify(_:_:ifRevision:afterAcceptance:removal:)",
    "Writer.revert(_:to:ifRevision:afterAcceptance:)",
  ]

  /// The functions that set a default, which ``EntryPointTests/defaults(_:)`` tests, and those that
  /// store no credential of their own: they read, remove, lock, or handle the vault as a whole.
  static let others: Set<String> = [
    "Vault.setDefaultUser(_:for:)", "Writer.setDefaultUser(_:for:)",
    "Vault.write(_:)", "Vault.read(_:)",
    "VaultReading.findAll(_:)", "VaultReading.find(_:withSecrets:)",
    "VaultReading.findUnique(_:withSecrets:)", "VaultReading.count(_:)",
    "VaultReading.item(_:hint:withSecrets:)", "Reader.findAll(_:withSecrets:)",
    "Reader.credentials(for:)", "Reader.users(for:)", "Reader.defaultCredential(for:)",
    "Reader.defaultItem(for:at:withSecrets:)", "Reader.allCredentials()",
    "Reader.defaultUser(for:)", "Reader.defaults()", "Reader.history(of:withSecrets:)",
    "Reader.previousSecret(_:of:)", "Reader.trash(_:)",
    "VaultPolicy.apply()", "VaultPolicy.excesses()",
    "VaultLayers.generation()", "VaultLayers.file()", "VaultLayers.session(beside:)",
    "VaultLocation.stateFolder()",
    "VaultConfiguration.configured()",
    "VaultConfiguration.afterDesktopPrompt()", "RememberedKey.require()",
    "RememberedKey.remember(for:)", "RememberedKey.forget()", "RememberedKey.isKept(countsAsUse:)",
    "RememberedKey.remembered(countsAsUse:)", "RememberedKey.mostRemembered()",
    "RememberedKey.setMostRemembered(_:)",
    "VaultPolicy.explain(_:requested:)", "VaultPolicy.explain(service:requested:)",
    "VaultPolicy.current()", "VaultPolicy.update(_:)", "VaultMaintenance.expired()",
    "VaultMaintenance.purge()",
    "Vault.findAll(_:withSecrets:)",
    "Vault.credentials(for:)",
    "Vault.users(for:)", "Vault.defaultCredential(for:)", "Vault.defaultItem(for:at:withSecrets:)",
    "Vault.defaultUser(for:)",
    "Vault.defaults()", "Vault.allCredentials()", "PendingCredentials.reject(_:)",
    "Vault.remove(_:ifRevision:removal:)",
    "Vault.removeUnique(_:removal:)", "Vault.removeAll(_:removal:)",
    "VaultHistory.entries(of:withSecrets:)", "VaultPINs.open(_:pin:)",
    // They seal the secret that is stored, or open it.
    "VaultPINs.set(_:on:replacing:cost:)", "VaultPINs.remove(from:pin:)",
    "VaultTrash.items(_:)", "VaultTrash.empty(_:)", "VaultTrash.setDays(_:)",
    "VaultTrash.setKeepsForPrograms(_:)",
    "VaultLog.changes(since:of:limit:)", "VaultLog.setDays(_:)",
    "VaultHistory.open(_:of:)",
    "VaultHistory.setLimit(_:)",
    "Writer.removeUnique(_:removal:)", "Writer.removeAll(_:removal:)",
    "Writer.history(of:withSecrets:)",
    "Writer.previousSecret(_:of:)",
    "Writer.trash(_:)", "Writer.emptyTrash(_:)", "Writer.remove(_:)",
    "Vault.remove(user:for:removal:)", "Vault.removeAll(_:removal:)",
    "Writer.findAll(_:withSecrets:)", "Writer.remove(_:ifRevision:removal:)",
    "Writer.defaultUser(for:)", "Vault.lock()", "Vault.close()", "VaultMaintenance.sync()",
    "Vault.state()",
    "Vault.unlock(with:)",
    "Vault.open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)",
    "Vault.openLocked(path:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)",
    "Vault.create(path:key:slotName:cost:recoveryCode:)", "Vault.inMemory(policy:)",
    "VaultMaintenance.information()", "VaultMaintenance.verify(backup:)",
    "VaultMaintenance.compact()", "VaultMaintenance.migrate()",
    "VaultMaintenance.backup(to:keeping:progress:)",
    "VaultMaintenance.restore(from:to:key:removingSlots:lockTimeout:progress:)",
    "VaultMaintenance.check(backup:against:key:lockTimeout:progress:)",
    "VaultMaintenance.merge(_:into:key:otherKey:preferring:dryRun:lockTimeout:)",
    "VaultMaintenance.diagnose(path:key:)",
    "VaultList.open(_:key:lockTimeout:withSharedSession:)", "VaultKeys.requireSharedSession()",
    "VaultList.find(_:withSecrets:)",
    "VaultList.findUnique(_:withSecrets:)", "VaultList.findAll(_:withSecrets:)",
    "VaultList.item(_:hint:withSecrets:)", "VaultList.credentials(for:)",
    "VaultList.defaultCredential(for:)",
    "VaultKeys.slots()", "VaultKeys.add(_:name:cost:)", "VaultKeys.addRecoveryCode(name:)",
    "VaultKeys.remove(id:)", "VaultKeys.rename(id:to:)", "VaultKeys.test(_:id:)",
    "VaultKeys.changePassphrase(from:to:cost:)", "VaultKeys.calibratedCost()",
    "VaultKeys.newRecoveryCode()",
    "KeyFile.create(at:)", "KeySource.find()",
    "KeySource.completed()", "KeySource.textOfKeyFile()", "VaultLocation.trust(_:)",
    "VaultLocation.find()", "VaultEvents.observe(_:)", "VaultEvents.cancel()",
    "VaultEvents.makeAsyncIterator()",
    "VaultMaintenance.salvage(path:to:key:cost:acceptingAnotherVault:progress:)",
    "VaultKeys.rekey(keeping:removing:cost:progress:otherSlot:)", "VaultKeys.keepEverySlot(_:)",
    "VaultMachines.list()", "VaultMachines.begin(keyFile:name:)", "VaultMachines.adminKey()",
    "VaultMachines.admit(_:asAdmin:with:)", "VaultMachines.admit(all:asAdmin:with:)",
    "MachineKeyFile.create(at:name:adminKey:)",
    "MachineKeyFile.fingerprint(of:)", "VaultList.named(_:)",
    "VaultLocation.replicaFile(besides:)",
    "VaultReplica.id()", "VaultReplica.generation()", "VaultReplica.inTurn(timeout:_:)",
    "VaultReplica.publish(to:)", "VaultReplica.join(_:)", "VaultReplica.restore(_:)",
    "VaultReplica.compare(with:)",
    "VaultReplica.create(at:copying:of:acceptingAnotherState:admin:opening:naming:)",
  ]

  private static func newItem() throws(VaultError) -> Item {
    Item(
      space: try ProtectionSpace(
        host: "git.example.com", realm: "Team Git", authenticationMethod: .basic),
      account: "ann", secret: Secret("new"))
  }

  private static func generic(_ secret: String) -> Item {
    Item(service: "npm", account: "ann", secret: Secret(secret))
  }

  @Sendable private static func oldGeneric(_ stage: StoringFixture) throws {
    try stage.vault.add(generic("old"), persistence: stage.requested)
  }

  @Sendable private static func replacedGeneric(_ stage: StoringFixture) throws {
    let new = try stage.vault.add(
      generic("new"), persistence: stage.requested
    ).item
    try stage.vault.modify(new, [.secret(Secret("old"))])
  }

  @Sendable private static func deletedGeneric(_ stage: StoringFixture) throws {
    try stage.vault.remove(
      stage.vault.add(generic("new")).item)
  }

  @Sendable private static func old(_ stage: StoringFixture) throws {
    try stage.vault.add(item("ann", "old"), persistence: stage.requested)
  }

  @Sendable private static func sealed(_ stage: StoringFixture) throws {
    try stage.vault.pins.add(
      item("ann", "old"), pin: StoringFixture.pin, persistence: stage.requested, cost: .minimum)
  }

  @Sendable private static func replaced(_ stage: StoringFixture) throws {
    let new = try stage.vault.add(item("ann", "new"), persistence: stage.requested).item
    try stage.vault.modify(new, [.secret(Secret("old"))])
  }

  @Sendable private static func elsewhere(_ stage: StoringFixture) throws {
    let other: Persistence = stage.requested == .session ? .permanent : .session
    try stage.vault.add(item("ann", "new"), persistence: other)
  }

  @Sendable private static func backedUp(_ stage: StoringFixture) throws {
    let added = try stage.vault.add(item("ann", "new")).item
    try stage.vault.maintenance.backup(to: stage.fixture.folder.file("backup.vault"))
    try stage.vault.remove(added)
  }

  @Sendable private static func deleted(_ stage: StoringFixture) throws {
    try stage.vault.remove(stage.vault.add(item("ann", "new")).item)
  }

  @Sendable private static func confirmed(
    _ stage: StoringFixture
  ) throws -> PersistencePolicy.Decision {
    let stored = try stage.vault.pending.set(stage.credential, for: space())
    guard let pending = stored.pending else { return stored.decision }
    #expect(try stage.vault.pending.confirm(pending).decision.granted == stored.decision.granted)
    return stored.decision
  }

  /// Returns the public functions that the vault and its administration declare, as
  /// `Vault.add(_:persistence:afterAcceptance:)`, and how many there are; the asynchronous forms
  /// apart.
  static func declared() throws -> (names: [String], asynchronous: [String], count: Int) {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources")
    let function =
      #/
      \n(\h*)(?:@\w+\h*)*public\h(?:\w+\h)*func\h(\w+)(?:<[^>]*>)?
      \(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)
      /#
    var found: [String] = []
    var asynchronous: [String] = []
    var count = 0
    for room in ["CredentialVault", "VaultAdministration"] {
      let folder = sources.appending(path: room)
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      where path.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
        let name = path.split(separator: "/").last ?? ""
        count += text.matches(of: #/\bpublic\b[^\n]*\bfunc /#).count
        let file = String(name.prefix { $0 != "+" && $0 != "." })
        for match in text.matches(of: function) {
          let labels = parameters(of: String(match.3)).map { $0 + ":" }.joined()
          let function = "\(match.2)(\(labels))"
          if text[match.range.upperBound...].prefix(7) == " async " {
            asynchronous.append("\(file).\(function)")
          } else {
            found.append("\(match.1.count > 2 ? "Writer" : file).\(function)")
          }
        }
      }
    }
    return (found, asynchronous, count)
  }

  /// Returns the labels of a list of parameters.
  private static func parameters(of list: String) -> [String] {
    var depth = 0
    var labels: [String] = []
    var current = ""
    for character in list + "," {
      if "([<".contains(character) { depth += 1 }
      if ")]>".contains(character), !current.hasSuffix("-") { depth -= 1 }
      if character == ",", depth == 0 {
        let label = current.split(whereSeparator: \.isWhitespace).first.map(String.init)
        if let label { labels.append(label.hasSuffix(":") ? String(label.dropLast()) : label) }
        current = ""
      } else {
        current.append(character)
      }
    }
    return labels
  }
}

extension ItemQuery {
  fileprivate func first(
    _ find: (ItemQuery) throws(VaultError) -> [Item]
  ) throws(VaultError) -> Item {
    guard let item = try find(self).first else { throw VaultError(.itemNotFound, "") }
    return item
  }
}
