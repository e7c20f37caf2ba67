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
      "libapache2-mod-auth-gssapi", "gss-ntlmssp")
    try #require(unpacked.status == 0, "\(unpacked.errors)")
    let kdc = try KerberosServer(in: sandbox.folder.appending(path: "kdc"))
    self.kdc = kdc
    let ntlmUsers = sandbox.folder.appending(path: "ntlm-users")
    try Data("VAULT:ann:annpw\nVAULT:bob:bobpw\n".utf8).write(to: ntlmUsers)
    let mechanisms = sandbox.folder.appending(path: "mech")
    let ntlm = Self.libraries("gss-ntlmssp").appending(path: "gssntlmssp/gssntlmssp.so").path
    try Data("gssntlmssp_v1 1.3.6.1.4.1.311.2.2.10 \(ntlm)\n".utf8).write(to: mechanisms)
    func serve(_ name: String, elsewhere: Int) throws -> HTTPServer {
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
        ],
        users: ["ann": "annpw"],
        environment: [
          "KRB5_CONFIG": kdc.path("krb5.conf"), "KRB5RCACHETYPE": "none",
          "GSS_MECH_CONFIG": mechanisms.path, "NTLM_USER_FILE": ntlmUsers.path,
          "LD_LIBRARY_PATH": Self.libraries("gss-ntlmssp").path,
        ])
    }
    elsewhere = try serve("elsewhere", elsewhere: 1)
    apache = try serve("logins", elsewhere: elsewhere.port)
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

  /// Stores a password for the server.
  func store(
    _ user: String, _ password: String, _ method: String = "negotiate", _ options: String...
  ) throws {
    let words =
      ["add", "-s", "localhost", "-r", "http", "-P", "\(servers.apache.port)", "-t", method]
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
