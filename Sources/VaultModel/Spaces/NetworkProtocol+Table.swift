extension NetworkProtocol {
  /// No protocol: absent, empty and 0 in the keychain.
  public static let unset = NetworkProtocol(rawValue: "")

  /// HTTP.
  public static let http = NetworkProtocol(rawValue: "http")
  /// HTTP over TLS.
  public static let https = NetworkProtocol(rawValue: "https")
  /// FTP.
  public static let ftp = NetworkProtocol(rawValue: "ftp")
  /// FTP over TLS from the first byte.
  public static let ftps = NetworkProtocol(rawValue: "ftps")
  /// An FTP account, which is a second password.
  public static let ftpAccount = NetworkProtocol(rawValue: "ftp-account")
  /// SFTP; the name is ours, Apple has no code for it.
  public static let sftp = NetworkProtocol(rawValue: "sftp")
  /// SSH.
  public static let ssh = NetworkProtocol(rawValue: "ssh")
  /// Git's own protocol; the name is ours, Apple has no code for it.
  public static let git = NetworkProtocol(rawValue: "git")
  /// Subversion's own protocol.
  public static let svn = NetworkProtocol(rawValue: "svn")
  /// CVS's pserver.
  public static let cvspserver = NetworkProtocol(rawValue: "cvspserver")
  /// SMTP.
  public static let smtp = NetworkProtocol(rawValue: "smtp")
  /// SMTP over TLS from the first byte, RFC 8314; the name is ours, Apple has no code for it.
  public static let smtps = NetworkProtocol(rawValue: "smtps")
  /// IMAP.
  public static let imap = NetworkProtocol(rawValue: "imap")
  /// IMAP over TLS from the first byte.
  public static let imaps = NetworkProtocol(rawValue: "imaps")
  /// POP3.
  public static let pop3 = NetworkProtocol(rawValue: "pop3")
  /// POP3 over TLS from the first byte.
  public static let pop3s = NetworkProtocol(rawValue: "pop3s")
  /// NNTP.
  public static let nntp = NetworkProtocol(rawValue: "nntp")
  /// NNTP over TLS from the first byte.
  public static let nntps = NetworkProtocol(rawValue: "nntps")
  /// IRC.
  public static let irc = NetworkProtocol(rawValue: "irc")
  /// IRC over TLS, RFC 7194.
  public static let ircs = NetworkProtocol(rawValue: "ircs")
  /// LDAP.
  public static let ldap = NetworkProtocol(rawValue: "ldap")
  /// LDAP over TLS from the first byte.
  public static let ldaps = NetworkProtocol(rawValue: "ldaps")
  /// Telnet.
  public static let telnet = NetworkProtocol(rawValue: "telnet")
  /// Telnet over TLS from the first byte.
  public static let telnets = NetworkProtocol(rawValue: "telnets")
  /// SMB.
  public static let smb = NetworkProtocol(rawValue: "smb")
  /// CIFS, SMB's older name, which is a separate protocol in the keychain.
  public static let cifs = NetworkProtocol(rawValue: "cifs")
  /// AFP.
  public static let afp = NetworkProtocol(rawValue: "afp")
  /// AppleTalk.
  public static let appleTalk = NetworkProtocol(rawValue: "appletalk")
  /// RTSP.
  public static let rtsp = NetworkProtocol(rawValue: "rtsp")
  /// DAAP.
  public static let daap = NetworkProtocol(rawValue: "daap")
  /// Remote Apple events.
  public static let eppc = NetworkProtocol(rawValue: "eppc")
  /// IPP.
  public static let ipp = NetworkProtocol(rawValue: "ipp")
  /// A proxy that is reached over HTTP.
  public static let httpProxy = NetworkProtocol(rawValue: "http-proxy")
  /// A proxy that is reached over HTTP over TLS.
  public static let httpsProxy = NetworkProtocol(rawValue: "https-proxy")
  /// A proxy for FTP.
  public static let ftpProxy = NetworkProtocol(rawValue: "ftp-proxy")
  /// A proxy for RTSP.
  public static let rtspProxy = NetworkProtocol(rawValue: "rtsp-proxy")
  /// A SOCKS proxy of any version.
  public static let socks = NetworkProtocol(rawValue: "socks")

  struct Row {
    let name: String
    let code: UInt32?
    let port: UInt16?
    let isEncrypted: Bool
    let isProxy: Bool

    init(
      _ proto: NetworkProtocol, _ code: UInt32?, port: UInt16? = nil, encrypted: Bool = false,
      proxy: Bool = false
    ) {
      name = proto.rawValue
      self.code = code
      self.port = port
      isEncrypted = encrypted
      isProxy = proxy
    }
  }

  // Codes: Apple's SecKeychain.h. Ports: IANA's service names, except IRC's 6667, which clients use
  // (RFC 7194 §2). HTTP proxies have no registered port.
  static let rows = [
    Row(.http, code("http"), port: 80),
    Row(.https, code("htps"), port: 443, encrypted: true),
    Row(.ftp, code("ftp "), port: 21),
    Row(.ftps, code("ftps"), port: 990, encrypted: true),
    Row(.ftpAccount, code("ftpa"), port: 21),
    Row(.sftp, nil, port: 22, encrypted: true),
    Row(.ssh, code("ssh "), port: 22, encrypted: true),
    Row(.git, nil, port: 9418),
    Row(.svn, code("svn "), port: 3690),
    Row(.cvspserver, code("cvsp"), port: 2401),
    Row(.smtp, code("smtp"), port: 25),
    Row(.smtps, nil, port: 465, encrypted: true),
    Row(.imap, code("imap"), port: 143),
    Row(.imaps, code("imps"), port: 993, encrypted: true),
    Row(.pop3, code("pop3"), port: 110),
    Row(.pop3s, code("pops"), port: 995, encrypted: true),
    Row(.nntp, code("nntp"), port: 119),
    Row(.nntps, code("ntps"), port: 563, encrypted: true),
    Row(.irc, code("irc "), port: 6667),
    Row(.ircs, code("ircs"), port: 6697, encrypted: true),
    Row(.ldap, code("ldap"), port: 389),
    Row(.ldaps, code("ldps"), port: 636, encrypted: true),
    Row(.telnet, code("teln"), port: 23),
    Row(.telnets, code("tels"), port: 992, encrypted: true),
    Row(.smb, code("smb "), port: 445),
    Row(.cifs, code("cifs"), port: 445),
    Row(.afp, code("afp "), port: 548),
    Row(.appleTalk, code("atlk")),
    Row(.rtsp, code("rtsp"), port: 554),
    Row(.daap, code("daap"), port: 3689),
    Row(.eppc, code("eppc"), port: 3031),
    Row(.ipp, code("ipp "), port: 631),
    Row(.httpProxy, code("htpx"), proxy: true),
    Row(.httpsProxy, code("htsx"), encrypted: true, proxy: true),
    Row(.ftpProxy, code("ftpx"), proxy: true),
    Row(.rtspProxy, code("rtsx"), proxy: true),
    Row(.socks, code("sox "), port: 1080, proxy: true),
  ]

  static let rowsByName = Dictionary(
    rows.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  static let namesByCode = Dictionary(
    rows.compactMap { row in row.code.map { ($0, row.name) } },
    uniquingKeysWith: { first, _ in first })

  /// Other spellings in lower case.
  ///
  /// On Linux Foundation's constants have their own names as values, elsewhere `http`, `SOCKS`.
  static let aliases: [String: String] = {
    var aliases = [
      "httpproxy": "http-proxy", "httpsproxy": "https-proxy", "ftpproxy": "ftp-proxy",
      "rtspproxy": "rtsp-proxy", "socksproxy": "socks", "socks-proxy": "socks",
      "socks4": "socks", "socks4a": "socks", "socks5": "socks", "socks5h": "socks",
      "nsurlprotectionspacehttp": "http", "nsurlprotectionspacehttps": "https",
      "nsurlprotectionspaceftp": "ftp", "nsurlprotectionspacehttpproxy": "http-proxy",
      "nsurlprotectionspacehttpsproxy": "https-proxy",
      "nsurlprotectionspaceftpproxy": "ftp-proxy", "nsurlprotectionspacesocksproxy": "socks",
    ]
    for (code, name) in namesByCode {
      aliases[FourCharacterCode(rawValue: code).description] = name
    }
    return aliases
  }()

  private static func code(_ text: StaticString) -> UInt32 {
    text.description.utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
