import CredentialVault
import VaultModel

/// `vaultctl policy check` and `apply`: the contents of the vault that exceed the policy.
enum PolicyChecking {
  static func check(_ invocation: Invocation) throws(VaultError) {
    try write(invocation.openVault().policy.excesses(), isDone: false, invocation)
  }

  static func apply(_ invocation: Invocation) throws(VaultError) {
    guard !invocation.arguments.has(.dryRun) else { return try check(invocation) }
    try write(invocation.openVault().policy.apply(), isDone: true, invocation)
  }

  private static func write(
    _ found: [PolicyExcess], isDone: Bool, _ invocation: Invocation
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
        try invocation.warn(
          "what may be kept for the session only \(isDone ? "is gone" : "would be gone"): the session"
            + " of vaultctl ends with the command")
      }
      return
    }
    var json = JSONWriter(invocation.output)
    try json.beginObject()
    try json.field("ok", true)
    try json.field("excess", excess)
    try json.field("applied", isDone)
    try json.endObject()
    try json.finish()
  }
}

/// `vaultctl policy explain`: the decision on a URL, and the reasons for it.
enum PolicyExplaining {
  static func explain(_ url: String, _ invocation: Invocation) throws(VaultError) {
    let arguments = invocation.arguments
    let reference = try Reference.url(url)
    let space = try ProtectionSpace(
      host: reference.host, port: reference.port ?? 0, protocol: reference.protocol,
      realm: arguments.text(.realm) ?? "",
      authenticationMethod: try arguments.field(.authenticationMethod, as: Values.method)
        ?? .default)
    let requested =
      try arguments.field(.persistence, as: Values.persistence) ?? Persistence.permanent
    let explanation = try invocation.openVault().policy.explain(space, requested: requested)
    if invocation.isJSON {
      try writeJSON(explanation, space, invocation)
    } else {
      try write(explanation, space, invocation.output)
    }
  }

  private static func write(
    _ explanation: PolicyExplanation, _ space: ProtectionSpace, _ output: Output
  ) throws(VaultError) {
    let decision = explanation.decision
    try output.line("space: \(space)")
    try output.line("asked for: \(decision.requested.word)")
    let reason = decision.isRefused ? " (refused)" : decision.rule == nil ? " (as asked)" : ""
    try output.line("granted: \(decision.granted.word)\(reason)")
    if let end = decision.expires {
      let span = decision.rule?.lifetime.map { " (\(PolicyText.span($0)) from now)" } ?? ""
      try output.line("kept until: \(end.rfc3339)\(span)")
    }
    if decision.onlyAfterAcceptance { try output.line("only after acceptance: yes") }
    for (index, (rule, mismatch)) in explanation.tried.enumerated() {
      let line = PolicyText.line(rule, position: index + 1)
      guard let mismatch else {
        try output.line("rule: \(line)")
        continue
      }
      let wanted = PolicyText.wanted(mismatch, by: rule) ?? ""
      let found = PolicyText.found(mismatch, in: space)
      try output.line("no match: \(line)")
      try output.line("  \(mismatch.rawValue): the rule wants \(wanted), the space has \(found)")
    }
    if decision.rule == nil { try output.line("rule: none") }
  }

  private static func writeJSON(
    _ explanation: PolicyExplanation, _ space: ProtectionSpace, _ invocation: Invocation
  ) throws(VaultError) {
    let decision = explanation.decision
    var json = JSONWriter(invocation.output)
    try json.beginObject()
    try json.field("ok", true)
    try json.field("space", space)
    try json.field("requested", decision.requested.word)
    try json.field("granted", decision.granted.word)
    try json.field("refused", decision.isRefused)
    try json.field("only_after_acceptance", decision.onlyAfterAcceptance)
    if let end = decision.expires { try json.field("kept_until", end.rfc3339) }
    if let rule = decision.rule { try json.field("rule", rule) }
    try json.name("tried")
    try json.beginArray()
    for (index, (rule, mismatch)) in explanation.tried.enumerated() {
      try json.beginObject()
      try json.name("rule")
      try json.value(rule, position: index + 1)
      if let mismatch {
        try json.field("mismatch", mismatch.rawValue)
        try json.field("wanted", PolicyText.wanted(mismatch, by: rule) ?? "")
        try json.field("found", PolicyText.found(mismatch, in: space))
      }
      try json.endObject()
    }
    try json.endArray()
    try json.endObject()
    try json.finish()
  }
}
