import SecureMemory
import Testing
import VaultModel

@testable import Interchange

@Suite struct CSVFormatTests {
  @Test func `Firefox's realm makes a protection space, and times are its own`() throws {
    let text = """
      "url","username","password","httpRealm","formActionOrigin","guid","timeCreated",\
      "timeLastUsed","timePasswordChanged"
      "https://wiki.example.com","ann","pw1","Staff","","{1}","1500000000000","1600000000000",\
      "1550000000000"
      "https://example.com:8443","bob","pw2","","https://example.com:8443","{2}","0","0","0"
      "moz-proxy://proxy.example.com:3128","carl","pw3","Proxy",,,,,

      """
    let read = try entries(.firefox, text)
    #expect(
      read.map { ReadEntry($0).items } == [
        ["https://ann@wiki.example.com \"Staff\""], ["https://bob@example.com:8443"],
        ["http-proxy://carl@proxy.example.com:3128 \"Proxy\""],
      ])
    #expect(read[0].has(secret: "pw1"))
    let item = try #require(read[0].items.first)
    #expect(item.created == Timestamp(milliseconds: 1_500_000_000_000))
    #expect(item.secretChanged == Timestamp(milliseconds: 1_550_000_000_000))
  }

  @Test func `A time in the future is now, so that no policy keeps a secret longer`() throws {
    let text = """
      url,username,password,httpRealm,timeCreated,timePasswordChanged
      https://example.com,ann,pw,,4102444800000,4102444800000

      """
    let item = try #require(entries(.firefox, text).first?.items.first)
    #expect(item.created <= Timestamp.now())
    #expect(item.secretChanged <= Timestamp.now())
  }

  @Test func `Chrome's rows may be short, and the page's path is dropped`() throws {
    let text = """
      name,url,username,password,note
      Example,https://example.com/login?next=/a b,ann,pw
      App,android://hash==@com.example.app/,bob,pw,hello
      x,https://u:in-the-url@example.org/,,pw,

      """
    #expect(
      try read(.chrome, text).map(\.items) == [
        ["https://ann@example.com"], ["generic \"App\" bob"], ["https://u@example.org"],
      ])
    let read = try entries(.chrome, text)
    #expect(read[0].items.first?.label == "Example")
    #expect(read[1].items.first?.comment == "hello")
    #expect(read[1].kinds == [.addressKeptAsText])
    #expect(read[2].furtherText == "password in the address: in-the-url")
  }

  @Test func `Columns are known by their names, in any order and case`() throws {
    let text = "password,Notes,USERNAME,url,unknown\npw,n,ann,https://example.com,z\n"
    let read = try entries(.chrome, text)
    #expect(read.map { ReadEntry($0).items } == [["https://ann@example.com"]])
    #expect(read[0].has(secret: "pw"))
    #expect(read[0].items.first?.custom == ["unknown": "z"])
    #expect(read[0].items.first?.comment == "n")
  }

  @Test func `A column that the format does not have is kept, or named if it is secret`() throws {
    let long = String(repeating: "x", count: 4097)
    let text = """
      name,url,username,password,PIN,totp,Team,Team,Icon,Fav,Long,
      t,https://example.com,ann,pw,1234,KEY,a,b,0,FALSE,\(long),alone

      """
    let read = try entries(.chrome, text)
    #expect(read[0].remarks == [.furtherSecrets: ["PIN"]])
    #expect(read[0].furtherText == "PIN: 1234" && read[0].oneTimeKey == "KEY")
    #expect(read[0].further.first?.key == Item.Key(service: "t (further secrets)", account: "ann"))
    #expect(read[0].title == "t")
    let item = try #require(read[0].items.first)
    #expect(item.custom == ["Team": "a", "Team 2": "b", "Icon": "0", "Fav": "FALSE"])
    #expect(item.comment == "Long: \(long)\nalone")
  }

  @Test func `Apple's one-time password is the item's own, and no text shows it`() throws {
    let text = """
      Title,URL,Username,Password,Notes,OTPAuth
      Ex,https://example.com/,ann,pw,first,otpauth://totp/x?secret=ABC
      Ex,https://example.net/,ann,pw,"a
      otpauth://totp/x?secret=ABC
      b",

      """
    let read = try entries(.apple, text)
    #expect(read.map(\.kinds) == [[], []])
    #expect(read.map(\.oneTimeKey) == Array(repeating: "otpauth://totp/x?secret=ABC", count: 2))
    #expect(read[1].items.first?.comment == "a\nb")
    for entry in read {
      #expect(!String(reflecting: entry).contains("ABC"))
    }
  }

  @Test func `Bitwarden's entries have several addresses, kinds and fields`() throws {
    let text = """
      folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
      Work,,login,Ex,,"team: a
      API key: no
      PIN: 1",0,"https://a.example.com/x,y,https://b.example.com,c.example.com",ann,pw,
      ,,note,Secret note,text,,0,,,,
      ,,card,Card,,,0,,,,
      ,,login,Wifi,,,0,,,pw2,

      """
    let read = try entries(.bitwarden, text)
    #expect(
      read.map { ReadEntry($0).items } == [
        ["https://ann@a.example.com", "https://ann@b.example.com", "https://ann@c.example.com"],
        ["generic \"Secret note\" "], [], ["generic \"Wifi\" "],
      ])
    #expect(read.map { ReadEntry($0).exclusion } == [nil, nil, .empty, nil])
    #expect(read[1].has(secret: "text") && read[1].items.first?.kind == "secure note")
    #expect(read[0].furtherText == "API key: no\nPIN: 1")
    #expect(
      read[0].items.first?.custom == [
        "folder": "Work", "team": "a", "address": "https://a.example.com/x,y",
      ])
    #expect(read[0].kinds == [.furtherSecrets, .protocolAssumed])
  }

  @Test func `1Password's archive is left out`() throws {
    let text = """
      Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes
      Ex,https://example.com,ann,pw,,true,false,a;b,n
      Old,https://example.net,ann,pw,,false,true,,

      """
    let read = try read(.onePassword, text)
    #expect(read.map(\.items) == [["https://ann@example.com"], []])
    #expect(read[1].exclusion == .archived)
  }

  @Test func `KeePassXC's recycle bin is left out, and its times are kept`() throws {
    let text = """
      "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
      "Root/Web","Ex","ann","pw","https://example.com","","","0","2020-01-02T03:04:05Z",\
      "2019-01-02T03:04:05Z"
      "Root/Recycle Bin","Old","ann","pw","https://example.com","","","0","",""
      "Root","See","ann","pw","ask Bob about it","","","0","",""

      """
    let read = try entries(.keepassXC, text)
    #expect(
      read.map { ReadEntry($0).items } == [
        ["https://ann@example.com"], [], ["generic \"See\" ann"],
      ])
    #expect(ReadEntry(read[1]).exclusion == .trashed)
    #expect(read[0].items.first?.custom == ["folder": "Web"])
    #expect(read[0].items.first?.modified.rfc3339 == "2020-01-02T03:04:05Z")
    #expect(read[2].items.first?.custom["address"] == "ask Bob about it")
    #expect(read[2].kinds == [.addressKeptAsText])
  }

  @Test func `KeePass 1 and LastPass have names of their own`() throws {
    let keePass = """
      "Account","Login Name","Password","Web Site","Comments"
      "Ex","ann","pw","https://example.com","n"

      """
    #expect(try read(.keepassXC, keePass).map(\.items) == [["https://ann@example.com"]])
    let lastPass = """
      url,username,password,totp,extra,name,grouping,fav
      https://example.com,ann,pw,,note,Ex,Work,0
      http://sn,,,,text,Note,,0

      """
    let read = try read(.lastPass, lastPass)
    #expect(read.map(\.items) == [["https://ann@example.com"], ["generic \"Note\" "]])
  }

  @Test func `A row is rejected with its line and a reason, without what it holds`() throws {
    let text = """
      name,url,username,password
      b,https://example.com,ann,
      ,,ann,hunter2
      c,https://example.com,ann,hunter2,n,m
      e,https://example.com,"a\0b",hunter2

      """
    let read = try read(.chrome, text)
    #expect(read.map(\.place) == (2...5).map { "line \($0)" })
    #expect(read.allSatisfy { $0.rejection != nil })
    #expect(read[0].rejection == "no password")
    #expect(read[1].rejection == "neither a name nor an address")
    #expect(!String(reflecting: read).contains("hunter2"))
  }

  @Test func `An address that is none is kept as text, and stops no other one`() throws {
    let text = """
      name,url,username,password
      a,https://ann:hunter2@exa mple.com/x,ann,pw
      b,https://example.com:99999,ann,pw
      ,https://*.b.example,ann,pw

      """
    let read = try entries(.chrome, text)
    #expect(
      read.map { ReadEntry($0).items } == [
        ["generic \"a\" ann"], ["generic \"b\" ann"], ["generic \"https://*.b.example\" ann"],
      ])
    #expect(
      read.map { $0.items.first?.custom } == [
        ["address": "https://exa mple.com/x"], ["address": "https://example.com:99999"], [:],
      ])
    #expect(read[0].kinds == [.furtherSecrets, .addressKeptAsText])
    #expect(!String(reflecting: read).contains("hunter2"))
    let both =
      #"{"encrypted":false,"items":[{"type":1,"name":"B","login":{"username":"u","#
      + #""password":"p","uris":[{"uri":"https://*.b.example"},{"uri":"https://b.example"}]}}]}"#
    let mixed = try entries(.bitwardenJSON, both)
    #expect(mixed.map { ReadEntry($0).items } == [["https://u@b.example"]])
    let custom = mixed.first?.items.first?.custom
    #expect(custom == ["address": "https://*.b.example"])
  }

  @Test(
    "semicolons and tabs part fields, too, as Excel writes them",
    arguments: [
      ("", ";"), ("", "\t"), ("sep=;\n", ";"), ("\u{FEFF}sep=;\r\n", ";"), ("sep=,\n", ","),
      ("sep=|\n", "|"),
    ])
  func separators(_ row: (line: String, separator: String)) throws {
    let rows = [
      ["name", "url", "username", "password"], ["a", "https://example.com", "ann", "p,w"],
      ["\"b;c\"", "https://b.example", "bob", "\"x;\ty\""],
    ]
    let quoted = rows.map { $0.map { $0.contains(row.separator) ? "\"\($0)\"" : $0 } }
    let text = (row.separator == ";" || row.separator == "\t" ? rows : quoted)
      .map { $0.joined(separator: row.separator) + "\n" }.joined()
    let read = try entries(.chrome, row.line + text)
    #expect(
      read.map { ReadEntry($0).items } == [["https://ann@example.com"], ["https://bob@b.example"]])
    #expect(read[0].has(secret: "p,w") && read[1].has(secret: "x;\ty"))
    let format = try InterchangeFormat.detect(ByteSource(Secret(row.line + text)))
    #expect(format == .chrome)
  }

  @Test func `A text that is too long for its attribute rejects the row`() throws {
    let long = String(repeating: "u", count: 5000)
    let read = try read(.chrome, "name,url,username,password\na,https://example.com,\(long),pw\n")
    #expect(read.first?.rejection?.contains("account") == true)
  }

  @Test func `A file with the wrong columns is refused, and its header is not repeated`() {
    for text in ["", "\n", "hunter2,x\n", "url,username\n", "password\n"] {
      do throws(VaultError) {
        _ = try entries(.chrome, text)
        Issue.record("was read")
      } catch {
        #expect(error.code == .invalidData)
        #expect(!error.text.contains("hunter2"))
      }
    }
  }

  @Test func `The user says what other columns are`() throws {
    var options = ReadingOptions()
    options.columns = [
      ("Address", .url), ("Login", .account), ("Pass", .password), ("Team", .custom),
    ]
    let read = try entries(
      .chrome, "Address,Login,Pass,Team\nexample.com,ann,pw,Blue\n", options)
    #expect(read.map { ReadEntry($0).items } == [["https://ann@example.com"]])
    #expect(read[0].items.first?.custom == ["Team": "Blue"])
    options.columns.append(("Nobody", .realm))
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try entries(.chrome, "Address,Login,Pass,Team\n", options)
    }
  }

  @Test func `Formulas, quotes and line ends in a password are kept byte by byte`() throws {
    let header = "name,url,username,password\n"
    let row = "a,https://example.com,ann,\"=cmd|' /C \"\"x\"\"!A0\r\n\"\n"
    #expect(try entries(.chrome, header + row).first?.has(secret: "=cmd|' /C \"x\"!A0\r\n") == true)
  }
}

