import VaultModel

/// A server's nonce and its use count.
///
/// - Source: RFC 7616 §3.4.
struct ServerNonce {
  /// The nonce.
  let text: String
  /// Whether the next use does not answer the challenge that brought the nonce.
  ///
  /// The nonce may have expired since, whatever the server says.
  var isOld: Bool
  /// The client's own nonce, the same for each use, as `-sess` requires.
  private var clientNonce: String?
  private var count: UInt32 = 0

  init(_ text: String, isOld: Bool = false) {
    self.text = text
    self.isOld = isOld
  }

  /// Calls `body` with both nonces and the next count, which is consumed if it succeeds.
  ///
  /// - Throws: The errors of `body`; ``VaultError/Code/unavailable`` after 2³² - 1 uses.
  mutating func use<R>(
    _ body: (_ nonce: String, _ clientNonce: String, _ count: UInt32) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    guard count < .max else { throw VaultError(.unavailable, "digest: the nonce is used up") }
    let own = if let clientNonce { clientNonce } else { try ClientNonce.make() }
    clientNonce = own
    let result = try body(text, own, count + 1)
    count += 1
    return result
  }
}
