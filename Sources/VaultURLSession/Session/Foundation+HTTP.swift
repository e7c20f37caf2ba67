import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory

extension HTTPAuthentication.HTTPResponse {
  /// Takes what Foundation says of a response: fields of one name are one, as RFC 9110 §5.3 joins them.
  ///
  /// Only what is read: taking all fields costs as much as the rest of a request's authentication.
  init(_ response: HTTPURLResponse) {
    var fields: [Field] = []
    for name in Self.namesRead {
      if let value = response.value(forHTTPHeaderField: name) { fields.append(Field(name, value)) }
    }
    self.init(status: response.statusCode, fields: fields)
  }
}

extension AuthorizationField {
  /// The value as Foundation takes it: a string that cannot be wiped.
  var text: String {
    value.withBytes { bytes in
      // A view of bytes: every bit pattern is valid as UInt8.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}

extension URLRequest {
  /// The same request, its body stream read to the end: a stream cannot be sent twice.
  ///
  /// - Throws: The stream's error.
  func withRepeatableBody() throws -> URLRequest {
    guard let stream = httpBodyStream else { return self }
    stream.open()
    defer { stream.close() }
    var body = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      // The stream writes at most as many bytes as it is told that there are.
      let count = unsafe stream.read(&buffer, maxLength: buffer.count)
      guard count >= 0 else { throw stream.streamError ?? URLError(.cannotOpenFile) }
      guard count > 0 else { break }
      body.append(contentsOf: buffer[..<count])
    }
    var request = self
    request.httpBody = body
    return request
  }
}
