import VaultModel

/// The parts of a response that authentication needs.
public struct ResponseHead: Sendable {
  /// One field line.
  public struct Field: Sendable {
    /// The name, in any case.
    public let name: String
    /// The value, without surrounding blanks.
    public let value: String

    /// Creates a field from its name and value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The status code.
  public let status: Int
  /// All fields in their order; a name may occur several times.
  public let fields: [Field]

  /// Creates a response.
  public init(status: Int, fields: [Field]) {
    self.status = status
    self.fields = fields
  }

  /// Returns the names of the fields that authentication reads in a response with this status.
  package static func namesRead(of status: Int) -> [String] {
    switch status {
    case 401: ["WWW-Authenticate"] + proofs
    case 407: ["Proxy-Authenticate"] + proofs
    default: proofs
    }
  }

  private static let proofs = ["Authentication-Info", "Proxy-Authentication-Info"]

  /// Returns the values of all fields with a name, in any case of ASCII letters, in their order.
  func values(of name: String) -> [String] {
    fields.lazy.filter { $0.name.hasSameBytesIgnoringCase(as: name) }.map(\.value)
  }
}
