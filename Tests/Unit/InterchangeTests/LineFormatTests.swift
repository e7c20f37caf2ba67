import SecureMemory
import Testing
import VaultModel

@testable import Interchange

@Suite struct NetrcTests {
  @Test func `Entries have hosts, logins and passwords, on any lines`() throws {
    let text = """
      # machine no.example.com login x password y
      machine a.example.com login ann password pw1
      MACHINE b.example.com
        login bob
        password "a b\\"c\\\\d\\n"
      machine c.example.com:8443 password #pw
      machine d.example.com login dan port 99 protocol ftp path /sub password a\\b
      macdef init
      machine no.example.com login x password y

      machine ::1 login ann password pw

      """
    let all = try entries(.netrc, text)
    // What is no entry is named.
    let others = all.filter { ReadEntry($0).exclusion == .notAnEntry }
    #expect(Set(others.map(\.title)) == ["comment", "macdef"] && others.count == 2)
    let read = all.filter { !$0.items.isEmpty }
    #expect(
      read.map { ReadEntry($0).items } == [
        ["https://ann@a.example.com"], ["https://bob@b.example.com"],
        ["https://c.example.com:8443"], ["ftp://dan@d.example.com:99/sub"], ["https://ann@::1"],
      ])
    #expect(read[0].has(secret: "pw1"))
    #expect(read[1].has(secret: "a b\"c\\d\n"))
    #expect(read[2].has(secret: "#pw"))
    #expect(read[3].has(secret: "a\\b"))
    #expect(read.map(\.remarks.isEmpty) == [false, false, false, true, false])
    #expect(read.map { ReadEntry($0).place } == [2, 3, 6, 7, 11].map { "line \($0)" })
  }

  @Test func `The protocol that is assumed can be chosen`() throws {
    var options = ReadingOptions()
    options.assumedProtocol = .ftp
    #expect(
      try read(.netrc, "machine a.example.com login u password p", options).first?.items
        == ["ftp://u@a.example.com"])
  }

  @Test func `The default entry is for every host, and left out`() throws {
    let read = try read(.netrc, "default login ann password pw\nmachine a login b password c")
    #expect(read.map(\.exclusion) == [.everyHost, nil])
    #expect(read[1].items == ["https://b@a"])
  }

  @Test func `What is wrong rejects an entry, and the next is read`() throws {
    let text = """
      machine a.example.com login ann
      machine b/c login ann password pw
      machine login
      machine d login x\0 password pw
      machine e login ann password "open
      machine f login ann password pw
      """
    let read = try read(.netrc, text)
    #expect(read.map { $0.rejection == nil } == [false, false, false, false, false, true])
    #expect(read[0].rejection == "no password")
  }

  @Test func `A long token is rejected in bounded memory`() throws {
    let source = ByteSource.repeating(
      "x", count: 10 << 20, after: "machine a login b password ",
      before: "\nmachine c login d password e")
    let read = try entries(.netrc, source).map(ReadEntry.init)
    #expect(read.map { $0.rejection != nil } == [true, false])
  }
}

@Suite struct CutFileTests {
  @Test(arguments: [
    ("name,url,username,password\n", "a,https://a.example.com,ann,pw"),
    ("name,url,username,password,note\n", "a,https://a.example.com,ann,pw,"),
  ])
  func `Chrome ends every line, so a last one without an end is rejected`(
    header: String, row: String
  ) throws {
    let whole = row.replacing("a.ex", with: "b.ex") + "\n"
    let entries = try read(.chrome, header + whole + row)
    #expect(entries.map(\.rejection) == [nil, Entry.cutAtItsEnd])
    #expect(try read(.chrome, header + whole + row + "\n").map(\.rejection) == [nil, nil])
  }

  @Test func `Git ends every line, so a last one without an end is rejected`() throws {
    let text = "https://ann:pw@a.example.com\nhttps://ann:pw@b.exam"
    #expect(try read(.gitCredentials, text).map(\.rejection) == [nil, Entry.cutAtItsEnd])
    let remark = try read(.gitCredentials, "https://ann:pw@a.example.com\n# a remark")
    #expect(remark.map(\.exclusion) == [nil, .notAnEntry])
  }

