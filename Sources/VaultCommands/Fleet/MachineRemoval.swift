import VaultAdministration
import VaultModel

/// `vaultctl fleet remove`: a new vault key, which the machine does not get.
enum MachineRemoval {
  /// The number of items that are shown; more are counted.
  private static let mostShown = 20

  static func run(_ name: String, _ invocation: Invocation) throws(VaultError) {
    let arguments = invocation.arguments
    var removed: Set<Int> = []
    for text in arguments.texts(.removeSlot) { removed.insert(try Values.slotID(text)) }
    let (vault, admin) = try invocation.openAsAdmin()
    guard let machine = try vault.keys.machines.list().first(where: { $0.name == name }) else {
      throw VaultError(.itemNotFound, "the vault has no machine of this name")
    }
    removed.insert(machine.id)
    let oldAdmin = try vault.keys.machines.adminKey()
    // Before the machine is gone, so that it is what it could read.
    let items = try vault.findAll(.everything)
    try invocation.requireConsent(to: "Make a new key without it") {
      ["\(name) could read everything (items: \(items.count)), and that stays read."]
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
    let present = try vault.keys.machines.adminKey()
    try write(
      machine, report, readable: items, newAdmin: present == oldAdmin ? nil : present, invocation)
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
    _ machine: VaultMachine, _ report: RekeyReport, readable items: [Item],
    newAdmin: String?, _ invocation: Invocation
  ) throws(VaultError) {
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field("removed", machine.name)
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
    try invocation.output.line("removed \(machine.name): epoch \(report.epoch)")
    try invocation.output.line(
      "it could read everything (items: \(items.count)), and that stays read:")
    for item in items.prefix(mostShown) { try invocation.output.line(ItemText.line(item)) }
    if items.count > mostShown {
      try invocation.output.line("… and \(items.count - mostShown) more, which vaultctl list shows")
    }
    if let newAdmin {
      // The machine knows the old one.
      try invocation.output.line("new admin key, for machines that join: \(newAdmin)")
      try invocation.output.line("fingerprint: \(MachineKeyFile.fingerprint(of: newAdmin))")
    }
    try invocation.hint(
      "change the secrets that matter; on a fleet, vaultctl fleet revoke ROLE ends its access to"
        + " the server")
  }
}

extension JSONWriter {
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
