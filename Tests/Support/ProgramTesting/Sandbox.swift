public import Foundation

/// A throw-away folder with a home in it, where programs run with an environment of their own.
public final class Sandbox: Sendable {
  /// The end of a program.
  public struct Result: Sendable {
    /// Its exit status, or 128 and the number of the signal that ended it.
    public let status: Int32
    /// The text of its standard output.
    public let output: String
    /// The text of its standard error.
    public let errors: String

    /// The lines of its output.
    public var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The folder of everything.
  public let folder: URL
  /// The home of programs, where they run.
  public let home: URL
  /// The variables of programs, and no others: the built programs are on the PATH, and a vault and
  /// a key file are named, which ``makeVault()`` makes.
  public let environment: [String: String]

  /// Makes the folders.
  public init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "vault-\(UUID().uuidString)")
    home = folder.appending(path: "home")
    // As root, Apache runs as another user, who must be able to reach its own folder.
    try Self.makeFolder(folder, permissions: 0o711)
    try Self.makeFolder(home, permissions: 0o700)
    environment = try ProgramEnvironment.make(
      in: folder, home: home, bin: Project.programs,
      [
        "VAULTCTL_VAULT": home.appending(path: "test.vault").path,
        "VAULTCTL_KEY_FILE": home.appending(path: "test.key").path,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@team.example",
        "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@team.example",
      ])
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      // The remains are in the system's temporary folder; no test depends on it.
    }
  }

  private static func makeFolder(_ folder: URL, permissions: Int) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false,
      attributes: [.posixPermissions: permissions])
  }

  /// Returns the text of a file, not by `String(contentsOf:)`, which leaks when the file is empty.
  private static func text(of file: URL) throws -> String {
    let handle = try FileHandle(forReadingFrom: file)
    let bytes = try handle.readToEnd() ?? Data()
    try handle.close()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Runs a program in the home, for at most `limit` seconds: then the status is 124.
  ///
  /// The changes are added to `environment`; nil removes a variable. A terminal is also the
  /// program's input, and the dialogue is held there.
  public func run(
    _ words: [String], input: String = "", environment changes: [String: String?] = [:],
    limit: Int = 120, at terminal: PseudoTerminal?,
    _ dialogue: [(shown: String, typed: String?)] = []
  ) throws -> Result {
    // Files, because a program stops when nobody reads its pipe.
    let streams = folder.appending(path: "run-\(UUID().uuidString)")
    try Self.makeFolder(streams, permissions: 0o700)
    let names = ["in", "out", "err"].map { streams.appending(path: $0) }
    for name in names { try Data(name == names[0] ? input.utf8 : "".utf8).write(to: name) }
    let files = [
      try FileHandle(forReadingFrom: names[0]),
      try FileHandle(forWritingTo: names[1]),
      try FileHandle(forWritingTo: names[2]),
    ]
    // A group in the background would be stopped when it prompts.
    let foreground = terminal == nil ? [] : ["--foreground"]
    var variables = environment
    for (name, value) in changes { variables[name] = value }
    // A handle closes its file when it is released, and optimized code releases it after its last
    // use.
    let program = try withExtendedLifetime(files) {
      try RunningProgram(
        ["timeout", "--kill-after=5"] + foreground + ["\(limit)"] + words,
        environment: variables, folder: home.path,
        input: (terminal?.slave ?? files[0]).fileDescriptor,
        output: files[1].fileDescriptor, errors: files[2].fileDescriptor,
        hasTerminal: terminal != nil)
    }
    try terminal?.hold(dialogue) { try program.isRunning }
    let status = try program.wait()
    let result = Result(
      status: status,
      output: try Self.text(of: names[1]), errors: try Self.text(of: names[2]))
    try FileManager.default.removeItem(at: streams)
    return result
  }

  /// Runs a program in the home.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - input: The text of its standard input.
  ///   - changes: Changes to ``environment``; nil removes a variable.
  ///   - limit: The seconds after which it is ended; then its status is 124.
  /// - Returns: Its end.
  /// - Throws: The system's error if it cannot be started.
  public func run(
    _ words: [String], input: String = "", environment changes: [String: String?] = [:],
    limit: Int = 120
  ) throws -> Result {
    try run(words, input: input, environment: changes, limit: limit, at: nil, [])
  }

  /// Does the same with its words one by one.
  public func run(
    _ words: String..., input: String = "", environment changes: [String: String?] = [:]
  ) throws -> Result {
    try run(words, input: input, environment: changes)
  }

  /// Makes a program of a script in the home.
  ///
  /// Another program writes it: one that this process starts meanwhile would have it open for
  /// writing, and the kernel runs no such file.
  public func makeProgram(_ name: String, _ script: String) throws -> String {
    let path = home.appending(path: name).path
    let result = try run("sh", "-c", "cat >\"$0\" && chmod 700 \"$0\"", path, input: script)
    guard result.status == 0 else { throw CocoaError(.fileWriteUnknown) }
    return path
  }

  /// Makes the vault and its key file.
  public func makeVault() throws -> Result { try run("vaultctl", "init") }
}

/// The release build as `make install` installs it, which tests share and none changes.
extension Sandbox {
  /// The installation folder of programs and library, headers and pkg-config file.
  package var prefix: URL { Project.root.appending(path: ".build/installed") }

  private static let installation = Swift.Result {
    let sandbox = try Sandbox()
    // What an earlier build installed is no part of this one.
    if FileManager.default.fileExists(atPath: sandbox.prefix.path) {
      try FileManager.default.removeItem(at: sandbox.prefix)
    }
    return try sandbox.install(in: sandbox.prefix)
  }

  /// Installs the release build, the first time that a test of this process asks for it.
  package func installLibrary() throws -> Result { try Self.installation.get() }

  /// Installs the release build in a folder of a test's own.
  package func install(in folder: URL) throws -> Result {
    try run(Project.root.appending(path: "Scripts/install").path, "", folder.path)
  }

  /// Compiles C files with the flags that pkg-config reports for the library, and nothing else of
  /// the project.
  ///
  /// The program becomes `folder`/`name`.
  package func compile(
    _ sources: [URL], as name: String, compiler: String = "cc",
    flags: [String] = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g"]
  ) throws -> Result {
    let configuration = try run(
      "pkg-config", "--cflags", "--libs", "credentialvault",
      environment: ["PKG_CONFIG_PATH": prefix.appending(path: "lib/pkgconfig").path])
    guard configuration.status == 0 else { return configuration }
    let library = configuration.output.split(whereSeparator: \.isWhitespace).map(String.init)
    return try run(
      [compiler] + flags + sources.map(\.path) + ["-o", folder.appending(path: name).path]
        + library)
  }
}