  @Test func `An entry is remarked where writers differ on the end of the last line`() throws {
    let table = "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n"
    let row = "Ex,https://example.com,ann,pw,,true,false,a;b,a note"
    #expect(try read(.onePassword, table + row).map(\.remarks) == [[.mayBeCut]])
    #expect(try read(.onePassword, table + row + "\r\n").map(\.remarks) == [[]])
    #expect(
      try read(.onePassword, table + row.replacing("a note", with: "\"a note\""))
        .map(\.remarks) == [[]])
    let machine = "machine a.example.com login ann protocol https password "
    #expect(try read(.netrc, machine + "pw").map(\.remarks) == [[.mayBeCut]])
    #expect(try read(.netrc, machine + "\"pw\"").map(\.remarks) == [[]])
    #expect(try read(.netrc, machine + "pw\n").map(\.remarks) == [[]])
  }

  @Test func `Programs that leave out the last line end are read without a remark`() throws {
    let firefox = "\"url\",\"username\",\"password\",\"httpRealm\"\r\n"
    #expect(
      try read(.firefox, firefox + "\"https://a.example.com\",\"ann\",\"pw\",\"Staff\"")
        .map(\.remarks) == [[]])
    let bitwarden = "type,name,login_uri,login_username,login_password,login_totp\r\n"
    let row = bitwarden + "login,a,https://a.example.com,ann,pw,"
    #expect(try read(.bitwarden, row).map(\.remarks) == [[]])
    #expect(try read(.bitwarden, row + "KEY").map(\.remarks) == [[.mayBeCut]])
  }

  @Test(arguments: ["b", "b,", "b,https://b.example.com,bob"])
  func `A last record that is shorter than the header, without a line end, is rejected`(
    cut: String
  ) throws {
    let header = "name,url,username,password\n"
    let whole = "a,https://a.example.com,ann,pw\n"
    let entries = try read(.chrome, header + whole + cut)
    #expect(entries.map(\.rejection) == [nil, "the file ends in the middle of it"])
    // Some programs leave out the last fields, of any record.
    #expect(try read(.chrome, header + "b,https://b.example.com\n").count == 1)
  }

  @Test(arguments: ["schema = org.gn", "attribute.server = b.exam", "secret = p"])
  func `An item of secret-tool with a line that no line feed ends is rejected`(
    cut: String
  ) throws {
    let item = "[/1]\nlabel = a\nsecret = pw\nattribute.server = a.example.com\n"
    let read = try read(.secretTool, item + "[/2]\nlabel = b\nsecret = pw2\n" + cut)
    #expect(read.map(\.rejection) == [nil, "the file ends in the middle of a line"])
  }
}

@Suite struct RecognitionTests {
  private static let foreign = [
    "name,url,username,password\nx,https://x.example.com,ann,hunter2\n", "\n\n", "a\0b", "{}",
  ]

  @Test(arguments: [InterchangeFormat.netrc, .keychainDump, .secretTool], foreign)
  func `A text without any entry is of another format`(
    format: InterchangeFormat, text: String
  ) throws {
    // Only blanks and remarks are an empty netrc.
    guard format != .netrc || text != "\n\n" else {
      #expect(try read(format, "\n# none yet\n").map(\.exclusion) == [.notAnEntry])
      return
    }
    #expect(throws: VaultError(.invalidData, "")) { _ = try read(format, text) }
  }
}

@Suite struct GitCredentialsTests {
  @Test func `Git also encodes the colons of ports and addresses`() throws {
    let text = """
      https://ann:pw@host.example%3a3000/team
      https://ann:pw@[::1]%3a3000
      https://ann:pw@%5b%3a%3a1%5d%3a3000
      smtp://ann%40example.com:pw@smtp.example.com%3a587
      https://ann:pw@host.example%2fx
      https://ann:pw@bob%40host.example

      """
    let read = try read(.gitCredentials, text)
    #expect(
      read.map(\.items) == [
        ["https://ann@host.example:3000/team"], ["https://ann@::1:3000"], ["https://ann@::1:3000"],
        ["smtp://ann@example.com@smtp.example.com:587"], [], [],
      ])
    #expect(read.suffix(2).allSatisfy { $0.rejection == "host: a character that no host has" })
  }

  @Test func `Each line is a URL with user and password`() throws {
    let text = """
      https://ann:p%40ss%0aword@git.example.com/team/repo
      http://bob:pw@git.example.com:8080
      # a remark

      cert:///etc/x.pem
      https://git.example.com
      https://ann@git.example.com
      https://ann:%ZZ@git.example.com
      https://ann:%00@git.example.com
      not a url
      """
    let read = try entries(.gitCredentials, text + "\r\n")
    #expect(
      read.map { ReadEntry($0).items } == [
        ["https://ann@git.example.com/team/repo"], ["http://bob@git.example.com:8080"],
        [], [], [], [], [], [], [],
      ])
    #expect(ReadEntry(read[2]).exclusion == .notAnEntry)
    #expect(read[0].has(secret: "p@ss\nword"))
    #expect(read[0].items.first?.origin == "git")
    #expect(read.dropFirst(3).allSatisfy { $0.rejection != nil })
    #expect(!String(reflecting: read).contains("ss%0a"))
  }
}

