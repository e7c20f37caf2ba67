import CredentialVault
import TLSCredentials
import VaultCommands
import VaultModel

/// `vaultctl identity`.
enum IdentityProgram {
  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let (action, inner) = invocation.takingAction()
    let operands = inner.arguments.operands
    switch (action, operands.count) {
    case ("import", 1...) where inner.arguments.has(.key): try TokenImport.run(operands, inner)
    case ("import", 1...): try IdentityImport.run(operands, inner)
    case ("list", 0): return try list(inner)
    case ("show", 1):
      let vault = try inner.openVault()
      try inner.write([try vault.identities.named(operands[0])], hasFacts: true)
    case ("export", 1...2):
      try IdentityExport.run(operands[0], to: operands.dropFirst().first, inner)
    case ("default", 1...3): try IdentityDefault.run(operands, inner)
    case ("remove", 1): try remove(operands[0], inner)
    case ("run", 2...):
      let vault = try inner.openVault()
      let stored = try vault.identities.named(operands[0])
      let files = try inner.withPIN(of: stored.item) { (pin) throws(VaultError) in
        try IdentityFiles(of: stored, in: vault, pin: pin)
      }
      return try IdentityRun.run(Array(operands.dropFirst()), with: files, inner)
    case (let action?, _): throw wrongOperands(of: action)
    case (nil, _): throw VaultError(.invalidArgument, "identity needs an action")
    }
    return .success
  }

  private static func wrongOperands(of action: String) -> VaultError {
    let needed =
      switch action {
      case "import": "FILE…"
      case "export": "REF and at most one FILE"
      case "default": "set REF NAME, clear NAME or show [NAME]"
      case "run": "REF -- COMMAND"
      case "list": "no operand"
      default: "REF"
      }
    return VaultError(.invalidArgument, "identity \(action) needs \(needed)")
  }

  private static func list(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    var found = try invocation.openVault().identities.findAll()
    guard let end = try invocation.arguments.parsed(.expiring, as: Values.end) else {
      if found.isEmpty { try invocation.sayEmpty("there are no identities") }
      try invocation.write(found)
      return .success
    }
    found.removeAll { $0.notAfter > end }
    if found.isEmpty { try invocation.sayEmpty() }
    try invocation.write(found)
    return found.isEmpty ? .success : .expired
  }

  private static func remove(
    _ reference: String, _ invocation: Invocation
  ) throws(VaultError) {
    let identities = try invocation.openVault().identities
    let stored = try identities.named(reference)
    try identities.remove(stored)
    try invocation.write([stored], verb: "removed ")
  }
}

extension Invocation {
  /// Opens an identity, for which a PIN is asked if it needs one.
  func open(_ stored: StoredIdentity, in vault: Vault) throws(VaultError) -> Identity {
    try withPIN(of: stored.item) { (pin) throws(VaultError) in
      try vault.identities.open(stored, pin: pin)
    }
  }
}

extension VaultIdentities {
  /// Returns the identity that a reference names.
  ///
  /// - Parameter reference: A URL, for the one that networking code would choose there; else a
  ///   name, a common name, a host, or the beginning of an id or of a fingerprint.
  /// - Returns: The identity, whose key is not opened.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/ambiguous`` with the candidates;
  ///   as ``choose(for:_:at:suffixes:)`` for a URL.
  func named(_ reference: String) throws(VaultError) -> StoredIdentity {
    guard !reference.contains("://") else { return try choose(for: reference) }
    let all = try findAll()
    let names: [(StoredIdentity) -> Bool] = [
      { $0.id.isNamed(by: reference) },
      { $0.item.account == reference },
      { $0.item.label == reference || $0.summary.subject.commonNames.contains(reference) },
      { !$0.item.server.isUnset && $0.item.server.name == reference.lowercased() },
      { $0.summary.fingerprint.isNamed(by: reference, minimum: 8) },
    ]
    for isNamed in names {
      let found = all.filter(isNamed)
      guard let first = found.first else { continue }
      guard found.count == 1 else {
        throw VaultError(
          .ambiguous, "\(found.count) identities match", candidates: found.map(\.item))
      }
      return first
    }
    throw VaultError(.itemNotFound, "no identity matches")
  }
}
