public import CVault
import HTTPAuthentication
import VaultModel

// Each reference is what `vault_cfnetwork.h` says of it; it is looked up, and not kept.

/// Returns the type of messages; the contract is in `vault_cfnetwork.h`, as for all of these.
@c @implementation
public func VaultHTTPMessageGetTypeID() -> VaultCFTypeID {
  VaultCFTypeID(HandleKind.message.rawValue)
}

/// Makes a request.
@c @implementation
public func VaultHTTPMessageCreateRequest(
  _ allocator: VaultCFAllocatorRef?, _ method: VaultCFStringRef?, _ url: VaultCFURLRef?,
  _ version: VaultCFStringRef?
) -> VaultHTTPMessageRef? {
  unsafe created { () throws(VaultError) in
    guard let method = unsafe CFObjects.text(of: UnsafeRawPointer(method)), !method.isEmpty,
      let url = unsafe URLHandle.find(UnsafeRawPointer(url))
    else { return nil }
    let version = unsafe CFObjects.text(of: UnsafeRawPointer(version))
    return MessageHandle(MessageContent(method, url, version: version))
  }
}

/// Makes a response.
@c @implementation
public func VaultHTTPMessageCreateResponse(
  _ allocator: VaultCFAllocatorRef?, _ status: VaultCFIndex, _ description: VaultCFStringRef?,
  _ version: VaultCFStringRef?
) -> VaultHTTPMessageRef? {
  unsafe created { () throws(VaultError) in
    guard 100...999 ~= status else { return nil }
    return MessageHandle(
      MessageContent(
        status: status, reason: unsafe CFObjects.text(of: UnsafeRawPointer(description)),
        version: unsafe CFObjects.text(of: UnsafeRawPointer(version))))
  }
}

/// Makes a response that is still to be read.
@c @implementation
public func VaultHTTPMessageCreateEmpty(
  _ allocator: VaultCFAllocatorRef?, _ is_request: UInt8
) -> VaultHTTPMessageRef? {
  unsafe created { () throws(VaultError) in
    is_request == 0 ? MessageHandle(MessageContent(status: nil)) : nil
  }
}

/// Reads bytes of a response.
@c @implementation
public func VaultHTTPMessageAppendBytes(
  _ message: VaultHTTPMessageRef?, _ bytes: UnsafePointer<UInt8>?, _ count: VaultCFIndex
) -> UInt8 {
  // The caller says that there are so many bytes; they are read before this returns.
  let outcome = status { () throws(VaultError) in
    let handle = try MessageHandle.at(message)
    let bytes = try unsafe Input.data(bytes, count)
    try handle.change { (content) throws(VaultError) in try content.append(bytes) }
  }
  return outcome == VAULT_OK ? 1 : 0
}

/// Returns whether all fields are there.
@c @implementation
public func VaultHTTPMessageIsHeaderComplete(_ message: VaultHTTPMessageRef?) -> UInt8 {
  unsafe content(of: message)?.isComplete == true ? 1 : 0
}

/// Returns whether a message is a request.
@c @implementation
public func VaultHTTPMessageIsRequest(_ message: VaultHTTPMessageRef?) -> UInt8 {
  unsafe content(of: message)?.isRequest == true ? 1 : 0
}

/// Copies the value of a field.
@c @implementation
public func VaultHTTPMessageCopyHeaderFieldValue(
  _ message: VaultHTTPMessageRef?, _ name: VaultCFStringRef?
) -> VaultCFStringRef? {
  unsafe copied { () throws(VaultError) in
    guard let content = unsafe content(of: message),
      let name = unsafe CFObjects.text(of: UnsafeRawPointer(name))
    else { return nil }
    for field in content.applied.map(\.field)
    where field.name.lowercased() == name.lowercased() {
      return try unsafe CFObjects.string(field.value)
    }
    guard let value = content.value(of: name) else { return nil }
    return try unsafe CFObjects.string(value)
  }
}

/// Sets a field.
@c @implementation
public func VaultHTTPMessageSetHeaderFieldValue(
  _ message: VaultHTTPMessageRef?, _ name: VaultCFStringRef?, _ value: VaultCFStringRef?
) {
  // The texts are the caller's, and read before this returns; a failure is told by the text of the
  // last error alone.
  _ = status { () throws(VaultError) in
    let handle = try MessageHandle.at(message)
    guard let name = unsafe CFObjects.text(of: UnsafeRawPointer(name)) else { return }
    let value = unsafe CFObjects.text(of: UnsafeRawPointer(value))
    try handle.change { (content) throws(VaultError) in content.set(name, value) }
  }
}

/// Returns the URL of a request.
@c @implementation
public func VaultHTTPMessageCopyRequestURL(_ message: VaultHTTPMessageRef?) -> VaultCFURLRef? {
  unsafe created { () throws(VaultError) in
    guard let url = unsafe content(of: message)?.url else { return nil }
    return URLHandle(url.url, port: url.port)
  }
}

/// Returns the method of a request.
@c @implementation
public func VaultHTTPMessageCopyRequestMethod(
  _ message: VaultHTTPMessageRef?
) -> VaultCFStringRef? {
  unsafe copied { () throws(VaultError) in
    guard let content = unsafe content(of: message), content.isRequest,
      let method = content.request?.method
    else { return nil }
    return try unsafe CFObjects.string(method)
  }
}

/// Returns the status of a response.
@c @implementation
public func VaultHTTPMessageGetResponseStatusCode(_ message: VaultHTTPMessageRef?) -> VaultCFIndex {
  unsafe content(of: message)?.status ?? 0
}

/// Makes what stands for the stream of a request.
@c @implementation
public func VaultReadStreamCreateForHTTPRequest(
  _ allocator: VaultCFAllocatorRef?, _ request: VaultHTTPMessageRef?,
  _ response: VaultHTTPMessageRef?
) -> VaultReadStreamRef? {
  unsafe created { () throws(VaultError) in
    let sent = try MessageHandle.at(request).content
    let handle = try MessageHandle.at(response)
    guard sent.isRequest, let head = sent.request, !handle.content.isRequest else { return nil }
    let received = try handle.change { (content) throws(VaultError) in
      content.request = head
      return content.response
    }
    for applied in sent.applied {
      let side = try head.toSide(ofProxy: applied.field.isProxy)
      _ = try applied.authentication.judge(received, to: applied.field, of: side)
    }
    return StreamHandle(handle)
  }
}

/// Returns a property of a stream.
@c @implementation
public func VaultReadStreamCopyProperty(
  _ stream: VaultReadStreamRef?, _ name: VaultCFStringRef?
) -> VaultCFTypeRef? {
  // The references are only taken apart; the response gets a handle of its own for the caller.
  let response = unsafe created { () throws(VaultError) in
    guard let handle = unsafe StreamHandle.find(UnsafeRawPointer(stream)),
      unsafe CFObjects.text(of: UnsafeRawPointer(name)) == "kCFStreamPropertyHTTPResponseHeader"
    else { return nil }
    return MessageHandle(handle.response.content)
  }
  return unsafe UnsafeRawPointer(response)
}

/// Returns what a message holds; nil for anything else.
func content(of message: VaultHTTPMessageRef?) -> MessageContent? {
  // The reference is only taken apart.
  unsafe MessageHandle.find(UnsafeRawPointer(message))?.content
}
