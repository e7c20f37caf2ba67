import HTTPAuthentication
import Testing
import VaultModel

@testable import VaultTransport

/// The examples of RFC 3986 §5.4, as far as they are of HTTP; a request has no fragment.
@Suite("Reference") struct ReferenceTests {
  @Test(
    "a reference is resolved as RFC 3986 does",
    arguments: [
      ("http:g", nil), ("g:h", nil), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
      ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"),
      ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
      ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
      ("g;x", "http://a/b/c/g;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
      ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
      ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
      ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
      ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"),
      ("https://b:8443/x/../y?z", "https://b:8443/y?z"), ("https://b", "https://b/"),
      ("//ann:pw@g/x", "http://g/x"), ("a b", nil), ("https://b/\u{7F}", nil),
    ] as [(String, String?)])
  func resolve(_ text: String, _ expected: String?) throws {
    let base = try RequestURL("http://a/b/c/d;p?q")
    #expect(Reference.resolve(text, against: base)?.description == expected)
  }

  @Test("a redirect to another origin drops what is bound to the first, also on the way back")
  func origins() throws {
    var request = try TransportRequest("GET", "http://ann:pw@a/1")
    request.fields = ["Authorization", "cookie", "Host", "Proxy-Authorization", "X-Own"].map {
      ResponseHead.Field($0, "v")
    }
    request.user = "ann"
    func moved(_ location: String) -> ResponseHead {
      ResponseHead(status: 302, fields: [.init("location", location)])
    }
    let same = try #require(request.redirected(by: moved("/2")))
    #expect(same.fields.count == 5 && same.user == "ann" && same.url.user == "ann")
    for location in ["http://b/", "https://a/", "http://a:81/"] {
      let other = try #require(request.redirected(by: moved(location)))
      #expect(other.fields.map(\.name) == ["X-Own"] && other.user == nil && other.url.user == nil)
      let back = try #require(other.redirected(by: moved("http://ann:pw@a/3")))
      #expect(back.fields.map(\.name) == ["X-Own"] && back.url.user == nil)
    }
  }

  @Test(
    "the method and body of the next request",
    arguments: [
      (301, "POST", "GET"), (302, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
      (301, "PUT", "PUT"), (307, "POST", "POST"), (308, "POST", "POST"), (304, "GET", nil),
    ] as [(Int, String, String?)])
  func method(_ status: Int, _ method: String, _ expected: String?) throws {
    var request = try TransportRequest(method, "http://a/1")
    request.body = .bytes([1])
    request.fields = [.init("Content-Type", "text/plain")]
    let next = request.redirected(
      by: ResponseHead(status: status, fields: [.init("Location", "/2")]))
    #expect(next?.method == expected)
    guard let next else { return }
    if case .bytes = next.body {
      #expect(next.method == method && next.fields.count == 1)
    } else {
      #expect(next.method == "GET" && next.fields.isEmpty)
    }
  }
}
