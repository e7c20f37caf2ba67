import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultModel

/// The server that challenges a task, according to the response itself.
///
/// Foundation's own parser takes the first `Basic`, and truncates a realm without quotes.
struct ChallengingServer {
  private let request: URLRequest
  private let description: HTTPAuthentication.RequestHead
  private let response: HTTPURLResponse
  /// The path that an item must cover: that of both the request that the answer is sent with and
  /// the challenged one.
  let requestPath: RequestPath

  /// Creates the server of a challenge.
  ///
  /// - Returns: Nil if the answer would go to another server than the challenging one. Foundation
  ///   sends it with the task's first request, despite redirects: the first server would get the
  ///   other's password.
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if a URL is not valid for a request.
  init?(
    _ challenge: URLAuthenticationChallenge, of task: URLSessionTask
  ) throws(VaultError) {
    guard let request = task.originalRequest, let first = request.url,
      let response = challenge.failureResponse as? HTTPURLResponse, let last = response.url
    else { return nil }
    let url = try RequestURL(first.absoluteString)
    let challenged = try RequestURL(last.absoluteString)
    guard challenged.origin == url.origin else { return nil }
    requestPath = RequestPath(target: url.target)
      .common(with: RequestPath(target: challenged.target))
    self.request = request
    self.response = response
    description = RequestHead(request.httpMethod ?? "GET", url: url)
  }

  /// Returns the space of a credential for Basic; nil if none may be sent.
  ///
  /// None is sent with a request that has its own field, because its author logs in; and none in
  /// clear if Digest is also offered.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if the response is invalid.
  func spaceForBasic() throws(VaultError) -> ProtectionSpace? {
    guard request.value(forHTTPHeaderField: "Authorization") == nil else { return nil }
    let offer = try ChallengeResponder.offered(
      by: HTTPAuthentication.ResponseHead(response), to: description)
    guard let basic = offer.responders.first(where: { $0.method == .basic }) else {
      return nil
    }
    let hasDigest = offer.responders.contains(where: \.method.hidesSecret)
    return hasDigest && !basic.receivesCredentialSecurely ? nil : basic.space
  }
}
