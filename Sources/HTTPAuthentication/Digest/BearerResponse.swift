package import SecureMemory
package import VaultModel

/// The answer to a Bearer challenge.
package enum BearerResponse {
  private static let scheme = "Bearer "

  /// Returns the value of the `Authorization` field: `Bearer`, and the token.
  ///
  /// - Parameter token: The token. RFC 6750 allows letters, digits and `-._~+/=`; issuers use other
  ///   visible ASCII, too.
  /// - Returns: The value, as secret as the token.
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is empty or has anything but visible
  ///   ASCII.
  /// - Source: RFC 6750 §2.1.
  package static func value(_ token: Secret) throws(VaultError) -> Secret {
    try token.withRawBytes { bytes throws(VaultError) in
      // The buffer is valid within the closure.
      let isClean = unsafe bytes.withUnsafeBytes { bytes in
        unsafe !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) }
      }
      guard isClean else {
        throw VaultError(.invalidArgument, "token: empty, or not visible ASCII")
      }
      // The secret's own memory is exactly as long as what is written.
      return unsafe Secret(count: scheme.utf8.count + bytes.byteCount) { memory in
        unsafe memory.copyBytes(from: scheme.utf8)
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[scheme.utf8.count...])
        unsafe bytes.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
      }
    }
  }
}
