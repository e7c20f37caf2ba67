public import CVault
import HTTPAuthentication
import KeychainServices
import SecureMemory
import VaultModel

// Each reference is what `vault_cfnetwork.h` says of it; it is looked up, and not kept.

/// Sets the body of a message; the contract is in `vault_cfnetwork.h`, as for all of these.
@c @implementation
public func VaultHTTPMessageSetBody(_ message: VaultHTTPMessageRef?, _ body: VaultCFDataRef?) {
  // The data are the caller's, and read before this returns; a failure is told by the text of the
  // last error alone.
  _ = status { () throws(VaultError) in
    let handle = try MessageHandle.at(message)
    let bytes = unsafe CFObjects.bytes(of: body)
    try handle.change { (content) throws(VaultError) in content.setBody(bytes) }
  }
}

/// Copies the body that was set.
@c @implementation
public func VaultHTTPMessageCopyBody(_ message: VaultHTTPMessageRef?) -> VaultCFDataRef? {
  unsafe copied { () throws(VaultError) in
    guard let body = unsafe content(of: message)?.body else { return nil }
    return try unsafe CFObjects.data(body)
  }
}

/// Copies all fields.
@c @implementation
public func VaultHTTPMessageCopyAllHeaderFields(
  _ message: VaultHTTPMessageRef?
) -> VaultCFDictionaryRef? {
  unsafe copied { () throws(VaultError) in
    guard let content = unsafe content(of: message), content.isComplete else { return nil }
    var names: [String] = []
    for field in content.fields
    where !names.contains(where: { $0.lowercased() == field.name.lowercased() }) {
      names.append(field.name)
    }
    var entries: [(key: String, value: OwnedObject)] = []
    for name in names {
      entries.append((name, try OwnedObject(.text(content.value(of: name) ?? ""))))
    }
    for field in content.applied.map(\.field) {
      entries.append((field.name, try OwnedObject(string: field.value)))
    }
    // A dictionary is an object of this type.
    return unsafe OpaquePointer(try OwnedObject(entries).givenOut())
  }
}

/// Copies a message as it is sent.
@c @implementation
public func VaultHTTPMessageCopySerializedMessage(
  _ message: VaultHTTPMessageRef?
) -> VaultCFDataRef? {
  unsafe copied { () throws(VaultError) in
    guard let content = unsafe content(of: message), content.isComplete else { return nil }
    return unsafe OpaquePointer(try content.serialized().givenOut())
  }
}

extension MessageContent {
  /// Returns data with the first line, the fields and the body.
  ///
  /// The bytes are appended to data that are wiped with their last owner, because a field may be a
  /// secret.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if a text would begin a new line.
  fileprivate func serialized() throws(VaultError) -> OwnedObject {
    let data = try OwnedObject.mutableData()
    func append(_ text: String) throws(VaultError) {
      guard text.utf8.allSatisfy({ $0 != 10 && $0 != 13 }) else {
        throw VaultError(.invalidData, "a line end in a line of a message")
      }
      // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
      data.append(unsafe text.utf8.span.bytes)
    }
    func endLine() { data.append(unsafe "\r\n".utf8.span.bytes) }
    if let url, let request {
      try append("\(request.method) \(url.url.target) \(version)")
      endLine()
      if value(of: "Host") == nil, version != "HTTP/1.0" {
        try append("Host: \(url.url.origin.host.name)\(url.port.map { ":\($0)" } ?? "")")
        endLine()
      }
    } else {
      try append("\(version) \(status) \(reason)")
      endLine()
    }
    for field in fields {
      try append("\(field.name): \(field.value)")
      endLine()
    }
    for field in applied.map(\.field) {
      try append("\(field.name): ")
      field.value.withRawBytes { data.append($0) }
      endLine()
    }
    endLine()
    if let body { data.append(unsafe body.span.bytes) }
    return data
  }
}
