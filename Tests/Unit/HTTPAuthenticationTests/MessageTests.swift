import HTTPAuthentication
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite struct MessageTests {
  @Test("a field that comes twice, in different case, is read twice")
  func fieldTwice() throws {
    let response = ResponseHead(
      status: 401,
      fields: [
        .init("WWW-Authenticate", "Basic realm=\"Team\""),
        .init("www-authenticate", "Digest realm=\"Team\", nonce=\"n\""),
      ])
    let offer = try ChallengeResponder.offered(by: response, to: .get("http://h/x"))
    #expect(offer.responders.map(\.method) == [.digest, .basic])
  }

  @Test(
    "the target is what is sent: encoded where a URI has no place for it, else as written",
    arguments: [
      ("http://h", "/"), ("http://h/", "/"), ("http://h?", "/?"), ("http://h?x=1", "/?x=1"),
      ("http://h#f", "/"), ("http://h/a#f", "/a"), ("http://h/a?#f", "/a?"),
      ("http://h/a?b?c", "/a?b?c"), ("http://h/?a=/../b#c?d", "/?a=/../b"),
      ("http://h/a/../b/./c//d", "/a/../b/./c//d"), ("http://h/a%20b%2f%7E", "/a%20b%2f%7E"),
      ("http://h/%00%0a%0D%ff", "/%00%0a%0D%ff"), ("http://h/straße?ü", "/stra%C3%9Fe?%C3%BC"),
      ("http://h/e\u{301}", "/e%CC%81"), ("http://h/\u{301}x", "/%CC%81x"),
      ("http://h/a|b{c}\"d\"\\e<f>^`", "/a%7Cb%7Bc%7D%22d%22%5Ce%3Cf%3E%5E%60"),
      ("http://h/-._~:@!$&'()*+,;=[]", "/-._~:@!$&'()*+,;=[]"),
      ("http://ann:a/b@h/", nil), ("http://h/@x:y", "/@x:y"), ("http://u@h:8080?@", "/?@"),
    ])
  func target(_ text: String, _ target: String?) throws {
    guard let target else {
      #expect(throws: VaultError(.invalidArgument, "")) { try RequestURL(text) }
      return
    }
    let url = try RequestURL(text)
    #expect(url.target == target)
    #expect("\(url)" == "\(url.origin)\(target)")
    #expect(try RequestURL("\(url)").target == target)
  }

  @Test("no byte that could end a line or a target gets into one, wherever in the URL it stands")
  func injection() throws {
    let isGood = { (scalar: Unicode.Scalar) in scalar.value > 0x20 && scalar.value != 0x7F }
    for value in UInt32(0)..<0x100 {
      let scalar = try #require(Unicode.Scalar(value))
      for pattern in ["http://h/a?b", "http://h?b", "http://h", "http://u:p@h/a"] {
        for index in pattern.indices {
          var text = pattern
          text.unicodeScalars.insert(scalar, at: index)
          guard let url = try? RequestURL(text) else { continue }
          #expect(isGood(scalar), "\(value): \(pattern)")
          #expect(url.target.utf8.allSatisfy { (0x21...0x7E).contains($0) })
          #expect("\(url)".utf8.allSatisfy { (0x21...0x7E).contains($0) })
          #expect(url.target.hasPrefix("/") && !url.target.contains("#"))
        }
      }
    }
  }

  @Test(
    "a percent sign without two digits is refused in path and query, not in the fragment",
    arguments: ["http://h/%", "http://h/a%2", "http://h/%zz", "http://h/?100%", "http://h/%%20"])
  func percent(_ text: String) throws {
    #expect(throws: VaultError(.invalidArgument, "")) { try RequestURL(text) }
    #expect(try RequestURL("http://h/#100%").target == "/")
  }

  @Test(
    "an origin is scheme, host and port, whatever the spelling",
    arguments: [
      ("HTTP://H.:80/a", "http://h"), ("https://h:443?x", "https://h"),
      ("http://h:443", "http://h:443"),
      ("https://[0:0::1]:8443/", "https://[::1]:8443"), ("http://%68/", "http://h"),
      ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]"),
      ("http://BÜCHER.example/", "http://xn--bcher-kva.example"), ("http://h:/", "http://h"),
    ])
  func origin(_ text: String, _ origin: String) throws {
    let url = try RequestURL(text)
    #expect("\(url.origin)" == origin)
    #expect(try RequestURL(origin).origin == url.origin)
  }

  @Test("only TLS and this machine are trustworthy, as an origin and as a proxy")
  func trustworthy() throws {
    for (text, isTrustworthy) in [
      ("https://h/", true), ("http://h/", false), ("http://localhost/", true),
      ("http://127.0.0.1:8080/", true), ("http://[::1]/", true),
      ("http://127.0.0.1.evil.com/", false),
      ("http://localhost.evil.com/", false), ("http://10.0.0.1/", false),
    ] {
      let url = try RequestURL(text)
      #expect(url.origin.isTrustworthy == isTrustworthy, "\(text)")
      #expect(Proxy(url).isTrustworthy == isTrustworthy, "\(text)")
    }
  }

  @Test("a URL without its user information is the same request")
  func withoutUserInfo() throws {
    let url = try RequestURL("http://ann:pw@h:81/a?b").withoutUserInfo
    #expect(url.user == nil && url.password == nil)
    #expect(url.origin.port == 81 && url.target == "/a?b")
  }

  @Test("a password in a URL may be any bytes, and an error never repeats it")
  func password() throws {
    let url = try RequestURL("http://ann:%00%ff%0A@h/")
    #expect(url.password?.array == [0, 0xFF, 0x0A])
    for text in ["http://ann:s3cret %@h/", "http://ann:s3cret@h/%", "ftp://ann:s3cret@h/"] {
      let error = #expect(throws: VaultError.self) { try RequestURL(text) }
      #expect(error?.description.contains("s3cret") == false)
    }
  }

  @Test("a request says nothing of its passwords when it is dumped")
  func dumping() throws {
    var request = RequestHead(
      url: try RequestURL("http://ann:s3cret@h/"), proxy: try Proxy(host: "proxy", port: 3128))
    request.credential = .of("ann", "s3cret")
    request.proxyCredential = .of("bob", "s3cret")
    var text = "\(request) \(String(reflecting: request))"
    dump(request, to: &text)
    #expect(!text.contains("s3cret"))
  }

  @Test("a proxy has a host, a port of its own and a kind; only https is tunnelled through it")
  func proxy() throws {
    #expect(try Proxy(host: "P.", port: 3128) == Proxy(RequestURL("http://u:p@p:3128/x")))
    #expect(try Proxy(RequestURL("https://p/")).type == .httpsProxy)
    #expect(try Proxy(host: "p", port: 1, overTLS: true) != Proxy(host: "p", port: 1))
    for (host, port) in [("", 80), ("p", 0), ("p", -1), ("p", 65536), ("p\r\n", 80), ("p:80", 80)] {
      #expect(throws: VaultError(.invalidArgument, "")) { try Proxy(host: host, port: port) }
    }
    let proxy = try Proxy(host: "p", port: 3128)
    #expect(try RequestHead.get("https://h/", through: proxy).isTunnelled)
    #expect(try !RequestHead.get("http://h/", through: proxy).isTunnelled)
    #expect(try !RequestHead.get("https://h/").isTunnelled)
  }

  @Test("a field's name is compared in any case of ASCII, and in no other way")
  func fieldNames() throws {
    let response = ResponseHead(
      status: 401,
      fields: [
        .init("www-AuthENTICATE", "Basic realm=\"a\""),
        .init("WWW-Authenticate ", "Basic realm=\"b\""),
        .init("WWW-Authent\u{131}cate", "Basic realm=\"c\""),
        .init("WWW-Authenticate", "Basic realm=\"d\""),
      ])
    let offer = try ChallengeResponder.offered(by: response, to: RequestHead.get("http://h/"))
    #expect(offer.responders.map(\.realm) == ["a", "d"])
  }
}

