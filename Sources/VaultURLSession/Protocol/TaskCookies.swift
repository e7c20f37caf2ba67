import Foundation
import FoundationNetworking
import HTTPAuthentication

/// The cookies of a task, as its configuration and request want them.
// Proof: Foundation's storage locks its state; the rest is constant.
struct TaskCookies: @unchecked Sendable {
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

  /// Stores the cookies of a response.
  func store(_ head: HTTPAuthentication.ResponseHead, of url: RequestURL) {
    guard let storage, let url = URL(string: url.description) else { return }
    for field in head.fields where field.name.hasSameBytesIgnoringCase(as: "Set-Cookie") {
      let cookies = HTTPCookie.cookies(
        withResponseHeaderFields: ["Set-Cookie": field.value], for: url)
      storage.setCookies(cookies, for: url, mainDocumentURL: document)
    }
  }

  /// Returns the fields with which the cookies for a URL are sent; Foundation has already put those
  /// of the first request into it.
  func fields(for url: RequestURL) -> [HTTPAuthentication.ResponseHead.Field] {
    guard let storage, setsCookies, let url = URL(string: url.withoutUserInfo.description),
      let cookies = storage.cookies(for: url), !cookies.isEmpty
    else { return [] }
    return HTTPCookie.requestHeaderFields(with: cookies).map {
      HTTPAuthentication.ResponseHead.Field($0.key, $0.value)
    }
  }
}
