import VaultModel

/// `vaultctl generate`: prints a random secret, and stores nothing.
enum GenerateCommand {
  static let command = Command(
    id: .generate, operands: Command.Operands(synopsis: "[SPEC]", count: 0...1),
    summary: "print a random secret", example: "vaultctl generate --words 6",
    details: [
      "SPEC is a form in one word, as 32, 32,symbols,no-ambiguous or 6,words; options name the same"
        + " and more. Without either, 24 letters and digits. Its entropy in bits is told on standard error."
        + " Words have five letters and 16 bits each; they can be pronounced, and are in no list.",
      "To store one that nobody sees: vaultctl add --generate, or vaultctl modify --generate.",
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
        ]), .plain,
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
}
