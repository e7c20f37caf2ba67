import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// What becomes of each field of a full entry, as `Documentation/importing.md` tells it.
@Suite("what becomes of each field")
struct MatrixTests {
  /// A field of an entry, and what marks it in a specimen.
  private enum Field: String, CaseIterable {
    case title, address, further, account, password, realm, notes, folder, tags, own, hidden, otp
    case previous, attachment, created, modified, expires

    var name: String {
      switch self {
      case .further: "2nd address"
      case .own: "own field"
      case .hidden: "hidden field"
      case .otp: "one-time key"
      case .previous: "previous"
      default: rawValue
      }
    }
  }

  private static let created = Timestamp(seconds: 1_500_000_000)
  private static let modified = Timestamp(seconds: 1_550_000_000)
  private static let expires = Timestamp(seconds: 4_000_000_000)

  /// A file of one entry, in which each field that the format has says its own name behind `m-`.
  private static let specimens: [(format: InterchangeFormat, text: String)] = [
    (
      .firefox,
      "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,"
        + "timePasswordChanged\nhttps://m-address.example,m-account,m-password,m-realm,,{1},"
        + "1500000000000,1500000000000,1550000000000\n"
    ),
    (
      .chrome,
      "name,url,username,password,note\n"
        + "m-title,https://m-address.example/,m-account,m-password,m-notes\n"
    ),
    (
      .apple,
      "Title,URL,Username,Password,Notes,OTPAuth\n"
        + "m-title,https://m-address.example/,m-account,m-password,m-notes,"
        + "otpauth://totp/x?secret=m-otp\n"
    ),
    (
      .bitwarden,
      "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,"
        + "login_totp\nm-folder,1,login,m-title,m-notes,\"Team: m-own\nPIN: m-hidden\",0,"
        + "\"https://m-address.example,https://m-further.example\",m-account,m-password,m-otp\n"
    ),
    (
      .bitwardenJSON,
      #"{"encrypted":false,"folders":[{"id":"f","name":"m-folder"}],"items":[{"type":1,"#
        + #""name":"m-title","notes":"m-notes","folderId":"f","favorite":true,"#
        + #""creationDate":"2017-07-14T02:40:00Z","revisionDate":"2019-02-12T19:33:20Z","#
        + #""passwordHistory":[{"password":"m-previous","lastUsedDate":"2018-01-01T00:00:00Z"}],"#
        + #""attachments":[{"fileName":"m-attachment"}],"fields":[{"name":"Team","type":0,"#
        + #""value":"m-own"},{"name":"Answer","type":1,"value":"m-hidden"}],"#
        + #""login":{"username":"m-account","password":"m-password","totp":"m-otp","#
        + #""uris":[{"uri":"https://m-address.example"},{"uri":"https://m-further.example"}]}}]}"#
    ),
    (
      .onePassword,
      "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nm-title,"
        + "https://m-address.example,m-account,m-password,otpauth://totp/x?secret=m-otp,true,"
        + "false,m-tags,m-notes\n"
    ),
    (
      .onePUX,
      #"{"accounts":[{"vaults":[{"attrs":{"name":"m-folder"},"items":[{"categoryUuid":"001","#
        + #""createdAt":1500000000,"updatedAt":1550000000,"overview":{"title":"m-title","urls":["#
        + #"{"url":"https://m-address.example"},{"url":"https://m-further.example"}],"#
        + #""tags":["m-tags"]},"details":{"notesPlain":"m-notes","loginFields":["#
        + #"{"designation":"username","value":"m-account"},"#
        + #"{"designation":"password","value":"m-password"}],"sections":[{"fields":["#
        + #"{"title":"Team","value":{"string":"m-own"}},"#
        + #"{"title":"Answer","value":{"concealed":"m-hidden"}},"#
        + #"{"title":"Code","value":{"totp":"m-otp"}},"#
        + #"{"title":"File","value":{"file":{"fileName":"m-attachment"}}}]}],"passwordHistory":["#
        + #"{"value":"m-previous","time":1510000000}]}}]}]}]}"#
    ),
    (
      .keepassXC,
      "Group,Title,Username,Password,URL,Notes,TOTP,Icon,Last Modified,Created\nRoot/m-folder,"
        + "m-title,m-account,m-password,https://m-address.example,m-notes,m-otp,0,"
        + "2019-02-12T19:33:20Z,2017-07-14T02:40:00Z\n"
    ),
    (
      .keepassXML,
      "<KeePassFile><Root><Group><Name>All</Name><Group><Name>m-folder</Name><Entry>"
        + "<Tags>m-tags</Tags><Times><CreationTime>2017-07-14T02:40:00Z</CreationTime>"
        + "<LastModificationTime>2019-02-12T19:33:20Z</LastModificationTime>"
        + "<ExpiryTime>2096-10-02T07:06:40Z</ExpiryTime><Expires>True</Expires></Times>"
        + [
          ("Title", "m-title"), ("UserName", "m-account"), ("Password", "m-password"),
          ("URL", "https://m-address.example"), ("KP2A_URL_1", "https://m-further.example"),
          ("Notes", "m-notes"), ("Team", "m-own"), ("PIN", "m-hidden"), ("otp", "m-otp"),
        ].map { "<String><Key>\($0)</Key><Value>\($1)</Value></String>" }.joined()
        + "<Binary><Key>m-attachment</Key><Value Ref=\"0\"/></Binary><History><Entry><String>"
        + "<Key>Password</Key><Value>m-previous</Value></String></Entry></History></Entry>"
        + "</Group></Group></Root></KeePassFile>"
    ),
    (
      .lastPass,
      "url,username,password,totp,extra,name,grouping,fav\nhttps://m-address.example,m-account,"
        + "m-password,m-otp,m-notes,m-title,m-folder,1\n"
    ),
    (
      .dashlane,
      "username,username2,username3,title,password,note,url,category,otpSecret\nm-account,,,"
        + "m-title,m-password,m-notes,https://m-address.example,m-folder,m-otp\n"
    ),
    (
      .nordPass,
      "name,url,additional_urls,username,password,note,cardholdername,cardnumber,cvc,folder,type,"
        + "custom_fields\nm-title,https://m-address.example,\"[\"\"https://m-further.example\"\"]\","
        + "m-account,m-password,m-notes,,,,m-folder,password,\"[{\"\"label\"\":\"\"Team\"\","
        + "\"\"value\"\":\"\"m-own\"\"},{\"\"label\"\":\"\"Answer\"\",\"\"type\"\":\"\"hidden\"\","
        + "\"\"value\"\":\"\"m-hidden\"\"}]\"\n"
    ),
    (
      .protonPass,
      "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault\nlogin,m-title,"
        + "\"https://m-address.example,https://m-further.example\",,m-account,m-password,m-notes,"
        + "m-otp,1500000000,1550000000,m-folder\n"
    ),
    (
      .enpass,
      #"{"folders":[{"uuid":"f","title":"m-folder"}],"items":[{"title":"m-title","#
        + #""category":"login","template_type":"login.default","note":"m-notes","folders":["f"],"#
        + #""createdAt":1500000000,"updated_at":1550000000,"attachments":[{"name":"m-attachment"}],"#
        + #""fields":[{"type":"username","value":"m-account"},{"type":"password","#
        + #""value":"m-password","history":[{"value":"m-previous","updated_at":1510000000}]},"#
        + #"{"type":"url","value":"https://m-address.example"},"#
        + #"{"type":"url","value":"https://m-further.example"},{"type":"totp","value":"m-otp"},"#
        + #"{"type":"text","label":"Team","value":"m-own"},"#
        + #"{"type":"text","label":"Answer","value":"m-hidden","sensitive":1}]}]}"#
    ),
    (
      .roboForm,
      "Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2\nm-title,https://m-address.example,"
        + "https://m-further.example,m-account,m-password,m-notes,/m-folder,"
        + "\"Team,,,txt,m-own\",\"Answer,,,pwd,m-hidden\",\"TOTP KEY$,,,txt,m-otp\"\n"
    ),
    (
      .buttercup,
      "!type,!group_id,!group_name,!group_parent,title,username,password,URL,id,Notes,Team,PIN\n"
        + "group,1,m-folder,0,,,,,,,,\nentry,1,,,m-title,m-account,m-password,"
        + "https://m-address.example,2,m-notes,m-own,m-hidden\n"
    ),
    (
      .keeper,
      "m-folder,m-title,m-account,m-password,https://m-address.example,m-notes,,Team,m-own,"
        + "PIN,m-hidden,TFC:Keeper,otpauth://totp/x?secret=m-otp\n"
    ),
    (
      .netrc, "machine m-address.example login m-account password m-password\n"
    ),
    (
      .gitCredentials, "https://m-account:m-password@m-address.example\n"
    ),
    (
      .keychainDump,
      "keychain: \"k\"\nclass: \"inet\"\nattributes:\n    0x00000007 <blob>=\"m-title\"\n"
        + "    \"acct\"<blob>=\"m-account\"\n    \"cdat\"<timedate>=0x32303137303731343032343030305A00\n"
        + "    \"icmt\"<blob>=\"m-notes\"\n    \"mdat\"<timedate>=0x32303139303231323139333332305A00\n"
        + "    \"ptcl\"<uint32>=\"htps\"\n    \"sdmn\"<blob>=\"m-realm\"\n"
        + "    \"srvr\"<blob>=\"m-address.example\"\ndata:\n\"m-password\"\n"
    ),
    (
      .secretTool,
      "[/1]\nlabel = m-title\nsecret = m-password\ncreated = 2017-07-14 02:40:00\n"
        + "modified = 2019-02-12 19:33:20\nschema = org.gnome.keyring.NetworkPassword\n"
        + "attribute.protocol = https\nattribute.user = m-account\n"
        + "attribute.server = m-address.example\nattribute.domain = m-realm\nattribute.team = m-own\n"
    ),
    (
      .table,
      "title,url,url,account,password,realm,comment,folder,tags,Team,PIN,otp,created,modified,"
        + "expires\nm-title,https://m-address.example,https://m-further.example,m-account,"
        + "m-password,m-realm,m-notes,m-folder,m-tags,m-own,m-hidden,m-otp,"
        + "2017-07-14T02:40:00Z,2019-02-12T19:33:20Z,2096-10-02T07:06:40Z\n"
    ),
    (
      .docker,
      #"{"auths":{"https://m-address.example/v1/":{"username":"m-account","#
        + #""password":"m-password","email":"m-own","registrytoken":"m-hidden"}}}"#
    ),
    (
      .pass,
      "m-password\nlogin: m-account\nurl: https://m-address.example\n"
        + "url: https://m-further.example\nTeam: m-own\nPIN: m-hidden\n"
        + "otpauth://totp/x?secret=m-otp\nm-notes\n"
    ),
    (
      .json,
      #"{"format":"vaultctl-export","version":1,"items":[{"class":"internet","label":"m-title","#
        + #""server":"m-address.example","protocol":"https","account":"m-account","#
        + #""secret":"m-password","realm":"m-realm","comment":"m-notes","custom":{"Team":"m-own"},"#
        + #""totp_key":"m-otp","created":"2017-07-14T02:40:00Z","#
        + #""secret_changed":"2019-02-12T19:33:20Z","expires":"2096-10-02T07:06:40Z","#
        + #""previous":[{"secret":"m-previous","set":"2017-07-14T02:40:00Z","#
        + #""replaced":"2018-02-12T19:33:20Z"}]}]}"#
    ),
  ]

