package import SecureMemory
package import VaultModel

/// The answer of an issuer of tokens: a JSON object, read in guarded memory.
///
/// - Source: RFC 6749 §5.1 and §5.2, and the token service of container registries, which has the
///   token under two names.
package struct TokenDocument: Sendable {
  /// The largest document that is read, in bytes.
  package static let longest = 64 << 10

  /// The token; nil if there is none, as in an error.
  package private(set) var token: Secret?
  /// The refresh token; nil if there is none.
  package private(set) var refreshToken: Secret?
  /// The type of the token, such as `Bearer`; empty if it is not said.
  package private(set) var type = ""
  /// The seconds until the token expires; nil if it is not said.
  package private(set) var lifetime: Int64?
  /// The reason why there is no token, such as `invalid_grant`; empty if there is none.
  package private(set) var error = ""

  /// Reads a document.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` above ``longest``; ``VaultError/Code/invalidData`` if
  ///   it is not one JSON object, has a name twice, or has another kind of value where it matters.
  ///   Neither repeats what the document says.
  package init(_ body: Secret) throws(VaultError) {
    guard body.count <= Self.longest else {
      throw VaultError(.tooLarge, "token: an answer longer than \(Self.longest) bytes")
    }
    var limits = JSONReader.Limits()
    limits.depth = 16
    do throws(VaultError) {
      try read(JSONReader(ByteSource(body), limits: limits))
    } catch {
      throw VaultError(.invalidData, "token: \(error.context)")
    }
    if token?.count == 0 { token = nil }
    if refreshToken?.count == 0 { refreshToken = nil }
  }

  private mutating func read(_ json: JSONReader) throws(VaultError) {
    while let name = try json.nextMember() {
      switch name {
      case "access_token": token = try json.secret()
      case "token":
        let other = try json.secret()
        token = token ?? other
      case "refresh_token": refreshToken = try json.secret()
      case "token_type": type = try json.string()
      case "error": error = try json.string()
      case "expires_in": lifetime = try Self.seconds(json)
      default: try json.skip()
      }
    }
  }

  /// Reads a number of seconds, which some issuers quote or give a fraction.
  private static func seconds(_ json: JSONReader) throws(VaultError) -> Int64 {
    let number =
      try json.kind() == .string ? Int64(json.string()) : try json.truncatedNumber()
    guard let number, number.magnitude < 1_000_000_000_000_000 else {
      throw json.invalid("no number of seconds")
    }
    return number
  }
}
