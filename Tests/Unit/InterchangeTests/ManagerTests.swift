import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// Exports of password managers with every field filled, compared field by field.
@Suite("exports of password managers")
struct ManagerTests {
  /// What an entry keeps, apart from its times.
  private struct Kept: Equatable {
    var items: [String]
    var secret = ""
    var kind = ""
    var comment = ""
    var custom: [String: String] = [:]
    var further: String?
    var key: String?

    init(_ entry: Entry) {
      let item = entry.items.first
      items = ReadEntry(entry).items
      secret = item?.secret.map { String(decoding: $0.array, as: UTF8.self) } ?? ""
      kind = item?.kind ?? ""
      comment = item?.comment ?? ""
      custom = item?.custom ?? [:]
      further = entry.furtherText
      key = entry.oneTimeKey
    }

    init(
      _ items: String..., secret: String, kind: String = "", comment: String = "",
      custom: [String: String] = [:], further: String? = nil, key: String? = nil
    ) {
      (self.items, self.secret, self.kind) = (items, secret, kind)
      (self.comment, self.custom, self.further) = (comment, custom, further)
      self.key = key
    }
  }

  /// Reads a text, whose format must also be told by its beginning.
  private func kept(_ format: InterchangeFormat, _ text: String) throws -> [Kept] {
    #expect(try InterchangeFormat.detect(ByteSource(Secret(text))) == format)
    return try entries(format, text).map(Kept.init)
  }

