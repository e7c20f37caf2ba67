import CredentialVault
import VaultModel

/// `vaultctl policy`: the rules for what may be kept, how strongly and how long.
enum PolicyCommand {
  static let command = Command(
    id: .policy,
    operands: Command.Operands(
      synopsis: "[list|add|remove|move|explain|check|apply|… …]", count: 0...2,
      words: ["list", "add", "remove", "move", "explain", "check", "apply", "remember"],
      subjects: [.rules]),
    summary: "define what may be kept where, how strongly and how long",
    example: "vaultctl policy add --name short --host '*.example.com' --lifetime 12h",
    details: [
      "The policy is a list of rules, and the first match decides. If none matches, the request"
        + " is granted as asked. The policy binds every program that opens the vault with this"
        + " library.",
      "policy list shows the rules in order. policy add adds one: without a condition it matches"
        + " everything; without an effect it grants what is asked for, as an exception to the"
        + " rules after it. policy remove REF removes a rule, and policy move REF --position N"
        + " moves it; REF is the rule's number in the list, its name or the first six or more"
        + " characters of its id.",
      "policy explain URL, or --service NAME, says what would be granted, by which rule, and why"
        + " earlier rules did not match; a proxy's URL is like"
        + " http-proxy://proxy.example.com:3128.",
      "policy check lists what exceeds the policy now, and policy apply removes or shortens it,"
        + " previous secrets and removed items included. What may only be kept for the session"
        + " goes there, and is gone with the command if no session is shared. The exit status is 0"
        + " whether anything exceeds the policy or not.",
      "policy remember TIME limits how long vaultctl unlock and --remember may keep the vault's"
        + " key in the kernel, on any machine; no forbids it, and any lifts the limit. Without an"
        + " operand, it shows the limit, as policy list and policy explain do if there is one.",
    ],
    groups: [
      .rule, .request,
      OptionGroup(heading: "How (policy apply)", options: [OptionGroup.dryRun]), .common,
    ], hints: hints, run: run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    let list = "vaultctl policy list\(failure.vaults)"
    return [.itemNotFound: list, .duplicateItem: list, .ambiguous: list]
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let (action, inner) = invocation.takingAction()
    try check(inner.arguments, isFor: action)
    switch (action, inner.arguments.operands.first) {
    case ("list", nil): try list(inner)
    case ("add", nil): try add(inner)
    case ("remove", let reference?): try remove(reference, inner)
    case ("move", let reference?): try move(reference, inner)
    case ("explain", let url): try PolicyExplaining.explain(url, inner)
    case ("check", nil): try PolicyChecking.check(inner)
    case ("apply", nil): try PolicyChecking.apply(inner)
    case ("remember", let limit): try PolicyRemembering.run(limit, inner)
    case ("remove", nil), ("move", nil):
      throw VaultError(.invalidArgument, "name the rule, its number or the beginning of its id")
    case ("list", _), ("add", _), ("check", _), ("apply", _):
      throw VaultError(.invalidArgument, "unexpected argument")
    default:
      throw command.needsChoice
    }
    return .success
  }

  /// Refuses an option that the action does not read: the user expects it to have an effect.
  private static func check(
    _ arguments: Arguments, isFor action: String?
  ) throws(VaultError) {
    let own: [OptionName]? =
      switch action {
      case "add": OptionGroup.rule.options.map(\.name)
      case "move": [.general(.position)]
      case "explain":
        OptionGroup.request.options.map(\.name) + [
          .attribute(.authenticationMethod), .attribute(.service),
        ]
      case "apply": [.general(.dryRun)]
      case "list", "remove", "check", "remember": []
      default: nil
      }
    guard let own else { return }
    let known = Set(own + OptionGroup.common.options.map(\.name))
    guard arguments.names.allSatisfy(known.contains) else {
      throw VaultError(.invalidArgument, "an option belongs to another action of policy")
    }
  }

  // MARK: Actions

