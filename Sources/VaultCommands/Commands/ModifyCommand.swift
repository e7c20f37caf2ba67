import CredentialVault
import VaultModel

/// `vaultctl modify`: changes one item.
enum ModifyCommand {
  static let command = Command(
    id: .modify, operands: .reference, summary: "change an item, or its secret",
    example: "vaultctl modify ann@git.example.com --generate",
    details: [
      "Attributes that are not named stay unchanged. There must be one best match.",
      "-s -P -r -d -a -p -t, --url and --id select; every other attribute's option and --set-… change.",
    ],
    groups: [
      .keySelectors, .changes, .secretSources,
      OptionGroup(heading: "When", options: [OptionGroup.revision]), .common,
    ], aliases: ["set"], takesSeveralVaults: true, hints: hints, run: run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    guard failure.error.subject == .onlyRead else { return [:] }
    return [
      .readOnly:
        "vaultctl add stores an item of your own, which is found first if the default vault"
        + " comes first in vaultctl search-list show"
    ]
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let selection = try invocation.selection(readsMetadata: false)
    try selection.requireNamed()
    var changes = try NewItem.keyChanges(arguments, areNew: true)
    changes += try NewItem.metadataChanges(arguments)
    let source = try SecretSource(arguments)
    let further = try FurtherSecrets(arguments, beside: source)
    guard source != nil || !further.isEmpty || !changes.isEmpty else {
      throw VaultError(
        .invalidArgument,
        "nothing to change was named (-w prompts for a new secret)"
          + (arguments.has(.account)
            ? "; -a selects the item, and --set-account changes its account" : ""))
    }
    let revision = try arguments.parsed(.ifRevision, as: Values.revision)
    let vaults = try invocation.openList()
    let found = try selection.first(in: vaults) { (vault) throws(VaultError) in
      try selection.item(in: vault)
    }
    let (item, vault) = (found.item, found.vault)
    // Before a new secret is asked for.
    try vault.requireWritable()
    try NewItem.requireOwn(changes, of: item)
    guard source == nil || item.hasPassword else {
      throw VaultError(.invalidArgument, "its secret is no password (vaultctl identity import -U)")
    }
    if let source {
      let prompt = "New password for \(ItemText.subject(item)): "
      changes.append(.secret(try source.read(prompt: prompt, invocation)))
    }
    changes += try further.read(invocation)
    let stored = try vault.modify(item, changes, ifRevision: revision).kept(in: vault)
    try invocation.confirm("changed", stored, in: vaults.name(of: vault))
    return .success
  }
}
