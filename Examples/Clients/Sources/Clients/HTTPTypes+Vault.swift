import HTTPAuthentication
import HTTPTypes

extension RequestHead {
  /// Describes a request of swift-http-types.
  init(_ request: HTTPRequest) throws {
    try self.init(
      method: request.method.rawValue, scheme: request.scheme, authority: request.authority,
      path: request.path)
  }
}

extension ResponseHead {
  /// Describes a response of swift-http-types.
  init(_ response: HTTPResponse) {
    let fields = response.headerFields.lazy.map { (name: $0.name.rawName, value: $0.value) }
    self.init(status: response.status.code, fields: fields)
  }
}

extension HTTPRequest {
  /// Creates the request that a description is of, without fields.
  init?(_ head: RequestHead) {
    guard let method = Method(rawValue: head.method) else { return nil }
    self.init(
      method: method, scheme: head.url.scheme, authority: head.url.authority,
      path: head.url.target)
  }

  /// Adds an `Authorization` or `Proxy-Authorization` field.
  mutating func add(_ field: AuthorizationField) throws {
    guard let name = HTTPField.Name(field.name) else { return }
    try field.value.withUTF8String { headerFields[name] = $0 }
  }
}

extension HTTPResponse {
  /// Creates the response that a description is of.
  init(_ head: ResponseHead) {
    self.init(status: Status(code: head.status))
    for field in head.fields {
      guard let name = HTTPField.Name(field.name) else { continue }
      headerFields.append(HTTPField(name: name, value: field.value))
    }
  }
}
