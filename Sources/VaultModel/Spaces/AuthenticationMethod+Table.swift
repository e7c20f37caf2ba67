/// The known methods, each a row of one table.
extension AuthenticationMethod {
  /// No method: absent and 0 in the keychain.
  public static let unset = AuthenticationMethod(rawValue: "")
  /// Any password method: a literal value in the key, never a wildcard there.
  public static let `default` = AuthenticationMethod(rawValue: "default")
  /// HTTP Basic, RFC 7617, and every other method that sends the password itself.
  public static let basic = AuthenticationMethod(rawValue: "basic")
  /// HTTP Digest, RFC 7616.
  public static let digest = AuthenticationMethod(rawValue: "digest")
  /// NTLM.
  public static let ntlm = AuthenticationMethod(rawValue: "ntlm")
  /// Negotiate, RFC 4559: Kerberos or NTLM.
  public static let negotiate = AuthenticationMethod(rawValue: "negotiate")
  /// A form on a page.
  public static let form = AuthenticationMethod(rawValue: "form")
  /// A bearer token, RFC 6750.
  public static let bearer = AuthenticationMethod(rawValue: "bearer")
  /// A client's certificate in TLS.
  public static let clientCertificate = AuthenticationMethod(rawValue: "client-certificate")
  /// The server's certificate in TLS, which the client evaluates.
  public static let serverTrust = AuthenticationMethod(rawValue: "server-trust")
  /// The method of items that say which identity is preferred; it is that of no protection space.
  package static let identityPreference = AuthenticationMethod(rawValue: "identity-preference")
  /// Microsoft Network.
  public static let msn = AuthenticationMethod(rawValue: "msn")
  /// Distributed Password Authentication.
  public static let dpa = AuthenticationMethod(rawValue: "dpa")
  /// Remote Password Authentication.
  public static let rpa = AuthenticationMethod(rawValue: "rpa")

  /// The facts of each method; a new one is a row here.
  static let table = [
    Facts(.default, 0x6466_6C74 /* dflt */, apple: "Default", [.password]),
    Facts(
      .basic, 0x6874_7470 /* http */, apple: "HTTPBasic", scheme: "Basic", strength: 1,
      [.password]),
    Facts(
      .digest, 0x6874_7464 /* httd */, apple: "HTTPDigest", scheme: "Digest", strength: 4,
      [.password, .hidden]),
    // A token opens less than a password does, and for a shorter time.
    Facts(.bearer, 0x6265_6172 /* bear */, scheme: "Bearer", strength: 2, [.token]),
    Facts(
      .ntlm, 0x6E74_6C6D /* ntlm */, apple: "NTLM", scheme: "NTLM", strength: 3,
      [.password, .hidden, .connection]),
    Facts(
      .negotiate, 0x6E65_676F /* nego */, apple: "Negotiate", scheme: "Negotiate", strength: 5,
      [.password, .hidden, .connection]),
    Facts(.form, 0x666F_726D /* form */, apple: "HTMLForm", [.password]),
    Facts(.msn, 0x6D73_6E61 /* msna */, [.password]),
    Facts(.dpa, 0x6470_6161 /* dpaa */, [.password]),
    Facts(.rpa, 0x7270_6161 /* rpaa */, [.password]),
    Facts(.clientCertificate, 0x6365_7274 /* cert */, apple: "ClientCertificate", [.hidden]),
    Facts(.serverTrust, 0x7472_7374 /* trst */, apple: "ServerTrust", [.hidden]),
  ]

  /// The names, the code and the kind of secret of a method.
  package struct Facts: Sendable {
    /// The secret of a method.
    struct Traits: OptionSet, Sendable {
      let rawValue: Int
      /// It is a password that a person could type.
      static let password = Traits(rawValue: 1)
      /// It is a token.
      static let token = Traits(rawValue: 2)
      /// It is proven without being sent.
      static let hidden = Traits(rawValue: 4)
      /// It logs in on one connection, perhaps in several rounds.
      static let connection = Traits(rawValue: 8)
    }

    package let method: AuthenticationMethod
    /// The keychain's code: Apple's `SecAuthenticationType`, or ours.
    let code: UInt32
    /// The method as Apple's and Foundation's constants end; nil if they have none.
    package let appleName: String?
    /// The scheme as HTTP's fields spell it; nil if they have none.
    package let scheme: String?
    /// The rank among offered schemes, the greatest first; 0 if the scheme is not answered here.
    package let strength: Int
    let traits: Traits

    fileprivate init(
      _ method: AuthenticationMethod, _ code: UInt32, apple: String? = nil, scheme: String? = nil,
      strength: Int = 0, _ traits: Traits
    ) {
      self.method = method
      self.code = code
      appleName = apple
      self.scheme = scheme
      self.strength = strength
      self.traits = traits
    }
  }
}

/// The facts of one method; one that is not in the table has none.
extension AuthenticationMethod {
  /// The row of the table; nil for other methods, also ``unset``.
  package var facts: Facts? { Self.table.first { $0.method == self } }

  /// Finds the method of a keychain code; 0 is ``unset``, and an unknown code gives nil.
  package init?(fourCharacterCode: UInt32) {
    guard fourCharacterCode != 0 else {
      self = .unset
      return
    }
    guard let row = Self.table.first(where: { $0.code == fourCharacterCode }) else { return nil }
    self = row.method
  }

  /// The keychain's `atyp`, 0 if unset; nil for a method that is not in the table.
  ///
  /// The number spells the code from its highest byte, as the stored bytes do; `negotiate`,
  /// `bearer`, `client-certificate` and `server-trust` have codes of ours, the others Apple's.
  package var fourCharacterCode: UInt32? { rawValue.isEmpty ? 0 : facts?.code }

  /// Whether the secret is a password that a person could type; a stored method ``default`` answers
  /// for these methods.
  package var isPassword: Bool { has(.password) }

  /// Whether the secret is a token, and never sent as a password.
  package var isToken: Bool { has(.token) }

  /// Whether the secret is proven without being sent.
  package var hidesSecret: Bool { has(.hidden) }

  /// Whether a login is bound to one connection, and may take several rounds.
  package var isBoundToConnection: Bool { has(.connection) }

  /// The scheme as HTTP's fields spell it.
  package var scheme: String { facts?.scheme ?? rawValue }

  /// The method as Apple's and Foundation's constants end; nil if they have none.
  package var appleName: String? { facts?.appleName }

  /// The rank among offered schemes, the greatest first; 0 if the scheme is not answered here.
  package var strength: Int { facts?.strength ?? 0 }

  /// Returns whether a credential is sent securely, as
  /// ``ProtectionSpace/receivesCredentialSecurely`` says.
  func isSentSecurely(over protocol: NetworkProtocol) -> Bool {
    `protocol`.isEncrypted || hidesSecret
  }

  private func has(_ trait: Facts.Traits) -> Bool { facts?.traits.contains(trait) ?? false }

  /// Returns the method that has another name, in lower case: Apple's, or a keychain code.
  static func named(otherwise name: String) -> AuthenticationMethod? {
    table.first {
      $0.appleName?.hasSameBytesIgnoringCase(as: name) == true
        || name.hasSameBytes(as: FourCharacterCode(rawValue: $0.code).description)
    }?.method
  }
}
