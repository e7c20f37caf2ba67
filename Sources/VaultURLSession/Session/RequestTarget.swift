import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import VaultModel

/// One request to one origin, between two redirects.
struct RequestTarget: Sendable {
  /// Without user and password in its URL: libcurl would send them to whoever answers there, by Basic.
  let request: URLRequest
  /// What it sends.
  let body: RequestBody
  /// Where it goes, with the user and password that stood there.
  let url: RequestURL

  /// Takes a request apart; nil if it is for neither `http` nor `https`.
  ///
  /// Foundation gets its URL in the form that was read here, so that both mean one host, and send one target: libcurl
  /// takes dot segments out, and a Digest response is made of what is sent.
  ///
  /// - Parameters:
  ///   - request: What is to be sent.
  ///   - body: What it sends.
  ///   - previous: What led to it. At another origin nothing of it counts; of a user in the new URL nothing counts either.
  /// - Throws: `URLError.badURL` if the URL can be no request's.
  init?(
    _ request: URLRequest, _ body: RequestBody, after previous: RequestTarget? = nil
  ) throws(URLError) {
    // Foundation traps on a request without one.
    guard let url = request.url else { throw URLError(.badURL) }
    guard let scheme = url.scheme,
      scheme.hasSameBytesIgnoringCase(as: "http") || scheme.hasSameBytesIgnoringCase(as: "https")
    else { return nil }
    var text = url.absoluteString
    if text.mayHaveDotSegments { text = url.absoluteURL.standardized.absoluteString }
    let read: RequestURL
    do throws(VaultError) {
      read = try RequestURL(text)
    } catch {
      throw URLError(.badURL)
    }
    if let previous {
      self.url =
        previous.url.origin == read.origin
        ? read.with(userInfoOf: previous.url) : read.withoutUserInfo
    } else {
      self.url = read
    }
    self.body = body
    // Not set in vain: it makes Foundation copy the whole request.
    var sent = read.description
    if let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) { sent += text[hash...] }
    guard !sent.hasSameBytes(as: url.absoluteString) else {
      self.request = request
      return
    }
    var request = request
    guard let sent = URL(string: sent) else { throw URLError(.badURL) }
    request.url = sent
    self.request = request
  }

  /// The method.
  var method: String { request.httpMethod ?? "GET" }

  /// The exchange of this request.
  ///
  /// A side that the request has a field of its own for is left alone: whoever sets it logs in there without us.
  func exchange(
    of authenticator: Authenticator
  ) async throws(VaultError) -> Exchange {
    var description = RequestHead(method, url: url)
    if let proxy = EnvironmentProxy.find(for: url.origin) {
      description.proxy = proxy.proxy
      description.proxyCredential = proxy.credential
      description.proxyAccount = proxy.account
    }
    var exchange = try await authenticator.exchange(for: description)
    if request.value(forHTTPHeaderField: "Authorization") != nil { exchange.leave(isProxy: false) }
    if request.value(forHTTPHeaderField: "Proxy-Authorization") != nil {
      exchange.leave(isProxy: true)
    }
    return exchange
  }

  /// The request with these fields.
  func request(with fields: [AuthorizationField]) -> URLRequest {
    var request = request
    for field in fields { request.setValue(field.text, forHTTPHeaderField: field.name) }
    return request
  }
}

extension String {
  /// Whether a segment may begin with a dot.
  fileprivate var mayHaveDotSegments: Bool {
    zip(utf8, utf8.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".") }
  }
}
