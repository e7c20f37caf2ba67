import Foundation
import HTTPTesting
import ProgramTesting
import Testing

/// A KDC, and an Apache that asks for logins by Kerberos and NTLM; requests are made by a program
/// with variables of its own.
struct LoginServers: Sendable {
  let sandbox: Sandbox
  let kdc: KerberosServer
  let apache: HTTPServer
  /// The same over TLS 1.2, which resumes sessions by their numbers; it closes each connection
  /// after a few requests.
  let secure: HTTPServer
  /// Another origin, to which `nego/away` redirects.
  let elsewhere: HTTPServer

  /// The libraries of the packages that are not installed.
  private static let servers = Project.root.appending(path: ".build/servers")
  static func libraries(_ package: String) -> URL {
    let folder = servers.appending(path: "\(package)/usr/lib")
    // One for the machine's architecture.
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return folder.appending(path: names?.first { $0.hasSuffix("-linux-gnu") } ?? "")
  }

  init() throws {
    let sandbox = try Sandbox()
    self.sandbox = sandbox
    let unpacked = try sandbox.run(
      Project.root.appending(path: "Scripts/servers").path, "krb5-admin-server",
      "libapache2-mod-auth-gssapi", "gss-ntlmssp", "ntlm-server", "libfaketime")
    try #require(unpacked.status == 0, "\(unpacked.errors)")
    let kdc = try KerberosServer(in: sandbox.folder.appending(path: "kdc"))
    self.kdc = kdc
    let ntlm = Self.libraries("gss-ntlmssp").appending(path: "gssntlmssp/gssntlmssp.so").path
    for (name, text) in [
      ("ntlm-users", "VAULT:ann:annpw\nVAULT:bob:bobpw\n"),
      ("mech", "gssntlmssp_v1 1.3.6.1.4.1.311.2.2.10 \(ntlm)\n"),
    ] {
      try Data(text.utf8).write(to: sandbox.folder.appending(path: name))
    }
    let certificate = try sandbox.makeCertificate("server")
    let variables = Self.acceptorVariables(sandbox, kdc)
    func serve(_ name: String, elsewhere: Int = 1, isSecure: Bool = false) throws -> HTTPServer {
      let pages = sandbox.folder.appending(path: "\(name)/pages")
      try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
      try Data(Servers.page.utf8).write(to: pages.appending(path: "page"))
      return try HTTPServer(
        "logins", in: sandbox, name: name,
        values: [
          "KEYTAB": kdc.path("http.keytab"), "ELSEWHERE": "http://localhost:\(elsewhere)",
          "GSSAPI": Self.servers.appending(
            path: "libapache2-mod-auth-gssapi/usr/lib/apache2/modules"
          ).path,
          "TLS": isSecure ? "on" : "off", "CERTIFICATE": certificate,
          "MOST": isSecure ? "5" : "0",
        ],
        users: ["ann": "annpw"], environment: variables)
    }
    elsewhere = try serve("elsewhere")
    apache = try serve("logins", elsewhere: elsewhere.port)
    secure = try serve("secure", isSecure: true)
  }

  @TaskLocal private static var running: LoginServers?