  /// Returns the mark of what became of a field; nil if the vault has nothing of it.
  private static func fate(of field: Field, in entries: [Entry]) -> String? {
    let items = entries.flatMap(\.items)
    switch field {
    case .created: return items.contains { $0.created == created } ? "=" : nil
    case .modified: return items.contains { $0.secretChanged == modified } ? "=" : nil
    case .expires: return items.contains { $0.expires == expires } ? "=" : nil
    default: break
    }
    let mark = "m-\(field.rawValue)"
    func has(_ secret: Secret?) -> Bool {
      secret?.withRawBytes { Bytes.textOrNil($0)?.contains(mark) } == true
    }
    for item in items {
      let key = item.key
      let texts = [
        key.server.name, key.service, key.account, key.realm, key.path, item.label, item.comment,
      ]
      if texts.contains(where: { $0.contains(mark) }) || has(item.secret) { return "=" }
      if has(item.oneTimePasswordKey) { return "=" }
      if item.custom.values.contains(where: { $0.contains(mark) }) { return "c" }
    }
    if entries.contains(where: { has($0.further.first?.secret) }) { return "s" }
    if entries.contains(where: { $0.previous.contains { has($0.secret) } }) { return "h" }
    let named = entries.flatMap { $0.remarks.values.joined() }
    return named.contains { $0.contains(mark) } ? "n" : nil
  }

