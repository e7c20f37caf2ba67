import Glibc
import SecureMemory
import VaultModel

/// Values from a C program, checked and copied.
enum Input {
  /// The maximum length of any value; a larger one is a mistake, and nothing is read.
  static let most = 1 << 20

  /// Copies a text.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not UTF-8, contains NUL, or is NULL and
  ///   not empty; ``VaultError/Code/tooLarge``.
  static func text(
    _ bytes: UnsafeRawPointer?, _ count: Int
  ) throws(VaultError) -> String {
    let bytes = try unsafe buffer(bytes, count)
    guard let start = bytes.baseAddress, bytes.count > 0 else { return "" }
    // The caller says that it is so long, and `memchr` reads no further.
    guard unsafe memchr(start, 0, bytes.count) == nil else {
      throw VaultError(.invalidArgument, "a text holds NUL")
    }
    // `String(validating:as:)` looks up types at run time, which takes longer than the rest.
    do throws(UTF8.ValidationError) {
      return String(copying: try UTF8Span(validating: unsafe bytes.bindMemory(to: UInt8.self).span))
    } catch {
      throw VaultError(.invalidArgument, "a text is not UTF-8")
    }
  }

  /// Copies the name of a custom attribute, which is required.
  ///
  /// - Throws: As ``text(_:_:)``, and ``VaultError/Code/invalidArgument`` if it is NULL or empty.
  static func name(
    _ bytes: UnsafeRawPointer?, _ count: Int
  ) throws(VaultError) -> String {
    let name = try unsafe text(required(bytes), count)
    guard !name.isEmpty else {
      throw VaultError(.invalidArgument, "a custom attribute has a name")
    }
    return name
  }

  /// Copies the part of a URL before its path: scheme, user, host and port.
  ///
  /// Parts that may be secret are not copied: a URL with a password is rejected, and path and query
  /// are left out.
  ///
  /// - Throws: As ``text(_:_:)``, and ``VaultError/Code/invalidArgument`` if it is NULL or contains
  ///   a password.
  static func urlWithoutPath(
    _ bytes: UnsafeRawPointer?, _ count: Int
  ) throws(VaultError) -> String {
    // The caller says that it is so long; the slices lie inside, and are read before this returns.
    let bytes = try unsafe buffer(required(bytes), count)
    let scheme = unsafe bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    let rest = unsafe bytes[scheme...].dropFirst(3)
    let end = unsafe rest.firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
    // Without the two slashes, or with one in a password, what follows may be secret too; a port is
    // digits. The colons of an IPv6 address are in brackets.
    let name =
      unsafe rest.first == UInt8(ascii: "[")
      ? rest[..<end].firstIndex(of: UInt8(ascii: "]")) ?? end : rest.startIndex
    let colon = unsafe rest[name..<end].firstIndex(of: UInt8(ascii: ":")) ?? end
    let mayBePort = unsafe rest[colon..<end].dropFirst().allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
    guard unsafe bytes[scheme...].starts(with: "://".utf8),
      unsafe mayBePort || !rest[end...].contains(UInt8(ascii: "@"))
    else { throw VaultError(.invalidArgument, "url: no scheme, or a password") }
    let authority = unsafe bytes[rest.startIndex..<end]
    if let at = unsafe authority.lastIndex(of: UInt8(ascii: "@")),
      unsafe authority[..<at].contains(UInt8(ascii: ":"))
    {
      throw VaultError(.invalidArgument, "url: a password")
    }
    return try unsafe text(bytes.baseAddress, end)
  }

  /// Copies a secret into guarded memory.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is NULL and not empty;
  ///   ``VaultError/Code/tooLarge``.
  static func secret(
    _ bytes: UnsafeRawPointer?, _ count: Int
  ) throws(VaultError) -> Secret {
    // The caller says that it is so long; it is read before this returns.
    unsafe Secret(copying: try buffer(bytes, count).bytes)
  }

  /// Copies bytes that are not secret.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if they are NULL and not empty;
  ///   ``VaultError/Code/tooLarge``.
  static func data(_ bytes: UnsafeRawPointer?, _ count: Int) throws(VaultError) -> [UInt8] {
    // The caller says that it is so long; it is read before this returns.
    try unsafe Array(buffer(bytes, count))
  }

  private static func buffer(
    _ start: UnsafeRawPointer?, _ count: Int
  ) throws(VaultError) -> UnsafeRawBufferPointer {
    // A count of C above `Int.max` is negative here.
    guard count >= 0, count <= most else {
      throw VaultError(.tooLarge, "a value is longer than \(most) bytes")
    }
    guard unsafe start != nil || count == 0 else {
      throw VaultError(.invalidArgument, "a value that is not empty is NULL")
    }
    return unsafe UnsafeRawBufferPointer(start: start, count: count)
  }

  /// Copies a C string, a path; returns nil for NULL.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not UTF-8.
  static func path(_ path: UnsafePointer<CChar>?) throws(VaultError) -> String? {
    guard let path = unsafe path else { return nil }
    // The caller says that it ends with NUL.
    guard let text = unsafe String(validatingCString: path) else {
      throw VaultError(.invalidArgument, "a path is not UTF-8")
    }
    return text
  }

  /// Copies a C string, a path that is required.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is NULL or not UTF-8.
  static func requiredPath(_ path: UnsafePointer<CChar>?) throws(VaultError) -> String {
    guard let text = try unsafe self.path(path) else {
      throw VaultError(.invalidArgument, "a path that is required is NULL")
    }
    return text
  }
}
