import SecureMemory

extension Item {
  /// The maximum number of bytes of an attribute's text, unless its descriptor says otherwise.
  static let longestText = 4096
  /// The maximum number of custom attributes.
  package static let mostCustomAttributes = 64

  /// Checks that a store may take the item.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` for an attribute above its limit;
  ///   ``VaultError/Code/invalidArgument`` for NUL in a text, a custom attribute without a name,
  ///   or a protocol or method whose name is not canonical. Both name the attribute.
  package func validate() throws(VaultError) {
    try validateKey()
    try Self.check(label, .label)
    if let storedSecret { try Self.check(storedSecret, .secret) }
    if needsPIN { try validateSeal() }
    for element in extended.set {
      switch element.value {
      case .text(let text): try Self.check(text, element.attribute)
      case .data(let bytes): try Self.check(count: bytes.count, element.attribute)
      case .secret(let secret): try Self.check(secret, element.attribute)
      case .custom(let texts): try Self.check(texts, element.attribute)
      case .number, .flag, .time: continue
      }
    }
  }

  /// Requires that a secret of a kind that needs a PIN is sealed: in clear, nobody could open it.
  private func validateSeal() throws(VaultError) {
    let isSealed = storedSecret?.withBytes { PINSealHeader(reading: $0) != nil } ?? true
    guard isSealed, !hasFurtherSecrets else {
      throw VaultError(.invalidArgument, "secret kind: the secret is not sealed by a PIN")
    }
  }

  private func validateKey() throws(VaultError) {
    guard key.itemClass == .internetPassword else {
      try Self.check(service, .service)
      try Self.check(account, .account)
      var plain = Key(service: service, account: account)
      plain.variant = key.variant
      guard key == plain else {
        throw VaultError(.invalidArgument, "a generic password has a service and an account alone")
      }
      return
    }
    guard try NetworkProtocol(self.protocol.rawValue) == self.protocol else {
      throw VaultError(.invalidArgument, "protocol: not a canonical name")
    }
    guard try AuthenticationMethod(authenticationMethod.rawValue) == authenticationMethod else {
      throw VaultError(.invalidArgument, "authentication method: not a canonical name")
    }
    try Self.check(account, .account)
    try Self.check(realm, .realm)
    try Self.check(server.name, .server)
    try Self.check(path, .path)
  }

  private static func check(
    _ texts: [String: String], _ attribute: Attribute
  ) throws(VaultError) {
    guard texts.count <= mostCustomAttributes else {
      throw refused(.tooLarge, attribute, part: "s", "more than \(mostCustomAttributes)")
    }
    for (name, value) in texts {
      guard !name.isEmpty else { throw refused(.invalidArgument, attribute, part: "", "no name") }
      try check(name, attribute, part: "'s name")
      try check(value, attribute)
    }
  }

  static func check(
    _ text: String, _ attribute: Attribute, part: String = ""
  ) throws(VaultError) {
    try check(count: text.utf8.count, attribute, part)
    guard !text.containsNUL else {
      throw refused(.invalidArgument, attribute, part: part, "holds NUL")
    }
  }

  private static func check(_ secret: Secret, _ attribute: Attribute) throws(VaultError) {
    try check(count: secret.count, attribute)
  }

  private static func check(
    count: Int, _ attribute: Attribute, _ part: String = ""
  ) throws(VaultError) {
    guard count <= attribute.longest else {
      throw refused(.tooLarge, attribute, part: part, "longer than \(attribute.longest) bytes")
    }
  }

  @inline(never)
  private static func refused(
    _ code: VaultError.Code, _ attribute: Attribute, part: String, _ what: String
  ) -> VaultError {
    VaultError(code, attribute.name + part + ": " + what)
  }
}
