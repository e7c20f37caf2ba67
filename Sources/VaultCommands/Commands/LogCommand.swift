import VaultAdministration
import VaultModel

/// `vaultctl log`: shows who changed what and when, and sets how long that is kept.
enum LogCommand {
  static let command = Command(
    id: .log,
    operands: Command.Operands(
      synopsis: "[REF]", count: 0...1, subjects: [.items, .trash]),
    summary: "list who changed what in the vault, and when",
    example: "vaultctl log git.example.com --since 7d",
    details: [
      "The newest change is first: its time, what was changed, the attributes or the name, and the"
        + " user, computer and program. Secrets are not in the log. With REF or a selector, it"
        + " lists the changes of matching items, including removed ones, by the server or service"
        + " and the account that they had at the time.",
      "A command that changes more than 64 items at once, such as import, has one entry for each"
        + " kind of change.",
      "Anyone with a key of the vault can write false entries. Changes are kept for 90 days, unless"
        + " there are more than about 128 and a seventh of the items.",
      "log --keep DAYS sets how long this vault keeps them.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "Which changes",
        options: [
          Option(.since, nil, .text("TIME"), "only since a day, or in a span such as 7d until now"),
          Option(.limit, nil, .text("N"), "only the N newest"),
          Option(.reverse, nil, .none, "the oldest first"),
          Invocation.noPager,
        ]),
      OptionGroup(
        heading: "How long the vault keeps them (takes no item)",
        options: [
          Option(
            .keep, nil, .text("DAYS"),
            "0 to 365, or 90d or 4w; older ones are removed now, 0 logs nothing"
          )
        ]),
      .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let selection = try invocation.selection(readsMetadata: true)
    let since = try arguments.parsed(.since, as: Values.since)
    let limit = try arguments.parsed(.limit, as: Values.count)
    if let days = try arguments.parsed(.keep, as: Values.logDays) {
      guard selection.isEmpty, since == nil, limit == nil, !arguments.has(.reverse) else {
        throw VaultError(.invalidArgument, "--keep applies to all changes and shows none")
      }
      return try keep(days, invocation)
    }
    let vault = try invocation.openVault()
    var changes = try changes(of: selection, since, limit, in: vault)
    if arguments.has(.reverse) { changes.reverse() }
    guard !invocation.isJSON else {
      try invocation.output.document(changes: changes)
      return .success
    }
    let table = TextTable(
      names: ["time", "change", "place", "account", "details", "by", "program"],
      width: invocation.output.columns, hasColours: invocation.output.hasColours, leading: 4,
      spare: ["program", "by", "details", "account"])
    let isTerminal = invocation.output.isTerminal
    if changes.isEmpty, !invocation.isQuiet {
      if try vault.log.days == 0 {
        try invocation.hint("no change is logged: vaultctl log --keep 90 turns the log on")
      } else if isTerminal {
        try invocation.hint("there is nothing to list")
      }
    }
    try invocation.paged(changes.count + 1) { () throws(VaultError) in
      try table.write(
        changes.map { (cells: cells($0, hasShortTime: isTerminal), isFaded: false) },
        invocation.output)
    }
    return .success
  }

  private static func keep(
    _ days: Int, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    try invocation.openVault().log.setDays(days)
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("log_days", days)
      }
    } else if !invocation.isQuiet {
      try invocation.output.line("days changes are logged: \(days)")
    }
    return .success
  }

  /// Returns the changes that are selected, the newest first.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if neither a change nor an item matches.
  private static func changes(
    of selection: Selection, _ since: Timestamp?, _ limit: Int?, in vault: Vault
  ) throws(VaultError) -> [LoggedChange] {
    guard !selection.isEmpty else { return try vault.log.changes(since: since, limit: limit) }
    let all = try vault.log.changes(since: since)
    for reading in selection.readings {
      // An item may have another name by now, and an attribute that no entry has.
      let items =
        try vault.findAll(reading.query) + vault.trash.items(reading.query).map(\.item)
      let ids = Set(items.filter(reading.accepts).map(\.id))
      let found = all.filter { change in
        change.id.map(ids.contains) ?? false || reading.accepts(change)
      }
      if !found.isEmpty || !ids.isEmpty { return Array(found.prefix(limit ?? .max)) }
    }
    throw try selection.notFound(in: VaultList([vault]))
  }

  private static func cells(_ change: LoggedChange, hasShortTime: Bool) -> [String] {
    let author = change.author
    // To the second, because columns align; JSON has the milliseconds.
    let time = change.time.rfc3339.prefix { $0 != "." && $0 != "Z" }
    return [
      // To the minute: `2026-11-23 22:51`.
      hasShortTime ? String(time.prefix(16)).replacing("T", with: " ") : String(time) + "Z",
      change.operation.rawValue, change.key.map(ItemText.place) ?? "",
      change.key?.account ?? "", details(change),
      [author.user, author.host].filter { !$0.isEmpty }.joined(separator: "@"), author.program,
    ]
  }

  private static func details(_ change: LoggedChange) -> String {
    if change.itemCount > 1 { return "\(change.itemCount) items" }
    return change.name.isEmpty ? change.attributes.joined(separator: ", ") : change.name
  }
}

extension Reading {
  /// Returns whether the reading selects the item of an entry, by what the entry has of it.
  fileprivate func accepts(_ change: LoggedChange) -> Bool {
    guard let key = change.key else { return false }
    let item = Item(
      id: change.id ?? ItemID(high: 0, low: 0), key: key, created: change.time,
      modified: change.time)
    return accepts(item) && query.rank(of: item) != nil
  }
}

extension Output {
  /// Writes `{"ok":true,"changes":[…]}`.
  fileprivate func document(changes: [LoggedChange]) throws(VaultError) {
    try document { (json) throws(VaultError) in
      try json.array("changes", changes) { (change, json) throws(VaultError) in
        try json.value(change)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ change: LoggedChange) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("time", change.time.rfc3339)
      try json.field("generation", change.generation)
      try json.field("change", change.operation.rawValue)
      if let id = change.id { try json.field("id", id.text) }
      if let key = change.key { try json.value(of: key) }
      if !change.origin.isEmpty { try json.field("origin", change.origin) }
      if !change.attributes.isEmpty { try json.field("attributes", change.attributes) }
      if change.itemCount > 1 { try json.field("count", change.itemCount) }
      if !change.name.isEmpty { try json.field("name", change.name) }
      try json.object("by") { (json) throws(VaultError) in
        try json.field("program", change.author.program)
        try json.field("user", change.author.user)
        try json.field("host", change.author.host)
      }
    }
  }

  private mutating func value(of key: Item.Key) throws(VaultError) {
    try field("class", ItemText.name(key.itemClass))
    if key.itemClass == .genericPassword {
      try field(Attribute.service.json, key.service)
    } else {
      try field(Attribute.server.json, key.server.name)
      try field(Attribute.protocol.json, key.protocol.rawValue)
      try field(Attribute.port.json, key.port)
    }
    try field(Attribute.account.json, key.account)
  }
}
