import Testing
import VaultModel

@testable import HTTPAuthentication

/// The hosts that `no_proxy` excludes; each row but those marked was tried on libcurl 7.88.1.
@Suite("DirectHosts") struct DirectHostsTests {
  @Test(
    "hosts that no_proxy names are direct",
    arguments: [
      ("*", "x.test"), ("x.test", "x.test"), (".x.test", "x.test"), ("X.TEST", "a.x.test"),
      ("test", "x.test"), ("x.test.", "x.test"), ("x.test", "X.Test."), ("y, x.test", "x.test"),
      ("y x.test", "x.test"), ("y ,x.test", "x.test"), ("y,,x.test", "x.test"),
      ("y\tx.test", "x.test"), ("127.0.0.0/8", "127.0.0.3"), ("127.0.0.3", "127.0.0.3"),
      ("127.0.0.3/32", "127.0.0.3"), ("127.0.0.3/0", "127.0.0.3"), ("127.0.0.2/31", "127.0.0.3"),
      ("127.0.0.3/x", "127.0.0.3"), ("127.0.0.4/8", "127.0.0.3"), ("y 127.0.0.4/32", "127.0.0.4"),
      ("127.0.0.0/+8", "127.0.0.3"), ("::1", "::1"), ("::1", "0:0::1"), ("fe80::1", "fe80::1%eth0"),
      // Earlier versions of libcurl only.
      ("::1.", "::1"), (".::1", "::1"),
      // Later versions of libcurl only.
      ("::1/128", "::1"), ("::/64", "::1"), ("0::1", "::1"), ("fe00::/7", "ff02::1"),
    ])
  func direct(_ list: String, _ host: String) throws {
    #expect(try DirectHosts(list).mayContain(HostName(host)))
  }

  @Test(
    "an address of IPv6 is direct for certain only as all versions of libcurl read the list",
    arguments: [
      ("*", true), ("::1", true), ("y ::1,z", true), ("::1/128", false), ("::/64", false),
      ("::/8", false), ("0::1", false), ("::1.", false), (".::1", false), ("", false),
    ])
  func certain(_ list: String, _ isDirect: Bool) throws {
    #expect(try DirectHosts(list).contains(HostName("::1")) == isDirect)
    #expect(try DirectHosts("\(list) 127.0.0.0/8").contains(HostName("127.0.0.3")))
  }

  @Test(
    "other hosts are not",
    arguments: [
      ("*,y", "x.test"), (" *", "x.test"), ("xx.test", "x.test"), ("st", "x.test"),
      ("0.0.0.0/0", "127.0.0.3"), ("127.0.0.3/33", "127.0.0.3"), ("127.0.0", "127.0.0.3"),
      ("0.3", "127.0.0.3"), ("127.0.0.3/-1", "127.0.0.3"), ("[::1]", "::1"), ("::1/129", "::1"),
      ("::2/127", "::1"), ("2000::/127", "::1"), ("x.test:80", "x.test"), ("", "x.test"),
      ("..x.test", "x.test"), (".", "x.test"), ("1", "127.0.0.1"), ("/8", "127.0.0.1"),
      ("127.0.0.3/99999999999999999999", "127.0.0.3"), ("::/8", "127.0.0.1"),
    ])
  func proxied(_ list: String, _ host: String) throws {
    #expect(try !DirectHosts(list).mayContain(HostName(host)))
    #expect(try !DirectHosts(list).contains(HostName(host)))
  }
}
