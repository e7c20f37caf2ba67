import CredentialVault
import VaultModel

/// `vaultctl passwd`: changes a passphrase.
enum PassphraseCommand {
  static let command = Command(
    id: .changePassphrase, operands: .none, summary: "change a passphrase of the vault",
    details: [
      "Only the slot that the old passphrase opens is changed; its id and name stay. Without options"
        + " both are asked for, the new one twice.",
      "Older copies of the file still open with the old passphrase. Whoever has lost it unlocks with"
        + " --recovery or a key file and adds another: vaultctl slot add passphrase.",
    ],
    groups: [
      OptionGroup(heading: "The new passphrase", options: OptionGroup.newPassphrase), .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let cost = try invocation.costFromArguments()
    let named = try invocation.newPassphraseFromArguments()
    for name in [OptionName.keyFile, .recoveryFile, .recovery]
    where invocation.arguments.has(name) {
      throw VaultError(
        .invalidArgument, "--\(name.rawValue) opens another slot than that of a passphrase")
    }
    let vault = try invocation.openLocked()
    let old: KeySource
    if let given = try invocation.keyFromArguments() ?? KeySource.find(), !given.isKeyFile {
      old = given
    } else {
      let passphrase = try invocation.ask("Passphrase for")
      // Before the new one is asked for, twice.
      _ = try vault.testSlot(with: .passphrase(passphrase))
      old = .passphrase(passphrase)
    }
    let new = if let named { named } else { try invocation.askNewPassphrase() }
    let slot = try vault.changePassphrase(from: old, to: new, cost: cost)
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.field("slot", slot)
      try json.endObject()
      try json.finish()
    } else if !invocation.isQuiet {
      try invocation.output.line("changed the passphrase of slot \(slot.id)")
      Messages.hint("older copies of the file still open with the old passphrase")
    }
    return .success
  }
}

extension KeySource {
  fileprivate var isKeyFile: Bool {
    if case .keyFile = self { true } else { false }
  }
}
