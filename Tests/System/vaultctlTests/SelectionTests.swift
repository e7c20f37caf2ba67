import Testing
import VaultModel

@testable import VaultCommands

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
    #expect(selection.readings[0].query.account == .equals(""))
    #expect(selection.readings[0].query.server == .equals(try HostName("example.com")))
    #expect(selection.readings[0].query.realm == .any && selection.readings[0].query.port == .any)
    #expect(!selection.isEmpty)
    #expect(try self.selection([:]).isEmpty)
  }

  @Test("port 0 is any port, the empty one the unset one")
  func port() throws {
    #expect(try selection([.port: "0"]).readings[0].query.port == .any)
    #expect(try selection([.port: ""]).readings[0].query.port == .equals(0))
    #expect(try selection([.port: "443"]).readings[0].query.port == .equals(443))
    #expect(try selection([.port: "443"]).readings[0].query.fallbacks.contains(.defaultPort))
  }

  @Test("a URL fills protocol, server, port and account, and its path is what is requested")
  func url() throws {
    let query = try selection([.url: "https://ann@example.com/a/b/"]).readings[0].query
    #expect(query.protocol == .equals(.https))
    #expect(query.port == .equals(443))
    #expect(query.path == .any)
    #expect(query.requestPath == (try URLReference("https://example.com/a/b/").requestPath))
    #expect(query.account == .equals("ann"))
    let bare = try selection([:], operand: "https://example.com:8443").readings[0].query
    #expect(bare.path == .any && bare.account == .any && bare.port == .equals(8443))
    #expect(bare.requestPath == .unknown)
    let file = try selection([.url: "cert:///home/ann/client.pem"]).readings[0].query
    #expect(file.path == .equals("home/ann/client.pem") && file.requestPath == nil)
  }

  @Test("where a URL means the item itself, a slash alone means one without a path")
  func literal() throws {
    func query(_ operand: String, path: String? = nil) throws -> ItemQuery {
      var arguments = Arguments()
      arguments.append(operand: operand)
      if let path { arguments.add(.path, path) }
      return try Selection(arguments, readsMetadata: true, isLiteral: true).readings[0].query
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
    #expect(try selection([.label: "x"]).readings[0].query.label == .equals("x"))
  }

  @Test("an id is whole or a beginning of six characters or more")
  func ids() throws {
    let id = ItemID()
    #expect(try selection([:], operand: id.text).readings[0].query.id == id)
    #expect(
      try selection([.id: String(id.text.prefix(6))]).readings[0].idPrefix
        == String(id.text.prefix(6)))
    #expect(throws: VaultError(.invalidArgument, "")) { try selection([.id: "abcde"]) }
  }

  @Test(
    "an operand that holds a password or is empty is refused and not repeated",
    arguments: ["", "https://a:hunter2@h/", "a:hunter2@h", "a:hunter2@[::1]:80/x"])
  func operand(_ text: String) throws {
    let error = try #require(throws: VaultError.self) { try selection([:], operand: text) }
    #expect(error.code == .invalidArgument)
    #expect(text.isEmpty || !error.context.contains(text))
    #expect(!error.context.contains("hunter2"))
  }

  @Test("a bare operand is read as an id, a host, a service and a label")
  func bare() throws {
    let readings = try Selection(reference: "gitlab").readings
    // "l" is a letter of Crockford's base 32 that people type for 1.
    try #require(readings.count == 4)
    #expect(readings[0].idPrefix == "gitlab")
    #expect(readings[1].query.server == .equals(try HostName("gitlab")))
    #expect(readings[1].query.itemClass == .internetPassword)
    #expect(readings[2].query.itemClass == .genericPassword)
    #expect(readings[3].query.label == .equals("gitlab"))
    #expect(try Selection(reference: "not a host").readings.count == 2)
  }

  @Test("a host may have a user, a port and a path, and any protocol")
  func hosts() throws {
    let place = try Selection(reference: "me@example.com@Git.Example.com:8443/a/b").readings[0]
    #expect(place.query.server == .equals(try HostName("git.example.com")))
    #expect(place.query.account == .equals("me@example.com"))
    #expect(place.query.port == .equals(8443) && place.query.protocol == .any)
    #expect(place.query.requestPath == (try URLReference("https://h/a/b").requestPath))
    let secure = try Selection(reference: "h.example:443").readings
    #expect(secure[0].query.protocol == .any && secure[1].query.protocol == .equals(.https))
    let address = try Selection(reference: "2001:DB8::1").readings[0]
    #expect(address.query.server == .equals(try HostName("2001:db8::1")))
  }

  @Test("what an option names already, an operand does not name again")
  func narrowed() throws {
    let readings = try selection([.attribute(.service): "npm"], operand: "host.example").readings
    #expect(readings.map(\.query.label) == [.equals("host.example")])
    #expect(throws: VaultError(.invalidArgument, "")) {
      try selection([.server: "h", .label: "l"], operand: "not a host")
    }
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
    let week = try #require(try Values.expiry("1w"))
    #expect(week >= before.adding(milliseconds: 7 * 86_400_000))
    #expect(try Values.expiry("2027-01-31") == Timestamp(rfc3339: "2027-01-31T00:00:00Z"))
    #expect(try Values.lifetime("1y") == .seconds(365 * 86_400))
    #expect(try Values.lifetime("+2h") == .seconds(7200))
    for text in ["30", "30d", "+30d", "720h"] { #expect(try Values.logDays(text) == 30) }
    for text in ["", "36h", "366", "53w", "-1", "2027-01-01"] {
      #expect(throws: VaultError(.invalidArgument, "")) { try Values.logDays(text) }
    }
    for text in [
      "+", "d", "+d", "+1", "+-1d", "-1d", "1 d", "tomorrow", "+99999999999999999999d",
      "9999999999y", "2027-02-30", "2027-1-31", "31.01.2027", "20270131", "2027-01-31T",
    ] {
      #expect(throws: VaultError(.invalidArgument, "")) { try Values.expiry(text) }
    }
  }

  @Test("a time to wait is seconds with a fraction, or a span, and is bounded")
  func seconds() throws {
    #expect(try Values.wait("0.25") == .milliseconds(250))
    #expect(try Values.wait("45") == .seconds(45))
    #expect(try Values.wait("+2m") == .seconds(120))
    for text in ["", "x", "-1", "nan", "inf", "1e99", "2d", "m", "++2m"] {
      #expect(throws: VaultError(.invalidArgument, "")) { try Values.wait(text) }
    }
  }
}
