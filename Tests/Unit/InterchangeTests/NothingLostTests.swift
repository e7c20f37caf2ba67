import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// Parts of other programs' files that are easily lost, or easily shown.
@Suite("nothing is lost on the way in")
struct NothingLostTests {
  private static let header = "name,url,username,password,note"

  private func only(
    _ format: InterchangeFormat, _ text: String, _ options: ReadingOptions = ReadingOptions()
  ) throws -> Entry {
    let entries = try entries(format, text, options)
    #expect(entries.count == 1)
    return try #require(entries.first)
  }

  private func pass(_ text: String) throws -> Entry {
    try PassFile.entry(path: "web/a.example/ann", ByteSource(Secret(text)))
  }

  // MARK: Line ends

  @Test(
    "a table whose lines end with CR is read",
    arguments: [header, "\"name\",\"url\",\"username\",\"password\",note"])
  func carriageReturns(_ header: String) throws {
    let text = "\(header)\ra,https://a.example,ann,pw,\"x\ry\"\rb,https://b.example,bob,pw2,\r"
    #expect(try InterchangeFormat.detect(ByteSource(Secret(text))) == .chrome)
    let read = try entries(.chrome, text)
    #expect(
      read.map { ReadEntry($0).description } == [
        "line 2: https://ann@a.example", "line 4: https://bob@b.example",
      ])
    #expect(read.first?.items.first?.comment == "x\ny")
  }

  // MARK: Secrets

  @Test(
    "names that say that their value is secret",
    arguments: [
      "CVV2", "PIN 2", "PIN2", "PINs", "card_pin", "pinNumber", "Backup Codes", "IBAN 1", "pwd",
      "PW 2", "Kennwort", "Geheimnis", "TAN", "Mnemonic", "Credit Card", "Security Q1", "Answer",
      "memorable word", "auth", "sid", "sig", "jwt", "otpSecret", "APIKey", "keys", "2FA",
      "session", "Sicherheitsantwort", "Mother maiden", "API",
    ])
  func secretNames(_ name: String) {
    #expect(EntryDraft.isSecret(name))
  }

  @Test(
    "names that do not",
    arguments: [
      "Author", "Postal codes", "Zip Code", "Standard", "Spinner", "Keyboard", "Sidebar", "Design",
      "Tank", "Title",
    ])
  func clearNames(_ name: String) {
    #expect(!EntryDraft.isSecret(name))
  }

  private static let key =
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----"

  @Test("a private key in a note or a field is a further secret")
  func privateKey() throws {
    let note = try only(.chrome, "\(Self.header)\na,https://a.example,ann,pw,\"\(Self.key)\"\n")
    #expect(note.furtherText == "comment: \(Self.key)" && note.items.first?.comment == "")
    let text = Self.key.replacing("\n", with: "\\n")
    let field = try only(
      .bitwardenJSON,
      #"{"encrypted":false,"items":[{"type":1,"name":"a","login":{"password":"pw"},"#
        + #""fields":[{"name":"text","type":0,"value":"\#(text)"}]}]}"#)
    #expect(field.furtherText == "text: \(Self.key)" && field.items.first?.custom == [:])
  }

  @Test("all text of a pass file is secret, and a key in it is its password")
  func passFiles() throws {
    let lines = try pass("pw\nuser: bob\nbackup codes:\n12-34\n\n56-78\n")
    #expect(lines.has(secret: "pw") && lines.items.first?.comment == "")
    #expect(lines.furtherText == "notes: backup codes:\n12-34\n\n56-78")
    let below = try pass("pw\n\(Self.key)\n")
    #expect(below.has(secret: "pw") && below.furtherText == "notes: \(Self.key)")
    let alone = try pass("\(Self.key)\n")
    #expect(alone.has(secret: Self.key) && alone.items.first?.comment == "")
    #expect(alone.items.first?.account == "ann" && alone.further.isEmpty)
  }

  @Test("a pass file with nothing but the address of a one-time password has its key")
  func passKey() throws {
    let entry = try pass("otpauth://totp/x?secret=JBSWY3DP\n")
    #expect(entry.oneTimeKey == "otpauth://totp/x?secret=JBSWY3DP")
  }

  // MARK: Addresses

  @Test("what follows # in a path of Git belongs to it")
  func pathsOfGit() throws {
    let text = "https://u:p@h.example/a#b?c=d\nhttps://u:q@h.example/a\n"
    #expect(
      try read(.gitCredentials, text).flatMap(\.items) == [
        "https://u@h.example/a#b?c=d", "https://u@h.example/a",
      ])
  }

  @Test(
    "an address without a host is text, and offers no password to one",
    arguments: ["mailto:ann@x.example", "MAILTO:ann@x.example", "sip:ann@x.example", "about:blank"])
  func otherSchemes(_ address: String) throws {
    let entry = try only(.chrome, "\(Self.header)\na,\(address),ann,pw,\n")
    #expect(ReadEntry(entry).items == ["generic \"a\" ann"])
    #expect(entry.items.first?.custom == ["address": address] && entry.further.isEmpty)
  }

  @Test("an empty password is one for Git, netrc and secret-tool")
  func emptyPasswords() throws {
    let formats: [(InterchangeFormat, String)] = [
      (.gitCredentials, "https://ann:@a.example\n"),
      (.netrc, "machine a.example login ann password \"\"\n"),
      (
        .secretTool,
        "[/1]\nlabel = x\nsecret = \ncreated = 2020-01-01 00:00:00\n"
          + "attribute.server = a.example\nattribute.user = ann\n"
      ),
    ]
    for (format, text) in formats {
      let entry = try only(format, text)
      #expect(ReadEntry(entry).items == ["https://ann@a.example"], "\(format)")
      #expect(entry.has(secret: ""), "\(format)")
    }
  }

  // MARK: secret-tool

  @Test("an item without attributes says how to get them, whatever its schema")
  func attributes() throws {
    let text =
      "[/1]\nlabel = a\nsecret = pw\ncreated = 2020-01-01 00:00:00\n"
      + "schema = org.gnome.keyring.NetworkPassword\n"
    let entry = try only(.secretTool, text)
    #expect(entry.has(secret: "pw") && entry.kinds == [.attributesMissing] && entry.lacksSomething)
  }

  @Test("an item without a secret is locked")
  func locked() throws {
    let text = "[/1]\nlabel = a\ncreated = 2020-01-01 00:00:00\nattribute.server = a.example\n"
    let entry = try only(.secretTool, text)
    #expect(entry.title == "a" && entry.lacksSomething)
    #expect(entry.rejection == "it is locked: repeat secret-tool search with --unlock")
  }

  // MARK: KeePass

  private static let ids = (1...3).map { String(repeating: "0", count: 31) + "\($0)" }

  /// A file whose entries have the ids above.
  private func keePass(passwords: [String]) throws -> [Entry] {
    let entries = zip(Self.ids, passwords).map { id, password in
      let bytes = [UInt8](repeating: 0, count: 15) + [UInt8(id.suffix(1)) ?? 0]
      return "<Entry><UUID>\(Data(bytes).base64EncodedString())</UUID><String><Key>Title</Key>"
        + "<Value>t</Value></String><String><Key>Password</Key><Value>\(password)</Value></String></Entry>"
    }.joined()
    let text = "<KeePassFile><Root><Group>\(entries)</Group></Root></KeePassFile>"
    var options = ReadingOptions()
    options.again = { () throws(VaultError) in ByteSource(Secret(text)) }
    return try InterchangeTests.entries(.keepassXML, text, options)
  }

  @Test("a reference of any case is resolved, also through another one, but not in a circle")
  func references() throws {
    let (first, second, third) = (Self.ids[0], Self.ids[1], Self.ids[2])
    let read = try keePass(passwords: ["{ref:p@i:\(second)}", "{REF:P@I:\(third)}", "pw"])
    #expect(read.count == 3 && read.allSatisfy { $0.has(secret: "pw") })
    let circle = try keePass(passwords: ["{REF:P@I:\(second)}", "{REF:P@I:\(first)}", "pw"])
    #expect(circle.filter { $0.has(secret: "pw") }.count == 1)
    #expect(circle.filter(\.lacksSomething).count == 2)
  }

  @Test("a reference of any case in a table is named, and never stored")
  func referencesInTables() throws {
    let text = "Group,Title,Username,Password,URL\nRoot,a,ann,{ref:p@i:0},https://a.example\n"
    let entry = try only(.keepassXC, text)
    #expect(entry.items.isEmpty && entry.lacksSomething)
  }

  @Test("what a file of KeePass says of its groups and plug-ins is named")
  func groups() throws {
    let custom = ["KPXC_BROWSER_a", "_LAST_MODIFIED"].map {
      "<Item><Key>\($0)</Key><Value>x</Value></Item>"
    }.joined()
    let text =
      "<KeePassFile><Meta><CustomData>\(custom)</CustomData></Meta><Root><Group>"
      + "<Name>All</Name><Tags>red</Tags><DefaultAutoTypeSequence>{TAB}</DefaultAutoTypeSequence>"
      + "<Entry><String><Key>Title</Key><Value>t</Value></String><String><Key>Password</Key>"
      + "<Value>pw</Value></String></Entry></Group></Root></KeePassFile>"
    let named = try entries(.keepassXML, text).filter(\.items.isEmpty)
    #expect(
      named.map(\.title) == [
        "KPXC_BROWSER_a", "Tags of the group All", "DefaultAutoTypeSequence of the group All",
      ])
    #expect(named.filter(\.lacksSomething).count == named.count)
  }

  @Test("a folder of LastPass is named if it has a note")
  func folders() throws {
    let read = try entries(
      .lastPass,
      "url,username,password,extra,name,grouping\nhttp://group,,,,a,\nhttp://group,,,note,b,\n")
    #expect(read.map(\.lacksSomething) == [false, true])
  }

  @Test("a rejected item of our own export has its title")
  func ownTitles() throws {
    let entry = try only(
      .json,
      #"{"format":"vaultctl-export","version":1,"items":[{"class":"internet","label":"Shop"}]}"#)
    #expect(entry.title == "Shop" && entry.rejection == "no password")
  }

  // MARK: Limits

  private static let long = String(repeating: "n", count: 1 << 20 + 1)

  @Test("a text that is too long is named, and stops no other entry")
  func longTexts() throws {
    let login = { (name: String, more: String) in
      #"{"type":1,"name":"\#(name)","login":{"username":"u","password":"pw"}\#(more)}"#
    }
    let bitwarden =
      #"{"encrypted":false,"items":[\#(login("a", #","notes":"\#(Self.long)""#)),\#(login("b", ""))]}"#
    let items = try entries(.bitwardenJSON, bitwarden)
    #expect(items.map { $0.has(secret: "pw") } == [true, true])
    #expect(items[0].remarks[.otherField] == ["comment"] && !items[1].lacksSomething)

    let entry = { (name: String, more: String) in
      "<Entry><String><Key>Title</Key><Value>\(name)</Value></String><String><Key>Password</Key>"
        + "<Value>pw</Value></String>\(more)</Entry>"
    }
    let notes = "<String><Key>Notes</Key><Value>\(Self.long)</Value></String>"
    let binary = "<Binary><Key>file</Key><Value>\(Self.long)</Value></Binary>"
    let keePass =
      "<KeePassFile><Root><Group>\(entry("a", notes))\(entry("b", binary))\(entry("c", ""))"
      + "</Group></Root></KeePassFile>"
    let read = try entries(.keepassXML, keePass)
    #expect(read.map(\.title) == ["a", "b", "c"])
    #expect(read.map { $0.rejection != nil } == [true, false, false])
    #expect(read[1].remarks == [.attachment: ["file"]] && read[2].has(secret: "pw"))
  }

  @Test("empty fields beyond the header say nothing")
  func surplus() throws {
    let entry = try only(.chrome, "\(Self.header)\na,https://a.example,ann,pw,note,,\n")
    #expect(entry.has(secret: "pw") && entry.items.first?.comment == "note")
    let cut = try only(.chrome, "\(Self.header)\na,https://a.example,ann,pw,note,more\n")
    #expect(cut.rejection == "more fields than the header has columns")
  }

  @Test(
    "a time that is none, or is to come, stays as text",
    arguments: [
      ("2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z"), ("13350000000000000", "13350000000000000"),
      ("2099", "2099"), ("20240131", "20240131"), ("1700000000", nil), ("1700000000000", nil),
    ])
  func times(_ row: (text: String, kept: String?)) throws {
    let entry = try only(
      .table, "title,url,account,password,created\na,https://a.example,ann,pw,\(row.text)\n")
    #expect(entry.items.first?.custom["created"] == row.kept)
    let expiry = try only(
      .table, "title,url,account,password,expires\na,https://a.example,ann,pw,2099\n")
    #expect(expiry.items.first?.custom == ["expires": "2099"])
  }
}
