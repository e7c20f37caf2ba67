import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultModel

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
    if becomesGET(response.statusCode) {
      next.httpMethod = "GET"
      next.httpBody = nil
      next.removeFields { $0.hasPrefix("content-") || $0 == "transfer-encoding" }
      body = .ofRequest
    }
    do throws(URLError) {
      guard let target = try RequestTarget(next, body, after: self) else { return nil }
      guard target.url.origin != url.origin else { return target }
      next = target.request
      next.removeFields { Self.boundToOrigin.contains($0) }
      return try RequestTarget(next, body, after: self)
    } catch {
      // The caller gets the response, because its location cannot be requested.
      return nil
    }
  }

  /// Returns whether the next request is a plain GET, whatever this one sent.
  private func becomesGET(_ status: Int) -> Bool {
    status == 303 ? method != "HEAD" : (status == 301 || status == 302) && method == "POST"
  }

  /// The fields that name one origin or log in there, in lower case.
  private static let boundToOrigin: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "host",
  ]
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
