public import SecureMemory

extension Secret {
  /// Calls `body` with the secret as text, for interfaces that take nothing else.
  ///
  /// The text lies in ordinary memory: nobody wipes it, and copies of it stay, are swapped out or get into a core dump as it
  /// happens. Where the bytes are enough, ``withBytes(_:)`` keeps them where they are.
  ///
  /// - Parameter body: Gets the secret's text.
  /// - Returns: What `body` returns.
  /// - Throws: ``VaultError/Code/invalidData`` for bytes that are not UTF-8; what `body` throws.
  public func withUTF8String<R>(_ body: (String) throws -> R) throws -> R {
    let text = withBytes { bytes in
      // The bytes are read before the closure ends, and copied.
      unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }
    guard let text else { throw VaultError(.invalidData, "the secret is not UTF-8 text") }
    return try body(text)
  }
}
