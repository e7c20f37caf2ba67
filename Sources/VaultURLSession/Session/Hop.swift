import Foundation
import FoundationNetworking
import HTTPAuthentication

/// One request to one origin, between two redirects.
struct Hop: Sendable {
  /// Without user and password in its URL: libcurl would send them to whoever answers there, by Basic.
  private let request: URLRequest
  /// What it sends.
  let body: RequestBody
  /// Where it goes, with the user and password that stood there.
  let url: RequestURL

  /// Takes a request apart.
  ///
  /// - Returns: Nil if it is for neither `http` nor `https`.
  /// - Throws: `URLError.badURL` if the URL can be no request's.
  init?(_ request: URLRequest, _ body: RequestBody) throws {
    guard let url = request.url, ["http", "https"].contains(url.scheme?.lowercased()) else {
      return nil
    }
    self.url = try RequestURL(url.absoluteURL.standardized.absoluteString)
    var request = request
    request.url = URL(string: self.url.description)
    self.request = request
    self.body = body
  }

  /// The method.
  var method: String { request.httpMethod ?? "GET" }

  /// What authentication has to know of it.
  func description() throws -> HTTPAuthentication.HTTPRequest {
    var description = HTTPRequest(method, url: url)
    if let proxy = try EnvironmentProxy.find(for: url.origin) {
      description.proxy = proxy.proxy
      description.proxyCredential = proxy.credential
    }
    return description
  }

  /// The request with these fields, where it has none of that name itself.
  func request(with fields: [AuthorizationField]) -> URLRequest {
    var request = request
    for field in fields where request.value(forHTTPHeaderField: field.name) == nil {
      request.setValue(field.text, forHTTPHeaderField: field.name)
    }
    return request
  }

  /// Whether a response is one to the caller's own field.
  func answersItself(_ response: HTTPURLResponse) -> Bool {
    switch response.statusCode {
    case 401: request.value(forHTTPHeaderField: "Authorization") != nil
    case 407: request.value(forHTTPHeaderField: "Proxy-Authorization") != nil
    default: false
    }
  }
}
