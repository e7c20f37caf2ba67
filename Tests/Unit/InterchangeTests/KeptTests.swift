import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// Where what a format has no place for is kept.
@Suite("what has no attribute of its own")
struct KeptTests {
  private func only(_ format: InterchangeFormat, _ text: String) throws -> Entry {
    let entries = try entries(format, text)
    #expect(entries.count == 1)
    return try #require(entries.first)
  }

  private func custom(_ format: InterchangeFormat, _ text: String) throws -> [String: String] {
    try only(format, text).items.first?.custom ?? [:]
  }

  @Test(
    "the whole of an address, if the item has only a part of it",
    arguments: [
      ("https://a.example", nil), ("https://a.example/", nil), ("https://a.example:8443/", nil),
      ("https://a.example/login", "https://a.example/login"),
      ("https://a.example?x=1", "https://a.example?x=1"), ("a.example/x", "a.example/x"),
      ("https://ann:pw@a.example/x#y", "https://a.example/x#y"),
      ("androidapp://com.example", "androidapp://com.example"),
    ])
  func addresses(_ row: (address: String, whole: String?)) throws {
    let header = "name,url,username,password\nt,"
    let kept = try custom(.chrome, "\(header)\(row.address),ann,pw\n")
    #expect(kept == (row.whole.map { ["address": $0] } ?? [:]))
  }

  @Test("an address that logs in is a further secret, and a second user is kept")
  func secretAddress() throws {
    let text = "name,url,username,password\nt,https://bob@a.example/x?session_token=KEY,ann,pw\n"
    let entry = try only(.chrome, text)
    #expect(entry.furtherText == "address: https://a.example/x?session_token=KEY")
    #expect(entry.items.first?.custom == ["account in the address": "bob"])
  }

  @Test(
    "names that say that their value is secret",
    arguments: [
      "Card Number", "$paymentCard::1", "ccnum", "$securityQuestion::1", "Account-Number", "PIN",
      "API key", "IBAN",
    ])
  func secretNames(_ name: String) {
    #expect(EntryDraft.isSecret(name))
  }

  @Test("names that do not", arguments: ["Cardholder", "Country code", "Team", "Number of rooms"])
  func clearNames(_ name: String) {
    #expect(!EntryDraft.isSecret(name))
  }

