import Testing
import VaultModel

@testable import vaultctl

@Suite("Selection")
struct SelectionTests {
  private func selection(
    _ values: [OptionName: String], operand: String? = nil, readsMetadata: Bool = true
  ) throws(VaultError) -> Selection {
    var arguments = Arguments()
    for (name, value) in values { arguments.add(name, value) }
    if let operand { arguments.append(operand: operand) }
    return try Selection(arguments, readsMetadata: readsMetadata)
  }

  @Test("absent is any and empty is unset")
  func absent() throws {
    let selection = try selection([.account: "", .server: "Example.COM."])
    #expect(selection.query.account == .equals(""))
    #expect(selection.query.server == .equals(try HostName("example.com")))
    #expect(selection.query.realm == .any && selection.query.port == .any)
    #expect(!selection.isEmpty)
    #expect(try self.selection([:]).isEmpty)
  }

  @Test("port 0 is any port, the empty one the unset one")
  func port() throws {
    #expect(try selection([.port: "0"]).query.port == .any)
    #expect(try selection([.port: ""]).query.port == .equals(0))
    #expect(try selection([.port: "443"]).query.port == .equals(443))
    #expect(try selection([.port: "443"]).query.fallbacks.contains(.defaultPort))
  }

  @Test("a URL fills protocol, server, port and account, and its path is what is requested")
  func url() throws {
    let query = try selection([.url: "https://ann@example.com/a/b/"]).query
    #expect(query.protocol == .equals(.https))
    #expect(query.port == .equals(443))
    #expect(query.path == .any)
    #expect(query.requestPath == (try URLReference("https://example.com/a/b/").requestPath))
    #expect(query.account == .equals("ann"))
    let bare = try selection([:], operand: "https://example.com:8443").query
    #expect(bare.path == .any && bare.account == .any && bare.port == .equals(8443))
    #expect(bare.requestPath == .unknown)
    let file = try selection([.url: "cert:///home/ann/client.pem"]).query
    #expect(file.path == .equals("home/ann/client.pem") && file.requestPath == nil)
  }

  @Test("where a URL means the item itself, a slash alone means one without a path")
  func literal() throws {
    func query(_ operand: String, path: String? = nil) throws -> ItemQuery {
      var arguments = Arguments()
      arguments.append(operand: operand)
      if let path { arguments.add(.path, path) }
      return try Selection(arguments, readsMetadata: true, isLiteral: true).query
    }
    #expect(try query("https://h").path == .any)
    #expect(try query("https://h/").path == .unset)
    #expect(try query("https://h/a/b/").path == .equals("a/b"))
    #expect(try query("https://h/", path: "a").path == .equals("a"))
    #expect(try query("https://h/a").requestPath == nil && query("https://h/").requestPath == nil)
  }

  @Test("where the letters change something they do not select")
  func metadata() throws {
    #expect(try selection([.label: "x"], readsMetadata: false).isEmpty)
    #expect(try selection([.label: "x"]).query.label == .equals("x"))
  }

  @Test("an id is whole or a beginning of six characters or more")
  func ids() throws {
    let id = ItemID()
    #expect(try selection([:], operand: id.text).query.id == id)
    #expect(try selection([.id: String(id.text.prefix(6))]).idPrefix == String(id.text.prefix(6)))
    #expect(throws: VaultError(.invalidArgument, "")) { try selection([.id: "abcde"]) }
  }

  @Test(
    "an operand that is neither URL nor id is refused and not repeated",
    arguments: ["hunter2", "short", "p@ssw0rd!", "example.com", "", "https://a:hunter2@h/"])
  func operand(_ text: String) throws {
    let error = try #require(throws: VaultError.self) { try selection([:], operand: text) }
    #expect(error.code == .invalidArgument)
    #expect(text.isEmpty || !error.context.contains(text))
    #expect(!error.context.contains("hunter2"))
  }

  @Test("the same part is not named twice")
  func twice() {
    #expect(throws: VaultError(.invalidArgument, "")) {
      try selection([.url: "https://h", .server: "h"])
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try selection([.url: "https://h"], operand: "https://h")
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try selection([.url: "https://h/a", .path: "b"])
    }
  }
}

@Suite("Values")
struct ValuesTests {
  @Test("ports are numbers from 0 to 65535")
  func ports() throws {
    #expect(try Values.port("65535") == 65_535)
    for text in ["65536", "-1", "+1", " 1", "1a", "٣"] {
      #expect(throws: VaultError(.invalidArgument, "")) { try Values.port(text) }
    }
  }

  @Test("expiry is a time, a time from now, or never")
  func expiry() throws {
    #expect(try Values.expiry("never") == nil)
    #expect(try Values.expiry("") == nil)
    #expect(
      try Values.expiry("2030-01-02T03:04:05Z") == Timestamp(rfc3339: "2030-01-02T03:04:05Z"))
    let before = Timestamp.now()
    let later = try #require(try Values.expiry("+2d"))
    #expect(later >= before.adding(milliseconds: 2 * 86_400_000))
    #expect(later <= Timestamp.now().adding(milliseconds: 2 * 86_400_000))
    for text in ["+", "+d", "+1", "+-1d", "1d", "tomorrow", "+1y", "+99999999999999999999d"] {
      #expect(throws: VaultError(.invalidArgument, "")) { try Values.expiry(text) }
    }
  }

  @Test("seconds may have a fraction, and are bounded")
  func seconds() throws {
    #expect(try Values.seconds("0.25") == .milliseconds(250))
    for text in ["", "x", "-1", "nan", "inf", "1e99"] {
      #expect(throws: VaultError(.invalidArgument, "")) { try Values.seconds(text) }
    }
  }
}
