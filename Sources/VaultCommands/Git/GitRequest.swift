import SecureMemory
import VaultModel

/// A request of Git to a credential helper: attributes, each absent or present and perhaps empty.
///
/// - Source: git-credential(1), "INPUT/OUTPUT FORMAT".
struct GitRequest: Sendable {
  var networkProtocol: String?
  var host: String?
  var path: String?
  var username: String?
  var password: Secret?
  /// The password's expiry, seconds since 1970; nil if absent, 0 or beyond what can be represented,
  /// which mean never.
  var passwordExpiry: Timestamp?
  var refreshToken: Secret?
  /// The `WWW-Authenticate` headers of the refusal, in their order.
  var challenges: [String] = []
  /// The abilities that Git has, each since some version.
  var capabilities: [String] = []
  /// The authentication scheme of ``credential``.
  var scheme: String?
  /// A secret that is sent as it is after its scheme, in place of user and password.
  var credential: Secret?
  /// Whether the secret is of no use later, and not to be stored.
  var isEphemeral = false
  /// The texts that helpers gave to Git with their answers.
  var states: [String] = []
  /// Whether a part is not UTF-8; every item's parts are.
  var isUnrepresentable = false

  /// The longest line that Git reads, including the line feed.
  private static let longestLine = 65_535

  init() {}

  /// Returns whether the bytes hold an empty line, after which nothing is read: a caller may wait
  /// for the answer without closing its end.
  static func isComplete(_ bytes: RawSpan) -> Bool {
    // The buffer is valid inside the closure.
    unsafe bytes.withUnsafeBytes { buffer in
      var isEmptyLine = true
      for index in 0..<buffer.count {
        let byte = unsafe buffer[index]
        if byte == UInt8(ascii: "\n") {
          if isEmptyLine { return true }
          isEmptyLine = true
        } else if byte != UInt8(ascii: "\r") {
          isEmptyLine = false
        }
      }
      return false
    }
  }

  /// Reads lines of `key=value` up to an empty line or the end.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for a line that is too long, has no `=`, or holds
  ///   NUL or a carriage return that is not at its end. No line is repeated in the message.
  init(_ input: Secret) throws(VaultError) {
    try input.withRawBytes { bytes throws(VaultError) in
      // The buffer is valid inside the closure; slices of it do not leave it.
      try unsafe bytes.withUnsafeBytes { buffer throws(VaultError) in
        var rest = unsafe buffer[...]
        while let end = unsafe rest.firstIndex(of: UInt8(ascii: "\n")) ?? lastEnd(rest) {
          var line = unsafe rest[..<end]
          unsafe rest = end < buffer.endIndex ? rest[(end + 1)...] : rest[end...]
          guard unsafe line.count < Self.longestLine else {
            throw VaultError(.invalidData, "git: a line is longer than 65535 bytes")
          }
          // Git also takes CR and LF together as the end of a line.
          if unsafe line.last == UInt8(ascii: "\r") { unsafe line = line.dropLast() }
          if unsafe line.isEmpty { return }
          try unsafe read(line)
        }
      }
    }
  }

  private mutating func read(_ line: Slice<UnsafeRawBufferPointer>) throws(VaultError) {
    guard let equals = unsafe line.firstIndex(of: UInt8(ascii: "=")) else {
      throw VaultError(.invalidData, "git: a line without '='")
    }
    guard unsafe !line.contains(0), unsafe !line.contains(UInt8(ascii: "\r")) else {
      throw VaultError(.invalidData, "git: a line holds NUL or a carriage return")
    }
    let value = unsafe line[(equals + 1)...]
    switch unsafe String(decoding: line[..<equals], as: UTF8.self) {
    case "url": try unsafe read(url: value)
    case "protocol": networkProtocol = unsafe text(value)
    case "host": host = unsafe text(value)
    case "path": path = unsafe text(value)
    case "username": username = unsafe text(value)
    case "password": password = unsafe Self.secret(value)
    case "oauth_refresh_token": refreshToken = unsafe Self.secret(value)
    case "password_expiry_utc": passwordExpiry = unsafe Self.expiry(value)
    case "wwwauth[]": unsafe append(value, to: &challenges)
    case "capability[]": unsafe append(value, to: &capabilities)
    case "authtype": scheme = unsafe text(value)
    case "credential": credential = unsafe Self.secret(value)
    case "state[]": unsafe append(value, to: &states)
    case "ephemeral": isEphemeral = unsafe Self.isTrue(value)
    default: break
    }
  }

  /// Adds to a list; an empty value clears it.
  ///
  /// A value that is not UTF-8 names nothing known and is ignored.
  private func append(_ value: Slice<UnsafeRawBufferPointer>, to list: inout [String]) {
    if unsafe value.isEmpty {
      list.removeAll()
    } else if let text = unsafe String(validating: value, as: UTF8.self) {
      list.append(text)
    }
  }

  private mutating func text(_ value: Slice<UnsafeRawBufferPointer>) -> String {
    guard let text = unsafe String(validating: value, as: UTF8.self) else {
      isUnrepresentable = true
      return ""
    }
    return text
  }

  private static func secret(_ value: Slice<UnsafeRawBufferPointer>) -> Secret {
    // The slice's memory is the caller's and as long as the new secret.
    unsafe Secret(count: value.count) { target in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: value))
    }
  }

  private static func expiry(_ value: Slice<UnsafeRawBufferPointer>) -> Timestamp? {
    guard let seconds = unsafe Int64(String(decoding: value, as: UTF8.self)), seconds > 0,
      seconds <= Int64.max / 1000
    else { return nil }
    return Timestamp(seconds: seconds)
  }

  private static func isTrue(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
    ["1", "true", "yes", "on"].contains(unsafe String(decoding: value, as: UTF8.self))
  }
}

/// The meaning of the attributes together.
extension GitRequest {
  /// Whether the request is about a bearer token.
  var isForToken: Bool { credential != nil && scheme?.lowercasedASCII == "bearer" }

  /// The secret to store or erase; nil if there is none, or only that of a scheme that is not
  /// stored.
  var secret: Secret? { isForToken ? credential : password }

  /// Whether it has a secret that is never stored: the answer to one challenge, for example.
  var hasOtherSecret: Bool { secret == nil && (scheme != nil || credential != nil) }

  /// Whether Git can send a secret after a scheme (since 2.46).
  var takesTokens: Bool { capabilities.contains("authtype") }

  /// Whether Git returns the text that it is given with an answer (since 2.46).
  var takesState: Bool { capabilities.contains("state") }

  /// The item that this helper gave to Git, as Git says; nil if it says nothing.
  var givenItem: ItemID? {
    guard let id = givenState?.first else { return nil }
    do throws(VaultError) {
      return try ItemID(text: String(id))
    } catch {
      return nil
    }
  }

  /// The words of the state that this helper gave to Git: an item's id, perhaps a digest.
  var givenState: [Substring]? {
    states.last { $0.hasPrefix(Self.statePrefix) }?.dropFirst(Self.statePrefix.count)
      .split(separator: ":", omittingEmptySubsequences: false)
  }

  static let statePrefix = "vaultctl:"
}

/// Returns the end of the last line, which has no line feed; nil if nothing is left.
private func lastEnd(_ rest: Slice<UnsafeRawBufferPointer>) -> Int? {
  unsafe rest.isEmpty ? nil : unsafe rest.endIndex
}
