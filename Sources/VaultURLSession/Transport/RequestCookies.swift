import Foundation
import FoundationNetworking
import HTTPAuthentication

/// The cookies of a load, as its configuration and request want them.
// Proof: Foundation's storage locks its state; the rest is constant.
struct RequestCookies: @unchecked Sendable {
  /// Nil if none are stored or sent.
  private let storage: HTTPCookieStorage?
  private let setsCookies: Bool
  private let document: URL?

  init(_ request: URLRequest, _ configuration: URLSessionConfiguration) {
    storage =
      request.httpShouldHandleCookies && configuration.httpCookieAcceptPolicy != .never
      ? configuration.httpCookieStorage : nil
    setsCookies = configuration.httpShouldSetCookies
    document = request.mainDocumentURL ?? request.url
  }

  /// Whether cookies are sent; one that was set by hand is otherwise left as it is.
  var areSent: Bool { storage != nil && setsCookies }

  /// Stores the cookies of a response.
  func store(_ head: HTTPAuthentication.ResponseHead, of url: RequestURL) {
    let fields = head.fields.filter { $0.name.hasSameBytesIgnoringCase(as: "Set-Cookie") }
    guard !fields.isEmpty, let storage, let url = URL(string: url.description) else { return }
    for field in fields {
      let cookies = HTTPCookie.cookies(
        withResponseHeaderFields: ["Set-Cookie": field.value], for: url)
      storage.setCookies(cookies, for: url, mainDocumentURL: document)
    }
  }

  /// Returns the value of `Cookie` for a URL; nil for none.
  func value(for url: RequestURL) -> String? {
    guard let storage, setsCookies, let url = URL(string: url.withoutUserInfo.description),
      let cookies = storage.cookies(for: url), !cookies.isEmpty
    else { return nil }
    return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
  }
}
