import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory

extension HTTPAuthentication.ResponseHead {
  /// Converts Foundation's response; fields with the same name are one field, joined as in RFC 9110
  /// §5.3.
  ///
  /// Only the fields that are read for this status are converted: Foundation searches all fields
  /// for each name.
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
  /// The value in the form that Foundation takes: a string that cannot be wiped.
  var text: String {
    value.withRawBytes { bytes in
      // A view of bytes: every bit pattern is valid as UInt8.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}

extension URLRequest {
  /// Returns the request without these fields, if it has them with these values.
  func without(_ fields: [AuthorizationField]) -> URLRequest {
    var request = self
    for field in fields where value(forHTTPHeaderField: field.name) == field.text {
      request.setValue(nil, forHTTPHeaderField: field.name)
    }
    return request
  }
}

extension URLSession {
  /// Whether no more tasks can be made: Foundation ends the process if one is.
  ///
  /// A session may be invalidated once its tasks are done, while answering a challenge needs
  /// another task. Foundation has no property for it; only the mirror shows it. If the mirror lacks
  /// that field, the session counts as valid.
  var isInvalidated: Bool {
    Mirror(reflecting: self).children.first { $0.label == "invalidated" }?.value as? Bool ?? false
  }
}