  @Test("NordPass: further addresses, own fields, cards, identities, folders")
  func nordPass() throws {
    let text = """
      name,url,additional_urls,username,password,note,cardholdername,cardnumber,cvc,pin,expirydate,zipcode,folder,full_name,phone_number,email,address1,address2,city,country,state,type,custom_fields
      Work,,,,,,,,,,,,,,,,,,,,,folder,
      Ex,https://example.com,"[""https://b.example"",""https://c.example""]",ann,pw,hello,,,,,,,Work,,,,,,,,,password,"[{""label"":""Team"",""type"":""text"",""value"":""red""},{""label"":""Answer"",""type"":""hidden"",""value"":""42""}]"
      Visa,,,,,,Ann B,4111,123,9,12/30,12345,,,,,,,,,,credit_card,
      Me,,,,,,,,,,,,,Ann B,555,a@b.example,Street 1,,Town,DE,,identity,
      Memo,,,,,text,,,,,,,,,,,,,,,,note,
      Broken,https://d.example,"[1",bob,pw2,,,,,,,,,,,,,,,,,password,{
      """
    #expect(
      try kept(.nordPass, text + "\n") == [
        Kept(secret: ""),
        Kept(
          "https://ann@example.com", "https://ann@b.example", "https://ann@c.example", secret: "pw",
          comment: "hello", custom: ["folder": "Work", "Team": "red"], further: "Answer: 42"),
        Kept(
          "generic \"Visa\" ", secret: "cardnumber: 4111\ncvc: 123\npin: 9", kind: "card",
          custom: ["cardholdername": "Ann B", "expirydate": "12/30", "zipcode": "12345"]),
        Kept(
          "generic \"Me\" ",
          secret: "address1: Street 1\ncity: Town\ncountry: DE\nemail: a@b.example\n"
            + "full_name: Ann B\nphone_number: 555", kind: "identity"),
        Kept("generic \"Memo\" ", secret: "text", kind: "secure note"),
        Kept(
          "https://bob@d.example", secret: "pw2", custom: ["additional_urls": "[1"],
          further: "custom_fields: {"),
      ])
    // Its first exports did not say what an entry is.
    let old =
      "name,url,username,password,note,cardholdername,cardnumber,cvc\nVisa,,,,,Ann B,4111,123\n"
    #expect(try kept(.nordPass, old).map(\.kind) == ["card"])
    // The secrets of a card are its own.
    #expect(try entries(.nordPass, text)[2].remarks.isEmpty)
    let folder = try #require(try entries(.nordPass, text).first)
    #expect(ReadEntry(folder).exclusion == .folder && !folder.lacksSomething)
  }

  @Test("Proton Pass: the mail address is the account of an entry without one")
  func protonPass() throws {
    let text = """
      type,name,url,email,username,password,note,totp,createTime,modifyTime,vault
      login,Ex,"https://example.com,https://b.example",a@b.example,ann,pw,hello,KEY,1700000000,1700000001,Personal
      login,Mail,https://c.example,c@d.example,,pw2,,,1700000000,1700000001,Personal
      note,Memo,,,,,text,,1700000000,1700000001,Personal
      """
    #expect(
      try kept(.protonPass, text + "\n") == [
        Kept(
          "https://ann@example.com", "https://ann@b.example", secret: "pw", comment: "hello",
          custom: ["folder": "Personal", "email": "a@b.example"],
          key: "KEY"),
        Kept("https://c@d.example@c.example", secret: "pw2", custom: ["folder": "Personal"]),
        Kept(
          "generic \"Memo\" ", secret: "text", kind: "secure note", custom: ["folder": "Personal"]),
      ])
    let item = try #require(try entries(.protonPass, text + "\n").first?.items.first)
    #expect(item.created == Timestamp(seconds: 1_700_000_000))
    #expect(item.modified == Timestamp(seconds: 1_700_000_001))
  }

  @Test("Dashlane: three names, and the other tables of its archive")
  func dashlane() throws {
    let text = """
      username,username2,username3,title,password,note,url,category,otpSecret
      ann,a@b.example,third,Ex,pw,hello,https://example.com,Work,KEY
      ,a@b.example,,Mail,pw2,,https://c.example,,
      """
    #expect(
      try kept(.dashlane, text + "\n") == [
        Kept(
          "https://ann@example.com", secret: "pw", comment: "hello",
          custom: ["folder": "Work", "username2": "a@b.example", "username3": "third"],
          key: "KEY"),
        Kept("https://a@b.example@c.example", secret: "pw2"),
      ])
    #expect(
      try kept(.dashlane, "title,note\nMemo,text\n") == [
        Kept("generic \"Memo\" ", secret: "text", kind: "secure note")
      ])
    let payments = """
      type,account_name,account_holder,cc_number,code,expiration_month,expiration_year,routing_number,account_number,country,issuing_bank
      credit_card,Visa,Ann B,4111,123,12,2030,,,DE,Bank
      """
    #expect(
      try kept(.dashlane, payments + "\n") == [
        Kept(
          "generic \"Visa\" ", secret: "cc_number: 4111\ncode: 123", kind: "card",
          custom: [
            "account_holder": "Ann B", "expiration_month": "12", "expiration_year": "2030",
            "country": "DE", "issuing_bank": "Bank",
          ])
      ])
    let documents = """
      type,number,name,issue_date,expiration_date,place_of_issue,state
      passport,C01,Ann B,2020-01-01,2030-01-01,Town,
      """
    #expect(
      try kept(.dashlane, documents + "\n") == [
        Kept(
          "generic \"Ann B\" ", secret: "number: C01", kind: "passport",
          custom: [
            "issue_date": "2020-01-01", "expiration_date": "2030-01-01", "place_of_issue": "Town",
          ])
      ])
    let persons = "type,first_name,last_name,item_name,email\nname,Ann,B,Me,a@b.example\n"
    #expect(
      try kept(.dashlane, persons) == [
        Kept(
          "generic \"Me\" ",
          secret: "email: a@b.example\nfirst_name: Ann\nlast_name: B\ntype: name", kind: "identity")
      ])
    let networks = "ssid,passphrase,name,note,hidden,encryption_type\nnet,pw,Home,n,false,WPA2\n"
    #expect(
      try kept(.dashlane, networks) == [
        Kept(
          "generic \"Home\" ", secret: "pw", comment: "n",
          custom: ["ssid": "net", "encryption_type": "WPA2"])
      ])
  }

  @Test(
    "RoboForm: a row has as many form fields as its form",
    arguments: [
      (
        "Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2",
        #"Ex,https://example.com,https://example.com/*,ann,"p,w",hello,/Work,"User ID$,,,txt,ann","Password$,,,pwd,p,w","PIN,,,pwd,9","TOTP KEY$,,,txt,KEY","-no-name-,,,txt,x",odd"#,
        ["MatchUrl": "https://example.com/*", "folder": "/Work", "field": "x", "field 2": "odd"]
      ),
      (
        "Name,Url,Login,Pwd,Note,Folder,Rf_fields",
        #"Ex,https://example.com,ann,"p,w",hello,/Work,User ID$:txt:ann,"Password$:pwd:p,w",PIN:pwd:9,TOTP KEY$:txt:KEY,-no-name-:txt:x,odd"#,
        ["folder": "/Work", "field": "x", "field 2": "odd"]
      ),
    ])
  func roboForm(_ row: (header: String, entry: String, custom: [String: String])) throws {
    #expect(
      try kept(.roboForm, "\(row.header)\n\(row.entry)\n") == [
        Kept(
          "https://ann@example.com", secret: "p,w", comment: "hello", custom: row.custom,
          further: "PIN: 9", key: "KEY")
      ])
    let cut = try entries(.roboForm, "\(row.header)\n\(row.entry)")
    #expect(cut.first?.kinds.contains(.mayBeCut) == true)
  }

  @Test("Buttercup: groups are rows of their own, and may be inside others")
  func buttercup() throws {
    let text = """
      !type,!group_id,!group_name,!group_parent,title,username,password,URL,id,Notes,pin
      group,1,Work,0,,,,,,,
      group,2,Servers,1,,,,,,,
      entry,2,,,Ex,ann,pw,https://example.com,5,hello,9
      """
    #expect(
      try kept(.buttercup, text + "\n") == [
        Kept(secret: ""), Kept(secret: ""),
        Kept(
          "https://ann@example.com", secret: "pw", comment: "hello",
          custom: ["folder": "Work/Servers"], further: "pin: 9"),
      ])
  }

  @Test("Keeper: no header, and as many own fields as an entry has")
  func keeper() throws {
    let row = #"Work,Ex,ann,pw,https://example.com,hello,"#
    let entry = Kept(
      "https://ann@example.com", secret: "pw", comment: "hello",
      custom: ["folder": "Work", "Team": "red"],
      key: "otpauth://totp/x?secret=KEY")
    let text = row + ",Team,red,TFC:Keeper,otpauth://totp/x?secret=KEY\n"
    #expect(try entries(.keeper, text + text).map(Kept.init) == [entry, entry])
    let header = "Folder,Title,Login,Password,Website Address,Notes,Shared Folder,Custom Fields\n"
    #expect(try kept(.keeper, header + text) == [entry])
    #expect(throws: VaultError(.invalidData, "")) { _ = try entries(.keeper, "a,b\n") }
  }

  @Test("Enpass: folders, hidden fields, earlier passwords, attachments, trash")
  func enpass() throws {
    let text = #"""
      {"folders":[
       {"uuid":"f2","title":"Servers","parent_uuid":"f1"},
       {"uuid":"f1","title":"Work","parent_uuid":""}],
      "items":[
       {"uuid":"1","title":"Ex","category":"login","template_type":"login.default","note":"hello",
        "folders":["f2"],"favorite":1,"createdAt":1600000000,"updated_at":1700000000,"subtitle":"ann",
        "fields":[
         {"type":"email","label":"E-mail","value":"a@b.example"},
         {"type":"username","label":"Username","value":"ann"},
         {"type":"password","label":"Password","value":"pw","sensitive":1,
          "value_updated_at":1700000000,"history":[{"value":"old","updated_at":1650000000}]},
         {"type":"url","label":"Website","value":"https://example.com"},
         {"type":"section","label":"More","value":""},
         {"type":"totp","label":"TOTP","value":"KEY"},
         {"type":"text","label":"Answer","value":"42","sensitive":1},
         {"type":"text","label":"Team","value":"red"},
         {"type":"text","label":"Gone","value":"x","deleted":1}],
        "attachments":[{"name":"a.txt","data":"AA=="}]},
       {"uuid":"2","title":"Visa","category":"creditcard","template_type":"creditcard.default",
        "fields":[{"type":"ccNumber","label":"Number","value":"4111"},
         {"type":"ccName","label":"Cardholder","value":"Ann B"}]},
       {"uuid":"3","title":"Old","category":"login","template_type":"login.default","trashed":1,
        "fields":[{"type":"password","value":"x"}]}
      ]}
      """#
    #expect(
      try kept(.enpass, text) == [
        Kept(
          "https://ann@example.com", secret: "pw", comment: "hello",
          custom: [
            "folder": "Work/Servers", "Team": "red", "E-mail": "a@b.example", "favorite": "1",
            "section": "More",
          ], further: "Answer: 42\nGone (deleted): x", key: "KEY"),
        Kept(
          "generic \"Visa\" ", secret: "Number: 4111", kind: "creditcard",
          custom: ["Cardholder": "Ann B"]),
        Kept(secret: ""),
      ])
    let read = try entries(.enpass, text)
    #expect(read[0].remarks[.attachment] == ["a.txt"])
    #expect(read[0].previous.map(\.id.replaced) == [Timestamp(seconds: 1_650_000_000)])
    #expect(read[0].previous.first?.secret?.isEqual(to: Secret("old")) == true)
    #expect(ReadEntry(read[2]).exclusion == .trashed)
  }

  @Test("Padlock's notes and tags, LastPass's folders, 1Password 7's quotation marks")
  func others() throws {
    #expect(
      try kept(.chrome, "name,tags,url,username,password,notes\nEx,Work,,ann,pw,hello\n") == [
        Kept("generic \"Ex\" ann", secret: "pw", comment: "hello", custom: ["tags": "Work"])
      ])
    let folder = try #require(
      try entries(
        .lastPass,
        "url,username,password,extra,name,grouping,fav\nhttp://group,,,,,Work,0\n"
      ).first)
    #expect(ReadEntry(folder).exclusion == .folder && !folder.lacksSomething)
    let text = #"""
      title,notes,username,password,url,tags
      "a\"b","x","ann","p\"w\\","https://example.com",""
      "c","x","ann","p\","https://example.com",""
      """#
    let read = try entries(.onePassword, text + "\n")
    #expect(read[0].title == "a\"b" && read[0].has(secret: #"p"w\\"#))
    #expect(read[1].has(secret: #"p\"#))
    // No other program means that.
    let other = try entries(.apple, text + "\n")
    #expect(other[0].rejection == "text after a closing quotation mark")
  }

  @Test("KeePassXC's recycle bin is known in every language, and only below the root")
  func recycleBin() throws {
    let text = """
      "Group","Title","Username","Password","URL"
      "Root/Papierkorb","a","ann","pw","https://example.com"
      "Root/Papierkorb/x","b","ann","pw","https://example.com"
      "Root/Work/Papierkorb","c","ann","pw","https://example.com"
      """
    let read = try read(.keepassXC, text + "\n")
    #expect(read.map(\.exclusion) == [.trashed, .trashed, nil])
  }

  @Test("a table that no format knows: what separates its columns, and a map")
  func unknown() throws {
    let text = "Address;Login;Secret word\nhttps://example.com;ann;pw\n"
    #expect(throws: VaultError(.invalidData, "")) {
      _ = try InterchangeFormat.detect(ByteSource(Secret(text)))
    }
    do throws(VaultError) {
      _ = try InterchangeFormat.detect(ByteSource(Secret(text)))
    } catch {
      #expect(error.text.contains("3 columns, which semicolons separate"))
    }
    let format = try InterchangeFormat.detect(ByteSource(Secret(text)), hasMap: true)
    #expect(format == .table)
    var options = ReadingOptions()
    options.columns = [("Address", .url), ("Secret word", .password)]
    let read = try entries(.table, text, options)
    #expect(
      read.map(Kept.init) == [
        Kept("https://example.com", secret: "pw", custom: ["Login": "ann"])
      ])
    #expect(throws: VaultError(.invalidData, "")) { _ = try entries(.table, text) }
  }
}
