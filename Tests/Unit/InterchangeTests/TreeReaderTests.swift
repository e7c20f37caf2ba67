import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// Entries as lines that a test compares: `line 2: https://h.example:8443/p ann = secret`.
private func lines(
  _ format: InterchangeFormat, _ text: String, piece: Int = 1 << 16
) throws -> [String] {
  try format.entries(Array(text.utf8), piece: piece).map(line)
}

func line(_ entry: Entry) -> String {
  let content =
    switch entry.content {
    case .policy: "policy"
    case .rejected(let reason): "rejected: \(reason)"
    case .leftOut(let reason): "left out: \(reason.rawValue)"
    case .items(let items):
      items.map { item in
        let secret = String(decoding: item.secret?.array ?? [], as: UTF8.self)
        return
          (item.key.itemClass == .genericPassword
          ? "service \(item.key.service)"
          : item.addressWithPath) + " \(item.account) = \(secret)"
      }.joined(separator: ", ")
    }
  let remarks = entry.kinds.map { " (\($0.rawValue))" }.joined()
  let further = entry.furtherText.map { " + " + $0.replacing("\n", with: "; ") } ?? ""
  let key = entry.oneTimeKey.map { " + one-time \($0)" } ?? ""
  return "\(entry.place): \(content)\(key)\(further)\(remarks)"
}

