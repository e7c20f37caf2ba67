import CredentialVault
import VaultModel

/// `vaultctl explain`: says which items a reference means, and who gets which.
enum ExplainCommand {
  static let command = Command(
    id: .explain, operands: Command.Operands(synopsis: "REF", count: 1...1, subjects: [.items]),
    summary: "show which items match, which one is used, and why others are not",
    example: "vaultctl explain https://git.example.com/team/app.git",
    details: [
      "Lists the matches, best first, as find does, and which of them find, Git (without the path,"
        + " as it asks by default, and with it for credential.useHttpPath), Docker (for the server"
        + " as it names it), URLSession (for Basic, and each realm that matches have) and the"
        + " transport (for Negotiate, perhaps your Kerberos ticket, and NTLM) get. Then the other"
        + " items of the same server or service, with the conditions that they do not meet. The rank"
        + " of a match counts the parts of its key that match exactly; of one rank, the default"
        + " user's item is used.",
      "Git, Docker and URLSession need a protocol: give a URL, or -r. URLSession looks in the"
        + " first vault alone.",
    ],
    groups: [.keySelectors, .freshness, .common], takesSeveralVaults: true, run: run)

  private typealias Match = (item: Item, rank: Int?, vault: String?)
  private typealias Other = (item: Item, reasons: [String], vault: String?)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let selection = try invocation.selection(readsMetadata: false)
    return try explain(selection, invocation.openList(), invocation)
  }

  /// Explains what a selection means in vaults.
  static func explain(
    _ selection: Selection, _ vaults: VaultList, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    var (matches, others): ([Match], [Other]) = ([], [])
    var used: Reading?
    for vault in vaults.vaults {
      let match = try selection.match { query throws(VaultError) in try vault.findAll(query) }
      let reading = match?.reading ?? used ?? nearest(selection)
      if match != nil, used == nil { used = match?.reading }
      for item in match?.items ?? [] {
        matches.append((item, reading.query.rank(of: item), vaults.name(of: vault)))
      }
      for item in try vault.findAll(near(reading.query)) where !reading.accepts(item, of: match) {
        let reasons = Mismatch.reasons(for: item, in: reading.query)
        others.append((item, reasons, vaults.name(of: vault)))
      }
    }
    guard !matches.isEmpty || !others.isEmpty else { throw try selection.notFound(in: vaults) }
    let query = (used ?? nearest(selection)).query
    let programs = try ProgramAnswer.all(selection, query, in: vaults)
    if invocation.isJSON {
      try document(matches, programs: programs, others: others, invocation)
    } else {
      try write(matches, programs: programs, others: others, invocation)
    }
    return .success
  }

  /// Returns the reading that explains a miss: the first that names a place.
  private static func nearest(_ selection: Selection) -> Reading {
    selection.readings.first { !$0.namesID } ?? selection.readings[0]
  }

  /// Returns the query for the items of the same server or service, of any class.
  private static func near(_ query: ItemQuery) -> ItemQuery {
    var near = ItemQuery.everything
    near.server = query.server
    if case .any = query.server { near.id = query.id ?? ItemID() }
    return near
  }

  /// Returns the reasons why an item that matches is not used.
  private static func obstacles(_ item: Item) -> [String] {
    var obstacles: [String] = []
    if ItemText.isExpired(item) {
      let isByPolicy = item.keptUntil.map { $0 <= Clock.now() } ?? false
      obstacles.append(isByPolicy ? "the policy no longer keeps it" : "it has expired")
    }
    if item.isNegative { obstacles.append("it says that no password is kept") }
    if !item.hasPassword { obstacles.append("its secret is no password") }
    return obstacles
  }

  // MARK: Output

  private static func write(
    _ matches: [Match], programs: [ProgramAnswer], others: [Other], _ invocation: Invocation
  ) throws(VaultError) {
    let output = invocation.output
    for (index, match) in matches.enumerated() {
      try output.line(
        "match \(index + 1): \(ItemText.line(match.item, in: match.vault))"
          + (match.rank.map { "  rank \($0)" } ?? ""))
      for obstacle in obstacles(match.item) { try output.line("  \(obstacle)") }
    }
    for program in programs {
      let name = program.name + (program.condition.map { " (\($0))" } ?? "")
      let answer =
        program.item.map { ItemText.line($0) } ?? program.ticket.map { "the ticket of \($0)" }
        ?? "none: \(program.reason ?? "")"
      try output.line("\(name): \(answer)")
    }
    for other in others {
      try output.line("no match: \(ItemText.line(other.item, in: other.vault))")
      for reason in other.reasons { try output.line("  \(reason)") }
    }
  }

  private static func document(
    _ matches: [Match], programs: [ProgramAnswer], others: [Other], _ invocation: Invocation
  ) throws(VaultError) {
    try invocation.output.document { (json) throws(VaultError) in
      try json.objects("matches", matches) { (match, json) throws(VaultError) in
        try json.name("item")
        try json.value(match.item.withoutSecrets, vault: match.vault)
        if let rank = match.rank { try json.field("rank", rank) }
        try json.field("obstacles", obstacles(match.item))
      }
      try json.objects("used", programs) { (program, json) throws(VaultError) in
        try json.field("by", program.name)
        if let condition = program.condition { try json.field("condition", condition) }
        if let item = program.item { try json.field("id", item.id.text) }
        if let ticket = program.ticket { try json.field("ticket", ticket) }
        if let reason = program.reason { try json.field("reason", reason) }
      }
      try json.objects("others", others) { (other, json) throws(VaultError) in
        try json.name("item")
        try json.value(other.item, vault: other.vault)
        try json.field("reasons", other.reasons)
      }
    }
  }
}

extension Reading {
  /// Returns whether an item is one of the matches.
  fileprivate func accepts(
    _ item: Item, of match: (reading: Reading, items: [Item])?
  ) -> Bool {
    match?.items.contains { $0.id == item.id } ?? false
  }
}
