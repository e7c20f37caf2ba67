import HTTPAuthentication
import Testing
import VaultModel

@testable import VaultTransport

@Suite("ProxyChoice") struct ProxyChoiceTests {
  /// Returns kind, host, port and user of the proxy for a URL.
  private func found(_ url: String, _ environment: [String: String]) throws -> String? {
    try ProxyChoice.environment.server(for: RequestURL(url).origin) { environment[$0] }.map {
      let user = $0.credential.map { "\($0.user):\($0.secret.count)" } ?? $0.user ?? "-"
      return "\($0.kind) \($0.host.name) \($0.port) \(user)"
    }
  }

  @Test("the environment's proxy is that of the scheme, then that of all, as curl reads it")
  func environment() throws {
    let (http, https) = ("http://a.test/", "https://a.test/")
    #expect(try found(http, [:]) == nil)
    #expect(try found(http, ["http_proxy": "p:3128"]) == "http p 3128 -")
    #expect(try found(https, ["http_proxy": "p:3128"]) == nil)
    // In upper case, it may be a field of a request to a CGI program.
    #expect(try found(http, ["HTTP_PROXY": "p:3128"]) == nil)
    #expect(try found(https, ["HTTPS_PROXY": "http://p"]) == "http p 1080 -")
    #expect(
      try found(https, ["https_proxy": "https://pat:pw@p/", "all_proxy": "q"])
        == "https p 443 pat:2")
    #expect(try found(http, ["all_proxy": "socks5h://pat@[::1]:9"]) == "socks5h ::1 9 pat")
    #expect(try found(http, ["ALL_PROXY": "socks://s"]) == "socks4 s 1080 -")
    for direct in ["*", "a.test", ".test", "b, test"] {
      #expect(try found(http, ["http_proxy": "p", "no_proxy": direct]) == nil)
      #expect(try found(http, ["http_proxy": "p", "NO_PROXY": direct]) == nil)
    }
    #expect(try found(http, ["http_proxy": "p:1", "no_proxy": "b.test"]) == "http p 1 -")
  }

  @Test("a value that is no proxy ends the request: it must not go past it")
  func invalid() {
    for value in ["ftp://p", "http://", "p:99999", "http://p q", "http:/p.test"] {
      let error = #expect(throws: VaultError(.configuration, ""), "\(value)") {
        try found("http://a.test/", ["http_proxy": value])
      }
      #expect(error?.context.hasPrefix("http_proxy: ") == true)
    }
  }

  @Test("a given proxy is not used for the hosts that are excepted")
  func given() throws {
    let choice = ProxyChoice.proxy(try ProxyServer(host: "p", port: 1), except: "a.test")
    #expect(try choice.server(for: RequestURL("http://a.test/").origin) == nil)
    #expect(try choice.server(for: RequestURL("http://b.test/").origin)?.host.name == "p")
  }
}
