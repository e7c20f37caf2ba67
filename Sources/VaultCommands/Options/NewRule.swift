import VaultModel

/// Reads a rule of the policy from a command line.
enum NewRule {
  /// Returns the rule that `policy add` is to add.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` that begins with the name of the field that is
  ///   wrong.
  static func rule(_ arguments: Arguments) throws(VaultError) -> PersistencePolicy.Rule {
    guard let name = arguments.text(.name) else {
      throw VaultError(.invalidArgument, "name: policy add needs --name")
    }
    var rule = PersistencePolicy.Rule(name: name)
    rule.note = arguments.text(.note) ?? ""
    rule.service = arguments.text(.service)
    rule.host = try arguments.field(.host) { (text) throws(VaultError) in try HostPattern(text) }
    rule.protocol = try arguments.field(.protocol, as: Values.networkProtocol)
    rule.port = try arguments.field(.port, as: Values.port)
    rule.authenticationMethod = try arguments.field(.authenticationMethod, as: Values.method)
    rule.isProxy = try arguments.field(.proxy, as: Values.yesOrNo)
    rule.receivesCredentialSecurely = try arguments.field(.secure, as: Values.yesOrNo)
    rule.isLoopback = try arguments.field(.loopback, as: Values.yesOrNo)
    rule.maximumPersistence = try arguments.field(.max, as: Values.persistence) ?? .permanent
    rule.lifetime = try arguments.field(.lifetime, as: Values.lifetime)
    rule.persistOnlyAfterAcceptance = arguments.has(.afterAcceptance)
    rule.requiresPIN = arguments.has(.requirePIN)
    rule.refuse = arguments.has(.refuse)
    rule.allowsNTLM = try arguments.field(.ntlm, as: Values.yesOrNo)
    rule.allowsNegotiateInClear = arguments.has(.negotiateInClear)
    do throws(VaultError) {
      try rule.validate()
    } catch {
      // Every error of the rule is an error of the typed text, a wrong length included.
      throw VaultError(.invalidArgument, error.context)
    }
    return rule
  }

  /// Returns the position that `--position` names, counted from 1; nil if it is absent.
  static func position(_ arguments: Arguments) throws(VaultError) -> Int? {
    try arguments.field(.position, as: Values.count)
  }
}

extension Arguments {
  /// Returns the parsed value; an error's text begins with the field's name, as in the model.
  func field<Value>(
    _ name: OptionName, as parse: (String) throws(VaultError) -> Value
  ) throws(VaultError) -> Value? {
    guard let text = text(name) else { return nil }
    do throws(VaultError) {
      return try parse(text)
    } catch {
      throw Self.refused(error, field: name.text)
    }
  }

  private static func refused(_ error: VaultError, field: String) -> VaultError {
    let start = "\(field): "
    return VaultError(
      .invalidArgument, error.context.hasPrefix(start) ? error.context : start + error.context)
  }

  func field<Value>(
    _ name: GeneralOption, as parse: (String) throws(VaultError) -> Value
  ) throws(VaultError) -> Value? {
    try field(.general(name), as: parse)
  }

  func field<Value>(
    _ attribute: Attribute, as parse: (String) throws(VaultError) -> Value
  ) throws(VaultError) -> Value? {
    try field(.attribute(attribute), as: parse)
  }
}
