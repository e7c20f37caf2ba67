import SecureMemory
import VaultModel

/// The `url` line, which replaces several others.
extension GitRequest {
  /// Replaces everything that was read before by the parts of a URL, as Git does.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it has no scheme, or a part that cannot be
  ///   decoded or holds a control character. Nothing of it is repeated in the message.
  /// - Source: git-credential(1), "url"; `credential_from_url()` in Git's `credential.c`.
  mutating func read(url: Slice<UnsafeRawBufferPointer>) throws(VaultError) {
    self = GitRequest()
    // Every index below is one of the slice, which the caller keeps valid.
    guard let colon = unsafe url.firstIndex(of: UInt8(ascii: ":")),
      unsafe colon > url.startIndex && url[colon...].starts(with: "://".utf8)
    else { throw Self.unreadable }
    networkProtocol = try unsafe Self.text(url[..<colon])
    let rest = unsafe url[(colon + 3)...]
    let end = unsafe rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
    let authority = unsafe rest[..<end]
    var hostStart = unsafe authority.startIndex
    if let at = unsafe authority.firstIndex(of: UInt8(ascii: "@")) {
      let userInfo = unsafe authority[..<at]
      let userEnd = unsafe userInfo.firstIndex(of: UInt8(ascii: ":"))
      username = try unsafe Self.text(userInfo[..<(userEnd ?? at)])
      if let userEnd { password = try unsafe Self.secret(decoding: userInfo[(userEnd + 1)...]) }
      hostStart = at + 1
    }
    host = try unsafe Self.text(authority[hostStart...])
    let slash = UInt8(ascii: "/")
    var tail = unsafe rest[end...].drop { $0 == slash }
    while unsafe tail.last == slash { unsafe tail.removeLast() }
    if unsafe !tail.isEmpty { path = try unsafe Self.text(tail) }
  }

  private static var unreadable: VaultError {
    VaultError(.invalidData, "git: a url that cannot be parsed")
  }

  private static func decoded(
    _ bytes: Slice<UnsafeRawBufferPointer>
  ) throws(VaultError) -> [UInt8] {
    do throws(VaultError) {
      let decoded = try unsafe PercentEncoding.decode(bytes, part: "url")
      // A line feed would be another line of the protocol.
      if !decoded.contains(where: \.isControl) { return decoded }
    } catch {
      throw unreadable
    }
    throw unreadable
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) throws(VaultError) -> String {
    guard let text = try unsafe String(validating: decoded(bytes), as: UTF8.self) else {
      throw unreadable
    }
    return text
  }

  private static func secret(
    decoding bytes: Slice<UnsafeRawBufferPointer>
  ) throws(VaultError) -> Secret {
    var decoded = try unsafe decoded(bytes)
    // The bytes are this function's own.
    defer { unsafe decoded.withUnsafeMutableBytes { unsafe wipe($0) } }
    // A view of bytes: every bit pattern is valid as raw bytes.
    return unsafe Secret(copying: decoded.span.bytes)
  }
}
