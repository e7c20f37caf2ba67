import CCrypto
package import VaultModel

/// The client's random part of a Digest response.
package enum ClientNonce {
  private static let byteCount = 16

  /// Returns a nonce of 128 random bits, as 32 hexadecimal digits.
  ///
  /// - Returns: A nonce that nobody else has, not even a forked child.
  /// - Throws: ``VaultError/Code/unavailable`` if there is no randomness.
  package static func make() throws(VaultError) -> String {
    var isRandom = false
    // The memory holds the digits, and in its upper half first the random bytes; all of it is
    // written.
    let text = unsafe String(unsafeUninitializedCapacity: 2 * byteCount) { memory in
      let digits = unsafe UnsafeMutableRawBufferPointer(
        rebasing: UnsafeMutableRawBufferPointer(memory)[..<(2 * byteCount)])
      unsafe digits.initializeMemory(as: UInt8.self, repeating: 48)
      let upperHalf = unsafe memory.baseAddress?.advanced(by: byteCount)
      isRandom = unsafe RAND_bytes(upperHalf, Int32(byteCount)) == 1
      unsafe Hexadecimal.expandUpperHalf(of: digits)
      return 2 * byteCount
    }
    guard isRandom else { throw VaultError(.unavailable, "digest: no randomness") }
    return text
  }
}