@Suite("Bitwarden's JSON")
struct BitwardenJSONTests {
  static let export = #"""
    {
      "encrypted": false,
      "folders": [{"id": "f1", "name": "Work"}],
      "items": [
        {"id": "1", "organizationId": null, "folderId": "f1", "type": 1, "reprompt": 0,
         "name": "Example", "notes": "first\nsecond", "favorite": false,
         "fields": [{"name": "Team", "value": "red", "type": 0},
                    {"name": "PIN", "value": "1234", "type": 1}],
         "login": {"uris": [{"match": null, "uri": "https://example.com:8443/login?x"},
                            {"match": null, "uri": "http://example.org"}],
                   "username": "ann", "password": "p\"ä😀", "totp": "otpauth://totp/x?secret=A"},
         "collectionIds": null, "creationDate": "2024-01-02T03:04:05.678Z",
         "revisionDate": "2024-02-03T04:05:06.000Z", "deletedDate": null},
        {"type": 2, "name": "A note", "notes": "text", "secureNote": {"type": 0}},
        {"type": 3, "name": "Card", "card": {"number": "4111"}},
        {"type": 4, "name": "Me", "identity": {"ssn": "1"}},
        {"type": 1, "name": "Old", "login": {"username": "a", "password": "b"},
         "deletedDate": "2024-02-03T04:05:06.000Z"},
        {"type": 1, "name": "Without address", "login": {"uris": null, "username": "bob",
         "password": "q", "totp": null}, "passwordHistory": [{"password": "old"}]},
        {"type": 1, "name": "Nothing", "login": {"uris": [{"uri": "https://x.example"}]}},
        {"type": 1, "name": "Bad", "login": {"uris": [{"uri": "https://a b/"}], "password": "p"}},
        {"type": 1, "name": "Pattern", "login": {"uris": [{"match": 4, "uri": "^https://.*$"}],
         "password": "p"}},
        {"type": 5, "name": "Key", "sshKey": {"privateKey": "k"}}
      ]
    }
    """#

  @Test("each kind of entry is read, left out or rejected by itself", arguments: [1, 3, 65536])
  func entries(piece: Int) throws {
    let found = try lines(.bitwardenJSON, Self.export, piece: piece)
    #expect(
      found == [
        "line 5: https://example.com:8443 ann = p\"ä😀, http://example.org ann = p\"ä😀"
          + " + one-time otpauth://totp/x?secret=A + PIN: 1234"
          + " (further secrets are in an item of their own)",
        "line 14: service A note  = text",
        "line 15: service Card  = card number: 4111",
        "line 16: service Me  = identity ssn: 1",
        "line 17: left out: in the trash",
        "line 19: service Without address bob = q + previous password: old"
          + " (further secrets are in an item of their own)",
        "line 21: rejected: no password",
        "line 22: service Bad  = p (address kept as text)",
        "line 23: service Pattern  = p (address kept as text)",
        "line 25: service Key  = sshKey privateKey: k",
      ])
  }

  @Test("label, comment, folder, fields and times are kept")
  func attributes() throws {
    let entries = try InterchangeFormat.bitwardenJSON.entries(Array(Self.export.utf8))
    let item = try #require(entries.first?.items.first)
    #expect(item.label == "Example" && item.comment == "first\nsecond")
    #expect(
      item.custom == [
        "folder": "Work", "Team": "red", "address": "https://example.com:8443/login?x",
      ])
    #expect(item.created.rfc3339 == "2024-01-02T03:04:05.678Z")
    #expect(item.modified.rfc3339 == "2024-02-03T04:05:06Z")
  }

  @Test("flags and numbers that are not known are custom attributes, and texts further secrets")
  func others() throws {
    let text =
      #"{"encrypted":false,"items":[{"type":1,"name":"A","favorite":true,"reprompt":1,"#
      + #""new":"x","login":{"password":"p","autofillOnPageLoad":true,"count":0}}]}"#
    let entry = try #require(InterchangeFormat.bitwardenJSON.entries(Array(text.utf8)).first)
    #expect(
      entry.items.first?.custom
        == ["favorite": "true", "reprompt": "1", "autofillOnPageLoad": "true", "count": "0"])
    #expect(entry.furtherText == "new: x")
  }

  @Test("an encrypted export is refused, and says what to do")
  func encrypted() {
    for text in [
      #"{"encrypted":true,"passwordProtected":true,"salt":"x","data":"y"}"#,
      #"{"items":[],"encrypted":true}"#,
    ] {
      #expect {
        _ = try lines(.bitwardenJSON, text)
      } throws: {
        let error = $0 as? VaultError
        return error?.code == .invalidData && error?.context.contains("encrypted") == true
      }
    }
  }

  @Test(
    "what is not an export is refused",
    arguments: ["{}", "[]", "", #"{"items":{}}"#, #"{"items":[{}"#, #"{"encrypted":false}"#])
  func refused(_ text: String) {
    #expect(throws: VaultError(.invalidData, "")) { _ = try lines(.bitwardenJSON, text) }
  }

  @Test("values of other kinds are kept as they are, and reject at most their entry")
  func wrongKinds() throws {
    let text = #"""
      {"encrypted":"no","folders":{"id":1},"items":[5,null,{},{"type":"1"},
      {"type":1,"name":["x"],"notes":7,"fields":[1,{"name":2}],"folderId":3,
       "login":{"uris":"x","username":{},"password":[1]}},{"type":1,"login":7},
      {"type":1,"name":"n","login":{"password":"p","uris":[{"uri":4},7]}}]}
      """#
    let entries = try InterchangeFormat.bitwardenJSON.entries(Array(text.utf8))
    #expect(entries.count == 7)
    #expect(entries.flatMap(\.items).map(\.key.service) == ["another kind of entry", "n"])
    #expect(entries[3].has(secret: "type: 1") && entries[6].furtherText == nil)
    #expect(entries[6].items.first?.custom == ["uri": "4", "uri 2": "7"])
  }
}

@Suite("Docker's configuration")
struct DockerConfigTests {
  static let config = #"""
    {"HttpHeaders": {"User-Agent": "x"},
     "auths": {
       "https://index.docker.io/v1/": {"auth": "YW5uOnA6cQ=="},
       "registry.example.com:5000": {"auth": "Ym9iOg==", "identitytoken": "tok"},
       "plain.example.com": {"username": "cy", "password": "pw", "email": "x@y"},
       "kept.example.com": {},
       "bad.example.com": {"auth": "!!"},
       "colon.example.com": {"auth": "YW5u"},
       "nul.example.com": {"auth": "YTpiAAA="},
       "none.example.com": {"email": "x"}
     },
     "credHelpers": {"gcr.io": "gcloud"}, "credsStore": "desktop"}
    """#

  @Test("logins, tokens and what helpers keep are told apart")
  func entries() throws {
    let found = try lines(.docker, Self.config)
    #expect(
      found == [
        "line 1: left out: not an entry", "line 3: https://index.docker.io/v1 ann = p:q",
        "line 4: https://registry.example.com:5000 <token> = tok (protocol assumed)",
        "line 5: https://plain.example.com cy = pw (protocol assumed)",
        "line 6: left out: kept by a credential helper",
        "line 7: rejected: not base 64",
        "line 8: rejected: auth: no colon between user and password",
        "line 9: https://nul.example.com a = b (protocol assumed)",
        "line 10: rejected: no password (protocol assumed)",
        "line 12: left out: kept by a credential helper",
        "line 12: left out: kept by a credential helper",
      ])
  }

  @Test("Docker's key is kept as it was, and so are origin and kind")
  func attributes() throws {
    let entries = try InterchangeFormat.docker.entries(Array(Self.config.utf8))
    let items = entries.flatMap(\.items)
    #expect(items.first?.custom == ["docker.server-url": "https://index.docker.io/v1/"])
    #expect(items.allSatisfy { $0.origin == "docker" })
    #expect(items.map(\.secretKind) == [.password, .token, .password, .password])
  }

  @Test("a document without logins is none of Docker's")
  func refused() throws {
    for text in ["{}", "[]", #"{"auths":[]}"#, #"{"auths":{"#] {
      #expect(throws: VaultError(.invalidData, "")) { _ = try lines(.docker, text) }
    }
    #expect(try lines(.docker, #"{"auths":{}}"#).isEmpty)
  }
}

@Suite("KeePass's XML")
struct KeePassXMLTests {
  static let export = #"""
    <?xml version="1.0" encoding="utf-8" standalone="yes"?>
    <KeePassFile>
      <Meta><Generator>KeePass</Generator><RecycleBinEnabled>True</RecycleBinEnabled>
        <RecycleBinUUID>cmVjeWNsZWJpbjAxMjM0NQ==</RecycleBinUUID>
        <Binaries><Binary ID="0">AAAA</Binary></Binaries></Meta>
      <Root><Group><UUID>AQ==</UUID><Name>Database</Name>
        <Entry><UUID>x</UUID><Tags>a;b</Tags>
          <Times><CreationTime>2024-01-02T03:04:05Z</CreationTime>
            <LastModificationTime>eLJP3Q4AAAA=</LastModificationTime>
            <ExpiryTime>2030-01-01T00:00:00Z</ExpiryTime><Expires>True</Expires></Times>
          <String><Key>Title</Key><Value>Example &amp; &#x20AC;</Value></String>
          <String><Key>UserName</Key><Value>ann</Value></String>
          <String><Key>Password</Key><Value ProtectInMemory="True">p&lt;&quot;<![CDATA[]>]]></Value></String>
          <String><Key>URL</Key><Value>https://example.com/x</Value></String>
          <String><Key>Notes</Key><Value>first
    second</Value></String>
          <String><Key>Team</Key><Value>red</Value></String>
          <String><Key>Answer</Key><Value ProtectInMemory="True">42</Value></String>
          <String><Key>TimeOtp-Secret-Base32</Key><Value>ABC</Value></String>
          <Binary><Key>a.txt</Key><Value Ref="0"/></Binary>
          <History><Entry>
            <String><Key>Title</Key><Value>Older</Value></String>
            <String><Key>Password</Key><Value>old</Value></String>
          </Entry></History>
        </Entry>
        <Group><UUID>Ag==</UUID><Name>Work</Name>
          <Entry><String><Key>Title</Key><Value>Tool</Value></String>
            <Times><Expires>False</Expires><ExpiryTime>2000-01-01T00:00:00Z</ExpiryTime></Times>
            <String><Key>Password</Key><Value>q</Value></String></Entry>
          <Group><UUID>Aw==</UUID><Name>Deep</Name>
            <Entry><String><Key>URL</Key><Value>h.example</Value></String>
              <String><Key>Password</Key><Value>r</Value></String></Entry></Group>
        </Group>
        <Group><UUID>cmVjeWNsZWJpbjAxMjM0NQ==</UUID><Name>Recycle Bin</Name>
          <Entry><String><Key>Password</Key><Value>gone</Value></String></Entry>
          <Group><UUID>BA==</UUID><Name>Inside</Name>
            <Entry><String><Key>Password</Key><Value>gone</Value></String></Entry></Group>
        </Group>
        <Entry><String><Key>Title</Key><Value>After</Value></String></Entry>
      </Group></Root>
    </KeePassFile>
    """#

  @Test(
    "entries are read without their history and the recycle bin", arguments: [1, 7, 1000, 65536])
  func entries(piece: Int) throws {
    let found = try lines(.keepassXML, Self.export, piece: piece)
    #expect(
      found == [
        "line 7: https://example.com ann = p<\"]> + one-time otpauth://totp/?issuer=&secret=ABC"
          + " + Answer: 42; earlier Title: Older"
          + " (further secrets are in an item of their own) (attachment left out)",
        "line 27: service Tool  = q",
        "line 31: https://h.example  = r (protocol assumed)",
        "line 35: left out: in the trash", "line 37: left out: in the trash",
        "line 39: left out: nothing in it",
      ])
  }

  @Test(
    "the key of one-time passwords is read from the fields of KeePass and its plug-ins",
    arguments: [
      ([("otp", "otpauth://totp/x?secret=ABC")], "otpauth://totp/x?secret=ABC"),
      ([("otp", "key=ABC&step=30&size=6")], "key=ABC&step=30&size=6"),
      (
        [
          ("TimeOtp-Length", "8"), ("TimeOtp-Secret-Base32", "ABC DEF"), ("TimeOtp-Period", "60"),
          ("TimeOtp-Algorithm", "HMAC-SHA-256"),
        ], "otpauth://totp/?issuer=&digits=8&secret=ABC DEF&period=60&algorithm=SHA-256"
      ),
      (
        [("TOTP Seed", "ABC="), ("TOTP Settings", "30;6")],
        "otpauth://totp/?issuer=&secret=ABC=&period=30&digits=6"
      ),
      (
        [("TOTP Settings", "30;S;https://time.example"), ("TOTP Seed", "ABC")],
        "otpauth://totp/?issuer=&period=30&encoder=steam&secret=ABC"
      ),
      (
        [("TOTP Settings", "30"), ("TOTP Seed", "ABC")], "otpauth://totp/?issuer=&secret=ABC"
      ),
      (
        [("TOTP Settings", "30;S"), ("TOTP Seed", "ABC")],
        "otpauth://totp/?issuer=&period=30&encoder=steam&secret=ABC"
      ),
      ([("TimeOtp-Secret-Hex", "00ff"), ("TimeOtp-Length", "6")], nil),
      ([("TOTP Seed", "A&B"), ("TOTP Settings", "30;6")], nil),
      (
        [("TimeOtp-Secret-Base32", "ABC"), ("TimeOtp-Period", "30&digits=8")],
        "otpauth://totp/?issuer=&secret=ABC"
      ),
    ])
  func oneTimePasswords(fields: [(String, String)], key: String?) throws {
    let strings = fields.map { name, value in
      let value = value.replacing("&", with: "&amp;")
      return "<String><Key>\(name)</Key><Value ProtectInMemory=\"True\">\(value)</Value></String>"
    }.joined()
    let text = """
      <KeePassFile><Root><Group><Entry>
      <String><Key>Title</Key><Value>t</Value></String>
      <String><Key>Password</Key><Value>p</Value></String>\(strings)
      </Entry></Group></Root></KeePassFile>
      """
    let entry = try #require(
      try InterchangeFormat.keepassXML.entries(Array(text.utf8)).first)
    #expect(entry.oneTimeKey == key)
    // What is no part of the key is kept beside it.
    let further = entry.furtherText?.split(separator: "\n").count ?? 0
    let isWhole = key.map { $0.contains("period") || fields.count == 1 } ?? false
    #expect(further == (key == nil ? fields.count : isWhole ? 0 : 1))
  }

  @Test("label, comment, group, tags and times are kept, and an expiry only if it applies")
  func attributes() throws {
    let items = try InterchangeFormat.keepassXML.entries(Array(Self.export.utf8)).flatMap(\.items)
    #expect(items.map(\.label) == ["Example & €", "Tool", ""])
    #expect(items[0].comment == "first\nsecond")
    #expect(
      items[0].custom == ["tags": "a;b", "Team": "red", "address": "https://example.com/x"])
    #expect(items.map { $0.custom["folder"] } == [nil, "Work", "Work/Deep"])
    #expect(items[0].created.rfc3339 == "2024-01-02T03:04:05Z")
    #expect(items[0].modified.rfc3339 == "2024-02-03T04:05:12Z")
    #expect(items.map { $0.expires?.rfc3339 } == ["2030-01-01T00:00:00Z", nil, nil])
  }

  private static func entry(
    _ id: String, _ strings: [(String, String)], _ more: String = ""
  ) -> String {
    "<Entry><UUID>\(id)</UUID>"
      + strings.map { "<String><Key>\($0)</Key><Value>\($1)</Value></String>" }.joined()
      + more + "</Entry>"
  }

  @Test("the passwords of older versions are the history, each until the next")
  func history() throws {
    let version = { (password: String, time: String) in
      "<Entry><String><Key>Password</Key><Value>\(password)</Value></String>"
        + "<Times><LastModificationTime>\(time)</LastModificationTime></Times></Entry>"
    }
    let text =
      "<KeePassFile><Root><Group>"
      + Self.entry(
        "AA==", [("Title", "A"), ("Password", "third")],
        "<Times><LastModificationTime>2024-03-01T00:00:00Z</LastModificationTime></Times><History>"
          + version("first", "2024-01-01T00:00:00Z") + version("second", "2024-02-01T00:00:00Z")
          + version("third", "2024-02-15T00:00:00Z") + "</History>")
      + "</Group></Root></KeePassFile>"
    // Of a history only the passwords count: KeePass keeps some megabytes of each entry's.
    let notes =
      "<String><Key>Notes</Key><Value>\(String(repeating: "x", count: 1 << 20))</Value></String>"
    let long = text.replacing(
      "<History>", with: "<History>" + String(repeating: "<Entry>\(notes)</Entry>", count: 5))
    #expect(try InterchangeFormat.keepassXML.entries(Array(long.utf8)).first?.title == "A")
    let entry = try #require(try InterchangeFormat.keepassXML.entries(Array(text.utf8)).first)
    let times = entry.previous.map(\.id.replaced.rfc3339)
    #expect(times == ["2024-02-15T00:00:00Z", "2024-02-01T00:00:00Z"])
    #expect(entry.previous.first?.secret?.isEqual(to: Secret("second")) == true)
    #expect(entry.previous.last?.secret?.isEqual(to: Secret("first")) == true)
    #expect(entry.kinds.isEmpty)
  }

  @Test("references are resolved if the file can be read again, and named if not")
  func references() throws {
    let id = "000102030405060708090A0B0C0D0E0F"
    let text =
      "<KeePassFile><Root><Group>"
      + Self.entry(
        "Ag==",
        [
          ("Title", "B of {REF:T@I:\(id)}"), ("UserName", "{REF:U@I:\(id)}"),
          ("Password", "{REF:P@I:\(id.lowercased())}"), ("Searched", "{REF:P@T:A}"),
        ])
      + Self.entry(
        "AAECAwQFBgcICQoLDA0ODw==",
        [("Title", "A"), ("UserName", "ann"), ("Password", "pw")],
        "<History><Entry><String><Key>Password</Key><Value>old</Value></String></Entry></History>")
      + Self.entry("Aw==", [("Title", "C"), ("Password", "{REF:P@I:\(id)")])
      + "</Group></Root></KeePassFile>"
    var options = ReadingOptions()
    options.again = { () throws(VaultError) in ByteSource(Secret(text)) }
    var reader = try InterchangeFormat.keepassXML.reader(of: ByteSource(Secret(text)), options)
    var read: [Entry] = []
    while let entry = try reader.next() { read.append(entry) }
    try #require(read.count == 3)
    #expect(read.map(\.title) == ["A", "B of A", "C"])
    #expect(read[1].items.first?.account == "ann" && read[1].has(secret: "pw"))
    #expect(read[1].remarks[.otherField] == ["Searched, which refers to another entry"])
    #expect(read[2].rejection == nil && read[2].items.isEmpty)
    let once = try InterchangeFormat.keepassXML.entries(Array(text.utf8))
    #expect(once[0].has(secret: "pw") && once[1].items.isEmpty)
    #expect(!String(reflecting: once).contains("REF:P"))
  }

  @Test("KeePassX 0.4 has a document type, lower case and line ends as elements")
  func keePassX() throws {
    let text = """
      <!DOCTYPE KEEPASSX_DATABASE>
      <database><group><title>Web</title><group><title>Work</title><entry>
      <title>A</title><username>ann</username><password>pw</password><url>https://example.com</url>
      <comment>one<br/>two</comment><creation>2017-01-02T03:04:05</creation>
      <lastmod>2018-01-02T03:04:05</lastmod><expire>Never</expire><bindesc>a.txt</bindesc>
      </entry></group></group></database>
      """
    let entry = try #require(try InterchangeFormat.keepassXML.entries(Array(text.utf8)).first)
    let item = try #require(entry.items.first)
    #expect(item.server.name == "example.com" && item.account == "ann" && entry.has(secret: "pw"))
    #expect(item.comment == "one\ntwo" && item.custom == ["folder": "Web/Work"])
    #expect(item.created.rfc3339 == "2017-01-02T03:04:05Z")
    #expect(item.modified.rfc3339 == "2018-01-02T03:04:05Z")
    #expect(item.expires == nil && entry.remarks == [.attachment: ["a.txt"]])
  }

  @Test("UTF-16 with its mark is read, too")
  func utf16() throws {
    let text =
      "<KeePassFile><Root><Group><Entry><String><Key>Title</Key><Value>ä</Value>"
      + "</String><String><Key>Password</Key><Value>ü</Value></String></Entry></Group></Root></KeePassFile>"
    let bytes: [UInt8] =
      [0xFF, 0xFE]
      + text.utf16.flatMap {
        [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
      }
    let entries = try InterchangeFormat.keepassXML.entries(bytes)
    #expect(entries.map(line) == ["line 1: service ä  = ü"])
  }

  @Test(
    "what is malformed, or could expand or load anything, is refused",
    arguments: [
      "", "x", "<a/>", "<KeePassFile>", "<KeePassFile></Other>", "<KeePassFile/><KeePassFile/>",
      #"<!DOCTYPE k SYSTEM "x"><KeePassFile>&a;</KeePassFile>"#,
      #"<!DOCTYPE k [<!ENTITY a "b">]><KeePassFile>&a;</KeePassFile>"#,
      #"<!DOCTYPE k [<!ENTITY a SYSTEM "file:///etc/passwd">]><KeePassFile>&a;</KeePassFile>"#,
      "<KeePassFile>&undefined;</KeePassFile>", "<KeePassFile>\u{FFFE}</KeePassFile>",
      "<KeePassFile a=\"1\" a=\"2\"/>",
      "<KeePassFile><Root><Group><Entry><String><Value Protected=\"True\">x</Value></String>"
        + "</Entry></Group></Root></KeePassFile>",
    ])
  func refused(_ text: String) {
    #expect(throws: VaultError(.invalidData, "")) { _ = try lines(.keepassXML, text) }
  }

  @Test("bad UTF-8, and a file that is cut anywhere, are refused")
  func cut() {
    let bytes = Array(Self.export.utf8)
    for count in stride(from: 0, to: bytes.count - 1, by: 131) {
      #expect(throws: VaultError(.invalidData, "")) {
        _ = try InterchangeFormat.keepassXML.entries(Array(bytes.prefix(count)))
      }
    }
    for bad in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]] {
      #expect(throws: VaultError(.invalidData, "")) {
        _ = try InterchangeFormat.keepassXML.entries(
          Array("<KeePassFile>".utf8) + bad + Array("</KeePassFile>".utf8))
      }
    }
  }

  @Test("too deep, too many names, and pieces that are too long are refused")
  func tooLarge() {
    let deep = "<KeePassFile>" + String(repeating: "<a>", count: 300)
    let names = "<KeePassFile>" + (0..<1100).map { "<n\($0)/>" }.joined()
    for text in [deep, names] {
      #expect(throws: VaultError(.tooLarge, "")) { _ = try lines(.keepassXML, text) }
    }
    for start in ["<KeePassFile><!--", "<KeePassFile a='"] {
      let source = ByteSource.repeating("x", count: 10 << 20, after: start)
      #expect(throws: VaultError(.tooLarge, "")) {
        var reader = try InterchangeFormat.keepassXML.reader(of: source)
        _ = try reader.next()
      }
    }
  }
}
