import Foundation
import ProgramTesting
import Testing

/// `Examples/HTTPClient`, built as its reader would build it, with a vault and a server of its own.
struct HTTPClient {
  struct Run {
    let status: Int32
    let output: String
    let errors: String
    /// The terminal's output.
    let shown: String
    /// Whether the terminal was restored.
    let echoes: Bool
  }

  /// An item, as `vaultctl list --json` writes it.
  struct Item: Decodable, Equatable {
    let id: String
    let `protocol`: String
    let server: String
    let port: Int
    let realm: String
    let auth: String
    let account: String
    let label: String
    let comment: String
    let created: String

    /// The item's place, in one line.
    var place: String { "\(`protocol`) \(server):\(port) \"\(realm)\" \(auth) \(account)" }
  }

  let sandbox: Sandbox
  let server: HTTPServer
  let program: String

  init() throws {
    program = try Self.program.get()
    sandbox = try Sandbox()
    let pages = sandbox.folder.appending(path: "server/pages")
    for name in ["open", "basic", "digest", "either"] {
      let folder = pages.appending(path: name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("a page\n".utf8).write(to: folder.appending(path: "page"))
    }
    server = try HTTPServer("http", in: sandbox, users: ["ann": "correct horse", "bob": "b:o:b"])
    try #require(try sandbox.makeVault().status == 0)
  }

  /// The built program, with its library beside it.
  private static let program = Result<String, any Error> {
    let sandbox = try Sandbox()
    let folder = Project.root.appending(path: ".build/examples")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let install = try sandbox.installLibrary()
    try #require(install.status == 0, "\(install.output)\(install.errors)")
    let packages = sandbox.prefix.appending(path: "lib/pkgconfig").path
    let build = try sandbox.run(
      "make", "-B", "-C", Project.root.appending(path: "Examples/HTTPClient").path,
      "BUILD=\(folder.path)", environment: ["PKG_CONFIG_PATH": packages])
    try #require(build.status == 0, "\(build.output)\(build.errors)")
    return folder.appending(path: "httpclient").path
  }

  // MARK: Running it

  /// Returns the URL of a page of the server.
  func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)/\(path)" }

  /// Gets a URL at a terminal, and answers there.
  func get(
    _ words: String..., environment: [String: String?] = [:],
    typing dialogue: [(shown: String, typed: String?)] = []
  ) throws -> Run {
    let terminal = try PseudoTerminal()
    let result = try sandbox.run(
      [program] + words, environment: environment, at: terminal, dialogue)
    return Run(
      status: result.status, output: result.output, errors: result.errors,
      shown: terminal.shown.replacing("\r\n", with: "\n"), echoes: terminal.echoes)
  }

  /// Returns the dialogue of a user who logs in.
  static func login(
    _ user: String, _ password: String
  ) -> [(shown: String, typed: String?)] {
    [("User: ", user), ("Password: ", password)]
  }

  /// Returns the terminal's output of a login prompt, with the password hidden.
  static func question(
    _ asking: String, _ realm: String, isClear: Bool = true, user: String
  ) -> String {
    "The \(asking) asks for a user and a password for \"\(realm)\""
      + (isClear ? ", which it will get in clear" : "") + ".\nUser: \(user)\nPassword: \n"
  }

  // MARK: Its vault

  func items() throws -> [Item] {
    struct List: Decodable { let items: [Item] }
    let list = try sandbox.run("vaultctl", "list", "--json")
    try #require(list.status == 0, "\(list.errors)")
    return try JSONDecoder().decode(List.self, from: Data(list.output.utf8)).items
  }

  func secret(of item: Item) throws -> String {
    try sandbox.run("vaultctl", "find", "--id", item.id, "-w").output
  }

  /// Returns the previous secrets of an item, newest first.
  func history(of item: Item) throws -> [String] {
    var secrets: [String] = []
    while true {
      let shown = try sandbox.run(
        "vaultctl", "history", "--id", item.id, "--show", "\(secrets.count + 1)")
      guard shown.status == 0 else { return secrets }
      secrets.append(shown.output)
    }
  }

  func vaultctl(_ words: String..., input: String = "") throws {
    let result = try sandbox.run(["vaultctl"] + words, input: input)
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Returns the credentials that were sent, and to whom: "host [for the server] [for a proxy]" a
  /// request.
  static func sent(to server: HTTPServer, _ count: Int) throws -> [String] {
    try server.log("sent.log", count)
  }

  /// Returns a login as Basic sends it.
  static func basic(_ user: String, _ password: String) -> String {
    "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }
}
