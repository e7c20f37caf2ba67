import SecureMemory
import Testing
import VaultModel

@testable import VaultCommands

@Suite("GitPattern")
struct GitPatternTests {
  private func pattern(_ text: String) throws -> GitPattern? {
    GitPattern(try GitRequest(Secret(text)))
  }

  private func item(
    account: String = "ann", port: UInt16 = 0, realm: String = "",
    method: AuthenticationMethod = .default, modified: Int64 = 0
  ) throws -> Item {
    var item = Item(
      server: try HostName("example.com"), account: account, protocol: .https, port: port,
      realm: realm, authenticationMethod: method)
    item.modified = Timestamp(milliseconds: modified)
    return item
  }

  private func accounts(
    _ text: String, _ items: [Item]
  ) throws -> [String] {
    try #require(try pattern(text)).matches(items).map(\.account)
  }

  @Test("protocol and host are folded, and the default port is no port")
  func folded() throws {
    let pattern = try #require(try pattern("protocol=HTTPS\nhost=EXAMPLE.com:443\n"))
    #expect(pattern.networkProtocol == .https)
    #expect(pattern.server.name == "example.com")
    #expect(pattern.port == 0)
  }

  @Test("hosts have ports, IPv6 hosts in brackets")
  func hosts() throws {
    #expect(try pattern("protocol=https\nhost=h:8443\n")?.port == 8443)
    let address = try #require(try pattern("protocol=https\nhost=[2001:db8::1]:8443\n"))
    #expect(address.server.name == "2001:db8::1")
    #expect(address.port == 8443)
    #expect(try pattern("host=[2001:db8::1]\n")?.server.name == "2001:db8::1")
    #expect(try pattern("protocol=https\nhost=h:\n")?.port == 0)
  }

  @Test(
    "a part that means nothing matches nothing",
    arguments: ["host=a b\n", "host=h:99999\n", "host=h:x\n", "protocol=a/b\nhost=h\n"])
  func meaningless(_ text: String) throws {
    #expect(try pattern(text) == nil)
  }

  @Test("attributes of the request have to be the item's; absent ones are wildcards")
  func query() throws {
    let all = try #require(try pattern("protocol=https\nhost=h\n")).query
    #expect(all.account == .any && all.path == .any && all.realm == .any)
    #expect(all.requestPath == .unknown)
    let named = try #require(try pattern("host=h\nusername=\npath=p\n")).query
    #expect(named.account == .equals("") && named.requestPath == RequestPath(decoded: "p"))
    #expect(named.protocol == .any)
  }

  @Test("without a port the default one and none match, with a port only that")
  func ports() throws {
    let items = [
      try item(account: "none"), try item(account: "443", port: 443),
      try item(account: "8443", port: 8443),
    ]
    #expect(try accounts("protocol=https\nhost=example.com\n", items) == ["none", "443"])
    #expect(try accounts("protocol=https\nhost=example.com:443\n", items) == ["none", "443"])
    #expect(try accounts("protocol=https\nhost=example.com:8443\n", items) == ["8443"])
    #expect(try accounts("username=x\n", items).count == 3)
  }

  @Test("only passwords answer")
  func methods() throws {
    let items = [
      try item(account: "bearer", method: .bearer), try item(account: "basic", method: .basic),
      try item(account: "unset", method: .unset),
    ]
    #expect(try accounts("protocol=https\nhost=example.com\n", items) == ["basic"])
  }

  @Test(
    "tokens answer Git that can send them, where the server takes them or says nothing",
    arguments: [
      ("", ["basic"]), ("capability[]=authtype\n", ["bearer", "basic"]),
      ("capability[]=state\n", ["basic"]),
      ("capability[]=authtype\nwwwauth[]=Basic realm=\"x\"\n", ["basic"]),
      ("capability[]=authtype\nwwwauth[]=Bearer realm=\"x\"\n", ["bearer", "basic"]),
      ("wwwauth[]=Bearer realm=\"x\"\n", ["basic"]),
      ("authtype=bearer\ncredential=c\n", ["bearer"]), ("password=p\n", ["basic"]),
      ("capability[]=authtype\npassword=p\n", ["basic"]),
    ])
  func tokens(_ lines: String, _ expected: [String]) throws {
    let items = [
      try item(account: "bearer", method: .bearer), try item(account: "basic", method: .basic),
    ]
    #expect(try accounts("protocol=https\nhost=example.com\n" + lines, items) == expected)
  }

