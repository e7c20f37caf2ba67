import Testing

@testable import VaultModel

@Suite("NetworkProtocol")
struct NetworkProtocolTests {
  struct Row: Sendable {
    let proto: NetworkProtocol
    let name: String
    let code: String?
    let port: UInt16?
    var isEncrypted = false
    var isProxy = false
  }

  /// Written from Apple's header and IANA's list, independently of the table under test.
  static let rows = [
    Row(proto: .ftp, name: "ftp", code: "ftp ", port: 21),
    Row(proto: .ftpAccount, name: "ftp-account", code: "ftpa", port: 21),
    Row(proto: .http, name: "http", code: "http", port: 80),
    Row(proto: .irc, name: "irc", code: "irc ", port: 6667),
    Row(proto: .nntp, name: "nntp", code: "nntp", port: 119),
    Row(proto: .pop3, name: "pop3", code: "pop3", port: 110),
    Row(proto: .smtp, name: "smtp", code: "smtp", port: 25),
    Row(proto: .socks, name: "socks", code: "sox ", port: 1080, isProxy: true),
    Row(proto: .imap, name: "imap", code: "imap", port: 143),
    Row(proto: .ldap, name: "ldap", code: "ldap", port: 389),
    Row(proto: .appleTalk, name: "appletalk", code: "atlk", port: nil),
    Row(proto: .afp, name: "afp", code: "afp ", port: 548),
    Row(proto: .telnet, name: "telnet", code: "teln", port: 23),
    Row(proto: .ssh, name: "ssh", code: "ssh ", port: 22, isEncrypted: true),
    Row(proto: .ftps, name: "ftps", code: "ftps", port: 990, isEncrypted: true),
    Row(proto: .https, name: "https", code: "htps", port: 443, isEncrypted: true),
    Row(proto: .httpProxy, name: "http-proxy", code: "htpx", port: nil, isProxy: true),
    Row(
      proto: .httpsProxy, name: "https-proxy", code: "htsx", port: nil, isEncrypted: true,
      isProxy: true),
    Row(proto: .ftpProxy, name: "ftp-proxy", code: "ftpx", port: nil, isProxy: true),
    Row(proto: .cifs, name: "cifs", code: "cifs", port: 445),
    Row(proto: .smb, name: "smb", code: "smb ", port: 445),
    Row(proto: .rtsp, name: "rtsp", code: "rtsp", port: 554),
    Row(proto: .rtspProxy, name: "rtsp-proxy", code: "rtsx", port: nil, isProxy: true),
    Row(proto: .daap, name: "daap", code: "daap", port: 3689),
    Row(proto: .eppc, name: "eppc", code: "eppc", port: 3031),
    Row(proto: .ipp, name: "ipp", code: "ipp ", port: 631),
    Row(proto: .nntps, name: "nntps", code: "ntps", port: 563, isEncrypted: true),
    Row(proto: .ldaps, name: "ldaps", code: "ldps", port: 636, isEncrypted: true),
    Row(proto: .telnets, name: "telnets", code: "tels", port: 992, isEncrypted: true),
    Row(proto: .imaps, name: "imaps", code: "imps", port: 993, isEncrypted: true),
    Row(proto: .ircs, name: "ircs", code: "ircs", port: 6697, isEncrypted: true),
    Row(proto: .pop3s, name: "pop3s", code: "pops", port: 995, isEncrypted: true),
    Row(proto: .cvspserver, name: "cvspserver", code: "cvsp", port: 2401),
    Row(proto: .svn, name: "svn", code: "svn ", port: 3690),
    Row(proto: .smtps, name: "smtps", code: nil, port: 465, isEncrypted: true),
    Row(proto: .git, name: "git", code: nil, port: 9418),
    Row(proto: .sftp, name: "sftp", code: nil, port: 22, isEncrypted: true),
  ]

