/// A method of authentication by its canonical name, which is empty when unset.
///
/// Names compare on bytes.
public struct AuthenticationMethod: RawRepresentable, Sendable {
  /// The canonical name.
  public let rawValue: String

  /// Takes a name that is already canonical; ``init(_:)`` reads every other.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Reads a method's name in any spelling.
  ///
  /// Upper case, four-character codes (`httd`), Foundation's constants
  /// (`NSURLAuthenticationMethodHTTPDigest`) and Apple's names (`HTTPDigest`) fold to the canonical
  /// name. Other names are kept in lower case, as HTTP compares them. Empty text is ``unset``.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not an RFC 9110 §5.6.2 token of at most
  ///   64 characters.
  public init(_ name: String) throws(VaultError) {
    // Most are this one, and every item that is stored is checked.
    guard !name.hasSameBytes(as: "default") else {
      self = .default
      return
    }
    var folded = name.lowercasedASCII
    let prefix = "nsurlauthenticationmethod"
    if folded.hasPrefix(prefix), folded.utf8.count > prefix.utf8.count {
      folded.removeFirst(prefix.count)
    }
    if folded.isEmpty || Self.codesByName[folded] != nil {
      rawValue = folded
    } else if let known = Self.aliases[folded] {
      rawValue = known
    } else if Self.isToken(folded) {
      rawValue = folded
    } else {
      throw VaultError(
        .invalidArgument, "an authentication method is an HTTP token of up to 64 characters")
    }
  }

  /// Finds the method of a keychain code; 0 is ``unset``, and an unknown code gives nil.
  public init?(fourCharacterCode: UInt32) {
    guard fourCharacterCode != 0 else {
      self = .unset
      return
    }
    guard let row = Self.rows.first(where: { $0.code == fourCharacterCode }) else { return nil }
    self = row.method
  }

  /// The keychain's `atyp`, 0 if unset; nil for a method that is not in the table.
  ///
  /// The number spells the code from its highest byte, as the stored bytes do; `negotiate`,
  /// `bearer`, `client-certificate` and `server-trust` have codes of ours, the others Apple's.
  public var fourCharacterCode: UInt32? {
    rawValue.isEmpty ? 0 : Self.codesByName[rawValue]
  }

  /// Whether the secret is a password that a person could type; a stored method ``default`` answers
  /// for these methods.
  public var isPassword: Bool {
    switch self {
    case .default, .basic, .digest, .ntlm, .negotiate, .form, .msn, .dpa, .rpa: true
    default: false
    }
  }

  /// Returns whether a credential is sent securely, as
  /// ``ProtectionSpace/receivesCredentialSecurely`` says.
  func isSentSecurely(over protocol: NetworkProtocol) -> Bool {
    if `protocol`.isEncrypted { return true }
    return switch self {
    case .digest, .ntlm, .negotiate, .clientCertificate, .serverTrust: true
    default: false
    }
  }

  private static func isToken(_ name: String) -> Bool {
    name.utf8.count <= 64
      && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
  }
}

extension AuthenticationMethod: Hashable, CustomStringConvertible {
  /// Returns whether the names have the same bytes.
  public static func == (left: AuthenticationMethod, right: AuthenticationMethod) -> Bool {
    left.rawValue.hasSameBytes(as: right.rawValue)
  }

  /// Hashes the name's bytes.
  public func hash(into hasher: inout Hasher) {
    rawValue.hashBytes(into: &hasher)
  }

  /// The canonical name.
  public var description: String { rawValue }
}

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

  /// Apple's `SecAuthenticationType` and, in the last four rows, ours.
  static let rows: [(method: AuthenticationMethod, code: UInt32)] = [
    (.default, 0x6466_6C74),  // dflt
    (.basic, 0x6874_7470),  // http
    (.digest, 0x6874_7464),  // httd
    (.ntlm, 0x6E74_6C6D),  // ntlm
    (.form, 0x666F_726D),  // form
    (.msn, 0x6D73_6E61),  // msna
    (.dpa, 0x6470_6161),  // dpaa
    (.rpa, 0x7270_6161),  // rpaa
    (.negotiate, 0x6E65_676F),  // nego
    (.bearer, 0x6265_6172),  // bear
    (.clientCertificate, 0x6365_7274),  // cert
    (.serverTrust, 0x7472_7374),  // trst
  ]

  static let codesByName = Dictionary(
    rows.map { ($0.method.rawValue, $0.code) }, uniquingKeysWith: { first, _ in first })

  /// Other spellings in lower case.
  static let aliases: [String: String] = {
    var aliases = [
      "httpbasic": "basic", "httpdigest": "digest", "htmlform": "form",
      "clientcertificate": "client-certificate", "servertrust": "server-trust",
    ]
    for row in rows {
      aliases[FourCharacterCode(rawValue: row.code).description] = row.method.rawValue
    }
    return aliases
  }()
}
