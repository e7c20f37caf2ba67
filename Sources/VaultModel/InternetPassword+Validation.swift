import SecureMemory

extension InternetPassword {
  /// The most bytes of an attribute's text, the comment's aside.
  static let longestText = 4096
  /// The most bytes of a comment.
  static let longestComment = 64 << 10
  /// The most custom attributes.
  static let mostCustomAttributes = 64
  /// The most bytes of a secret.
  static let longestSecret = 1 << 20
  /// The most bytes of a refresh token, which is always sealed inside its item's record.
  static let longestRefreshToken = 8192

  /// Checks what a store may be given.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` for an attribute above its limit;
  ///   ``VaultError/Code/invalidArgument`` for NUL in a text, a custom attribute without a name,
  ///   or a protocol or method whose name is not canonical. Both name the attribute.
  package func validate() throws(VaultError) {
    try Self.check(account, "account")
    try Self.check(realm, "realm")
    try Self.check(server.name, "server")
    guard try NetworkProtocol(self.protocol.rawValue) == self.protocol else {
      throw VaultError(.invalidArgument, "protocol: not a canonical name")
    }
    guard try AuthenticationMethod(authenticationMethod.rawValue) == authenticationMethod else {
      throw VaultError(.invalidArgument, "authentication method: not a canonical name")
    }
    try Self.check(path, "path")
    try Self.check(label, "label")
    try Self.check(secret, "secret", longest: Self.longestSecret)
    guard let rare = rareBox?.attributes else { return }
    try Self.check(rare.comment, "comment", longest: Self.longestComment)
    try Self.check(rare.kind, "kind")
    try Self.check(rare.origin, "origin")
    try Self.check(rare.accountDomain, "account domain")
    try Self.check(rare.refreshToken, "refresh token", longest: Self.longestRefreshToken)
    guard rare.custom.count <= Self.mostCustomAttributes else {
      throw VaultError(
        .tooLarge, "custom attributes: more than \(Self.mostCustomAttributes)")
    }
    for (name, value) in rare.custom {
      guard !name.isEmpty else {
        throw VaultError(.invalidArgument, "custom attribute: no name")
      }
      try Self.check(name, "custom attribute's name")
      try Self.check(value, "custom attribute")
    }
  }

  private static func check(
    _ text: String, _ attribute: StaticString, longest: Int = longestText
  ) throws(VaultError) {
    guard text.utf8.count <= longest else {
      throw VaultError(.tooLarge, "\(attribute): longer than \(longest) bytes")
    }
    guard !text.containsNUL else {
      throw VaultError(.invalidArgument, "\(attribute): holds NUL")
    }
  }

  private static func check(
    _ secret: Secret?, _ attribute: StaticString, longest: Int
  ) throws(VaultError) {
    guard let secret, secret.count > longest else { return }
    throw VaultError(.tooLarge, "\(attribute): longer than \(longest) bytes")
  }
}
