import Interchange
import SecureMemory
import Testing
import VaultModel

@testable import VaultCommands

@Suite("DockerServer")
struct DockerServerTests {
  private func item(_ text: String, isTaken: Bool = false) throws -> Item {
    try DockerServer(text).item(user: "ann", Secret("one")) { _ in isTaken }
  }

  @Test(
    "the parts of the key come from the text",
    arguments: [
      ("registry.example.com", "registry.example.com", "https", 0, "v2"),
      ("registry.example.com:5000", "registry.example.com", "https", 5000, "v2"),
      ("REGISTRY.example.com", "registry.example.com", "https", 0, "v2"),
      ("http://registry.example.com:80/", "registry.example.com", "http", 80, "v2"),
      ("https://index.docker.io/v1/", "index.docker.io", "https", 0, "v1"),
      ("https://index.docker.io/v1/access-token", "index.docker.io", "https", 0, "v1/access-token"),
      ("registry.example.com/team", "registry.example.com", "https", 0, "team"),
      ("[2001:db8::1]:5000", "2001:db8::1", "https", 5000, "v2"),
    ] as [(String, String, String, UInt16, String)])
  func parts(
    _ row: (text: String, server: String, scheme: String, port: UInt16, path: String)
  ) throws {
    let item = try item(row.text)
    #expect(item.server.name == row.server)
    #expect(item.protocol.rawValue == row.scheme)
    #expect(item.port == row.port)
    #expect(item.path == row.path)
    #expect(item.realm.isEmpty)
    #expect(DockerServer(row.text).query.server == .equals(item.server))
  }

  @Test(
    "a text that is no address is kept as a realm, without a server",
    arguments: ["no host", "https://", "ssm://a b/c", "https://ann@h", "h:99999", "x://[::1", "…"])
  func opaque(_ text: String) throws {
    let item = try item(text)
    #expect(item.server.isUnset)
    #expect(item.realm == text)
    #expect(DockerServer(text).owns(item))
  }

  @Test("a text whose key is taken has it with a realm")
  func taken() throws {
    #expect(try item("https://h", isTaken: true).realm == "https://h")
    #expect(try item("https://h").key == item("h").key)
  }

  @Test("an item is of one text alone, byte for byte")
  func owns() throws {
    let texts = ["h", "H", "h:443", "https://h", "https://h/", "http://h", "é.h", "e\u{301}.h"]
    for one in texts {
      for other in texts {
        #expect(
          try DockerServer(one).owns(item(other)) == one.utf8.elementsEqual(other.utf8))
      }
    }
  }

  @Test("an item of another origin is no server's, nor one whose host was changed")
  func others() throws {
    var item = try item("h")
    item.server = try HostName("elsewhere")
    #expect(!DockerServer("h").owns(item) && !DockerServer("elsewhere").owns(item))
    item = try self.item("h")
    item.origin = "git"
    #expect(!DockerServer("h").owns(item))
  }

  @Test(
    "an item that a person added has the text that Docker uses for its place",
    arguments: [
      (UInt16(0), "", "h"), (0, "v2", "h"), (0, "/v2/", "h"), (5000, "", "h:5000"),
      (0, "v1", "https://h/v1/"), (5000, "/v1/x/", "https://h:5000/v1/x/"),
    ])
  func added(_ port: UInt16, _ path: String, _ text: String) throws {
    var item = Item(
      server: try HostName("h"), account: "ann", protocol: .https, port: port, path: path)
    item.origin = "docker"
    #expect(DockerServer(text).owns(item))
  }

  @Test("the user <token> has an identity token, which is no password")
  func token() throws {
    let item = try DockerServer("h").item(user: "<token>", Secret("t")) { _ in false }
    #expect(item.secretKind == .token && item.authenticationMethod == .bearer)
    #expect(try self.item("h").secretKind == .password)
  }
}

@Suite("DockerRequest")
struct DockerRequestTests {
  @Test("a credential is read whatever the order, escapes and other members are")
  func credential() throws {
    let request = try DockerRequest(
      Secret(
        #" {"More":[{"x":null}],"Secret":"\u0070\"w","Username":"\u003ctoken\u003e","ServerURL":"h"}"#
      ))
    #expect(request.server.text == "h")
    #expect(request.user == "<token>")
    #expect(request.secret.isEqual(to: Secret("p\"w")))
  }

  @Test("absent and null are empty: the secret may be, server and user not")
  func absent() throws {
    #expect(try DockerRequest(Secret(#"{"ServerURL":"h","Username":"a"}"#)).secret.count == 0)
    for (text, words) in [
      (#"{"Username":"a"}"#, "no credentials server URL"),
      (#"{"ServerURL":null,"Username":"a"}"#, "no credentials server URL"),
      (#"{"ServerURL":"h","Username":""}"#, "no credentials username"),
    ] {
      let error = try #require(throws: VaultError.self) { try DockerRequest(Secret(text)) }
      #expect(error.context == words)
    }
  }

  @Test(
    "anything else is refused, and not repeated",
    arguments: [
      "", "hunter2", "[]", #"{"Secret":"hunter2""#, #"{"Secret":7}"#, #"{"Secret":"hunter2"} x"#,
      #"{"Secret":"hunter2","Secret":"b"}"#, "{\"Secret\":\"hunter2\u{1}\"}",
    ])
  func malformed(_ text: String) throws {
    let error = try #require(throws: VaultError.self) { try DockerRequest(Secret(text)) }
    #expect(error.code == .invalidData)
    #expect(!error.description.contains("hunter2"))
  }

  @Test("a server is read without the blanks around it")
  func server() throws {
    #expect(try DockerRequest.server(Secret(" \thttps://h/ x \u{A0}\r\n")).text == "https://h/ x")
    #expect(throws: VaultError(.missingInput, "")) { try DockerRequest.server(Secret(" \n")) }
  }
}
