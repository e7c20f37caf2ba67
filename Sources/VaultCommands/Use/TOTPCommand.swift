import CredentialVault
import OneTimePasswords
import SecureMemory
import VaultModel

/// `vaultctl totp`: prints the one-time password of an item.
enum TOTPCommand {
  static let command = Command(
    id: .totp, operands: .reference, summary: "print the one-time password of an item",
    example: "vaultctl totp git.example.com",
    details: [
      "The password follows from the item's key and this machine's clock (RFC 6238): with SHA-1,"
        + " SHA-256 or SHA-512, and 6 to 8 digits. On a terminal it also says how long the password"
        + " is good. Passwords that are counted, and Steam's, are not supported.",
      "An item gets its key from add --totp or modify --totp, or from an import. Whoever has the"
        + " vault then has both factors.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "The clipboard",
        options: [Option(.copy, nil, .none, "copy it instead of printing it")] + Copying.options),
      .freshness, .common,
    ], takesSeveralVaults: true,
    hints: { _ in
      [.itemNotFound: "vaultctl list shows all, and vaultctl modify --totp REF gives one its key"]
    }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let selection = try invocation.selection(readsMetadata: true)
    try selection.requireNamed()
    let copying = invocation.arguments.has(.copy) ? try Copying(invocation.arguments) : nil
    let found = try selection.first(in: try invocation.openList()) { (vault) throws(VaultError) in
      try selection.itemWithSecret(in: vault)
    }
    guard let key = found.item.oneTimePasswordKey else {
      throw VaultError(
        .itemNotFound, "the item has no key of one-time passwords (modify --totp sets it)")
    }
    let now = Clock.now()
    let generator = try OneTimePassword(reading: key)
    let password = try generator.password(at: now)
    let remaining = generator.remaining(at: now)
    if let copying {
      try copying.copy(password, "one-time password", of: found.item, invocation)
    } else if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("password", password)
        try json.field("remaining", remaining)
        try json.field("period", generator.period)
      }
    } else {
      try invocation.output.write(password)
      try invocation.output.write("\n")
      if invocation.output.isTerminal { try invocation.hint("it is good for \(remaining) s") }
    }
    return .success
  }
}
