public import SecureMemory

extension Secret {
  /// Calls `body` with the secret as text, for interfaces that take nothing else.
  ///
  /// The text is in ordinary memory: it is never wiped, and copies of it may remain, be swapped out
  /// or get into a core dump. If the bytes are enough, ``withBytes(_:)`` keeps them in guarded
  /// memory.
  ///
  /// - Parameter body: Gets the secret's text.
  /// - Returns: The result of `body`.
  /// - Throws: ``VaultError/Code/invalidData`` for bytes that are not UTF-8; any error of `body`.
  public func withUTF8String<R>(_ body: (String) throws -> R) throws -> R {
    let text = withBytes { bytes in
      // The bytes are read before the closure ends, and copied.
      unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }
    guard let text else { throw VaultError(.invalidData, "the secret is not UTF-8 text") }
    return try body(text)
  }
}
