import VaultModel

/// A server's nonce, and how often it was used.
///
/// - Source: RFC 7616 §3.4.
struct ServerNonce {
  /// The nonce.
  let text: String
  /// Whether the next use of it is not the answer to the challenge that it came with.
  ///
  /// It may have become too old meanwhile, whatever the server says.
  var isOld: Bool
  /// The client's own nonce beside it, the same for each use, which `-sess` needs.
  private var clientNonce: String?
  private var count: UInt32 = 0

  init(_ text: String, isOld: Bool = false) {
    self.text = text
    self.isOld = isOld
  }

  /// Lets `body` make a response of both nonces and the next count, which is used up if it succeeds.
  ///
  /// - Throws: What `body` throws; ``VaultError/Code/unavailable`` after 2³² - 1 uses.
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