@Suite struct KeychainDumpTests {
  private static let text = """
    keychain: "/Users/ann/Library/Keychains/login.keychain-db"
    version: 512
    class: "inet"
    attributes:
        0x00000007 <blob>="example.com (ann)"
        0x00000008 <blob>=<NULL>
        "acct"<blob>="ann"
        "atyp"<blob>="ptth"
        "cdat"<timedate>=0x32303139303130323033303430355A00  "20190102030405Z\\000"
        "desc"<blob>="Web form password"
        "icmt"<blob>=0x6869C3BC  "hi\\303\\274"
        "invi"<sint32>=<NULL>
        "nega"<sint32>=<NULL>
        "path"<blob>="/a"
        "port"<uint32>=0x000020FB
        "ptcl"<uint32>="htps"
        "sdmn"<blob>="Team \\"Git\\""
        "srvr"<blob>="example.com"
        "type"<uint32>=<NULL>
    data:
    "pw"1"
    keychain: "/Users/ann/Library/Keychains/login.keychain-db"
    version: 512
    class: "genp"
    attributes:
        0x00000007 <blob>="Backup"
        "acct"<blob>="bob"
        "gena"<blob>=0x0001
        "svce"<blob>="backup"
    data:
    0x70C3BC00  "p\\303\\274\\000"
    keychain: "/Users/ann/Library/Keychains/login.keychain-db"
    version: 512
    class: 0x80001000
    attributes:
        "alis"<blob>="cert"
    keychain: "x"
    class: "inet"
    attributes:
        "srvr"<blob>="nodata.example.com"
    keychain: "x"
    class: "inet"
    attributes:
        "srvr"<blob>="never.example.com"
        "nega"<sint32>=0x00000001
    data:

    """

