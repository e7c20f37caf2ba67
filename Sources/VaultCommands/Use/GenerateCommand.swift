import CredentialVault
import SecureMemory
import VaultModel

/// `vaultctl generate`: prints a random secret and stores nothing, or stores and copies it.
enum GenerateCommand {
  static let command = Command(
    id: .generate, operands: Command.Operands(synopsis: "[SPEC]", count: 0...1),
    summary: "print a random secret, or store and copy it",
    example: "vaultctl generate -c ann@git.example.com",
    details: [
      "SPEC is a form in one word, as 32, 32,symbols,no-ambiguous or 6,words; options name the same"
        + " and more. Without either, 24 letters and digits. Its entropy in bits is told on standard error."
        + " Words are of EFF's long list, of 7776 words: 12.9 bits each.",
      "-c REF stores the secret and copies it, and prints nothing: in the item that REF names, whose"
        + " old secret becomes a previous one, or in a new item if REF is a URL or [USER@]HOST that"
        + " names none. Without the clipboard: vaultctl add --generate, or vaultctl modify"
        + " --generate.",
    ],
    groups: [
      OptionGroup(
        heading: "The secret",
        options: [
          Option(.length, nil, .text("N"), "the number of characters, 1 to 1024"),
          Option(.symbols, nil, .none, "symbols as well, without quotation marks and backslash"),
          Option(.noAmbiguous, nil, .none, "none of 0 O 1 l I |"),
          Option(.alphabet, nil, .text("CHARACTERS"), "only these characters"),
          Option(.words, nil, .text("N"), "N words with hyphens between them, 1 to 64"),
        ]),
      OptionGroup(
        heading: "Storing it",
        options: [
          Option(.clip, "c", .name("REF", .items), "store it in this item, old or new, and copy it")
        ] + Copying.options), .common,
    ], run: run)

  private static func form(_ arguments: Arguments) throws(VaultError) -> GeneratedSecret {
    guard let specification = arguments.operands.first else {
      return try GeneratedSecret(arguments)
    }
    let options: [GeneralOption] = [.length, .symbols, .noAmbiguous, .alphabet, .words]
    guard !options.contains(where: arguments.has) else {
      throw VaultError(.invalidArgument, "SPEC and options exclude each other")
    }
    return try GeneratedSecret(specification: specification)
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let form = try form(invocation.arguments)
    if let reference = invocation.arguments.text(.clip) {
      return try store(form, reference, invocation)
    }
    let secret = form.make()
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("secret", secret)
        try json.field("entropy_bits", form.entropy)
      }
    } else {
      try invocation.output.write(secret)
      try invocation.output.write("\n")
      if !invocation.isQuiet { try invocation.hint("\(form.entropy) bits of entropy") }
    }
    return .success
  }

  // MARK: Storing

  /// Stores a new secret and copies it.
  private static func store(
    _ form: GeneratedSecret, _ reference: String, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    var named = Arguments()
    named.append(operand: reference)
    let selection = try Selection(named, readsMetadata: false, isLiteral: true)
    // Before anything is written: a secret that nobody has is of no use.
    let copying = try Copying(invocation.arguments)
    let vault = try invocation.openVault()
    let secret = form.make()
    let stored = try vault.writing { transaction throws(VaultError) -> StoreResult in
      do throws(VaultError) {
        let item = try selection.item(in: transaction)
        return try transaction.modify(item, [.secret(secret)]).kept(in: vault)
      } catch {
        guard error.code == .itemNotFound, error.candidates.isEmpty,
          var item = try newItem(named)
        else { throw error }
        item.secret = secret
        return try transaction.add(item).kept(in: vault)
      }
    }
    try copying.copy(secret, Attribute.secret.json, of: stored.item, invocation)
    return .success
  }

  /// Returns the item of a place; nil if the reference is none, as a label.
  private static func newItem(_ named: Arguments) throws(VaultError) -> Item? {
    guard let text = named.operands.first, text.utf8.contains(where: ".:@/".utf8.contains) else {
      return nil
    }
    return try NewItem.item(named)
  }
}
