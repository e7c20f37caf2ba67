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
    if folded.isEmpty || AuthenticationMethod(rawValue: folded).facts != nil {
      rawValue = folded
    } else if let known = Self.named(otherwise: folded) {
      rawValue = known.rawValue
    } else if Self.isHTTPToken(folded) {
      rawValue = folded
    } else {
      throw VaultError(
        .invalidArgument, "an authentication method is an HTTP token of up to 64 characters")
    }
  }

  private static func isHTTPToken(_ name: String) -> Bool {
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