  @Test func `Both classes have their attributes, codes and times`() throws {
    let read = try entries(.keychainDump, Self.text)
    #expect(
      read.map { ReadEntry($0).items } == [
        ["https://ann@example.com:8443//a \"Team \\\"Git\\\"\""], ["generic \"backup\" bob"], [],
        [], [],
      ])
    #expect(read[0].has(secret: "pw\"1"))
    let item = try #require(read[0].items.first)
    #expect(item.authenticationMethod == .basic)
    #expect(item.comment == "hiü")
    #expect(item.kind == "Web form password")
    #expect(item.created.rfc3339 == "2019-01-02T03:04:05Z")
    #expect(read[1].has(secret: "pü\0"))
    #expect(read[1].items.first?.generic == [0, 1])
    #expect(ReadEntry(read[2]).exclusion == .other)
    #expect(read[3].rejection?.contains("without -d") == true)
    #expect(ReadEntry(read[4]).exclusion == .noPasswordKept)
  }

  @Test func `Docker's items are Docker's, also where the server is a path`() throws {
    let text = """
      keychain: "x"
      class: "inet"
      attributes:
          0x00000007 <blob>="Docker Credentials"
          "acct"<blob>="ann"
          "path"<blob>="registry.example.com:5000"
          "ptcl"<uint32>="http"
          "srvr"<blob>=<NULL>
      data:
      "pw"
      keychain: "x"
      class: "inet"
      attributes:
          0x00000007 <blob>="Docker Credentials"
          "acct"<blob>="bob"
          "path"<blob>="/v1/"
          "ptcl"<uint32>="htps"
          "srvr"<blob>="index.docker.io"
      data:
      "pw"

      """
    let items = try entries(.keychainDump, text).flatMap(\.items)
    #expect(items.map(\.origin) == ["docker", "docker"])
    #expect(
      items.map { DockerServer(of: $0)?.text } == [
        "registry.example.com:5000", "https://index.docker.io/v1/",
      ])
    #expect(items.first?.server.name == "registry.example.com" && items.first?.port == 5000)
  }

  @Test func `A secure note is its text, and an empty secret is no fault of the dump`() throws {
    let plist = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict><key>NOTE</key><string>one &amp;
      two</string></dict></plist>
      """
    let digits = plist.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let item = { (data: String) in
      "keychain: \"x\"\nclass: \"genp\"\nattributes:\n    0x00000007 <blob>=\"Memo\"\n"
        + "    \"desc\"<blob>=\"secure note\"\n    \"type\"<uint32>=\"note\"\ndata:\n\(data)\n"
    }
    let read = try entries(
      .keychainDump, item("0x\(digits)") + item("\"as it is\"") + item(""))
    #expect(read[0].has(secret: "one &\ntwo") && read[0].items.first?.kind == "secure note")
    #expect(read[1].has(secret: "as it is"))
    #expect(read[2].rejection == "no password")
  }

  @Test func `A value that is cut off rejects the item`() throws {
    let text = "keychain: \"x\"\nclass: \"inet\"\n    \"srvr\"<blob>=\"a\"\ndata:\n\"pw"
    #expect(try read(.keychainDump, text).first?.rejection == "data: malformed")
  }
}

@Suite struct SecretToolTests {
  @Test func `Without its attributes, which are on the other stream, it says how to get them`()
    throws
  {
    let text = "[/1]\nlabel = n\nsecret = pw\ncreated = 2019-01-02 03:04:05\n"
    let entry = try #require(try entries(.secretTool, text).first)
    #expect(entry.kinds == [.attributesMissing] && entry.lacksSomething)
    #expect(entry.has(secret: "pw"))
  }

  @Test func `Schemas of networks, Git and Docker, and others`() throws {
    let text = """
      [/org/freedesktop/secrets/collection/login/1]
      label = ann@example.com
      secret = pw1
      created = 2019-01-02 03:04:05
      modified = 2020-01-02 03:04:05
      schema = org.gnome.keyring.NetworkPassword
      attribute.protocol = https
      attribute.server = example.com
      attribute.port = 8443
      attribute.user = ann
      attribute.domain = Staff
      attribute.authtype = basic
      [/org/freedesktop/secrets/collection/login/2]
      label = Git: https://git.example.com/
      secret = pw2
      password_expiry_utc=4102444800
      oauth_refresh_token=rt
      created = 2019-01-02 03:04:05
      modified = 2020-01-02 03:04:05
      schema = org.git.Password
      attribute.protocol = https
      attribute.server = git.example.com
      attribute.user = bob
      [/org/freedesktop/secrets/collection/login/3]
      label = Chrome Safe Storage
      secret = a
      b
      created = 2019-01-02 03:04:05
      modified = 2020-01-02 03:04:05
      schema = chrome_libsecret_os_crypt_password_v2
      attribute.application = chrome
      [/org/freedesktop/secrets/collection/login/4]
      label = locked
      created = 2019-01-02 03:04:05
      attribute.server = x.example.com

      """
    let read = try entries(.secretTool, text)
    #expect(
      read.map { ReadEntry($0).items } == [
        ["https://ann@example.com:8443 \"Staff\""], ["https://bob@git.example.com"],
        ["generic \"Chrome Safe Storage\" "], [],
      ])
    #expect(read[0].has(secret: "pw1"))
    #expect(read[1].has(secret: "pw2"))
    #expect(read[1].items.first?.refreshToken?.isEqual(to: Secret("rt")) == true)
    #expect(read[1].items.first?.expires == Timestamp(seconds: 4_102_444_800))
    #expect(read[2].has(secret: "a\nb"))
    let schema = "chrome_libsecret_os_crypt_password_v2"
    #expect(read[2].items.first?.custom == ["application": "chrome", "xdg:schema": schema])
    #expect(read[3].rejection == "it is locked: repeat secret-tool search with --unlock")
    #expect(!String(reflecting: read).contains("pw1"))
  }
}

@Suite struct PassFileTests {
  private func read(_ path: String, _ text: String) throws -> Entry {
    try PassFile.entry(path: path, ByteSource(Secret(text)))
  }

  @Test(arguments: [
    ("github.com/ann", "https://ann@github.com"), ("web/github.com", "https://github.com"),
    ("web/github.com:8443/ann", "https://ann@github.com:8443"),
    ("email/work", "generic \"email/work\" "), ("ann@example.com", "generic \"ann@example.com\" "),
  ])
  func `The path names the host and the user, if the file does not`(
    path: String, item: String
  ) throws {
    let entry = try read(path, "pw\n")
    #expect(ReadEntry(entry).items == [item])
    #expect(entry.has(secret: "pw"))
  }

  @Test func `Fields below the first line are read, and other secrets are not`() throws {
    let entry = try read(
      "x/y",
      """
      pw
      login: ann
      url: https://example.com/login
      otpauth://totp/x?secret=ABC
      PIN: 1234
      team: blue
      a remark
      """)
    #expect(ReadEntry(entry).items == ["https://ann@example.com"])
    let custom = entry.items.first?.custom
    #expect(custom == ["team": "blue", "address": "https://example.com/login"])
    #expect(entry.items.first?.comment == "")
    #expect(entry.kinds == [.furtherSecrets])
    #expect(entry.oneTimeKey == "otpauth://totp/x?secret=ABC")
    #expect(entry.furtherText == "PIN: 1234\nnotes: a remark")
    #expect(!String(reflecting: entry).contains("ABC"))
    #expect(!String(reflecting: entry).contains("1234"))
  }

  @Test func `An empty file has no password`() throws {
    #expect(try read("example.com", "").rejection == "no password")
    // What is below it is kept, too.
    let below = try read("example.com", "\npw")
    #expect(ReadEntry(below).items == ["generic \"example.com\" "] && below.has(secret: "pw"))
  }
}

@Suite struct DetectionTests {
  @Test(arguments: [
    ("url,username,password,httpRealm\n", InterchangeFormat.firefox),
    ("\u{FEFF}\"url\",\"username\",\"password\",\"httpRealm\"\r\n", .firefox),
    ("name,url,username,password,note\n", .chrome), ("name,url,username,password\n", .chrome),
    ("Title,URL,Username,Password,Notes,OTPAuth\n", .apple),
    ("folder,type,name,login_uri,login_username,login_password\n", .bitwarden),
    ("Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\n", .onePassword),
    ("Group,Title,Username,Password,URL,Notes\n", .keepassXC),
    ("url,username,password,totp,extra,name,grouping,fav\n", .lastPass),
    ("# x\n\nmachine a login b password c\n", .netrc),
    ("https://a:b@example.com\n", .gitCredentials),
    ("keychain: \"x\"\n", .keychainDump),
    ("[/org/freedesktop/secrets/collection/login/1]\nlabel = x\n", .secretTool),
    ("{\"auths\":{}}", .docker), ("{\n  \"encrypted\": false,", .bitwardenJSON),
    ("<?xml version=\"1.0\"?><KeePassFile>", .keepassXML), ("PK\u{3}\u{4}x", .onePUX),
  ])
  func `The beginning tells the format, and stays to be read`(
    text: String, format: InterchangeFormat
  ) throws {
    let source = ByteSource(Secret(text))
    #expect(try InterchangeFormat.detect(source) == format)
    #expect(source.offset == 0)
  }

  @Test(arguments: [
    "", "\n", "hello", "a,b,c\n1,2,3\n", "https://example.com\n", "[1]", "{}",
    // Others have items, too.
    #"{"folders":[],"items":[{"title":"x"}]}"#,
  ])
  func `Anything else is refused`(text: String) {
    #expect(throws: VaultError(.invalidData, "")) {
      _ = try InterchangeFormat.detect(ByteSource(Secret(text)))
    }
  }

  @Test(arguments: [
    ("group,password,tags,title,username", "1password and keepassxc"),
    ("login,name,password,title,url,username,website address", "apple and chrome and keeper"),
    (#"{"auths":{},"items":[],"encrypted":false}"#, "bitwarden-json and docker"),
  ])
  func `A file that two formats could read is asked about`(text: String, formats: String) {
    do throws(VaultError) {
      let format = try InterchangeFormat.detect(ByteSource(Secret(text + "\n")))
      Issue.record("it was taken for \(format.rawValue)")
    } catch {
      #expect(error.code == .invalidData && error.context.contains(formats), "\(error.context)")
    }
  }

  @Test func `What a text says of another format makes no file one`() throws {
    let text = #"{"encrypted":false,"items":[{"notes":"{\"auths\":{}}"}]}"#
    #expect(try InterchangeFormat.detect(ByteSource(Secret(text))) == .bitwardenJSON)
  }

  @Test func `Every name and alias of a format is one`() {
    for format in InterchangeFormat.allCases {
      #expect(InterchangeFormat(name: format.rawValue) == format)
    }
    #expect(InterchangeFormat(name: "edge") == .chrome)
    #expect(InterchangeFormat(name: "safari") == .apple)
    #expect(InterchangeFormat(name: "auto") == nil)
  }
}