  /// Returns whether a specimen has a field.
  private static func hasField(_ field: Field, _ text: String) -> Bool {
    switch field {
    case .created:
      ["1500000000", "2017-07-14", "3230313730373134"].contains { text.contains($0) }
    case .modified:
      ["1550000000", "2019-02-12", "3230313930323132"].contains { text.contains($0) }
    case .expires: text.contains("2096-10-02")
    default: text.contains("m-\(field.rawValue)")
    }
  }

  /// The fates of a field, in the order of the table's columns, with their names on the page.
  private static let fates = [
    ("=", "in the attribute of that name"), ("c", "a custom attribute"), ("s", "a further secret"),
    ("h", "the history"), ("n", "named"),
  ]

  private static func table() throws -> String {
    let rows = try specimens.map { format, text in
      let entries = try FullFile(format: format, text: text).entries()
      let found = Field.allCases.filter { hasField($0, text) }.map { field in
        (field, fate(of: field, in: entries) ?? "LOST")
      }
      #expect(found.allSatisfy { $0.1 != "LOST" }, "\(format): \(found)")
      for field in [Field.address, .account, .password] {
        #expect(found.contains { $0 == (field, "=") }, "\(format): \(field)")
      }
      let cells = fates.map { mark, _ in
        found.filter { $0.1 == mark && ![.address, .account, .password].contains($0.0) }
          .map(\.0.name).joined(separator: ", ")
      }
      return ["`\(format.rawValue)`"] + cells
    }
    let read = Set(InterchangeFormat.allCases).subtracting([.secretService])
    #expect(Set(specimens.map(\.format)) == read)
    return markdown(["format"] + fates.map(\.1), rows)
  }

