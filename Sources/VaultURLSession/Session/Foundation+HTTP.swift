import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory

extension HTTPAuthentication.ResponseHead {
  /// Takes what Foundation says of a response: fields of one name are one, as RFC 9110 §5.3 joins them.
  ///
  /// Only what is read of a response with this status: Foundation looks through all fields for each name.
  init(_ response: HTTPURLResponse) {
    let status = response.statusCode
    var fields: [Field] = []
    for name in Self.namesRead(of: status) {
      if let value = response.value(forHTTPHeaderField: name) { fields.append(Field(name, value)) }
    }
    self.init(status: status, fields: fields)
  }
}

extension AuthorizationField {
  /// The value as Foundation takes it: a string that cannot be wiped.
  var text: String {
    value.withRawBytes { bytes in
      // A view of bytes: every bit pattern is valid as UInt8.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}

extension URLRequest {
  /// The same request without these fields, if they are in it with these values.
  func without(_ fields: [AuthorizationField]) -> URLRequest {
    var request = self
    for field in fields where value(forHTTPHeaderField: field.name) == field.text {
      request.setValue(nil, forHTTPHeaderField: field.name)
    }
    return request
  }
}

extension URLSession {
  /// Whether no task can be made any more: Foundation ends the process if one is.
  ///
  /// A session may be told to end when its tasks are done, and what follows on a challenge is another task. Foundation says
  /// nothing of it; only the mirror shows it. Where that has no such field, a session counts as good.
  var isInvalidated: Bool {
    Mirror(reflecting: self).children.first { $0.label == "invalidated" }?.value as? Bool ?? false
  }
}
