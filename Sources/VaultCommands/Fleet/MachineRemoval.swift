import VaultAdministration
import VaultModel

/// `vaultctl fleet remove`: a new vault key, which the machines do not get.
///
/// A name that no machine has is no error, so that the command can be repeated: only what is left
/// to remove makes a new key.
enum MachineRemoval {
  /// The number of items that are shown; more are counted.
  private static let mostShown = 20

  static func run(_ names: [String], _ invocation: Invocation) throws(VaultError) {
    let arguments = invocation.arguments
    var removed: Set<Int> = []
    for text in arguments.texts(.removeSlot) { removed.insert(try Values.slotID(text)) }
    let (vault, admin) = try invocation.openAsAdmin()
    let machines = try vault.keys.machines.list().filter { names.contains($0.name) }
    let present = machines.map(\.name)
    for name in names where !present.contains(name) {
      // Also with --quiet: a name that was mistyped must not look removed.
      try invocation.warn("the vault has no machine \(name)")
    }
    guard !machines.isEmpty else {
      guard try removed.isDisjoint(with: vault.keys.slots().map(\.id)) else {
        throw VaultError(
          .invalidArgument, "no machine is left to remove: rekey removes other slots")
      }
      guard invocation.isJSON else { return }
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field(removed: present)
      }
    }
    removed.formUnion(machines.map(\.id))
    let oldAdmin = try vault.keys.machines.adminKey()
    // Before the machines are gone, so that it is what they could read.
    let items = try vault.findAll(.everything)
    let others = machines.count == 1 ? "it" : "them"
    try invocation.requireConsent(to: "Make a new key without \(others)") {
      let names = present.joined(separator: ", ")
      return ["\(names) could read everything (items: \(items.count)), and that stays read."]
    }
    let keys =
      try [admin] + keysAtHand(vault, without: removed, invocation)
      + arguments.texts(.keepKeyFile).map(KeySource.keyFile)
      + arguments.texts(.keepPassphraseFile).map(KeySource.passphraseFile)
      + arguments.texts(.keepRecoveryFile).map(KeySource.recoveryFile)
    let progress = Progress("re-encrypting", isQuiet: invocation.isQuiet)
    let report = try vault.keys.changeKey(
      keeping: keys, removing: removed, progress: progress.update
    ) { (slot) throws(VaultError) in try RekeyCommand.keyFromTerminal(of: slot, invocation) }
    progress.clear()
    // One of an admin may also be among the other slots that were removed.
    let newAdmin = try vault.keys.machines.adminKey()
    try write(
      present, report, readable: items, newAdmin: newAdmin == oldAdmin ? nil : newAdmin, invocation)
  }

  /// Returns the keys that would open the vault on this machine: their slots stay, unless they are
  /// removed.
  private static func keysAtHand(
    _ vault: Vault, without removed: Set<Int>, _ invocation: Invocation
  ) throws(VaultError) -> [KeySource] {
    var keys: [KeySource] = []
    for key in try invocation.keyFromArguments().orFound()?.alternatives ?? [] {
      do throws(VaultError) {
        let key = try key.loaded()
        if try !removed.contains(vault.keys.test(key).id) { keys.append(key) }
      } catch {
        // A key of another vault, that nobody named.
        guard [.authenticationFailed, .locked, .missingInput].contains(error.code) else {
          throw error
        }
      }
    }
    return keys
  }

  private static func write(
    _ removed: [String], _ report: RekeyReport, readable items: [Item],
    newAdmin: String?, _ invocation: Invocation
  ) throws(VaultError) {
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field(removed: removed)
        try json.field("epoch", report.epoch)
        try json.array("removed_slots", report.removedSlots) { (id, json) throws(VaultError) in
          try json.value(id)
        }
        if let newAdmin {
          try json.field("admin_key", newAdmin)
          try json.field("fingerprint", MachineKeyFile.fingerprint(of: newAdmin))
        }
        try json.field("readable_items", items.count)
        try json.array("items", items) { (item, json) throws(VaultError) in
          try json.value(summaryOf: item)
        }
      }
    }
    guard !invocation.isQuiet else { return }
    let readers = removed.count == 1 ? "it" : "they"
    try invocation.output.line("removed \(removed.joined(separator: ", ")): epoch \(report.epoch)")
    try invocation.output.line(
      "\(readers) could read everything (items: \(items.count)), and that stays read:")
    for item in items.prefix(mostShown) { try invocation.output.line(ItemText.line(item)) }
    if items.count > mostShown {
      try invocation.output.line("… and \(items.count - mostShown) more, which vaultctl list shows")
    }
    if let newAdmin {
      // A removed machine knows the old one.
      try invocation.output.line("new admin key, for machines that join: \(newAdmin)")
      try invocation.output.line("fingerprint: \(MachineKeyFile.fingerprint(of: newAdmin))")
    }
    try invocation.hint(
      "change the secrets that matter; on a fleet, vaultctl fleet revoke ROLE ends its access to"
        + " the server")
  }
}

extension JSONWriter {
  fileprivate mutating func field(removed names: [String]) throws(VaultError) {
    try array("removed", names) { (name, json) throws(VaultError) in try json.value(name) }
  }

  /// Writes as much of an item as people need to tell it from others.
  fileprivate mutating func value(summaryOf item: Item) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("id", item.id.text)
      try json.field("class", ItemText.name(item.key.itemClass))
      switch item.key.itemClass {
      case .internetPassword: try json.field("server", item.server.name)
      case .genericPassword: try json.field("service", item.key.service)
      }
      try json.field("account", item.account)
      try json.field("label", item.label)
    }
  }
}

extension KeySource {
  /// The sources that are tried one after the other.
  fileprivate var alternatives: [KeySource] {
    if case .found(let sources) = self { sources } else { [self] }
  }
}
