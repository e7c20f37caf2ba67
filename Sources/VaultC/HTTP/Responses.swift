public import CVault
import HTTPAuthentication
import VaultModel

// Each pointer is what `vault_http.h` says of it; it is checked for NULL, and not kept.

/// Describes a response; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_response_create(
  _ status: UInt32, _ response: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: response) { () throws(VaultError) in
    guard 100...999 ~= status else {
      throw VaultError(.invalidArgument, "a status of HTTP is 100 to 999")
    }
    return ResponseHandle(status: Int(status))
  }
}

/// Frees a response; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_response_free(_ response: OpaquePointer?) -> vault_status_t {
  guard unsafe response != nil else { return VAULT_OK }
  return status { () throws(VaultError) in try ResponseHandle.at(response).end() }
}

/// Adds a field to a response; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_response_add_field(
  _ response: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ name_count: Int,
  _ value: UnsafePointer<CChar>?, _ value_count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ResponseHandle.at(response)
    let name = try unsafe Input.text(required(name), name_count)
    let value = try unsafe Input.fieldValue(value, value_count)
    handle.add(ResponseHead.Field(name, value))
  }
}

/// Sets the connection of a response; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_response_set_connection(
  _ response: OpaquePointer?, _ number: UInt64, _ binding: UnsafePointer<UInt8>?,
  _ binding_count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ResponseHandle.at(response)
    // The caller says that it is so long; it is read before this returns.
    let binding = try unsafe Input.data(binding, binding_count)
    handle.connection = ClientConnection(number: number, binding: binding)
  }
}

extension Input {
  /// Copies the value of a field, without surrounding blanks.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it contains NUL, or is NULL and not empty;
  ///   ``VaultError/Code/tooLarge``.
  fileprivate static func fieldValue(
    _ bytes: UnsafeRawPointer?, _ count: Int
  ) throws(VaultError) -> String {
    // The caller says that it is so long; it is read before this returns.
    try fieldValue(of: unsafe data(bytes, count)[...])
  }

  /// Returns the text of a field, without surrounding blanks.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it contains NUL.
  static func fieldValue(of bytes: ArraySlice<UInt8>) throws(VaultError) -> String {
    let blanks: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t")]
    var value = bytes
    while let first = value.first, blanks.contains(first) { value.removeFirst() }
    while let last = value.last, blanks.contains(last) { value.removeLast() }
    guard !value.contains(0) else { throw VaultError(.invalidArgument, "a text holds NUL") }
    if let text = String(validating: value, as: UTF8.self) { return text }
    var text = ""
    for byte in value { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }
}
