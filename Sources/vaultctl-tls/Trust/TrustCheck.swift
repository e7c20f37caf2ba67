import CredentialVault
import Glibc
import SecureMemory
import TLSCredentials
import VaultCommands
import VaultModel

/// `vaultctl trust check`: evaluates what a server sends, by the options and the vault's decisions.
struct TrustCheck {
  let server: TLSServer
  let sent: [Certificate]
  let evaluation: TrustEvaluation

  /// Gets the chain, and evaluates it.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - vault: The vault whose decisions count; nil for none.
  ///   - invocation: The options.
  /// - Throws: Any error of a file, of the connection or of the vault.
  init(
    _ server: TLSServer, _ vault: Vault?, _ invocation: Invocation
  ) throws(VaultError) {
    self.server = server
    let arguments = invocation.arguments
    let time = try arguments.parsed(.at, as: Values.expiry) ?? nil
    var policy = TrustPolicy()
    if let file = arguments.text(.anchors) {
      policy.anchors = TrustAnchors(try CertificateFile.read(file, .anchors))
    }
    if let file = arguments.text(.chain) {
      sent = try CertificateFile.read(file, .chain)
    } else {
      sent = try ServerChain.fetch(from: server)
    }
    evaluation =
      if let vault {
        try vault.trust.evaluate(sent, for: try server.space, policy, at: time)
      } else {
        try policy.evaluate(sent, host: server.host, at: time ?? Clock.now())
      }
  }

  static func run(_ server: TLSServer, _ invocation: Invocation) throws(VaultError) -> ExitCode {
    let check = try TrustCheck(server, try invocation.openVaultIfMade(), invocation)
    if invocation.isJSON {
      try check.writeDocument(invocation)
    } else {
      try check.writeText(invocation)
    }
    return check.evaluation.isTrusted ? .success : .policyRefused
  }

  // MARK: Output

  func writeText(_ invocation: Invocation) throws(VaultError) {
    let output = invocation.output
    let isTrusted = evaluation.isTrusted ? "trusted" : "not trusted"
    try output.line("\(server): \(isTrusted) (\(evaluation.verdict.rawValue))")
    for problem in evaluation.problems.sorted(by: { $0.name < $1.name }) {
      try output.line("problem: \(problem.name)")
    }
    if let known = evaluation.knownKey { try output.line("known key: \(known.pin)") }
    if let decision = evaluation.decision { try output.line("decision: \(ItemText.id(decision))") }
    for (index, certificate) in evaluation.path.enumerated() {
      let isSent = sent.contains(certificate) ? "" : " (not sent)"
      try output.line("\(index): \(certificate.subject)\(isSent)")
      for (name, value) in certificate.facts { try output.line("   \(name): \(value)") }
    }
    for certificate in sent where !evaluation.path.contains(certificate) {
      try output.line("sent, but not in the path: \(certificate.subject)")
    }
    guard !invocation.isQuiet, let leaf = evaluation.path.first else { return }
    try invocation.hint(
      "vaultctl trust add \(server) --pin 'sha256//\(leaf.publicKeyHash.base64);sha256//BACKUP' pins"
        + " this key, and that of a backup that no server has yet")
  }

  private func writeDocument(_ invocation: Invocation) throws(VaultError) {
    try invocation.output.document { (json) throws(VaultError) in
      try json.field("url", "\(server)")
      try json.field("trusted", evaluation.isTrusted)
      try json.field("verdict", evaluation.verdict.rawValue)
      try json.field("problems", evaluation.problems.map(\.name).sorted())
      if let known = evaluation.knownKey { try json.field("known_key", known.pin) }
      if let decision = evaluation.decision { try json.field("decision", decision.text) }
      try json.field("path", evaluation.path)
      try json.field("sent", sent)
    }
  }
}

/// Files with certificates, as options name them.
enum CertificateFile {
  /// Returns the certificates of a file, in its order.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if it cannot be read;
  ///   ``VaultError/Code/invalidData`` if it has none, or one that is malformed.
  static func read(_ path: String, _ option: GeneralOption) throws(VaultError) -> [Certificate] {
    let name = "--\(option.rawValue)"
    let certificates = try Certificate.all(in: InputFile.read(path, name).bytes)
    guard !certificates.isEmpty else { throw VaultError(.invalidData, "\(name): no certificate") }
    return certificates
  }
}

extension TrustProblem {
  /// The name in messages and documents: `wrong-host`.
  var name: String {
    rawValue.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }
}
