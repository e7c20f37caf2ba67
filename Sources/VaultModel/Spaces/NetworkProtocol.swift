/// The protocol of a server or the kind of a proxy, by its canonical name.
///
/// The name is the URL scheme if there is one (`https`), `http-proxy` and the like for proxies, and
/// empty when unset. Names compare on bytes.
public struct NetworkProtocol: RawRepresentable, Sendable {
  /// The canonical name.
  public let rawValue: String

  /// Takes a name that is already canonical; ``init(_:)`` reads every other.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Reads a protocol's name in any spelling.
  ///
  /// Upper case, Apple's four-character codes (`htps`, `ftp `), Foundation's constants
  /// (`NSURLProtectionSpaceHTTPS`, `SOCKS`) and the proxy schemes that curl reads (`socks5h`) fold
  /// to the canonical name. Other names are kept in lower case. Empty text is ``unset``.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not an RFC 3986 §3.1 scheme of at most
  ///   64 characters.
  public init(_ name: String) throws(VaultError) {
    // Most are these, and every item that is stored is checked.
    guard !name.hasSameBytes(as: "https"), !name.hasSameBytes(as: "http") else {
      rawValue = name
      return
    }
    let folded = name.lowercasedASCII
    if folded.isEmpty || Self.rowsByName[folded] != nil {
      rawValue = folded
    } else if let known = Self.aliases[folded] {
      rawValue = known
    } else if Self.isScheme(folded) {
      rawValue = folded
    } else {
      throw VaultError(
        .invalidArgument,
        "a protocol is a letter and up to 63 letters, digits, '+', '-' or '.'")
    }
  }

  /// Finds the protocol of a keychain code; 0 is ``unset``, and an unknown code gives nil.
  package init?(fourCharacterCode: UInt32) {
    guard fourCharacterCode != 0 else {
      self = .unset
      return
    }
    guard let name = Self.namesByCode[fourCharacterCode] else { return nil }
    rawValue = name
  }

  /// Apple's `SecProtocolType`, 0 if unset; nil for a protocol that Apple has no code for.
  ///
  /// The number spells the code from its highest byte: `http` is 0x68747470.
  package var fourCharacterCode: UInt32? {
    rawValue.isEmpty ? 0 : Self.rowsByName[rawValue]?.code
  }

  /// The port that is used if none is given, or nil if the protocol has none.
  public var defaultPort: UInt16? {
    Self.rowsByName[rawValue]?.port
  }

  /// Whether it is a kind of proxy and not a server's protocol.
  public var isProxy: Bool {
    Self.rowsByName[rawValue]?.isProxy ?? false
  }

  /// Whether TLS or SSH protects it from the first byte; a later upgrade of the connection does not
  /// count.
  package var isEncrypted: Bool {
    Self.rowsByName[rawValue]?.isEncrypted ?? false
  }

  /// The kind of proxy that relays this protocol (`https` → `https-proxy`), or itself if it is one.
  var proxyKind: NetworkProtocol? {
    if isProxy { return self }
    let kind = NetworkProtocol(rawValue: rawValue + "-proxy")
    return kind.isProxy ? kind : nil
  }

  private static func isScheme(_ name: String) -> Bool {
    guard let first = name.utf8.first, first.isLowercaseLetter, name.utf8.count <= 64 else {
      return false
    }
    return name.utf8.allSatisfy {
      $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: ".")
    }
  }
}

extension NetworkProtocol: Hashable, CustomStringConvertible {
  /// Returns whether the names have the same bytes.
  public static func == (left: NetworkProtocol, right: NetworkProtocol) -> Bool {
    left.rawValue.hasSameBytes(as: right.rawValue)
  }

  /// Hashes the name's bytes.
  public func hash(into hasher: inout Hasher) {
    rawValue.hashBytes(into: &hasher)
  }

  /// The canonical name.
  public var description: String { rawValue }
}
