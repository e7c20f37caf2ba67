// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for NIO's fields of a message.
public struct HTTPHeaders: Sequence, Sendable {
  private var fields: [(name: String, value: String)]

  public init(_ fields: [(String, String)] = []) {
    self.fields = fields.map { (name: $0.0, value: $0.1) }
  }

  public mutating func replaceOrAdd(name: String, value: String) {
    fields.removeAll { $0.name.lowercased() == name.lowercased() }
    fields.append((name: name, value: value))
  }

  public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> {
    fields.makeIterator()
  }
}

/// Stands in for NIO's method, an enumeration there.
public struct HTTPMethod: RawRepresentable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let GET = HTTPMethod(rawValue: "GET")
}

/// Stands in for NIO's status, an enumeration there.
public struct HTTPResponseStatus: Sendable {
  public let code: UInt

  public init(statusCode: Int) { code = UInt(statusCode) }
}