  @Test("a second column of one field, a date that is none, and one that is past")
  func columns() throws {
    let text =
      "title,title,account,account,password,password,created,expires\n"
      + "a,b,ann,bob,pw,pw2,yesterday,2020-01-01T00:00:00Z\n"
    let entry = try only(.table, text)
    let item = try #require(entry.items.first)
    #expect(item.label == "a" && item.account == "ann" && entry.has(secret: "pw"))
    #expect(
      item.custom == [
        "title": "b", "account": "bob", "created": "yesterday", "expired": "2020-01-01T00:00:00Z",
      ])
    #expect(entry.furtherText == "password: pw2" && item.expires == nil)
  }

  @Test("references of KeePassXC's table are named, and never stored")
  func references() throws {
    let text =
      "Group,Title,Username,Password,URL\nRoot,a,{REF:U@I:0},pw,https://a.example\n"
      + "Root,b,ann,{REF:P@I:0},https://b.example\n"
    let read = try entries(.keepassXC, text)
    #expect(read[0].remarks[.otherField] == ["Username, which refers to another entry"])
    #expect(read[0].items.first?.account == "" && read[1].items.isEmpty)
    #expect(read.allSatisfy(\.lacksSomething) && !String(reflecting: read).contains("REF:P"))
  }

  @Test("KeePass 1 escapes with a backslash")
  func keePass1() throws {
    let text = #"""
      "Account","Login Name","Password","Web Site","Comments"
      "a\\b","ann","p\"w\\","https://a.example","x"

      """#
    let entry = try only(.keepassXC, text)
    #expect(entry.title == #"a\b"# && entry.has(secret: #"p"w\"#))
    #expect(entry.items.first?.comment == "x")
  }

  @Test("an entry with nothing but a card is an item, and so is one with nothing but fields")
  func fieldsOnly() throws {
    let card = try only(.keeper, #"f,Visa,,,,,,$paymentCard::1,"{""cardNumber"":""4111""}""# + "\n")
    #expect(card.has(secret: #"$paymentCard::1: {"cardNumber":"4111"}"#))
    let person = try only(.chrome, "name,url,username,password,Street\nMe,,,,Main 1\n")
    #expect(person.has(secret: "Street: Main 1") && person.items.first?.custom == [:])
  }

  @Test("a deleted item of 1Password stays out, and no document is none")
  func onePUXStates() throws {
    func entry(_ member: String) throws -> Entry? {
      let text =
        #"{"accounts":[{"vaults":[{"items":[{"categoryUuid":"001",\#(member),"overview":"#
        + #"{"title":"a"},"details":{"documentAttributes":null,"loginFields":["#
        + #"{"designation":"password","value":"pw"}]}}]}]}]}"#
      return try InterchangeFormat.onePUX.entries(
        OnePUXTests.export(Array(text.utf8))
      ).first
    }
    #expect(try entry(#""trashed":true"#).map { ReadEntry($0).exclusion } == .trashed)
    let active = try #require(try entry(#""trashed":false"#))
    #expect(active.has(secret: "pw") && active.kinds.isEmpty)
  }

  @Test("a mail account keeps its password, and the second beside it")
  func mailAccount() throws {
    let field = { (id: String, kind: String, value: String) in
      #"{"title":"\#(id)","id":"\#(id)","value":{"\#(kind)":"\#(value)"}}"#
    }
    let fields = [
      field("pop_server", "string", "pop.example"), field("pop_username", "string", "ann"),
      field("pop_password", "concealed", "pw"), field("smtp_password", "concealed", "pw2"),
    ].joined(separator: ",")
    let text =
      #"{"accounts":[{"vaults":[{"items":[{"categoryUuid":"111","overview":{"title":"Mail"},"#
      + #""details":{"sections":[{"fields":[\#(fields)]}]}}]}]}]}"#
    let entry = try #require(
      try InterchangeFormat.onePUX.entries(OnePUXTests.export(Array(text.utf8)))
        .first)
    #expect(entry.has(secret: "pw") && entry.furtherText == "smtp_password: pw2")
  }

  @Test("further secrets beyond the longest secret are named")
  func tooLong() throws {
    let long = String(repeating: "x", count: 600_000)
    let text =
      #"{"encrypted":false,"items":[{"type":1,"name":"a","login":{"password":"pw"},"#
      + #""one":"\#(long)","two":"\#(long)"}]}"#
    let entry = try only(.bitwardenJSON, text)
    #expect(entry.has(secret: "pw") && entry.remarks[.otherField] == ["two"])
    #expect(entry.furtherText?.utf8.count == 600_005)
  }

  @Test("a history beyond its limit is named, and texts that are still there are no history")
  func longHistory() throws {
    let notes = String(repeating: "n", count: 300_000)
    func entry(_ notes: String, _ history: String = "") -> String {
      "<Entry><String><Key>Title</Key><Value>t</Value></String><String><Key>Password</Key>"
        + "<Value>pw</Value></String><String><Key>Notes</Key><Value>\(notes)</Value></String>"
        + "\(history)</Entry>"
    }
    func file(_ entry: String) -> String {
      "<KeePassFile><Root><Group>\(entry)</Group></Root></KeePassFile>"
    }
    let same = try only(.keepassXML, file(entry(notes, "<History>\(entry(notes))</History>")))
    #expect(same.kinds == [.furtherSecrets])
    let other = try only(.keepassXML, file(entry("x", "<History>\(entry(notes))</History>")))
    #expect(other.remarks == [.otherField: ["earlier Notes"]])
    let short = try only(.keepassXML, file(entry("x", "<History>\(entry("y"))</History>")))
    #expect(short.furtherText == "earlier Notes: y" && short.remarks[.otherField] == nil)
  }

  @Test("a note is one in Bitwarden's table again")
  func note() throws {
    var item = Item(service: "Memo", account: "", secret: Secret("text"))
    item.label = "Memo"
    item.kind = "secure note"
    let (bytes, results) = try InterchangeFormat.bitwarden.written([item])
    #expect(results == [.written([.times])])
    let read = try #require(try InterchangeFormat.bitwarden.entries(bytes).first)
    #expect(read.items.first?.kind == "secure note" && read.has(secret: "text"))
    #expect(read.items.first?.key == item.key)
  }

  @Test("what a service did not give is named in our own format")
  func leftOut() throws {
    let text =
      #"{"format":"vaultctl-export","version":1,"items":[],"left_out":[{"title":"Login","#
      + #""reason":"the collection is locked"}]}"#
    let entry = try only(.json, text)
    #expect(entry.title == "Login" && entry.rejection == "the collection is locked")
  }
}