  @Test("a token is preferred if the server names nothing else, and one in its realm to others")
  func tokenChosen() throws {
    let items = [
      try item(account: "bearer", method: .bearer, modified: 1),
      try item(account: "team", realm: "Team", method: .bearer, modified: 2),
      try item(account: "basic", method: .basic, modified: 3),
    ]
    func answer(_ challenges: String) throws -> String? {
      let pattern = try #require(
        try pattern("capability[]=authtype\nprotocol=https\nhost=example.com\n" + challenges))
      return try pattern.answer(pattern.matches(items)) { _ in false }?.account
    }
    #expect(try answer("wwwauth[]=Bearer\n") == "bearer")
    #expect(try answer("wwwauth[]=Bearer realm=\"Team\"\n") == "team")
    #expect(try answer("wwwauth[]=Bearer realm=\"x\"\nwwwauth[]=Basic realm=\"x\"\n") == "basic")
    #expect(try answer("") == "basic")
  }

  @Test("the item that Git says it was given answers, if it is a match, and Docker's never does")
  func given() throws {
    var items = [try item(account: "ann"), try item(account: "bob", modified: 1)]
    func answer(_ lines: String) throws -> String? {
      let pattern = try #require(try pattern("protocol=https\nhost=example.com\n" + lines))
      return try pattern.answer(pattern.matches(items)) { _ in false }?.account
    }
    let state = "state[]=other:\(items[1].id.text)\nstate[]=vaultctl:\(items[0].id.text)\n"
    #expect(try answer("") == "bob")
    #expect(try answer(state) == "ann")
    #expect(try answer("state[]=vaultctl:\(ItemID().text)\n") == "bob")
    #expect(try answer("state[]=vaultctl:zz\n") == "bob")
    items[0].origin = "docker"
    #expect(try answer(state) == "bob")
  }

  @Test("no realm means any; a realm means it, then none, never another")
  func realms() throws {
    let items = [
      try item(account: "none"), try item(account: "team", realm: "Team"),
      try item(account: "other", realm: "Other"),
    ]
    let request = "protocol=https\nhost=example.com\n"
    #expect(try accounts(request, items).count == 3)
    let named = request + "wwwauth[]=Basic realm=\"Team\"\n"
    #expect(try accounts(named, items) == ["team", "none"])
    let pattern = try #require(try pattern(named))
    #expect(try pattern.answer(pattern.matches(items)) { _ in false }?.account == "team")
    #expect(try pattern.answer([items[0]]) { _ in false }?.account == "none")
  }

  @Test("of several users the default answers, else the one stored last")
  func answer() throws {
    var late = try item(account: "late", modified: 3)
    late.revision = 1
    let items = [
      try item(account: "early", modified: 1), try item(account: "same", modified: 3), late,
    ]
    let pattern = try #require(try pattern("protocol=https\nhost=example.com\n"))
    #expect(try pattern.answer(items) { _ in false }?.account == "late")
    #expect(try pattern.answer(items) { $0.account == "early" }?.account == "early")
    #expect(try pattern.answer([]) { _ in true } == nil)
  }
}

