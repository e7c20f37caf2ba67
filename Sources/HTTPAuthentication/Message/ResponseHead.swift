import VaultModel

/// What authentication has to know of a response.
public struct ResponseHead: Sendable {
  /// One field line.
  public struct Field: Sendable {
    /// The name, in any case.
    public let name: String
    /// The value, without the blanks around it.
    public let value: String

    /// Makes a field of its name and value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The status code.
  public let status: Int
  /// All fields in their order; one name may come several times.
  public let fields: [Field]

  /// Describes a response.
  public init(status: Int, fields: [Field]) {
    self.status = status
    self.fields = fields
  }

  /// The names of the fields that authentication reads of a response with a status.
  package static func namesRead(of status: Int) -> [String] {
    switch status {
    case 401: ["WWW-Authenticate"] + proofs
    case 407: ["Proxy-Authenticate"] + proofs
    default: proofs
    }
  }

  private static let proofs = ["Authentication-Info", "Proxy-Authentication-Info"]

  /// The values of all fields with a name, in any case of ASCII letters, in their order.
  func values(of name: String) -> [String] {
    fields.lazy.filter { $0.name.hasSameBytesIgnoringCase(as: name) }.map(\.value)
  }
}
