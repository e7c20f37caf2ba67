public import SecureMemory
public import VaultModel

/// A private key that a token keeps, by the `pkcs11:` URI that names it (RFC 7512).
///
/// The token's PIN is not part of the URI: it is a secret.
public struct KeyReference: Sendable {
  /// The URI without a PIN: `pkcs11:token=Work;object=ann`.
  public let uri: String
  /// The token's PIN in UTF-8, as `pin-value` would have it; nil if it is not known.
  public let pin: Secret?

  /// Reads a URI, and adds a PIN that comes from elsewhere.
  ///
  /// - Parameters:
  ///   - uri: The URI, which has no PIN: texts stay in memory, and arguments show to every user.
  ///   - pin: The token's PIN; nil if it is not known, or the token has none.
  /// - Throws: ``VaultError/Code/invalidArgument`` as ``init(uri:)`` says, and for a `pin-value`.
  public init(uri: String, pin: Secret? = nil) throws(VaultError) {
    guard !uri.contains("pin-value") else {
      throw Self.invalid("its PIN would be in an ordinary text; give it apart from the URI")
    }
    try self.init(Secret(uri), pin)
  }

  /// Reads a URI that may have a PIN.
  ///
  /// - Parameter uri: The URI, 4 KiB at most.
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is malformed, has an attribute that is
  ///   unknown or is there twice, names neither an object nor its id, or names another kind of
  ///   object than a private key. Also for `pin-source` and `module-path`, by which whoever wrote
  ///   the URI chooses what is run by those who use it.
  public init(uri: Secret) throws(VaultError) {
    try self.init(uri, nil)
  }

  private init(_ text: Secret, _ pin: Secret?) throws(VaultError) {
    let parts = try TokenURI(text)
    uri = parts.withoutPIN
    self.pin = pin ?? parts.pin
  }

  /// The URI with the PIN as `pin-value`, for programs that have no other way to get it.
  public var whole: Secret {
    guard let pin else { return Secret(uri) }
    var text = SecretBuffer()
    Secret(uri + (uri.contains("?") ? "&" : "?") + "pin-value=").withRawBytes { text.append($0) }
    for index in 0..<pin.count {
      PercentEncoding.encode(pin[index]) { text.append($0) }
    }
    return text.secret(0..<text.count)
  }

  /// Returns the URI with a file that has the PIN (`pin-source`), which may be in arguments.
  ///
  /// - Parameter path: An absolute path of unreserved characters and slashes.
  /// - Returns: The URI, which has no PIN itself.
  public func uri(pinFile path: String) -> String {
    "\(uri)\(uri.contains("?") ? "&" : "?")pin-source=file:\(path)"
  }

  static func invalid(_ reason: String) -> VaultError {
    VaultError(.invalidArgument, "pkcs11: \(reason)")
  }
}

extension KeyReference: CustomStringConvertible, CustomReflectable {
  /// The URI without a PIN.
  public var description: String { uri }

  /// A mirror that shows the URI only.
  public var customMirror: Mirror { Mirror(self, children: ["uri": uri]) }
}