@Suite("GitPattern's realms")
struct GitPatternRealmTests {
  static let headers: [(header: String, realms: [String])] = [
    (#"Basic realm="Team Git""#, ["Team Git"]),
    (#"Bearer realm="x""#, []),
    (
      #"Bearer realm="x", Basic realm="y", Digest qop="auth, realm=no", nonce=n, realm="z""#,
      ["y", "z"]
    ),
    (#"Negotiate, Basic realm="y""#, ["y"]),
    // As browsers read it: no realm is the empty one, and a text may lack its last quote.
    (#"Basic"#, [""]),
    (#"Basic realm="unterminated"#, ["unterminated"]),
    (#"Basic realm="""#, [""]),
    (#"Digest realm="without a nonce""#, []),
    (#"realm="no scheme""#, []),
  ]

  @Test("are those of the challenges that a password answers", arguments: headers)
  func realms(_ row: (header: String, realms: [String])) throws {
    let request = "protocol=https\nhost=example.com\nwwwauth[]=\(row.header)\n"
    let pattern = try #require(try GitPattern(GitRequest(Secret(request))))
    #expect(pattern.realms == row.realms)
  }
}

@Suite("GitStore")
struct GitStoreTests {
  private func changes(
    _ request: String, secret: String? = "old", expires: Int64? = nil, keptUntil: Int64? = nil,
    token: String? = nil
  ) throws -> Int {
    var item = Item(secret: secret.map { Secret($0) })
    item.expires = expires.map { Timestamp(seconds: $0) }
    item.keptUntil = keptUntil.map { Timestamp(milliseconds: $0) }
    item.refreshToken = token.map { Secret($0) }
    let request = try GitRequest(Secret(request))
    let password = try #require(request.password)
    return GitStore.changes(of: item, request, password).count
  }

  @Test("an identical credential changes nothing")
  func identical() throws {
    #expect(try changes("password=old\n") == 0)
    #expect(
      try changes(
        "password=old\npassword_expiry_utc=9\noauth_refresh_token=t\n", expires: 9, token: "t")
        == 0)
  }

  @Test("what is not sent with the same password is kept")
  func kept() throws {
    #expect(try changes("password=old\n", expires: 9, token: "t") == 0)
  }

  @Test("the policy's time that Git was told and sends back does not become the item's own")
  func echo() throws {
    #expect(try changes("password=old\npassword_expiry_utc=7\n", keptUntil: 7999) == 0)
    #expect(try changes("password=old\npassword_expiry_utc=7\n", expires: 9, keptUntil: 7000) == 0)
    #expect(try changes("password=old\npassword_expiry_utc=7\n", expires: 7, keptUntil: 9000) == 0)
    #expect(try changes("password=old\npassword_expiry_utc=6\n", keptUntil: 7000) == 1)
    #expect(try changes("password=new\npassword_expiry_utc=7\n", keptUntil: 7000) == 2)
  }

  @Test("a new password takes the old one's expiry and refresh token away")
  func replaced() throws {
    #expect(try changes("password=new\n") == 1)
    #expect(try changes("password=new\n", expires: 9, token: "t") == 3)
    // An expired item hides whether it has a token.
    #expect(try changes("password=new\n", secret: nil, expires: 9) == 3)
  }

  @Test("another expiry or refresh token alone is a change")
  func partial() throws {
    #expect(try changes("password=old\npassword_expiry_utc=10\n", expires: 9) == 1)
    #expect(try changes("password=old\noauth_refresh_token=u\n", token: "t") == 1)
    #expect(try changes("password=old\noauth_refresh_token=u\n") == 1)
  }
}

@Suite("GitInteraction")
struct GitInteractionTests {
  static let parameters: [(text: String, value: String?)] = [
    ("", nil), ("'credential.interactive'='false'", "false"),
    ("'core.askPass'='true' 'credential.interactive=never'", "never"),
    ("'credential.interactive'='false' 'Credential.Interactive'='true'", "true"),
    ("'credential.interactive'", "true"), ("'credential.interactivex'='false'", nil),
  ]

  @Test("the last setting of git -c counts", arguments: parameters)
  func setting(_ row: (text: String, value: String?)) {
    #expect(GitInteraction.setting(row.text) == row.value)
  }

  @Test("only words that mean no forbid asking")
  func off() {
    #expect(["0", "false", "No", "off", "never"].allSatisfy { GitInteraction.isOff($0) })
    #expect([nil, "1", "true", "auto", "always"].allSatisfy { !GitInteraction.isOff($0) })
  }
}
