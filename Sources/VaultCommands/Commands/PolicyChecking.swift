import CredentialVault
import VaultModel

/// `vaultctl policy check` and `apply`: the contents of the vault that exceed the policy.
enum PolicyChecking {
  static func check(_ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    try write(vault.policy.excesses(), of: vault, isDone: false, invocation)
  }

  static func apply(_ invocation: Invocation) throws(VaultError) {
    guard !invocation.arguments.has(.dryRun) else { return try check(invocation) }
    let vault = try invocation.openVault()
    try write(vault.policy.apply(), of: vault, isDone: true, invocation)
  }

  private static func write(
    _ found: [PolicyExcess], of vault: Vault, isDone: Bool, _ invocation: Invocation
  ) throws(VaultError) {
    let excess = found.sorted { $0.key < $1.key }
    guard invocation.isJSON else {
      for one in excess {
        if isDone, invocation.isQuiet { break }
        try invocation.output.line(PolicyText.line(one, isDone: isDone))
      }
      if excess.isEmpty, !invocation.isQuiet {
        try invocation.output.line("nothing exceeds the policy")
      }
      let isSessionOnly = excess.contains { one in
        if case .moveToSession = one.remedy { true } else { false }
      }
      if isSessionOnly, !invocation.isQuiet {
        let isShared = try isDone ? vault.isSessionShared : vault.canShareSession
        try invocation.warn(
          "what may be kept for the session only "
            + (isShared
              ? "\(isDone ? "is" : "would be") in the session now, which ends with the login"
              : "\(isDone ? "is gone" : "would be gone"): the session of vaultctl ends with the"
                + " command"))
      }
      return
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.field("excess", excess)
      try json.field("applied", isDone)
    }
  }
}

/// The subject of a decision: a space, or the service of generic passwords.
enum PolicySubject {
  case space(ProtectionSpace)
  case service(String)

  /// The word for it.
  var noun: String {
    switch self {
    case .space: "space"
    case .service: "service"
    }
  }

  /// Reads the subject from a URL, or from `--service` if there is none.
  init(_ url: String?, _ arguments: Arguments) throws(VaultError) {
    guard let url else {
      guard let service = arguments.text(.service) else {
        throw VaultError(.invalidArgument, "policy explain needs a URL or --service")
      }
      self = .service(service)
      return
    }
    guard arguments.text(.service) == nil else {
      throw VaultError(.invalidArgument, "policy explain takes a URL or --service, not both")
    }
    let reference = try Reference.url(url)
    self = .space(
      try ProtectionSpace(
        host: reference.host, port: reference.port ?? 0, protocol: reference.protocol,
        realm: arguments.text(.realm) ?? "",
        authenticationMethod: try arguments.field(.authenticationMethod, as: Values.method)
          ?? .default))
  }
}

/// `vaultctl policy explain`: the decision on a URL or a service, and the reasons for it.
enum PolicyExplaining {
  static func explain(_ url: String?, _ invocation: Invocation) throws(VaultError) {
    let arguments = invocation.arguments
    let subject = try PolicySubject(url, arguments)
    let requested =
      try arguments.field(.persistence, as: Values.persistence) ?? Persistence.permanent
    let policy = try invocation.openVault().policy
    let explanation =
      switch subject {
      case .space(let space): try policy.explain(space, requested: requested)
      case .service(let name): try policy.explain(service: name, requested: requested)
      }
    // It holds for the whole vault, whatever is asked about.
    let limit = try policy.mostRemembered()
    guard !invocation.isJSON else {
      return try writeJSON(explanation, of: subject, rememberLimit: limit, invocation)
    }
    try write(explanation, subject, invocation.output)
    if limit != nil { try invocation.output.line(PolicyRemembering.line(limit)) }
  }

  private static func write(
    _ explanation: PolicyExplanation, _ subject: PolicySubject, _ output: Output
  ) throws(VaultError) {
    let decision = explanation.decision
    switch subject {
    case .space(let space): try output.line("space: \(space)")
    case .service(let name): try output.line("service: \(ItemText.quoted(name))")
    }
    try output.line("asked for: \(decision.requested.word)")
    let reason = decision.isRefused ? " (refused)" : decision.rule == nil ? " (as asked)" : ""
    try output.line("granted: \(decision.granted.word)\(reason)")
    if let end = decision.expires {
      let span = decision.rule?.lifetime.map { " (\(PolicyText.span($0)) from now)" } ?? ""
      try output.line("kept until: \(end.rfc3339)\(span)")
    }
    if decision.onlyAfterAcceptance { try output.line("only after acceptance: yes") }
    if decision.onlyWithPIN { try output.line("only with a PIN: yes") }
    for (index, (rule, mismatch)) in explanation.tried.enumerated() {
      let line = PolicyText.line(rule, position: index + 1)
      guard let mismatch else {
        try output.line("rule: \(line)")
        continue
      }
      let wanted = PolicyText.wanted(mismatch, by: rule) ?? ""
      let found = PolicyText.found(mismatch, in: subject)
      try output.line("no match: \(line)")
      try output.line(
        "  \(mismatch.rawValue): the rule wants \(wanted), the \(subject.noun) has \(found)")
    }
    if decision.rule == nil { try output.line("rule: none") }
  }

  private static func writeJSON(
    _ explanation: PolicyExplanation, of subject: PolicySubject, rememberLimit: UInt32?,
    _ invocation: Invocation
  ) throws(VaultError) {
    let decision = explanation.decision
    try invocation.output.document { (json) throws(VaultError) in
      try json.field(subject)
      try json.field("requested", decision.requested.word)
      try json.field("granted", decision.granted.word)
      try json.field("refused", decision.isRefused)
      try json.field("only_after_acceptance", decision.onlyAfterAcceptance)
      try json.field("only_with_pin", decision.onlyWithPIN)
      if let end = decision.expires { try json.field("kept_until", end.rfc3339) }
      if let rule = decision.rule { try json.field("rule", rule) }
      try json.objects("tried", explanation.tried.enumerated()) { (each, json) throws(VaultError) in
        let (index, (rule, mismatch)) = each
        try json.name("rule")
        try json.value(rule, position: index + 1)
        if let mismatch {
          try json.field("mismatch", mismatch.rawValue)
          try json.field("wanted", PolicyText.wanted(mismatch, by: rule) ?? "")
          try json.field("found", PolicyText.found(mismatch, in: subject))
        }
      }
      try json.field(rememberLimit: rememberLimit)
    }
  }
}
