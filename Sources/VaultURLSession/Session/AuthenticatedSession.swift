public import Foundation
public import FoundationNetworking
public import HTTPAuthentication

/// A `URLSession` that answers the challenges of servers and proxies.
///
/// Each call does what the session's own does, and sends the request again, its body with it, as long as the
/// ``HTTPAuthentication/Authenticator`` has an answer; then it returns the last response, a 401 or 407 included. Redirects
/// are followed here, so that nothing that is for one origin gets to another.
///
/// A request with an `Authorization` field of its own logs in alone at its server, one with `Proxy-Authorization` at its
/// proxy: there nothing is answered. What stands in the configuration's `httpAdditionalHeaders` Foundation sends to every
/// origin, and what is found here goes in its place. What is neither `http` nor `https` is loaded by the session alone.
///
/// The session's delegate is asked whether a redirect is followed, and hears of nothing else. A body stream is read to
/// its end before anything is sent, because it must be sent again.
///
/// Calls throw what the session throws, mostly `URLError`; `URLError.badURL` for a URL that names no host as
/// ``VaultModel/HostName/init(_:)`` reads it; `URLError.cancelled` when the task is cancelled, also while somebody is asked;
/// and the ``VaultModel/VaultError`` of a vault that should have been read: ``VaultModel/VaultError/Code/locked`` for one
/// that nobody unlocks.
///
/// Foundation on Linux throws away the body of a 401 that offers Basic, and of a redirect that is not followed: where such
/// a response is the last one, its body is empty. A session that was invalidated, also while a request of it is on its
/// way, makes no more tasks: what needs another one ends with `URLError.cancelled`.
public final class AuthenticatedSession: Sendable {
  /// The session whose tasks are run.
  public let session: URLSession
  /// What answers.
  public let authenticator: Authenticator
  let onOutcome: URLSession.OutcomeHandler?

  init(
    session: URLSession, authenticator: Authenticator, onOutcome: URLSession.OutcomeHandler?
  ) {
    self.session = session
    self.authenticator = authenticator
    self.onOutcome = onOutcome
  }

  // MARK: Data

  /// Loads what a request is for.
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await RequestLoader(.data, request, in: self).run()
  }

  /// Loads what a URL names.
  public func data(from url: URL) async throws -> (Data, URLResponse) {
    try await data(for: URLRequest(url: url))
  }

  // MARK: Uploads

  /// Sends a request with this body.
  public func upload(
    for request: URLRequest, from body: Data
  ) async throws -> (Data, URLResponse) {
    try await RequestLoader(.data, request, body: .data(body), in: self).run()
  }

  /// Sends a request with the contents of a file as its body; the file must stay as it is meanwhile.
  public func upload(
    for request: URLRequest, fromFile file: URL
  ) async throws -> (Data, URLResponse) {
    try await RequestLoader(.data, request, body: .file(file), in: self).run()
  }

  // MARK: Downloads

  /// Loads what a request is for into a temporary file, which is the caller's to move or remove.
  public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
    try await RequestLoader(.download, request, in: self).run()
  }

  /// Loads what a URL names into a temporary file, which is the caller's to move or remove.
  public func download(from url: URL) async throws -> (URL, URLResponse) {
    try await download(for: URLRequest(url: url))
  }
}