  private static func list(_ invocation: Invocation) throws(VaultError) {
    let policy = try invocation.openVault().policy
    let (rules, limit) = (try policy.current().rules, try policy.mostRemembered())
    guard invocation.isJSON else {
      if rules.isEmpty {
        try invocation.sayEmpty("the policy has no rules: everything is kept as asked")
      }
      for (index, rule) in rules.enumerated() {
        try invocation.output.line(PolicyText.line(rule, position: index + 1))
        if !rule.note.isEmpty { try invocation.output.line("   \(rule.note)") }
      }
      if limit != nil { try invocation.output.line(PolicyRemembering.line(limit)) }
      return
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.array("rules", rules.enumerated()) { (each, json) throws(VaultError) in
        let (index, rule) = each
        try json.value(rule, position: index + 1)
      }
      try json.field(rememberLimit: limit)
    }
  }

  private static func add(_ invocation: Invocation) throws(VaultError) {
    let rule = try NewRule.rule(invocation.arguments)
    let position = try NewRule.position(invocation.arguments)
    let policy = try invocation.openVault().policy.change { (rules) throws(VaultError) in
      guard !rules.contains(where: { $0.name.utf8.elementsEqual(rule.name.utf8) }) else {
        throw VaultError(.duplicateItem, "name: another rule has it already")
      }
      try rules.insert(rule, position: position)
    }
    try write(rule, at: policy.rules.firstIndex { $0.id == rule.id } ?? 0, "added", invocation)
    try hint(invocation)
  }

  private static func remove(
    _ reference: String, _ invocation: Invocation
  ) throws(VaultError) {
    var removed: (index: Int, rule: PersistencePolicy.Rule)?
    _ = try invocation.openVault().policy.change { (rules) throws(VaultError) in
      let index = try rules.index(of: reference)
      removed = (index, rules.remove(at: index))
    }
    guard let removed else { return }
    try write(removed.rule, at: removed.index, "removed", invocation)
  }

  private static func move(_ reference: String, _ invocation: Invocation) throws(VaultError) {
    guard let position = try NewRule.position(invocation.arguments) else {
      throw VaultError(.invalidArgument, "position: policy move needs --position")
    }
    var moved: PersistencePolicy.Rule?
    _ = try invocation.openVault().policy.change { (rules) throws(VaultError) in
      let rule = rules.remove(at: try rules.index(of: reference))
      try rules.insert(rule, position: position)
      moved = rule
    }
    guard let moved else { return }
    try write(moved, at: position - 1, "moved", invocation)
    try hint(invocation)
  }

  // MARK: Output

  private static func write(
    _ rule: PersistencePolicy.Rule, at index: Int, _ verb: String, _ invocation: Invocation
  ) throws(VaultError) {
    guard invocation.isJSON else {
      guard !invocation.isQuiet else { return }
      return try invocation.output.line("\(verb) \(PolicyText.line(rule, position: index + 1))")
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.name("rule")
      try json.value(rule, position: index + 1)
    }
  }

  /// Points to the check of stored items, because a rule concerns only what is stored from now on.
  private static func hint(_ invocation: Invocation) throws(VaultError) {
    guard !invocation.isJSON, !invocation.isQuiet else { return }
    try invocation.hint("vaultctl policy check lists what already exceeds it")
  }
}

extension [PersistencePolicy.Rule] {
  /// Returns the index of the one rule with this number in the list, with this name, or with an id
  /// that begins with this text.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/ambiguous``. The text is not
  ///   repeated, because it may be a secret that was typed by mistake.
  func index(of reference: String) throws(VaultError) -> Int {
    let found = indices.filter { index in
      self[index].name.utf8.elementsEqual(reference.utf8) || reference == String(index + 1)
        || Reference.isID(reference) && self[index].id.hasPrefix(reference)
    }
    guard let index = found.first else {
      throw VaultError(
        .itemNotFound,
        "no rule has this number, name or id" + Suggestion.question(reference, among: map(\.name)))
    }
    guard found.count == 1 else {
      let rules = found.map { "\($0 + 1) \(ItemText.quoted(self[$0].name))" }
      throw VaultError(
        .ambiguous, "\(found.count) rules match: \(rules.joined(separator: ", "))")
    }
    return index
  }

  /// Inserts a rule at a position, counted from 1; nil is the last one.
  mutating func insert(
    _ rule: PersistencePolicy.Rule, position: Int?
  ) throws(VaultError) {
    let position = position ?? count + 1
    guard position <= count + 1 else {
      throw VaultError(.invalidArgument, "position: not in 1 to \(count + 1)")
    }
    insert(rule, at: position - 1)
  }
}
