import VaultModel

/// `vaultctl identity`: keeps client certificates with their keys.
///
/// `vaultctl-tls` runs it.
package enum IdentityCommand {
  static let command = Command(
    id: .identity,
    operands: Command.Operands(
      synopsis: "[import|list|show|export|default|remove|… …]", count: 0...Int.max,
      words: ["import", "list", "show", "export", "default", "remove", "run"],
      fileWords: ["import"], subjects: [.items]),
    summary: "import, use and export client certificates with their keys",
    example: "vaultctl identity import ann.p12 --url https://api.example.com",
    details: [
      "identity import FILE… reads PKCS #12, or certificate and key as PEM or DER, from one file or"
        + " several; a hyphen is standard input. Every identity of the file is stored, for the"
        + " server of --url if it is given. The file's own passphrase is prompted for unless an"
        + " option names it. With --key FILE… are certificates, and the key stays in a token, as on"
        + " a smart card.",
      "identity list shows them, and identity show REF one with its chain; no key is opened. REF is"
        + " a name, a URL, a host, the common name, or the beginning of an id or of the"
        + " certificate's fingerprint. A URL means the identity that networking code would choose"
        + " for it.",
      "identity export REF [FILE] writes one: as PKCS #12 under a new passphrase, as PEM with the"
        + " key in clear, or the certificates alone.",
      "identity default set REF NAME prefers an identity for a URL, the paths below it, or the"
        + " hosts of *.example.com. identity default clear NAME, and show, complete it.",
      "identity remove REF puts one into the trash.",
      "identity run REF -- COMMAND runs a command with it. {cert} in the arguments becomes the path"
        + " of one PEM file with certificate, chain and key, which is enough for curl and Git, and"
        + " {key} that of the key alone. GIT_SSL_CERT and GIT_SSL_KEY name them too. The files are"
        + " in memory and cannot be changed; they are gone when the command has closed them. Of a"
        + " key in a token, {key} is the URI.",
    ],
    groups: [
      OptionGroup(
        heading: "The identity (identity import)",
        options: [
          Option(.url, nil, .name("URL", .urls), "the server that it is for"),
          Option(.account, "its name (else the file's, else the common name)"),
          Option(.update, "U", .none, "replace the identity of that name, and keep its history"),
          Option(
            .persistence, nil, .words(nil, ["session", "permanent"]),
            "keep it for the login session (default: permanent)"),
          Option(
            .key, nil, .text("URI"),
            "the key in a token: pkcs11:token=T;object=O (RFC 7512), without its PIN"),
          OptionGroup.dryRun,
        ]),
      OptionGroup(
        heading: "The file's passphrase, or the token's PIN (identity import, identity export)",
        options: [
          Option(.filePassphraseFile, nil, .file, "read it from this file"),
          Option(.filePassphraseFD, nil, .text("N"), "read it from descriptor N"),
        ]),
      OptionGroup(
        heading: "The form (identity export)",
        options: [
          Option(
            .format, nil, .words("FORM", ExportForm.allCases.map(\.rawValue)),
            "p12 (default); compatible, a p12 for macOS and older Windows; pem; chain, the"
              + " certificates alone"),
          Option(.stdout, nil, .none, "write to standard output, even to a terminal"),
        ]),
      OptionGroup(
        heading: "The PIN of the item (identity export, identity run)",
        options: [OptionGroup.pinDescriptor]),
      OptionGroup(
        heading: "The list (identity list)", options: [OptionGroup.expiring]),
      OptionGroup(
        heading: "The command (identity run)", options: [ExecCommand.cleanEnvironment]),
      .common,
    ], hints: hints, run: OtherProgram.tls.run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    let list = "vaultctl identity list\(failure.vaults) shows all; name one by its id"
    let replace = "vaultctl identity import -U … replaces it, and keeps its history"
    return [.itemNotFound: list, .ambiguous: list, .duplicateItem: replace, .expired: replace]
  }

  /// The form in which an identity is written.
  package enum ExportForm: String, CaseIterable, Sendable {
    case pkcs12 = "p12"
    case compatible
    case pem
    case chain
  }
}
