package import SecureMemory
package import VaultModel

/// The answer to a Basic challenge.
package enum BasicResponse {
  private static let scheme = "Basic "

  /// Returns the value of the `Authorization` field: `Basic`, and user and password in base64.
  ///
  /// - Parameter credential: The user and password; other characters than ASCII are sent in UTF-8.
  /// - Returns: The value, as secret as the password.
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `user` or `password` if it contains a
  ///   control character, or the user a colon.
  /// - Source: RFC 7617 §2.
  package static func value(_ credential: Credential) throws(VaultError) -> Secret {
    let user = credential.user.utf8
    guard !user.contains(where: { $0.isControl || $0 == UInt8(ascii: ":") }) else {
      throw VaultError(.invalidArgument, "user: holds a colon or a control character")
    }
    return try credential.secret.withRawBytes { password throws(VaultError) in
      // The buffer is valid within the closure.
      guard unsafe password.withUnsafeBytes({ unsafe $0.allSatisfy { !$0.isControl } }) else {
        throw VaultError(.invalidArgument, "password: holds a control character")
      }
      let count = scheme.utf8.count + Base64Writer.length(of: user.count + 1 + password.byteCount)
      // The secret's own memory is exactly as long as what is written.
      return unsafe Secret(count: count) { memory in
        unsafe memory.copyBytes(from: scheme.utf8)
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[scheme.utf8.count...])
        var writer = unsafe Base64Writer(rest)
        unsafe writer.append(user.span.bytes)
        writer.append(UInt8(ascii: ":"))
        writer.append(password)
        writer.finish()
      }
    }
  }
}