  static var shared: LoginServers { get throws { try #require(running) } }

  /// Starts them before a suite, and ends them after it.
  struct Scope: SuiteTrait, TestScoping {
    func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await LoginServers.$running.withValue(LoginServers()) { try await function() }
    }
  }

  func url(_ path: String) -> String { "http://localhost:\(apache.port)/\(path)" }

  /// The file of the users of NTLM.
  var ntlmUsers: String { sandbox.folder.appending(path: "ntlm-users").path }

  /// The certificate of those that speak TLS, by DER.
  var anchor: String { sandbox.folder.appending(path: "server.der").path }

  /// The variables of servers: the realm and its keys, and the mechanism of NTLM and its users.
  var acceptorVariables: [String: String] { Self.acceptorVariables(sandbox, kdc) }

  private static func acceptorVariables(
    _ sandbox: Sandbox, _ kdc: KerberosServer
  ) -> [String: String] {
    [
      "KRB5_CONFIG": kdc.path("krb5.conf"), "KRB5RCACHETYPE": "none",
      "KRB5_KTNAME": kdc.path("http.keytab"),
      "GSS_MECH_CONFIG": sandbox.folder.appending(path: "mech").path,
      "NTLM_USER_FILE": sandbox.folder.appending(path: "ntlm-users").path,
      "LD_LIBRARY_PATH": libraries("gss-ntlmssp").path,
    ]
  }

  /// The variables of clients: the realm, and the mechanism of NTLM.
  var clientVariables: [String: String] {
    [
      "KRB5_CONFIG": kdc.path("krb5.conf"),
      "GSS_MECH_CONFIG": sandbox.folder.appending(path: "mech").path,
      "LD_LIBRARY_PATH": Self.libraries("gss-ntlmssp").path,
    ]
  }
}

extension Trait where Self == LoginServers.Scope {
  static var loginServers: Self { Self() }
}

extension Sandbox {
  /// Makes a certificate of its own for localhost, and its key: NAME.pem, NAME.der and NAME.key.
  ///
  /// - Returns: The path without the ending.
  func makeCertificate(_ name: String, signedBy hash: String = "sha256") throws -> String {
    let path = folder.appending(path: name).path
    for words in [
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", path + ".key", "-out",
        path + ".pem", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        "-days", "2", "-\(hash)",
      ],
      ["x509", "-in", path + ".pem", "-outform", "DER", "-out", path + ".der"],
    ] {
      let made = try run(["openssl"] + words)
      try #require(made.status == 0, "\(made.errors)")
    }
    return path
  }
}

/// A user with a vault and a home of their own, and the program that makes their requests.
struct LoginClient {
  let servers: LoginServers
  let sandbox: Sandbox
  var variables: [String: String?]

  init() throws {
    servers = try LoginServers.shared
    sandbox = try Sandbox()
    variables = servers.clientVariables
    let made = try sandbox.makeVault()
    try #require(made.status == 0, "\(made.errors)")
  }

  /// Runs `vaultctl`.
  @discardableResult
  func vaultctl(_ words: String..., input: String = "") throws -> Sandbox.Result {
    let result = try sandbox.run(["vaultctl"] + words, input: input)
    try #require(result.status == 0, "\(words): \(result.errors)")
    return result
  }

  /// Stores a password for the server, or for one that speaks TLS at another port.
  func store(
    _ user: String, _ password: String, _ method: String = "negotiate", _ options: String...,
    securePort: Int? = nil
  ) throws {
    let place = securePort.map { ["https", "\($0)"] } ?? ["http", "\(servers.apache.port)"]
    let words =
      ["add", "-s", "localhost", "-r", place[0], "-P", place[1], "-t", method]
      + ["-a", user, "--password-stdin"] + options
    let result = try sandbox.run(["vaultctl"] + words, input: password)
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Gets tickets, as people do.
  func kinit(_ user: String, _ password: String) throws {
    let program = KerberosServer.package.appending(path: "usr/bin/kinit").path
    let libraries = LoginServers.libraries("krb5-admin-server").path
    let result = try sandbox.run(
      [program, user], input: password + "\n",
      environment: variables.merging(["LD_LIBRARY_PATH": libraries]) { $1 })
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Has no KDC answer any more.
  mutating func loseKDC() throws {
    let path = sandbox.home.appending(path: "krb5.conf")
    let usual = try String(contentsOfFile: servers.kdc.path("krb5.conf"), encoding: .utf8)
    // Nothing listens there: the port of another protocol, which answers with no ticket.
    try Data(
      usual.replacingOccurrences(of: "127.0.0.1:\(servers.kdc.port)", with: "127.0.0.1:1").utf8
    ).write(to: path)
    variables["KRB5_CONFIG"] = path.path
  }

  /// Requests pages with the program, and returns its lines.
  func get(_ words: [String]) throws -> [String] {
    let driver = Project.products.appending(path: "LoginTestDriver").path
    let result = try sandbox.run([driver] + words, environment: variables)
    try #require(result.status == 0, "\(result.output) \(result.errors)")
    return result.lines
  }

  func get(_ path: String, _ words: String...) throws -> [String] {
    try get(["url=\(servers.url(path))"] + words)
  }

  /// Returns the server's lines about a path: user, status and the port of the connection.
  func log(_ path: String, _ count: Int) throws -> [String] {
    try servers.apache.requests(count, containing: "/\(path) ")
  }
}