@Suite struct OneTimePasswordTests {
  @Test func `A second key, a long one and one inside a sentence are further secrets`() throws {
    let long = "otpauth://totp/x?secret=" + String(repeating: "A", count: 4096)
    let text = """
      name,url,username,password,totp,otp,note
      a,https://a.example,ann,pw,KEY,otpauth://totp/x?secret=TWO,
      b,https://b.example,ann,pw,\(long),,
      c,https://c.example,ann,pw,,,2FA is otpauth://totp/x?secret=ABC here

      """
    let read = try entries(.chrome, text)
    #expect(read.map(\.oneTimeKey) == ["KEY", nil, nil])
    #expect(
      read.map(\.furtherText) == [
        "otp: otpauth://totp/x?secret=TWO", "totp: \(long)",
        "one-time password: 2FA is otpauth://totp/x?secret=ABC here",
      ])
  }

  @Test func `An entry with nothing but a key is an item that has it`() throws {
    let read = try entries(.chrome, "name,url,username,password,totp\na,,ann,,KEY\n")
    #expect(read.map(\.oneTimeKey) == ["KEY"] && read[0].has(secret: "KEY"))
    #expect(read[0].items.first?.kind == "login without a password" && read[0].kinds == [])
  }

  @Test(arguments: [
    ("otpauth://totp/x?secret=KEY", true), ("OTPAUTH://totp/x?secret=KEY", true),
    (": otpauth://totp/x?secret=KEY", false), ("app://x/otpauth://totp/x?secret=KEY", false),
  ])
  func `A key in an address becomes no text`(address: String, isKey: Bool) throws {
    let header = "name,url,username,password\n"
    let named = try #require(try entries(.chrome, header + "t,\(address),ann,pw\n").first)
    #expect(named.items.first?.key.service == "t")
    #expect(named.kinds == (isKey ? [] : [.furtherSecrets]))
    #expect(named.oneTimeKey == (isKey ? address : nil))
    let contents: [[String]] = named.items.map { $0.contents() }
    #expect(!contents.joined().contains { (text: String) in text.contains("KEY") })
    let unnamed = try #require(try entries(.chrome, header + ",\(address),ann,pw\n").first)
    #expect(unnamed.rejection == "neither a name nor an address")
  }
}
