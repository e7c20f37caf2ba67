/// The place that a credential is for: a server or proxy, and the realm and method there.
///
/// A value, canonical from construction: two spaces made from different spellings are equal and
/// hash alike. A space of a server never equals one of a proxy. Realms compare on bytes and are
/// case-sensitive; an absent realm is the empty one.
public struct ProtectionSpace: Hashable, Sendable {
  /// The server or proxy; never unset.
  public let host: HostName
  /// The port, the protocol's default if none was given; 0 if the protocol has no default.
  public let port: UInt16
  /// The server's protocol or the kind of proxy.
  public let `protocol`: NetworkProtocol
  /// The authentication method.
  public private(set) var authenticationMethod: AuthenticationMethod
  private let realmText: ByteText

  /// The realm, exactly as the server wrote it; empty if it named none.
  public var realm: String { realmText.text }

  /// Creates a space of a server, or of a proxy if the protocol is a kind of proxy.
  ///
  /// - Parameters:
  ///   - host: As ``HostName/init(_:)`` reads it, not empty.
  ///   - port: 1 to 65535; nil or 0 for the protocol's default.
  ///   - protocol: The protocol, ``NetworkProtocol/https`` unless given.
  ///   - realm: At most 4096 bytes without NUL.
  ///   - authenticationMethod: The method, ``AuthenticationMethod/default`` unless given.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the host, port or realm is invalid;
  ///   ``VaultError/Code/tooLarge`` for a longer realm.
  public init(
    host: String, port: Int? = nil, protocol: NetworkProtocol = .https, realm: String = "",
    authenticationMethod: AuthenticationMethod = .default
  ) throws(VaultError) {
    guard let number = UInt16(exactly: port ?? 0) else {
      throw VaultError(.invalidArgument, "port: not in 1 to 65535")
    }
    try self.init(
      host: HostName(host), port: number, protocol: `protocol`, realm: realm,
      authenticationMethod: authenticationMethod)
  }

  /// Creates a space of the server or proxy that a URL names; its user, password and path are
  /// ignored.
  ///
  /// - Parameters:
  ///   - url: Absolute, with a host; a second `@`, a backslash, blanks and control characters are
  ///     refused, because parsers disagree on which host is meant.
  ///   - realm: At most 4096 bytes without NUL.
  ///   - authenticationMethod: The method, ``AuthenticationMethod/default`` unless given.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the URL or realm is invalid;
  ///   ``VaultError/Code/tooLarge`` for a longer realm.
  public init(
    url: String, realm: String = "", authenticationMethod: AuthenticationMethod = .default
  ) throws(VaultError) {
    let reference = try URLReference(url)
    try self.init(
      host: reference.host, port: reference.port ?? 0, protocol: reference.protocol, realm: realm,
      authenticationMethod: authenticationMethod)
  }

  /// Creates a space of a proxy.
  ///
  /// - Parameters:
  ///   - proxyHost: As ``HostName/init(_:)`` reads it, not empty.
  ///   - port: 1 to 65535; nil or 0 for the default, which only SOCKS has.
  ///   - type: The kind of proxy, or the protocol that it relays: ``NetworkProtocol/http`` means
  ///     ``NetworkProtocol/httpProxy``, as on Darwin, where the two have one name.
  ///   - realm: At most 4096 bytes without NUL.
  ///   - authenticationMethod: The method, ``AuthenticationMethod/default`` unless given.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the host, port, type or realm is invalid;
  ///   ``VaultError/Code/tooLarge`` for a longer realm.
  public init(
    proxyHost: String, port: Int? = nil, type: NetworkProtocol, realm: String = "",
    authenticationMethod: AuthenticationMethod = .default
  ) throws(VaultError) {
    guard let kind = type.proxyKind else {
      throw VaultError(.invalidArgument, "proxy: there is no kind of proxy for this protocol")
    }
    try self.init(
      host: proxyHost, port: port, protocol: kind, realm: realm,
      authenticationMethod: authenticationMethod)
  }

  /// Creates a space from parts that are already canonical; port 0 is the protocol's default.
  package init(
    host: HostName, port: UInt16, protocol: NetworkProtocol, realm: String,
    authenticationMethod: AuthenticationMethod
  ) throws(VaultError) {
    guard !host.isUnset else { throw VaultError(.invalidArgument, "host: empty") }
    guard !realm.containsNUL else { throw VaultError(.invalidArgument, "realm: holds NUL") }
    guard realm.utf8.count <= Item.longestText else {
      throw VaultError(.tooLarge, "realm: longer than \(Item.longestText) bytes")
    }
    self.host = host
    self.port = port == 0 ? `protocol`.defaultPort ?? 0 : port
    self.protocol = `protocol`
    self.authenticationMethod = authenticationMethod
    realmText = ByteText(text: realm)
  }

  /// The same space without its method, by which a store groups its items.
  package var withoutMethod: ProtectionSpace {
    var space = self
    space.authenticationMethod = .default
    return space
  }

  /// Whether it is a space of a proxy.
  public var isProxy: Bool { `protocol`.isProxy }

  /// Whether a credential that is sent here is not sent in clear.
  ///
  /// | protocol | method | secure |
  /// |---|---|---|
  /// | encrypted from the first byte, HTTPS proxies among them | any | yes |
  /// | any other | `digest`, `ntlm`, `negotiate` | yes: a response is sent, never the password |
  /// | any other | `client-certificate`, `server-trust` | yes: no secret is sent |
  /// | any other | `default`, `basic`, `form`, `bearer`, unset, unknown | no |
  /// | any other | `msn`, `dpa`, `rpa` | no: nothing public shows that they are |
  ///
  /// Apple's rule is HTTPS, FTPS, HTTPS proxies and Digest; Foundation's on Linux knows neither
  /// upper case, nor HTTPS proxies, nor any method. Digest and NTLM responses can be attacked
  /// offline, which is why a policy may ask for more. A protocol whose connection is upgraded
  /// later, such as SMTP with STARTTLS, is not encrypted for this purpose: the upgrade can be
  /// stripped. Whether loopback is harmless is a matter of policy, not a property of a space.
  public var receivesCredentialSecurely: Bool {
    authenticationMethod.isSentSecurely(over: `protocol`)
  }
}

/// A space as a key by which a store groups its items, whatever their method.
///
/// ``ProtectionSpace/withoutMethod`` is a copy, which costs as much as the rest of a lookup.
package struct SpaceOfAnyMethod: Hashable, Sendable {
  @usableFromInline package let space: ProtectionSpace

  @inlinable package init(_ space: ProtectionSpace) {
    self.space = space
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.space.host == right.space.host && left.space.port == right.space.port
      && left.space.protocol == right.space.protocol
      && left.space.realm.hasSameBytes(as: right.space.realm)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(space.host)
    hasher.combine(space.port)
    hasher.combine(space.protocol)
    space.realm.hashBytes(into: &hasher)
  }
}

extension ProtectionSpace: CustomStringConvertible {
  /// The space for people: `https://git.example.com:8443 "Team Git" basic`.
  ///
  /// A default port, an empty realm and the method `default` are omitted. A server chooses its
  /// realm, so quotes, control and formatting characters are escaped.
  public var description: String {
    var text = `protocol` == .unset ? "//" : "\(`protocol`)://"
    text += host.urlText
    if port != `protocol`.defaultPort ?? 0 { text += ":\(port)" }
    if !realm.isEmpty {
      text += " \"" + realm.escaped + "\""
    }
    if authenticationMethod != .default, authenticationMethod != .unset {
      text += " \(authenticationMethod)"
    }
    return text
  }
}
