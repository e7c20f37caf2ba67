import Foundation
public import FoundationNetworking
import HTTPAuthentication
import SecureMemory
public import VaultModel

extension ProtectionSpace {
  /// Converts Foundation's space, in any spelling.
  ///
  /// Two objects with the same contents give equal values; Foundation's objects compare by identity
  /// on Linux.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` and
  ///   ``VaultModel/VaultError/Code/tooLarge`` if the host, port, protocol, realm or method is
  ///   invalid.
  public init(_ space: URLProtectionSpace) throws(VaultError) {
    let method = try AuthenticationMethod(space.authenticationMethod)
    let realm = space.realm ?? ""
    if let type = space.proxyType {
      try self.init(
        proxyHost: space.host, port: space.port, type: NetworkProtocol(type), realm: realm,
        authenticationMethod: method)
    } else {
      try self.init(
        host: space.host, port: space.port, protocol: NetworkProtocol(space.protocol ?? ""),
        realm: realm, authenticationMethod: method)
    }
  }
}

extension URLProtectionSpace {
  /// Converts a space to Foundation's form; ``VaultModel/ProtectionSpace/init(_:)`` converts it
  /// back.
  ///
  /// The protocol is a URL's scheme, as in URLSession; an unset protocol and an empty realm become
  /// nil. Values for which Foundation has no constant keep our own name.
  public convenience init(_ space: ProtectionSpace) {
    let realm = space.realm.isEmpty ? nil : space.realm
    let method = FoundationNames.constant(for: space.authenticationMethod)
    if space.isProxy {
      self.init(
        proxyHost: space.host.name, port: Int(space.port),
        type: FoundationNames.constant(for: space.protocol), realm: realm,
        authenticationMethod: method)
    } else {
      self.init(
        host: space.host.name, port: Int(space.port),
        protocol: space.protocol == .unset ? nil : space.protocol.rawValue, realm: realm,
        authenticationMethod: method)
    }
  }
}

/// Our names and Foundation's constants, for those that it has on Linux.
///
/// The values of the constants are their own names, also of those that Linux lacks: of client
/// certificates, server trust and FTP.
enum FoundationNames {
  /// Read but never written: URLSession writes a URL's scheme instead, so that is what a challenge
  /// has.
  static let protocols: [(protocol: NetworkProtocol, constant: String)] = [
    (.http, NSURLProtectionSpaceHTTP),
    (.https, NSURLProtectionSpaceHTTPS),
    (.ftp, "NSURLProtectionSpaceFTP"),
  ]

  static let proxyTypes: [(type: NetworkProtocol, constant: String)] = [
    (.httpProxy, NSURLProtectionSpaceHTTPProxy),
    (.httpsProxy, NSURLProtectionSpaceHTTPSProxy),
    (.ftpProxy, "NSURLProtectionSpaceFTPProxy"),
    (.socks, NSURLProtectionSpaceSOCKSProxy),
  ]

  /// Returns Foundation's constant for a method, or our own name if it has none.
  static func constant(for method: AuthenticationMethod) -> String {
    guard let name = method.appleName else { return method.rawValue }
    return "NSURLAuthenticationMethod" + name
  }

  /// Returns Foundation's constant for a kind of proxy, or our own name if it has none.
  static func constant(for proxyType: NetworkProtocol) -> String {
    proxyTypes.first { $0.type == proxyType }?.constant ?? proxyType.rawValue
  }
}

extension Credential {
  /// Creates a credential from Foundation's; its password becomes a secret, but Foundation's own
  /// copy cannot be wiped.
  ///
  /// A credential from a vault is returned unchanged, with its account domain, and its password is
  /// not read.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if it has no user, or no password.
  public init(_ credential: URLCredential) throws(VaultError) {
    if let own = credential as? VaultURLCredential {
      self = own.credential
      return
    }
    guard let user = credential.user else {
      throw VaultError(.invalidArgument, "the credential has no user")
    }
    guard let password = credential.password else {
      throw VaultError(.invalidArgument, "the credential has no password")
    }
    self.init(
      user: user, secret: Secret(password), persistence: Persistence(credential.persistence))
  }
}

extension Persistence {
  /// Converts Foundation's value; a synchronizable credential becomes permanent, and stays on this
  /// machine.
  public init(_ persistence: URLCredential.Persistence) {
    switch persistence {
    case .none: self = .none
    case .forSession: self = .session
    default: self = .permanent
    }
  }
}

extension URLCredential.Persistence {
  /// Converts a persistence to Foundation's value.
  public init(_ persistence: Persistence) {
    switch persistence {
    case .none: self = .none
    case .session: self = .forSession
    case .permanent: self = .permanent
    }
  }
}

extension URLCredential.Persistence {
  /// Whether it is the value that is deprecated on Linux, whose name would cause a warning.
  var isSynchronizable: Bool { rawValue == 3 }
}

/// Foundation's objects for the listed spaces, the same object for a space in every listing.
///
/// `URLProtectionSpace` compares by identity on Linux, so a dictionary of them can be accessed only
/// with its own keys.
final class InternedSpaces: Sendable {
  private let objects = Lock<[ProtectionSpace: URLProtectionSpace]>([:])

  /// Returns the objects of some spaces, and forgets all others, so that there are never more than
  /// are listed.
  func objects(
    for spaces: some Collection<ProtectionSpace>
  ) -> [ProtectionSpace: URLProtectionSpace] {
    objects.withLock { objects in
      var listed: [ProtectionSpace: URLProtectionSpace] = [:]
      for space in spaces { listed[space] = objects[space] ?? URLProtectionSpace(space) }
      objects = listed
      return listed
    }
  }
}

extension HTTPAuthentication.ResponseHead {
  /// Converts Foundation's response; fields with the same name are one field, joined as in RFC 9110
  /// §5.3.
  ///
  /// Only the fields that are read for this status are converted: Foundation searches all fields
  /// for each name.
  init(_ response: HTTPURLResponse) {
    let status = response.statusCode
    var fields: [Field] = []
    for name in Self.namesRead(of: status) {
      if let value = response.value(forHTTPHeaderField: name) { fields.append(Field(name, value)) }
    }
    self.init(status: status, fields: fields)
  }
}

extension AuthorizationField {
  /// The value in the form that Foundation takes: a string that cannot be wiped.
  var text: String {
    value.withRawBytes { bytes in
      // A view of bytes: every bit pattern is valid as UInt8.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}

extension URLRequest {
  /// Returns the request without these fields, if it has them with these values.
  func without(_ fields: [AuthorizationField]) -> URLRequest {
    var request = self
    for field in fields where value(forHTTPHeaderField: field.name) == field.text {
      request.setValue(nil, forHTTPHeaderField: field.name)
    }
    return request
  }
}

extension URLSession {
  /// Whether no more tasks can be made: Foundation ends the process if one is.
  ///
  /// A session may be invalidated once its tasks are done, while answering a challenge needs
  /// another task. Foundation has no property for it; only the mirror shows it. If the mirror lacks
  /// that field, the session counts as valid.
  var isInvalidated: Bool {
    Mirror(reflecting: self).children.first { $0.label == "invalidated" }?.value as? Bool ?? false
  }
}
