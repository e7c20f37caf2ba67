/// What answers a Digest challenge, for one request.
///
/// - Source: RFC 7616 §3.4.
package struct DigestResponse: Sendable {
  /// The nonce that it was made for.
  package let nonce: String
}
