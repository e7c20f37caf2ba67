import AttackSupport
import CFaultVFS
import CKillSwitch
import VaultAdministration
import Glibc
import SealedTree
import SecureMemory
import StoreTesting
import VaultCrypto
import VaultStore
import VaultModel

extension Operation {
  /// Performs the operation on an open vault, or opens, makes or restores one, and returns the one
  /// that is open then.
  @discardableResult
  func perform(_ vault: Vault?, at place: OperationPaths) throws(VaultError) -> Vault? {
    guard let vault else { return try perform(at: place) }
    if let workload {
      try vault.perform(workload, place.number)
      return vault
    }
    switch self {
    case .unlock: try vault.unlock(with: .keyFile(place.key))
    case .find: _ = try vault.findAll(ItemQuery(), withSecrets: true)
    case .verify: _ = try vault.maintenance.verify()
    case .backup: _ = try vault.maintenance.backup(to: place.target)
    case .rekey:
      _ = try vault.keys.changeKey(
        keeping: [.keyFile(place.key)], otherSlot: { (_) throws(VaultError) in nil })
    case .replace:
      let item = try vault.findUnique(ItemQuery(key: Workload.item(Self.replaced, "").key))
      try vault.modify(item, [.secret(Secret(Self.largeSecret(3)))])
    case .discard:
      try vault.remove(vault.findUnique(ItemQuery(key: Workload.item(Self.discarded, "").key)))
    case .bringBack:
      for removed in try vault.trash.items() { try vault.trash.restore(removed) }
    case .emptyTrash: try vault.trash.empty()
    case .applyPolicy: try vault.policy.apply()
    case .compact: try vault.maintenance.compact()
    case .addSlot: _ = try vault.keys.add(.passphrase(Secret("new")), cost: .minimum)
    case .removeSlot: try vault.keys.remove(id: 2)
    case .passwd:
      _ = try vault.keys.changePassphrase(
        from: .passphrase(Secret("old")), to: .passphrase(Secret("new")), cost: .minimum)
    default: throw VaultError(.unsupported, "\(self) is not known")
    }
    return vault
  }

  private func perform(at place: OperationPaths) throws(VaultError) -> Vault? {
    let key = KeySource.keyFile(place.key)
    if self == .create { return try Vault.create(path: place.target, key: key) }
    if self == .migrate {
      try MigrationChain.migrateToLater(place.vault, key: place.key)
      return nil
    }
    if self == .clone {
      try place.cloneVault()
      return nil
    }
    if isRestoring {
      try VaultMaintenance.restore(
        from: place.backup, to: place.vault, key: key, lockTimeout: .zero)
      return nil
    }
    if self == .merge {
      try VaultMaintenance.merge(
        place.backup, into: place.vault, key: key, preferring: .theirs, lockTimeout: .zero)
      return nil
    }
    let vault = try place.openVault()
    _ = try vault.findAll(ItemQuery(), withSecrets: true)
    return vault
  }
}

/// The paths that an operation needs.
struct OperationPaths {
  let vault: String
  let target: String
  let backup: String
  let key: String
  /// The number of operations before this one.
  var number = 0
  /// The server of which a replica is made; nil before ``publish()``.
  private(set) var server: MemoryArbiter?

  init(vault: String, target: String, backup: String, key: String, number: Int = 0) {
    (self.vault, self.target, self.backup, self.key) = (vault, target, backup, key)
    self.number = number
  }

  /// Opens the vault without waiting, because any lock here is the VFS's.
  func openVault() throws(VaultError) -> Vault {
    try Vault.open(path: vault, key: .keyFile(key), lockTimeout: .zero)
  }

  /// Gives the backup to a server, of which a replica can be made then.
  mutating func publish() throws(VaultError) {
    let (new, vault) = (MemoryArbiter(), try Vault.open(path: backup, key: .keyFile(key)))
    try vault.requireFile().publish(to: new)
    try vault.close()
    server = new
  }

  /// Makes a replica at the target, as `Fleet.clone` does.
  fileprivate func cloneVault() throws(VaultError) {
    guard let server else { throw VaultError(.invalidArgument, "there is no server") }
    let opening = try server.opening()
    try VaultFile.create(
      VaultPath(target), copying: server, from: opening,
      of: Ident(decoding: opening.ident).vaultID, key: KeySource.keyFile(key).read())
  }
}

extension FixtureContent {
  /// Removes the item that was added after the operation; false if it is not there.
  fileprivate mutating func removeLater() -> Bool {
    vault?.items.removeValue(forKey: "later") != nil
  }
}

extension Arguments {
  var operation: Operation {
    guard let operation = Operation(rawValue: self["operation"]) else { exit(64) }
    return operation
  }

