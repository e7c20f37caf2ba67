import VaultAdministration
import SecureMemory
import VaultModel

/// `vaultctl pin`: sets, changes and removes the PIN of an item.
enum PINCommand {
  static let command = Command(
    id: .pin,
    operands: Command.Operands(
      synopsis: "set|change|remove [REF]", count: 1...2, words: ["set", "change", "remove"],
      subjects: [.items]),
    summary: "set, change or remove the PIN that an item's secret needs",
    example: "vaultctl pin set bank.example.com",
    details: [
      "The secret of such an item is sealed a second time: the open vault alone does not give it."
        + " find -w, show -g, exec, inject, copy and identity run prompt for the PIN; Git, Docker"
        + " and other programs find no password in the item.",
      "pin set and pin change also remove the item's previous secrets, which the new PIN does not"
        + " seal. Backups that were made before still have the secret as it was.",
      "After three wrong PINs the next one is delayed, by a second at first and at last by an hour."
        + " Whoever has the vault's file and its key can try PINs without that delay, so let it be"
        + " longer than four digits.",
      "There must be one best match.",
    ],
    groups: [
      .keySelectors,
      OptionGroup(
        heading: "The PIN (never an argument)",
        options: [
          OptionGroup.pinDescriptor,
          Option(.newPinFD, nil, .text("N"), "read the new PIN from descriptor N (else a prompt)"),
        ]),
      .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let (action, inner) = invocation.takingAction()
    guard let action, command.operands.words.contains(action) else {
      throw command.needsChoice
    }
    let selection = try inner.selection(readsMetadata: true)
    try selection.requireNamed()
    let found = try selection.first(in: inner.openList()) { (vault) throws(VaultError) in
      try selection.item(in: vault)
    }
    let (item, pins) = (found.item, found.vault.pins)
    guard item.needsPIN == (action != "set") else {
      throw VaultError(
        .invalidArgument, item.needsPIN ? "the item has a PIN: pin change" : "the item has no PIN",
        candidates: [item])
    }
    let stored: StoreResult
    switch action {
    case "set": stored = try pins.set(inner.newPIN(for: item), on: item)
    case "change":
      // The present one is proven before a new one is asked for.
      let old = try present(inner, item, pins)
      stored = try pins.set(inner.newPIN(for: item), on: item, replacing: old)
    default:
      stored = try pins.remove(from: item, pin: present(inner, item, pins))
    }
    if inner.isJSON {
      try inner.output.document(items: [(stored.item, nil)])
    } else if !inner.isQuiet {
      let verb = action == "remove" ? "removed the PIN of" : "set the PIN of"
      try inner.output.line("\(verb) \(ItemText.line(stored.item))")
    }
    return .success
  }

  /// Returns the item's PIN, which opened it.
  private static func present(
    _ invocation: Invocation, _ item: Item, _ pins: VaultPINs
  ) throws(VaultError) -> Secret {
    try invocation.withPIN(of: item) { (pin) throws(VaultError) in
      let pin = pin ?? Secret("")
      _ = try pins.open(item, pin: pin)
      return pin
    }
  }
}
