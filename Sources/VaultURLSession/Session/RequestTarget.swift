import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import VaultModel
import VaultTransport

/// One request to one origin, between two redirects.
struct RequestTarget: Sendable {
  /// The request, without user and password in its URL: libcurl would send them to any server
  /// there, as Basic.
  let request: URLRequest
  /// The body to send.
  let body: RequestBody
  /// The URL, with the user and password that it contained.
  let url: RequestURL
  /// The credential that the caller gave for this origin.
  let credential: Credential?

  /// Creates the target of a request; nil if it is for neither `http` nor `https`.
  ///
  /// Foundation gets the URL as it was parsed here, so that both mean the same host and send the
  /// same target: libcurl removes dot segments, and a Digest response is made from the target that
  /// is sent.
  ///
  /// - Parameters:
  ///   - request: The request to send.
  ///   - body: The body to send.
  ///   - previous: The target that redirected here. Its user info is ignored if the origin differs;
  ///     user info in the new URL is always ignored.
  ///   - credential: The caller's credential for a request without a previous one; another origin
  ///     never gets it.
  /// - Throws: `URLError.badURL` if the URL is not valid for a request.
  init?(
    _ request: URLRequest, _ body: RequestBody, after previous: RequestTarget? = nil,
    credential: Credential? = nil
  ) throws(URLError) {
    // Foundation traps on a request without a URL.
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
      let isSame = previous.url.origin == read.origin
      self.url = isSame ? read.with(userInfoOf: previous.url) : read.withoutUserInfo
      self.credential = isSame ? previous.credential : nil
    } else {
      self.url = read
      self.credential = credential
    }
    self.body = body
    // Set only if it differs: it makes Foundation copy the whole request.
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

  /// Returns the exchange of this request.
  ///
  /// If the request has its own field for a side, that side's challenges are left to the caller.
  func exchange(
    of authenticator: Authenticator, _ options: RequestOptions
  ) async throws(VaultError) -> Exchange {
    var description = RequestHead(method, url: url)
    description.options = options
    description.credential = credential
    if let proxy = EnvironmentProxy.find(for: url.origin) {
      description.proxy = proxy.proxy
      description.proxyCredential = proxy.credential
      description.proxyUser = proxy.user
    }
    var exchange = try await authenticator.exchange(for: description)
    if request.value(forHTTPHeaderField: "Authorization") != nil { exchange.leave(isProxy: false) }
    if request.value(forHTTPHeaderField: "Proxy-Authorization") != nil {
      exchange.leave(isProxy: true)
    }
    return exchange
  }

  /// Returns the request with these fields.
  func request(with fields: [AuthorizationField]) -> URLRequest {
    var request = request
    for field in fields { request.setValue(field.text, forHTTPHeaderField: field.name) }
    return request
  }
}

extension String {
  /// Whether a segment may begin with a dot.
  var mayHaveDotSegments: Bool {
    zip(utf8, utf8.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".") }
  }
}

extension RequestTarget {
  /// Returns the request that a response redirects to; nil if there is none, or it is not for HTTP.
  ///
  /// Foundation on Linux sends fields that were set by hand to every origin, drops the body of a
  /// 307, and does not resolve relative references.
  ///
  /// - Source: RFC 9110 §§10.2.2, 15.4; the Fetch standard's HTTP-redirect fetch, for what is
  ///   dropped.
  func redirected(by response: HTTPURLResponse) -> RequestTarget? {
    guard [301, 302, 303, 307, 308].contains(response.statusCode), let base = request.url,
      let location = response.value(forHTTPHeaderField: "Location"),
      // An empty one refers to the same page: Foundation does not follow it either.
      let target = URL(string: location, relativeTo: base)?.absoluteURL
    else { return nil }
    var next = request
    next.url = target.fragment == nil ? target.with(fragmentOf: base) : target
    var body = body
    if TransportRequest.becomesGET(method, after: response.statusCode) {
      next.httpMethod = "GET"
      next.httpBody = nil
      next.removeFields { $0.hasPrefix("content-") || $0 == "transfer-encoding" }
      body = .ofRequest
    }
    do throws(URLError) {
      guard let target = try RequestTarget(next, body, after: self) else { return nil }
      guard target.url.origin != url.origin else { return target }
      next = target.request
      next.removeFields { TransportRequest.boundToOrigin.contains($0) }
      return try RequestTarget(next, body, after: self)
    } catch {
      // The caller gets the response, because its location cannot be requested.
      return nil
    }
  }
}

extension URL {
  /// Returns the URL with the fragment of another, if that has one.
  fileprivate func with(fragmentOf other: URL) -> URL {
    let text = other.absoluteString
    guard let hash = text.firstIndex(of: "#") else { return self }
    return URL(string: absoluteString + text[hash...]) ?? self
  }
}

extension URLRequest {
  /// Removes fields by their names in lower case.
  fileprivate mutating func removeFields(where isMeant: (String) -> Bool) {
    for name in (allHTTPHeaderFields ?? [:]).keys where isMeant(name.lowercased()) {
      setValue(nil, forHTTPHeaderField: name)
    }
  }
}