  @Test("every protocol has its name, code, port and properties", arguments: rows)
  func table(row: Row) throws {
    #expect(row.proto.rawValue == row.name)
    #expect(row.proto.description == row.name)
    #expect(row.proto.defaultPort == row.port)
    #expect(row.proto.isEncrypted == row.isEncrypted)
    #expect(row.proto.isProxy == row.isProxy)
    let code = try row.code.map { try FourCharacterCode($0).rawValue }
    #expect(row.proto.fourCharacterCode == code)
    if let code { #expect(NetworkProtocol(fourCharacterCode: code) == row.proto) }
  }

  @Test("the table and this one have the same rows")
  func complete() {
    #expect(Set(NetworkProtocol.rows.map(\.name)) == Set(Self.rows.map(\.name)))
    #expect(NetworkProtocol.rows.count == Self.rows.count)
    #expect(Set(Self.rows.compactMap(\.code)).count == 34)
  }

  @Test("a name, its upper case and its code are one protocol", arguments: rows)
  func folding(row: Row) throws {
    #expect(try NetworkProtocol(row.name) == row.proto)
    #expect(try NetworkProtocol(row.name.uppercased()) == row.proto)
    if let code = row.code {
      #expect(try NetworkProtocol(code) == row.proto)
      #expect(try NetworkProtocol(code.uppercased()) == row.proto)
    }
  }

  @Test(
    "Foundation's and curl's names fold",
    arguments: [
      ("NSURLProtectionSpaceHTTP", NetworkProtocol.http),
      ("NSURLProtectionSpaceHTTPS", .https), ("NSURLProtectionSpaceFTP", .ftp),
      ("NSURLProtectionSpaceHTTPProxy", .httpProxy),
      ("NSURLProtectionSpaceHTTPSProxy", .httpsProxy),
      ("NSURLProtectionSpaceFTPProxy", .ftpProxy), ("NSURLProtectionSpaceSOCKSProxy", .socks),
      ("SOCKS", .socks), ("socks4", .socks), ("socks4a", .socks), ("socks5", .socks),
      ("socks5h", .socks), ("HTTPProxy", .httpProxy), ("HTTPSProxy", .httpsProxy),
      ("FTPProxy", .ftpProxy), ("RTSPProxy", .rtspProxy), ("SOCKSProxy", .socks), ("", .unset),
    ])
  func aliases(name: String, expected: NetworkProtocol) throws {
    #expect(try NetworkProtocol(name) == expected)
  }

  @Test("an unknown scheme is kept in lower case", arguments: ["svn+ssh", "a", "x-y.z", "H2"])
  func unknown(name: String) throws {
    let proto = try NetworkProtocol(name)
    #expect(proto.rawValue == name.lowercased())
    #expect(proto.fourCharacterCode == nil)
    #expect(proto.defaultPort == nil)
    #expect(!proto.isProxy)
    #expect(!proto.isEncrypted)
  }

  @Test(
    "what is no scheme is an invalid argument",
    arguments: [
      " ", "1", "1http", "-http", "+a", ".a", "ht tp", "http ", " http", "https:", "https://",
      "http_x", "hττp", "http\0", "htp\u{2003}", "é", "e\u{301}", "a/b", "ftp  ",
      String(repeating: "a", count: 65),
    ])
  func refused(name: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try NetworkProtocol(name) }
  }

  @Test("the code 0 is unset, and an unknown code is no protocol")
  func codes() {
    #expect(NetworkProtocol(fourCharacterCode: 0) == .unset)
    #expect(NetworkProtocol.unset.fourCharacterCode == 0)
    #expect(NetworkProtocol(fourCharacterCode: 0x6162_6364) == nil)
    #expect(NetworkProtocol(fourCharacterCode: 0x7074_7468) == nil, "'http' with swapped bytes")
    #expect(NetworkProtocol(fourCharacterCode: 0x6874_7470) == .http)
  }

  @Test("names that are only canonically equivalent are different protocols")
  func bytes() {
    let composed = NetworkProtocol(rawValue: "\u{E9}")
    let decomposed = NetworkProtocol(rawValue: "e\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }
}
