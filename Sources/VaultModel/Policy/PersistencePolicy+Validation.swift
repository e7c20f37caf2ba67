extension PersistencePolicy.Rule {
  /// Checks that the rule is valid and can match.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge``, beginning with
  ///   the field: a name or note that is not as ``name`` and ``note`` say, an invalid host, a port
  ///   that is 0, a protocol or method that is empty or not canonical, a service that is empty or
  ///   beside another condition, a lifetime out of its bounds, `refuse` together with another
  ///   effect, conditions that exclude each other.
  package func validate() throws(VaultError) {
    try validateFields()
    try validateTogether()
  }

  /// Checks the constraints that the fields' types do not express, whatever protocols and methods
  /// this version knows.
  package func validateFields() throws(VaultError) {
    try validateTexts()
    try validateConditions()
    if let lifetime {
      guard lifetime >= .milliseconds(1) else {
        throw VaultError(.invalidArgument, "lifetime: negative, zero or below a millisecond")
      }
      guard lifetime <= Self.longestLifetime else {
        throw VaultError(.tooLarge, "lifetime: longer than 100 years")
      }
    }
    let limits =
      maximumPersistence < .permanent || lifetime != nil || persistOnlyAfterAcceptance
      || requiresPIN
    guard !refuse || !limits else {
      throw VaultError(.invalidArgument, "refuse: what is refused has no other limits")
    }
  }

  /// 100 years of 365.25 days.
  private static let longestLifetime = Duration.seconds(100 * 31_557_600)

  private func validateTexts() throws(VaultError) {
    guard !name.isEmpty else { throw VaultError(.invalidArgument, "name: empty") }
    guard name.utf8.count <= 64 else {
      throw VaultError(.tooLarge, "name: longer than 64 bytes")
    }
    // C1 too: a terminal may take U+009B for the beginning of a command.
    guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw VaultError(.invalidArgument, "name: holds a control character")
    }
    guard note.utf8.count <= Item.longestText else {
      throw VaultError(.tooLarge, "note: longer than \(Item.longestText) bytes")
    }
    guard !note.containsNUL else { throw VaultError(.invalidArgument, "note: holds NUL") }
  }

  private func validateConditions() throws(VaultError) {
    try validateService()
    try host?.validate()
    if let `protocol` {
      guard `protocol` != .unset else { throw VaultError(.invalidArgument, "protocol: empty") }
      guard (try? NetworkProtocol(`protocol`.rawValue)) == `protocol` else {
        throw VaultError(.invalidArgument, "protocol: not a canonical name")
      }
    }
    guard port != 0 else { throw VaultError(.invalidArgument, "port: not in 1 to 65535") }
    if let authenticationMethod {
      guard authenticationMethod != .unset else {
        throw VaultError(.invalidArgument, "auth: empty")
      }
      guard (try? AuthenticationMethod(authenticationMethod.rawValue)) == authenticationMethod
      else {
        throw VaultError(.invalidArgument, "auth: not a canonical name")
      }
    }
  }

  private func validateService() throws(VaultError) {
    guard let service else { return }
    guard !service.isEmpty else { throw VaultError(.invalidArgument, "service: empty") }
    try Item.check(service, .service)
    guard host == nil, `protocol` == nil, port == nil, authenticationMethod == nil,
      isProxy == nil, receivesCredentialSecurely == nil, isLoopback == nil
    else {
      throw VaultError(.invalidArgument, "service: a generic password meets no other condition")
    }
  }

  /// Rejects conditions that exclude each other: the author of such a rule believes that it
  /// protects something.
  ///
  /// Stored rules are not checked, because another version may have had other properties for a
  /// protocol.
  private func validateTogether() throws(VaultError) {
    if let `protocol`, let isProxy, `protocol`.isProxy != isProxy {
      throw VaultError(.invalidArgument, "proxy: contradicts the protocol")
    }
    if let receivesCredentialSecurely, let isSecure, receivesCredentialSecurely != isSecure {
      throw VaultError(.invalidArgument, "secure: contradicts the protocol or method")
    }
    if let isLoopback, let known = host?.isLoopback, isLoopback != known {
      throw VaultError(.invalidArgument, "loopback: contradicts the host")
    }
  }

  /// Whether the protocol and the method alone determine that a credential is sent securely; nil if
  /// they do not.
  private var isSecure: Bool? {
    if let `protocol`, `protocol`.isEncrypted { return true }
    guard let authenticationMethod else { return nil }
    if authenticationMethod.isSentSecurely(over: .unset) { return true }
    return `protocol` == nil ? nil : false
  }
}
