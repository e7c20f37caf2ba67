import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultModel

/// Who challenges a task, as the response itself says it.
///
/// Foundation's own reading takes the first `Basic` there is, and cuts a realm that is not quoted.
struct ChallengingServer {
  private let request: URLRequest
  private let description: HTTPAuthentication.RequestHead
  private let response: HTTPURLResponse
  /// What an item's path has to cover: the request that the answer goes with, and the one that was challenged.
  let requestPath: RequestPath

  /// Takes a challenge apart.
  ///
  /// - Returns: Nil if the answer would not go to who asks. Foundation sends it with the task's first request, wherever
  ///   redirects led from there: the server of that request would get another's password.
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if a URL can be no request's.
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

  /// Where a credential for Basic is looked up; nil if none may be sent.
  ///
  /// None to a request with a field of its own, whose author logs in alone; and none in clear where Digest is offered, too.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if the response can be read by no one.
  func spaceForBasic() throws(VaultError) -> ProtectionSpace? {
    guard request.value(forHTTPHeaderField: "Authorization") == nil else { return nil }
    let offer = try Authentication.offered(
      by: HTTPAuthentication.ResponseHead(response), to: description)
    guard let basic = offer.authentications.first(where: { $0.method == .basic }) else {
      return nil
    }
    let hasDigest = offer.authentications.contains { $0.method == .digest }
    return hasDigest && !basic.receivesCredentialSecurely ? nil : basic.space
  }
}
