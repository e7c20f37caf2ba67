import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

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
