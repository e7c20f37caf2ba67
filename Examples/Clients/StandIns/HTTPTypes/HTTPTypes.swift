// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for a field of a message.
public struct HTTPField: Sendable {
  /// Stands in for a field's name.
  public struct Name: Sendable {
    public let rawName: String

    public init?(_ name: String) {
      guard !name.isEmpty else { return nil }
      rawName = name
    }
  }

  public let name: Name
  public let value: String

  public init(name: Name, value: String) {
    self.name = name
    self.value = value
  }
}

/// Stands in for the fields of a message.
public struct HTTPFields: Sequence, Sendable {
  private var fields: [HTTPField] = []

  public init() {}

  public mutating func append(_ field: HTTPField) { fields.append(field) }

  public subscript(name: HTTPField.Name) -> String? {
    get { fields.first { $0.name.rawName.lowercased() == name.rawName.lowercased() }?.value }
    set {
      fields.removeAll { $0.name.rawName.lowercased() == name.rawName.lowercased() }
      if let newValue { append(HTTPField(name: name, value: newValue)) }
    }
  }

  public func makeIterator() -> IndexingIterator<[HTTPField]> { fields.makeIterator() }
}

/// Stands in for a request.
public struct HTTPRequest: Sendable {
  /// Stands in for the method.
  public struct Method: RawRepresentable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) { self.rawValue = rawValue }
  }

  public var method: Method
  public var scheme: String?
  public var authority: String?
  public var path: String?
  public var headerFields: HTTPFields

  public init(
    method: Method, scheme: String?, authority: String?, path: String?,
    headerFields: HTTPFields = HTTPFields()
  ) {
    self.method = method
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.headerFields = headerFields
  }
}

/// Stands in for a response.
public struct HTTPResponse: Sendable {
  /// Stands in for the status.
  public struct Status: Sendable {
    public let code: Int

    public init(code: Int) { self.code = code }
  }

  public var status: Status
  public var headerFields: HTTPFields

  public init(status: Status, headerFields: HTTPFields = HTTPFields()) {
    self.status = status
    self.headerFields = headerFields
  }
}