  private static func markdown(_ header: [String], _ rows: [[String]]) -> String {
    ([header, header.map { _ in "---" }] + rows)
      .map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }

  private static func page() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(
      contentsOf: root.appending(path: "Documentation/importing.md"), encoding: .utf8)
  }

  @Test("the page says what becomes of each field of each format, and nothing is lost")
  func imports() throws {
    let table = try Self.table()
    #expect(try Self.page().contains(table), "\(table)")
  }

  @Test("the page says what each format that is written carries of an item")
  func exports() throws {
    var item = Item(
      server: try HostName("a.example"), account: "ann", secret: Secret("p"), protocol: .https,
      port: 8443, realm: "r", path: "a", authenticationMethod: .basic)
    item.label = "l"
    item.comment = "c"
    item.kind = "k"
    item.creator = 1
    item.type = 2
    item.accountDomain = "d"
    item.origin = "o"
    item.custom = ["Team": "red"]
    item.expires = Self.expires
    item.refreshToken = Secret("t")
    item.oneTimePasswordKey = Secret("ABC")
    let formats = InterchangeFormat.writable
    var losses: [InterchangeFormat: Set<String>] = [:]
    for format in formats {
      let (_, results) = try format.written(
        [item], isDefault: true, previous: Array(PreviousSecret.examples.prefix(1)))
      guard case .written(let lost)? = results.first else {
        Issue.record("\(format): \(results)")
        return
      }
      losses[format] = Set(lost.map(\.description))
    }
    let parts = Set(losses.values.joined()).sorted()
    let rows = formats.filter { $0 != .json }.map { format in
      let lost = losses[format] ?? []
      // Without times there is no fraction of one.
      let carried = parts.filter {
        !lost.contains($0) && ($0 != "fractions of a second" || !lost.contains("times"))
      }
      return ["`\(format.rawValue)`", carried.joined(separator: ", ")]
    }
    let table = Self.markdown(["format", "carries, beside server, account and password"], rows)
    #expect(losses[.json] == [])
    #expect(try Self.page().contains(table), "\(table)")
  }
}
