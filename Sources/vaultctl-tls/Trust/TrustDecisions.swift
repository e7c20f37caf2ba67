import CredentialVault
import SecureMemory
import TLSCredentials
import VaultCommands
import VaultModel
import VaultTerminal

/// The actions of `vaultctl trust` on decisions.
enum TrustDecisions {
  static func add(_ server: TLSServer, _ invocation: Invocation) throws(VaultError) {
    let arguments = invocation.arguments
    let end = try arguments.parsed(.until, as: Values.expiry) ?? nil
    let vault = try invocation.openVault()
    let stored: StoreResult
    let pins = try arguments.parsed(.pin) { (text) throws(VaultError) in
      try PinSet(text: text, receivedAt: .now())
    }
    if var pins {
      guard !arguments.has(.firstUse), !arguments.has(.chain) else {
        throw VaultError(.invalidArgument, "--pin needs no chain, and no first use")
      }
      if let end { pins.expires = end }
      stored = try vault.trust.pin(pins, for: server.space)
    } else {
      let check = try TrustCheck(server, vault, invocation)
      try check.confirm(invocation)
      let space = try server.space
      stored =
        arguments.has(.firstUse)
        ? try vault.trust.recordFirstUse(
          check.evaluation, for: space, replacing: check.evaluation.knownKey, until: end)
        : try vault.trust.accept(check.evaluation, for: space, until: end)
    }
    let item = try stored.kept(in: vault).item
    try write([try vault.trust.decision(item.id)], verb: "added ", invocation)
  }

  static func list(_ invocation: Invocation) throws(VaultError) {
    let found = try invocation.openVault().trust.findAll()
    if found.isEmpty { try invocation.sayEmpty("nothing was decided about any server") }
    try write(found, invocation)
  }

  static func show(_ reference: String, _ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    try write(try find(reference, in: vault), invocation)
  }

  static func remove(_ reference: String, _ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    let found = try find(reference, in: vault)
    guard found.count == 1 else {
      throw VaultError(
        .ambiguous, "\(found.count) decisions match", candidates: found.map(\.item))
    }
    try vault.trust.remove(found[0])
    try write(found, verb: "removed ", invocation)
  }

  /// Returns the decisions about a server, or the one whose id begins so.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if there is none.
  private static func find(
    _ reference: String, in vault: Vault
  ) throws(VaultError) -> [TrustDecision] {
    let all = try vault.trust.findAll()
    var found = all.filter { $0.id.isNamed(by: reference) }
    if found.isEmpty {
      let server = try TLSServer(reference)
      let namesPort = reference.contains("://")
      found = all.filter { decision in
        decision.space.host == server.host && (!namesPort || decision.space.port == server.port)
      }
    }
    guard !found.isEmpty else { throw VaultError(.itemNotFound, "no decision matches") }
    return found
  }

  // MARK: Output

  private static func write(
    _ decisions: [TrustDecision], verb: String = "", _ invocation: Invocation
  ) throws(VaultError) {
    guard !invocation.isJSON else { return try writeDocument(decisions, invocation) }
    guard verb.isEmpty || !invocation.isQuiet else { return }
    for decision in decisions { try invocation.output.line(verb + decision.line) }
  }

  private static func writeDocument(
    _ decisions: [TrustDecision], _ invocation: Invocation
  ) throws(VaultError) {
    try invocation.output.document { (json) throws(VaultError) in
      try json.array("decisions", decisions) { (decision, json) throws(VaultError) in
        try json.value(decision)
      }
    }
  }
}

extension TrustCheck {
  /// Asks whether the certificate is the right one, unless an option says its fingerprint.
  ///
  /// - Throws: ``VaultError/Code/conflict`` if the option has another one, or the answer is no;
  ///   ``VaultError/Code/missingInput`` if nobody can be asked.
  fileprivate func confirm(_ invocation: Invocation) throws(VaultError) {
    guard let leaf = sent.first else { return }
    if let named = invocation.arguments.text(.fingerprint) {
      guard leaf.fingerprint.isNamed(by: named, minimum: 64) else {
        throw VaultError(.conflict, "the certificate's SHA-256 is \(leaf.fingerprint)")
      }
      return
    }
    guard invocation.mayPrompt, let terminal = Terminal() else {
      throw VaultError(
        .missingInput, "there is no terminal to ask on: say the certificate with --fingerprint")
    }
    try terminal.show(
      "\(server): \(evaluation.problems.map(\.name).sorted().joined(separator: ", "))")
    try terminal.show("subject: \(leaf.subject)")
    try terminal.show("\(leaf.fingerprint) (SHA-256)")
    let answer = try terminal.line(prompt: "Trust this certificate (yes or no)? ")
    guard answer.isEqual(to: Secret("yes")) else {
      throw VaultError(.conflict, "the certificate was not accepted")
    }
  }
}

extension TrustDecision {
  /// The words for it: `exception for self-signed`.
  fileprivate var kind: (name: String, detail: String, problems: Set<TrustProblem>) {
    switch content {
    case .exception(let certificate, let problems):
      ("exception", "\(certificate)", problems)
    case .knownKey(let key, let problems): ("known-key", key.pin, problems)
    case .pins(let pins): ("pins", pins.curlText, [])
    }
  }

  fileprivate var line: String {
    let kind = kind
    let problems = kind.problems.map(\.name).sorted().joined(separator: ",")
    return [
      ItemText.id(id), "\(space.protocol.rawValue)://\(space.host.urlText):\(space.port)",
      kind.name, problems.isEmpty ? "-" : problems, expires.map { "until \($0.rfc3339)" } ?? "-",
      kind.detail,
    ].joined(separator: "  ")
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ decision: TrustDecision) throws(VaultError) {
    let kind = decision.kind
    try object { (json) throws(VaultError) in
      try json.field("id", decision.id.text)
      try json.field("protocol", decision.space.protocol.rawValue)
      try json.field("server", decision.space.host.name)
      try json.field("port", decision.space.port)
      try json.field("decision", kind.name)
      switch decision.content {
      case .exception(let certificate, _): try json.field("fingerprint", "\(certificate)")
      case .knownKey(let key, _): try json.field("known_key", key.pin)
      case .pins(let pins):
        try json.field("pins", pins.pins.map(\.publicKeyHash.pin))
        try json.field("subdomains", pins.includesSubdomains)
      }
      try json.field("problems", kind.problems.map(\.name).sorted())
      if let end = decision.expires { try json.field("expires", end.rfc3339) }
    }
  }
}

extension ItemID {
  /// Returns whether a text is the id or its beginning, of six characters or more.
  func isNamed(by text: String) -> Bool { text.utf8.count >= 6 && hasPrefix(text.lowercased()) }
}
