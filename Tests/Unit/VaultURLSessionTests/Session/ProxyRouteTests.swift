import Foundation
import HTTPAuthentication
import ProgramTesting
import SecureMemory
import Testing
import URLSessionTesting

@testable import VaultURLSession

/// The destination of a request by Foundation itself, and our reading of the same environment.
@Suite("Proxy routes") struct ProxyRouteTests {
  /// Variables and a URL, and the destination of the request.
  ///
  /// None with an address of IPv6: Foundation takes its own brackets for a difference to libcurl,
  /// and refuses the URL.
  private static let routes: [(String, String)] = [
    ("http_proxy=SERVER|http://x.test/", "proxied"), ("HTTP_PROXY=SERVER|http://x.test/", "direct"),
    ("all_proxy=SERVER|http://x.test/", "proxied"), ("ALL_PROXY=SERVER|http://x.test/", "proxied"),
    ("http_proxy=|all_proxy=SERVER|http://x.test/", "proxied"),
    ("http_proxy=SERVER|https://x.test/", "direct"),
    ("http_proxy=http://SERVER/path|http://x.test/", "proxied"),
    ("http_proxy=HTTP://SERVER|http://x.test/", "proxied"),
    ("http_proxy=http://us%41er:p%40ss@SERVER|http://x.test/", "Basic dXNBZXI6cEBzcw=="),
    ("http_proxy=ftp://SERVER|http://x.test/", "direct"),
    ("http_proxy=u:p@ss@SERVER|http://x.test/", "direct"),
    ("http_proxy= SERVER|http://x.test/", "direct"),
    ("no_proxy=*|http_proxy=SERVER|http://x.test/", "direct"),
    ("no_proxy=*,y|http_proxy=SERVER|http://x.test/", "proxied"),
    ("no_proxy=.x.test|http_proxy=SERVER|http://x.test/", "direct"),
    ("no_proxy=y, X.TEST|http_proxy=SERVER|http://a.x.test/", "direct"),
    ("no_proxy=xx.test|http_proxy=SERVER|http://x.test/", "proxied"),
    ("no_proxy=x.test:80|http_proxy=SERVER|http://x.test/", "proxied"),
    ("no_proxy=x.test|http_proxy=SERVER|http://x.test./", "direct"),
    ("NO_PROXY=x.test|http_proxy=SERVER|http://x.test/", "direct"),
    ("no_proxy=y|NO_PROXY=x.test|http_proxy=SERVER|http://x.test/", "proxied"),
    ("no_proxy=127.0.0.0/8|http_proxy=SERVER|http://127.0.0.3:9/", "direct"),
    ("no_proxy=127.0.0.2/31|http_proxy=SERVER|http://127.0.0.3:9/", "direct"),
    ("no_proxy=127.0.0.0/31|http_proxy=SERVER|http://127.0.0.3:9/", "proxied"),
    ("no_proxy=0.3|http_proxy=SERVER|http://127.0.0.3:9/", "proxied"),
  ]

  @Test("the proxy that is found is the one that Foundation uses")
  func routes() throws {
    let driver = Project.products.appending(path: "URLSessionTestDriver").path
    let result = try Sandbox().run([driver, "proxied"] + Self.routes.map(\.0))
    #expect(result.status == 0 && result.lines.count == Self.routes.count)
    for ((route, expected), real) in zip(Self.routes, result.lines) {
      #expect(real == expected, "\(route)")
      let words = route.replacing("SERVER", with: "127.0.0.1:8080").split(separator: "|")
      var variables: [String: String] = [:]
      for word in words.dropLast() {
        let name = word.prefix { $0 != "=" }
        variables[String(name)] = String(word.dropFirst(name.count + 1))
      }
      let origin = try RequestURL(String(words.last ?? "")).origin
      let found = EnvironmentProxy.find(for: origin) { variables[$0] }
      #expect((found != nil) == (expected != "direct"), "\(route)")
    }
  }

  @Test(
    "at the proxy its URL's password or user counts, and a field of the request's own alone",
    arguments: Engine.allCases)
  func logins(_ engine: Engine) throws {
    let driver = Project.products.appending(path: "URLSessionTestDriver").path
    let result = try Sandbox().run(
      [driver, "proxy-logins", engine.rawValue, "", "pat:right@", "eve@", "own"])
    #expect(result.status == 0)
    // The last is refused at once: nothing of the vault is sent.
    #expect(result.lines == ["200 ann 2", "200 pat 2", "200 eve 2", "407 proxy 1"])
  }
}
