import VaultModel

@testable import Interchange

/// A file of one format, as its program would write it, of rows that need not be valid.
struct ForeignFile {
  struct Row {
    var host = Array("a.example.com".utf8)
    var account = Array("ann".utf8)
    var secret: [UInt8]
  }

  let format: InterchangeFormat
  let bytes: [UInt8]
  private let rows: [Row]

  init(_ format: InterchangeFormat, _ rows: [Row]) {
    let template = Self.templates[format]
    self.format = format
    self.rows = rows
    guard let template else {
      bytes = []
      return
    }
    let written = rows.map { Self.filled(template.row, $0, template.escape) }
    let text =
      Array(template.head.utf8) + Array(written.joined(separator: template.separator.utf8))
      + Array(template.tail.utf8)
    bytes = format == .onePUX ? OnePUXTests.export(text) : text
  }

  /// Reads it; a store of `pass` is a file for each row, and has no bytes of its own.
  func entries() throws(VaultError) -> [Entry] {
    guard format == .pass else { return try format.entries(bytes) }
    var entries: [Entry] = []
    for row in rows {
      let text = row.secret + Array("\nlogin: ".utf8) + row.account + Array("\nurl: https://".utf8)
      entries.append(
        try PassFile.entry(path: "x", ByteSource(text + row.host + Array("\n".utf8))))
    }
    return entries
  }

  private struct Template: Sendable {
    var head = ""
    let row: String
    var separator = ""
    var tail = ""
    let escape: @Sendable ([UInt8]) -> [UInt8]
  }

  private static func filled(
    _ template: String, _ row: Row, _ escape: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    var filled: [UInt8] = []
    for part in template.split(separator: "$", omittingEmptySubsequences: false) {
      switch part {
      case "HOST": filled += escape(row.host)
      case "USER": filled += escape(row.account)
      case "WORD": filled += escape(row.secret)
      case "BASE64": filled += base64(row.account + Array(":".utf8) + row.secret)
      default: filled += part.utf8
      }
    }
    return filled
  }

  private static func table(_ head: String, _ row: String) -> Template {
    Template(head: head + "\n", row: row + "\n") { $0.flatMap { $0 == 0x22 ? [$0, $0] : [$0] } }
  }

  private static func document(_ head: String, _ row: String, _ tail: String) -> Template {
    Template(head: head, row: row, separator: ",\n", tail: tail) { escapedInJSON($0) }
  }

