import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel
@testable import VaultURLSession

/// The proxy that is read from the environment; the behaviour of libcurl 7.88.1 with each value was
/// tried.
@Suite("EnvironmentProxy") struct EnvironmentProxyTests {
  private func find(
    _ variables: [String: String], _ url: String = "http://x.test/"
  ) throws -> EnvironmentProxy? {
    EnvironmentProxy.find(for: try RequestURL(url).origin) { variables[$0] }
  }

  @Test(
    "the first variable that is set and not empty counts; HTTP_PROXY is none",
    arguments: [
      (["http_proxy": "a:1", "all_proxy": "b:2", "ALL_PROXY": "c:3"], "a"),
      (["all_proxy": "b:2", "ALL_PROXY": "c:3"], "b"), (["ALL_PROXY": "c:3"], "c"),
      (["http_proxy": "", "all_proxy": "b:2"], "b"), (["HTTP_PROXY": "d:4"], nil), ([:], nil),
    ])
  func names(_ variables: [String: String], _ host: String?) throws {
    #expect(try find(variables)?.proxy.host.name == host)
  }

  @Test(
    "a proxy is read as libcurl reads it",
    arguments: [
      ("p.test:3128", "htpx p.test 3128"), ("p.test", "htpx p.test 1080"),
      ("http://p.test", "htpx p.test 1080"), ("http://p.test:/", "htpx p.test 1080"),
      ("HTTP://P.Test:3128/path?x#y", "htpx p.test 3128"), ("https://p.test", "htsx p.test 443"),
      ("https://p.test:8443", "htsx p.test 8443"), ("[::1]:3128", "htpx ::1 3128"),
      ("http://p%2Etest:3128", "htpx p.test 3128"), ("user@p.test:3128", "htpx p.test 3128"),
    ])
  func proxies(_ value: String, _ address: String) throws {
    let found = try #require(try find(["http_proxy": value]))
    let type = found.proxy.type == .httpsProxy ? "htsx" : "htpx"
    #expect("\(type) \(found.proxy.host) \(found.proxy.port)" == address)
  }

  @Test(
    "what libcurl refuses, a SOCKS proxy, and what is in doubt are no HTTP proxy",
    arguments: [
      "socks5://p.test:1080", "socks5h://p.test", "ftp://p.test:21", " p.test:3128",
      "p.test:3128 ", "u:p@ss@p.test:3128", "http://p.test:0", "http://p.test:70000",
      "http:/p.test",
      "http:///p.test:3128", "://", ":", "@", "%", "http://", "p.test:port", "\u{0}", "-",
      "http://p.test/%zz", "http://p\\test", "1.2.3",
    ])
  func refused(_ value: String) throws {
    #expect(try find(["http_proxy": value]) == nil)
  }

  @Test("user and password in the proxy's URL are a credential, percent-decoded, that is not kept")
  func credential() throws {
    let found = try #require(try find(["http_proxy": "http://us%41er:p%40ss@p.test:1/"]))
    let credential = try #require(found.credential)
    #expect(credential.user == "usAer")
    let isRight = credential.secret.isEqual(to: Secret("p@ss"))
    #expect(isRight && credential.persistence == .none && found.user == nil)
    let isEmpty = try find(["http_proxy": ":pw@p.test"])?.credential?.user.isEmpty
    #expect(isEmpty == true)
  }

  @Test("a user alone is the one whose credential is wanted")
  func account() throws {
    let found = try #require(try find(["http_proxy": "ann@p.test:3128"]))
    #expect(found.user == "ann" && found.credential == nil)
  }

  @Test("an https origin has no proxy here, and neither has a host of no_proxy")
  func direct() throws {
    let proxy = ["http_proxy": "p.test:1", "https_proxy": "p.test:2", "all_proxy": "p.test:3"]
    #expect(try find(proxy, "https://x.test/") == nil)
    #expect(try find(proxy) != nil)
    #expect(try find(proxy.merging(["no_proxy": "x.test"]) { $1 }) == nil)
    #expect(try find(proxy.merging(["NO_PROXY": "x.test"]) { $1 }) == nil)
    #expect(try find(proxy.merging(["no_proxy": "", "NO_PROXY": "x.test"]) { $1 }) == nil)
    #expect(try find(proxy.merging(["no_proxy": "y", "NO_PROXY": "x.test"]) { $1 }) != nil)
  }
}
