public import HTTPAuthentication

/// The last response to a request.
public struct TransportResponse: Sendable {
  /// Its status and fields.
  public let head: ResponseHead
  /// The URL that it is from, without user and password: that of the last redirect.
  public let url: RequestURL
  /// The version of HTTP: `HTTP/1.1`, `HTTP/2`.
  public let version: String
  /// The length of the body in bytes; nil if it is unknown, and if the body is decoded.
  public let expectedLength: Int64?
  /// The body, which is read once.
  public let body: ResponseBody
  /// The end of its authentication.
  public let outcome: Outcome

  /// The status code.
  public var status: Int { head.status }
}