@Suite struct RequestURLTests {
  @Test("the origin has the scheme's port, the target is as written, without the fragment")
  func parts() throws {
    let url = try RequestURL("https://Git.Example.com/a%20b/?q=%7e#top")
    #expect(url.origin.description == "https://git.example.com")
    #expect(url.origin.port == 443)
    #expect(url.target == "/a%20b/?q=%7e")
    #expect(try RequestURL("http://h:8080").target == "/")
    #expect(try RequestURL("http://h?x=1").target == "/?x=1")
  }

  @Test("user and password are read, decoded, and shown nowhere")
  func userInfo() throws {
    let url = try RequestURL("http://ann:p%40ss%3Aword@h/x")
    #expect(url.user == "ann")
    #expect(url.password.map { $0.isEqual(to: Secret("p@ss:word")) } == true)
    var dumped = ""
    dump(url, to: &dumped)
    #expect(!"\(url) \(String(reflecting: url)) \(dumped)".contains("ann"))
    #expect(try RequestURL("http://ann@h/").password == nil)
    #expect(try RequestURL("http://ann:@h/").password?.count == 0)
  }

  @Test(
    "what is no http URL is refused",
    arguments: ["ftp://h/", "http:///x", "//h/", "http://a b/", "http://h:0/", "http://a@b@c/"])
  func refused(_ text: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try RequestURL(text) }
  }
}
