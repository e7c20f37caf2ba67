import CVault
import HTTPAuthentication
import VaultModel

/// A URL of a C program.
final class URLHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` themselves.
  let url: RequestURL
  /// The port as written; nil if there was none.
  let port: UInt16?

  init(_ url: RequestURL, port: UInt16?) {
    self.url = url
    self.port = port
  }

  /// Reads a URL of http or https.
  convenience init(_ text: String) throws(VaultError) {
    self.init(try RequestURL(text), port: try URLReference(text, ignoringPath: true).port)
  }
}

/// A message of a C program.
final class MessageHandle: Handle, @unchecked Sendable {
  private let state: Guarded<MessageContent>

  init(_ content: MessageContent) {
    state = Guarded(content)
  }

  var content: MessageContent { state.withLock { $0 } }

  func change<R>(_ body: (inout MessageContent) throws(VaultError) -> R) throws(VaultError) -> R {
    try state.withLock(body)
  }
}

/// The response of a request, in place of a stream.
final class StreamHandle: Handle, @unchecked Sendable {
  // Immutable; the message has a lock of its own.
  let response: MessageHandle

  init(_ response: MessageHandle) {
    self.response = response
  }
}

/// A request, or a response that may still be read.
struct MessageContent: Sendable {
  /// The URL of a request, as it was given; nil for a response.
  let url: URLHandle?
  /// The request itself, or that of a response; nil for a response of no stream.
  var request: RequestHead?
  /// The status of a response; 0 for a request, and until it is read.
  private(set) var status = 0
  private(set) var fields: [ResponseHead.Field] = []
  /// The fields that were applied to a request, at most one for each side.
  private(set) var applied: [RequestHandle.Applied] = []
  /// Whether all fields are there.
  private(set) var isComplete: Bool
  /// The version, such as `HTTP/1.1`.
  let version: String
  /// The words behind a response's status.
  let reason: String
  /// The body that was set; nil if none was.
  private(set) var body: [UInt8]?
  private var unread: [UInt8] = []

  var isRequest: Bool { url != nil }

  /// Creates a request.
  init(_ method: String, _ url: URLHandle, version: String?) {
    self.url = url
    self.version = version ?? Self.standardVersion
    reason = ""
    request = RequestHead(method, url: url.url)
    isComplete = true
  }

  /// Creates a response; without a status, one that is still to be read.
  init(status: Int?, reason: String? = nil, version: String? = nil) {
    url = nil
    self.version = version ?? Self.standardVersion
    self.reason = reason ?? ""
    self.status = status ?? 0
    isComplete = status != nil
  }

  private static var standardVersion: String { "HTTP/1.1" }

  /// The response, for an authentication.
  var response: ResponseHead { ResponseHead(status: status, fields: fields) }

  /// Returns the values of a field, in any case of its name.
  func value(of name: String) -> String? {
    let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Sets a field in place of all of its name; nil removes them.
  mutating func set(_ name: String, _ value: String?) {
    fields.removeAll { $0.name.lowercased() == name.lowercased() }
    applied.removeAll { $0.field.name.lowercased() == name.lowercased() }
    if let value { fields.append(ResponseHead.Field(name, value)) }
  }

  /// Applies a field in place of all of its name.
  mutating func apply(_ field: AuthorizationField, of authentication: ChallengeResponder) {
    set(field.name, nil)
    applied.append(RequestHandle.Applied(authentication: authentication, field: field))
  }

  /// Sets the body, which an authentication of the request may cover.
  mutating func setBody(_ bytes: [UInt8]?) {
    body = bytes
    if isRequest { request?.body = bytes }
  }

  /// Reads bytes of a response as they were received.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for bytes that are not a response;
  ///   ``VaultError/Code/tooLarge``.
  mutating func append(_ bytes: [UInt8]) throws(VaultError) {
    guard !isRequest else { throw VaultError(.invalidArgument, "a request is not read") }
    // The body follows, which nobody reads here.
    guard !isComplete else { return }
    guard unread.count + bytes.count <= Input.most else {
      throw VaultError(.tooLarge, "the fields of a response")
    }
    unread += bytes
    let lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    // The last one has no end yet.
    guard let end = lines.firstIndex(where: \.isEmpty), end < lines.count - 1 else { return }
    try read(lines[..<end])
    isComplete = true
    unread = []
  }

  private mutating func read(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(VaultError) {
    let words = (lines.first ?? []).split(separator: UInt8(ascii: " "))
    guard words.count >= 2, words[0].starts(with: "HTTP/".utf8),
      let number = Int(String(decoding: words[1], as: UTF8.self)), 100...999 ~= number
    else { throw Self.isNoResponse }
    var read: [ResponseHead.Field] = []
    for line in lines.dropFirst() {
      if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
        guard let last = read.popLast() else { throw Self.isNoResponse }
        read.append(
          ResponseHead.Field(last.name, last.value + " " + (try Input.fieldValue(of: line))))
        continue
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
        throw Self.isNoResponse
      }
      read.append(
        ResponseHead.Field(
          try Input.fieldValue(of: line[..<colon]),
          try Input.fieldValue(of: line[line.index(after: colon)...])))
    }
    status = number
    fields = read
  }

  private static var isNoResponse: VaultError {
    VaultError(.invalidData, "bytes that are no response of HTTP")
  }
}

extension RequestHead {
  /// Returns the request as the side that an authentication is for sees it.
  ///
  /// A program knows itself whether a request went through a proxy, and which: a 407 that it gives
  /// to an authentication is that proxy's, which needs no name here.
  func toSide(ofProxy isProxy: Bool) throws(VaultError) -> RequestHead {
    guard isProxy else { return self }
    var head = self
    head.proxy = try Proxy(host: "proxy.invalid", port: 80)
    return head
  }
}

/// Makes a handle for the caller; nil if that fails, and in a forked child.
func created(_ make: () throws(VaultError) -> Handle?) -> OpaquePointer? {
  do throws(VaultError) {
    try HomeProcess.require()
    // Nobody reads through it.
    return try unsafe make()?.givenOut()
  } catch {
    LastError.set(error.text, error)
    return nil
  }
}

/// Makes an object for the caller; nil if that fails, and in a forked child.
func copied(_ make: () throws(VaultError) -> OpaquePointer?) -> OpaquePointer? {
  do throws(VaultError) {
    try HomeProcess.require()
    return try unsafe make()
  } catch {
    LastError.set(error.text, error)
    return nil
  }
}
