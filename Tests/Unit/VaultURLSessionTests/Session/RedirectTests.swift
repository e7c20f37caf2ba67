import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing

@testable import VaultURLSession

/// The target of a redirecting response, without a network.
@Suite("Redirects") struct RedirectTests {
  private func request(
    _ method: String, _ text: String = "http://h:81/a/b?c#d"
  ) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: text)))
    request.httpMethod = method
    request.httpBody = Data("body".utf8)
    for name in [
      "Authorization", "proxy-authorization", "Cookie", "Host", "Content-Type", "content-encoding",
      "Transfer-Encoding", "X-Own",
    ] {
      request.setValue("own", forHTTPHeaderField: name)
    }
    return request
  }

  private func next(
    _ status: Int, _ location: String?, after request: URLRequest, _ body: RequestBody = .ofRequest
  ) throws -> RequestTarget? {
    let target = try #require(try RequestTarget(request, body))
    let url = try #require(target.request.url)
    let response = HTTPURLResponse(
      url: url, statusCode: status, httpVersion: "HTTP/1.1",
      headerFields: location.map { ["location": $0] })
    return target.redirected(by: try #require(response))
  }

  @Test(
    "a location is resolved against the request's URL",
    arguments: [
      ("x", "http://h:81/a/x#d"), ("../x", "http://h:81/x#d"), ("/x", "http://h:81/x#d"),
      ("?q", "http://h:81/a/b?q#d"), ("#f", "http://h:81/a/b?c#f"), ("//o/x", "http://o/x#d"),
      ("HTTPS://O:444/x#y", "https://o:444/x#y"), ("./", "http://h:81/a/#d"),
      ("/a/../../b", "http://h:81/b#d"), ("a b", "http://h:81/a/a%20b#d"),
    ])
  func resolved(_ location: String, _ url: String) throws {
    #expect(try next(302, location, after: request("GET"))?.request.url?.absoluteString == url)
  }

  @Test(
    "the response is the caller's where its location is none that HTTP could be spoken with",
    arguments: [
      nil, "", "javascript:alert(1)", "mailto:x", "data:,x", "file:///etc/passwd", "http://",
      "//", "http:x", "http:/x", "https:", "http://o:99999/", "http:// /", "http://1.2.3/",
      "myapp://callback",
    ] as [String?])
  func nowhere(_ location: String?) throws {
    #expect(try next(302, location, after: request("GET")) == nil)
  }

  @Test("other codes lead nowhere", arguments: [200, 201, 300, 304, 305, 306, 399, 401, 500])
  func codes(_ status: Int) throws {
    #expect(try next(status, "/x", after: request("GET")) == nil)
  }

  @Test(
    "303 becomes GET except for HEAD, 301 and 302 make POST a GET, the others stay",
    arguments: [
      (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (303, "HEAD", "HEAD"),
      (301, "POST", "GET"), (302, "POST", "GET"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"),
      (302, "HEAD", "HEAD"), (307, "POST", "POST"), (308, "POST", "POST"), (307, "PATCH", "PATCH"),
      (302, "post", "GET"),
    ])
  func methods(_ status: Int, _ method: String, _ then: String) throws {
    #expect(try next(status, "/x", after: request(method))?.method == then)
  }

  @Test("what becomes GET loses its body and what describes it; what stays keeps both")
  func bodies() throws {
    let get = try #require(try next(303, "/x", after: request("POST"), .data(Data("up".utf8))))
    #expect(get.request.httpBody == nil && get.body.sent == nil)
    #expect(
      get.request.allHTTPHeaderFields?.keys.contains { $0.lowercased().hasPrefix("content") }
        == false)
    #expect(get.request.value(forHTTPHeaderField: "Transfer-Encoding") == nil)
    #expect(get.request.value(forHTTPHeaderField: "X-Own") == "own")
    let post = try #require(try next(307, "/x", after: request("POST"), .data(Data("up".utf8))))
    #expect(post.request.httpBody == Data("body".utf8) && post.body.sent != nil)
    #expect(post.request.value(forHTTPHeaderField: "Content-Type") == "own")
  }

  @Test(
    "what is for one origin does not go to another",
    arguments: ["http://h:82/", "http://o:81/", "https://h:81/", "http://sub.h:81/"])
  func otherOrigin(_ location: String) throws {
    let request = try request("GET", "http://ann:secret@h:81/")
    let target = try #require(try next(302, location, after: request))
    for name in ["Authorization", "Proxy-Authorization", "Cookie", "Host"] {
      #expect(target.request.value(forHTTPHeaderField: name) == nil)
    }
    #expect(target.request.value(forHTTPHeaderField: "X-Own") == "own")
    let hasUserInfo = target.url.user != nil || target.url.password != nil
    #expect(!hasUserInfo)
  }

  @Test("at one origin all of it goes on", arguments: ["/x", "http://H:81/x", "//h:81/x"])
  func sameOrigin(_ location: String) throws {
    let request = try request("GET", "http://ann:secret@h:81/")
    let target = try #require(try next(302, location, after: request))
    for name in ["Authorization", "Proxy-Authorization", "Cookie", "Host"] {
      #expect(target.request.value(forHTTPHeaderField: name) == "own")
    }
    let isKept =
      target.url.user == "ann" && target.url.password?.isEqual(to: Secret("secret")) == true
    #expect(isKept)
  }

  @Test("a user in the location is ignored", arguments: ["http://eve:x@o/", "http://eve:x@h:81/"])
  func locationUser(_ location: String) throws {
    let target = try #require(try next(302, location, after: request("GET")))
    #expect(target.url.user == nil && target.request.url?.user == nil)
  }
}