  private static func escapedInJSON(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { byte -> [UInt8] in
      switch byte {
      case 0x22, 0x5C: [0x5C, byte]
      case 0..<0x20: Array("\\u00".utf8) + hexadecimal(byte)
      default: [byte]
      }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    return stride(from: 0, to: bytes.count, by: 3).flatMap { start in
      let part = Array(bytes[start..<min(start + 3, bytes.count)])
      let group = (0..<3).reduce(0) { $0 << 8 | ($1 < part.count ? Int(part[$1]) : 0) }
      return (0..<4).map { index in
        index <= part.count ? digits[group >> (18 - 6 * index) & 63] : UInt8(ascii: "=")
      }
    }
  }

  private static let templates: [InterchangeFormat: Template] = [
    .firefox: table(
      "url,username,password,httpRealm", #""https://$HOST$","$USER$","$WORD$","Staff""#),
    .chrome: table("name,url,username,password", #"n,"https://$HOST$/","$USER$","$WORD$""#),
    .apple: table(
      "Title,URL,Username,Password,Notes,OTPAuth",
      #"n,"https://$HOST$/","$USER$","$WORD$",,"#),
    .bitwarden: table(
      "folder,type,name,login_uri,login_username,login_password",
      #",login,n,"https://$HOST$","$USER$","$WORD$""#),
    .onePassword: table(
      "Title,Url,Username,Password,Tags,Notes", #"n,"https://$HOST$","$USER$","$WORD$",,"#),
    .keepassXC: table(
      "Group,Title,Username,Password,URL", #"Root,n,"$USER$","$WORD$","https://$HOST$""#),
    .lastPass: table(
      "url,username,password,totp,extra,name,grouping,fav",
      #""https://$HOST$","$USER$","$WORD$",,,n,,0"#),
    .dashlane: table(
      "username,username2,username3,title,password,note,url,category,otpSecret",
      #""$USER$",,,n,"$WORD$",,"https://$HOST$",,"#),
    .nordPass: table(
      "name,url,additional_urls,username,password,note,cardholdername,cardnumber,cvc,folder,type",
      #"n,"https://$HOST$",,"$USER$","$WORD$",,,,,,password"#),
    .protonPass: table(
      "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault",
      #"login,n,"https://$HOST$",,"$USER$","$WORD$",,,1700000000,1700000000,"#),
    .roboForm: table(
      "Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2",
      #"n,"https://$HOST$",,"$USER$","$WORD$",,,"#),
    .buttercup: table(
      "!type,!group_id,!group_name,!group_parent,title,username,password,URL,id",
      #"entry,1,,,n,"$USER$","$WORD$","https://$HOST$",2"#),
    .keeper: Template(row: #"f,"n","$USER$","$WORD$","https://$HOST$","",""\#n"#) {
      $0.flatMap { $0 == 0x22 ? [$0, $0] : [$0] }
    },
    .table: table("url,account,password,title", #""https://$HOST$","$USER$","$WORD$",n"#),
    .enpass: document(
      "{\"folders\":[],\"items\":[\n",
      #"{"category":"login","title":"n","template_type":"login.default","fields":["#
        + #"{"type":"username","value":"$USER$"},{"type":"password","value":"$WORD$"},"#
        + #"{"type":"url","value":"https://$HOST$"}]}"#, "]}\n"),
    .bitwardenJSON: document(
      "{\"encrypted\":false,\"items\":[\n",
      #"{"type":1,"name":"n","login":{"username":"$USER$","password":"$WORD$","#
        + #""uris":[{"uri":"https://$HOST$"}]}}"#, "]}\n"),
    .onePUX: document(
      #"{"accounts":[{"vaults":[{"items":["#,
      #"{"categoryUuid":"001","overview":{"title":"n","url":"https://$HOST$"},"#
        + #""details":{"loginFields":[{"designation":"username","value":"$USER$"},"#
        + #"{"designation":"password","value":"$WORD$"}]}}"#, "]}]}]}"),
    .docker: document("{\"auths\":{", #""https://$HOST$":{"auth":"$BASE64$"}"#, "}}\n"),
    .json: document(
      #"{"format":"vaultctl-export","version":1,"items":["#,
      #"{"class":"internet","server":"$HOST$","protocol":"https","account":"$USER$","#
        + #""secret":"$WORD$"}"#, "]}\n"),
    .keepassXML: Template(
      head: "<KeePassFile><Root><Group>\n",
      row: "<Entry><String><Key>UserName</Key><Value>$USER$</Value></String>\n"
        + "<String><Key>Password</Key><Value>$WORD$</Value></String>\n"
        + "<String><Key>URL</Key><Value>https://$HOST$</Value></String></Entry>\n",
      tail: "</Group></Root></KeePassFile>\n"
    ) { bytes in
      bytes.flatMap { byte -> [UInt8] in
        "<&>".utf8.contains(byte) ? Array("&#\(byte);".utf8) : [byte]
      }
    },
    .netrc: Template(row: "machine \"$HOST$\" login \"$USER$\" password \"$WORD$\"\n") { bytes in
      bytes.flatMap { byte -> [UInt8] in
        switch byte {
        case 0x22, 0x5C: [0x5C, byte]
        case 0x0A: Array(#"\n"#.utf8)
        default: [byte]
        }
      }
    },
    .gitCredentials: Template(row: "https://$USER$:$WORD$@$HOST$\n") { bytes in
      bytes.flatMap { byte -> [UInt8] in
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: ".")
          ? [byte] : [UInt8(ascii: "%")] + hexadecimal(byte)
      }
    },
    .keychainDump: Template(
      row: "keychain: \"k\"\nclass: \"inet\"\nattributes:\n    \"acct\"<blob>=0x$USER$\n"
        + "    \"ptcl\"<uint32>=\"htps\"\n    \"srvr\"<blob>=0x$HOST$\ndata:\n0x$WORD$\n"
    ) { $0.flatMap { hexadecimal($0) } },
    .secretTool: Template(
      row: "[/1]\nlabel = n\nsecret = $WORD$\ncreated = 2019-01-02 03:04:05\n"
        + "schema = org.gnome.keyring.NetworkPassword\nattribute.protocol = https\n"
        + "attribute.user = $USER$\nattribute.server = $HOST$\n"
    ) { $0 },
  ]
}
