public import HTTPAuthentication
public import VaultModel

/// A request of a ``Transport``.
public struct TransportRequest: Sendable {
  /// The method, such as `GET`; case-sensitive.
  public var method: String
  /// The URL; a user in it is the one that is wanted, with a password a credential.
  public var url: RequestURL
  /// The fields, without those that HTTP itself needs.
  ///
  /// With its own `Authorization`, its server's challenges are not answered; the same holds for
  /// `Proxy-Authorization` and its proxy. A redirect to another origin drops both, and `Cookie` and
  /// `Host`.
  public var fields: [ResponseHead.Field] = []
  /// The body, which may be sent several times.
  public var body = TransportBody.none
  /// The caller's own credential for the server, as ``RequestHead/credential``.
  public var credential: Credential?
  /// The user whose credential is wanted at the server; nil leaves it to the vault.
  public var user: String?
  /// The switches of the request; those that are not set are the authenticator's.
  public var options = RequestOptions()
  /// The limits on its time; nil for the transport's.
  public var limits: TimeLimits?
  /// The functions that follow its progress.
  public var handlers = TransportHandlers()

  /// Creates a request; the caller sets its other attributes.
  public init(_ method: String = "GET", url: RequestURL) {
    self.method = method
    self.url = url
  }

  /// Creates a request from the text of a URL.
  ///
  /// - Throws: As ``RequestURL/init(_:)``.
  public init(_ method: String = "GET", _ url: String) throws(VaultError) {
    self.init(method, url: try RequestURL(url))
  }
}

/// The body of a request.
public enum TransportBody: Sendable {
  /// No body.
  case none
  /// Bytes in memory.
  case bytes([UInt8])
  /// The contents of a regular file, which must not change meanwhile.
  case file(String)
  /// A sequence of pieces.
  ///
  /// The length is in bytes; without one, the body is sent in chunks. The function is called for
  /// each time that the body is sent: after a challenge, a redirect, or on a connection that broke.
  /// If it throws then, the request ends with its error.
  case stream(length: Int64?, _ open: @Sendable () async throws -> BodyPieces)

  /// The pieces of a body.
  public typealias BodyPieces = any AsyncSequence<[UInt8], any Error> & Sendable
}
