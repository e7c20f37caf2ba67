import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing

@testable import VaultURLSession

@Suite("RequestTarget") struct RequestTargetTests {
  private func target(_ text: String) throws -> RequestTarget? {
    try RequestTarget(URLRequest(url: try #require(URL(string: text))), .ofRequest)
  }

  @Test(
    "Foundation is given the URL that was read, so that both mean one host and one target",
    arguments: [
      ("http://h", "http://h/"), ("http://h?q", "http://h/?q"),
      ("HTTP://H.Test:80/", "http://h.test/"),
      ("http://h/a/../b/./c", "http://h/b/c"), ("http://h/a//../b", "http://h/a/b"),
      ("http://h/..", "http://h/"), ("http://h/a/.", "http://h/a/"),
      ("http://h//a//b", "http://h//a//b"),
      ("http://h/a/%2e%2e/b", "http://h/a/%2e%2e/b"), ("http://h/?q=/../x", "http://h/?q=/../x"),
      ("http://h/a b|é?ü#ö", "http://h/a%20b%7C%C3%A9?%C3%BC#%C3%B6"),
      ("http://h/%zz", "http://h/%25zz"),
      ("http://my_service:8080/", "http://my_service:8080/"),
      ("http://exämple.test/", "http://xn--exmple-cua.test/"), ("http://%68/", "http://h/"),
      ("http://[::1]:8080/x", "http://[::1]:8080/x"),
      ("http://[FE80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
      ("http://ann:secret@h/x#f", "http://h/x#f"), ("https://h:443/", "https://h/"),
      ("http://h./", "http://h/"),
    ])
  func url(_ text: String, _ sent: String) throws {
    #expect(try target(text)?.request.url?.absoluteString == sent)
  }

  @Test(
    "what cannot be a request's URL is badURL, and no trap",
    arguments: [
      "http://", "http:///x", "http:h/x", "http:", "https:/x", "http://h:0/", "http://h:99999/",
      "http://1.2.3/", "http://-a.test/", "http://h%00/", "http://[::1/",
    ])
  func bad(_ text: String) throws {
    guard let url = URL(string: text) else { return }
    #expect(throws: URLError(.badURL)) { try RequestTarget(URLRequest(url: url), .ofRequest) }
  }

  @Test("a request without a URL is badURL: Foundation traps on one")
  func none() throws {
    var request = URLRequest(url: try #require(URL(string: "http://h/")))
    request.url = nil
    #expect(throws: URLError(.badURL)) { try RequestTarget(request, .ofRequest) }
  }

  @Test(
    "other schemes are Foundation's",
    arguments: ["data:,x", "file:///x", "x/y", "//h/x", "foo:bar"])
  func others(_ text: String) throws {
    #expect(try target(text) == nil)
  }

  @Test("a relative URL counts with its base")
  func relative() throws {
    let url = URL(string: "../x?q", relativeTo: URL(string: "http://u:p@h/a/b/c"))
    let target = try RequestTarget(URLRequest(url: try #require(url)), .ofRequest)
    #expect(target?.request.url?.absoluteString == "http://h/a/x?q")
  }

  @Test("user and password are taken out of the URL, and kept for the exchange")
  func userInfo() throws {
    let target = try #require(try target("http://us%65r:pa%73s@h/x"))
    #expect(target.url.user == "user" && target.request.url?.user == nil)
    let isRight = target.url.password?.isEqual(to: Secret("pass"))
    #expect(isRight == true)
    #expect(target.request.url?.password == nil)
  }
}