  /// The named operations, in their order.
  var operations: [Operation] {
    self["operations", ""].split(separator: ",").map {
      guard let operation = Operation(rawValue: String($0)) else { exit(64) }
      return operation
    }
  }

  func place(number: Int) -> OperationPaths {
    OperationPaths(
      vault: self["vault"], target: self["target"], backup: self["backup"], key: self["key"],
      number: number)
  }
}

/// Performs an operation, and is killed at its `call`-th system call, or stopped there if
/// requested, with the signals of a program if those are, or goes on as on a file system without
/// modes; with an `errno` only renameat2 fails, with that error, or fsync if requested.
func operate(_ arguments: Arguments) throws(VaultError) {
  var place = arguments.place(number: arguments.number("number"))
  if arguments.operation == .clone { try place.publish() }
  let vault = arguments.operation.isOpening ? nil : try arguments.openVault()
  let number = Int32(arguments.number("errno"))
  let action: kill_switch_action =
    switch (number, arguments["switch", ""]) {
    case (0, "stop"): kill_switch_stop
    case (0, "no-modes"): kill_switch_keep_no_modes
    case (0, _): kill_switch_anywhere
    case (_, "fsync"): kill_switch_fail_fsync
    default: kill_switch_fail_rename
    }
  if arguments["signals", ""] == "program" { Draft.endWithSignals() }
  kill_switch_arm(action, Int32(arguments.number("call")), number)
  try arguments.operation.perform(vault, at: place)
  say("done \(kill_switch_disarm())")
  if kill_switch_was_early() { say("early") }
}

/// Performs an operation again and again, each time with another call of SQLite's failing, and
/// prints each result.
///
/// Prints the fault, the number of the call, the outcome, the state that was found, whether the
/// vault stayed usable, and problems; `beyond` if there was no such call any more.
func failEverywhere(_ arguments: Arguments) throws {
  guard fault_vfs_install() else { throw VaultError(.internalError, "SQLite takes no VFS") }
  let operation = arguments.operation
  let prepared = try operation.fixture()
  let before = try prepared.look(stateFolder: arguments["state"])
  let undisturbed = try VaultFixture(copying: prepared)
  _ = try attempt(operation, in: undisturbed) {
  } calm: {
  }
  var after = try undisturbed.look(stateFolder: arguments["state"])
  let wentOn = after.removeLater()
  say("control \(wentOn) \(before == after) \(after.problems.count)")
  for fault in Fault.all {
    var (call, calls) = (0, 0)
    repeat {
      call += 1
      let fixture = try VaultFixture(copying: prepared)
      // A program that restores a vault has used it.
      if operation.isRestoring { _ = try fixture.look(stateFolder: arguments["state"]) }
      let outcome = try attempt(operation, in: fixture) {
        fault_vfs_fail(fault.method, Int32(call), fault.extent, fault.result)
      } calm: {
        calls = Int(fault_vfs_calm())
      }
      var found = try fixture.look(stateFolder: arguments["state"])
      // The write that followed migrates by itself.
      if operation == .migrate, outcome != "done" { found.vault?.minor = 0 }
      // Over a vault that reads as damaged a restore makes a new key, instead of taking the
      // vault's.
      if operation == .restoreRekeyed, found.vault?.epoch == 3 { found.vault?.epoch = 2 }
      let wentOn = found.removeLater()
      let state = found == after ? "after" : found == before ? "before" : "other"
      say(
        "\(fault.name) \(calls < call ? "beyond" : "\(call)") \(outcome) \(state) \(wentOn) "
          + found.problems.joined(separator: ";"))
    } while calls >= call
  }
}

/// Performs an operation between `arm` and `calm`, and then adds an item to the same vault.
private func attempt(
  _ operation: Operation, in fixture: VaultFixture, arm: () -> Void, calm: () -> Void
) throws(VaultError) -> String {
  var place = OperationPaths(
    vault: fixture.vault, target: fixture.target, backup: fixture.backup, key: fixture.folder("key")
  )
  if operation == .clone { try place.publish() }
  let opened = operation.isOpening ? nil : try place.openVault()
  var outcome = "done"
  arm()
  do throws(VaultError) {
    try operation.perform(opened, at: place)
    calm()
  } catch {
    calm()
    outcome = "\(error.code)"
  }
  // The vault that an operation itself opened is closed by now.
  do throws(VaultError) {
    if operation == .migrate {
      // This version can no longer open a vault of the later format.
      _ = try fixture.withStore { (store) throws(VaultError) in
        try store.add(Workload.item("later", "later"))
      }
      return outcome
    }
    let vault = if let opened { opened } else { try place.openVault() }
    try vault.add(Workload.item("later", "later"))
  } catch {
    // Then it is missing, and that is printed.
  }
  return outcome
}
