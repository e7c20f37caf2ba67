import VaultModel

/// `vaultctl trust`: decides about servers' certificates.
///
/// `vaultctl-tls` runs it.
enum TrustCommand {
  static let command = Command(
    id: .trust,
    operands: Command.Operands(
      synopsis: "[add|list|show|remove|check …]", count: 0...2,
      words: ["add", "list", "show", "remove", "check"], subjects: [.items]),
    summary: "check servers' certificates, and decide about them",
    example: "vaultctl trust check https://api.example.com",
    details: [
      "trust check URL connects, and shows the chain, the verdict with all problems, and what"
        + " pinning would need. With --chain it evaluates a file and connects to nothing. The exit"
        + " status is 55 if the server is not trusted.",
      "trust add URL accepts the certificate of that host and port, with the problems that it has"
        + " now and no others. It prompts with the certificate's fingerprint; --fingerprint says"
        + " it beforehand. --first-use remembers the key, as ssh does: another one is refused from then"
        + " on. --pin requires one of several keys, and connects to nothing.",
      "trust list shows the decisions, trust show and trust remove REF one of them. REF is a URL, a"
        + " host or the beginning of an id.",
    ],
    groups: [
      OptionGroup(
        heading: "The chain (trust check, trust add)",
        options: [
          Option(.chain, nil, .file, "read what the server sends from this PEM file"),
          Option(.anchors, nil, .file, "trust the authorities in this PEM file, and no others"),
          Option(.at, nil, .text("TIME"), "evaluate for this time (default: now)"),
        ]),
      OptionGroup(
        heading: "The decision (trust add)",
        options: [
          Option(
            .fingerprint, nil, .text("HEX"), "the certificate's SHA-256, instead of a prompt"),
          Option(.until, nil, .text("TIME"), "until then: a day, a span such as 90d, or never"),
          Option(.firstUse, nil, .none, "remember the key as that of the first use"),
          Option(
            .pin, nil, .text("PINS"),
            "require one of these keys: sha256//…;sha256//…, or pin-sha256=…; includeSubDomains"),
        ]),
      .common,
    ], hints: hints, run: OtherProgram.tls.run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    let list = "vaultctl trust list\(failure.vaults) shows all; name one by its id"
    return [
      .itemNotFound: list, .ambiguous: list,
      .conflict: "vaultctl trust check shows what the server sends, and what is known of it",
    ]
  }
}
