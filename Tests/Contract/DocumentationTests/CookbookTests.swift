import Foundation
import ProgramTesting
import TestTraits
import Testing

/// Holds the cookbook's jobs to showing other programs no secret, in arguments or environments.
@Suite("the cookbook's jobs", .waiting)
struct CookbookTests {
  /// A job at a terminal, by the beginning of its first command, and what must be there before.
  struct Job: Sendable, CustomTestStringConvertible {
    let command: String
    let preparation: String
    var needsBus = false

    var testDescription: String { command }

    static let all = [
      Job(
        command: "vaultctl unlock",
        preparation: """
          umask 077; cat > pass; vaultctl init -q --passphrase-file pass --kdf 1:8; rm pass
          git init -q --bare far.git; git init -q; git commit -q --allow-empty -m x
          git remote add origin far.git; git push -q -u origin HEAD
          """),
      Job(
        command: "vaultctl add --persistence session",
        preparation: "vaultctl init -q --with-key-file"),
      Job(
        command: "vaultctl setup secret-service",
        preparation: "vaultctl init -q --with-key-file"),
      Job(
        command: "secret-tool store",
        preparation: "vaultctl init -q --with-key-file; vaultctl setup -q secret-service --apply",
        needsBus: true),
    ]
  }

  private static let password = "correct horse"
  /// The other passwords on the page.
  private static let literals = [
    "wiki-pa55", "shop-w0rd", "build-c0de", "mail-p0st", "phone-pa55", "blog-w0rd", "chat-pa55",
    "data-b4se", "fund-c0de",
  ]
  private static let environment: [String: String?] = [
    "VAULTCTL_VAULT": nil, "VAULTCTL_KEY_FILE": nil, "XDG_DATA_HOME": nil, "XDG_CONFIG_HOME": nil,
  ]

  private static func blocks(_ language: String) throws -> [Markdown.Block] {
    try Markdown(Project.text(of: "Documentation/cookbook.md")).blocks
      .filter { $0.language == language }
  }

  /// Returns the words that write every start of a program, with all its arguments and its
  /// environment.
  private static func trace(_ file: URL) -> [String] {
    [
      "strace", "-f", "-v", "-s", "100000", "-e", "trace=execve,execveat", "-o", file.path,
    ]
  }

  /// Returns the calls in a trace that started a program.
  private static func starts(_ file: URL) throws -> [Substring] {
    // A program is looked for in each folder of PATH.
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("execve") && !$0.contains(" = -1 ENOENT") }
  }

  @Test(
    "no job starts a program with a secret, except for the two variables that the page names",
    .disabled(if: Project.isSanitized, "a sanitizer's own threads do not bear it"))
  func shellJobs() throws {
    let sandbox = try Sandbox()
    // Files with a secret stay, so that it can be looked for.
    let jobs = try Self.blocks("sh").flatMap { $0.text.split(separator: "\n") }
      .filter { !$0.hasPrefix("rm ") }.joined(separator: "\n")
    // In a file, because a shell's own arguments are among those that are looked at. The shell
    // knows the password and exports it to nobody.
    let script = try sandbox.makeProgram("jobs", "read -r PW; exec </dev/null\n\(jobs)\n")
    let file = sandbox.folder.appending(path: "calls")
    let result = try sandbox.run(
      Self.trace(file) + ["bash", "-euo", "pipefail", script],
      input: "\(Self.password)\n", environment: Self.environment)
    #expect(result.status == 0, "\(result.errors)")
    let secrets = try secrets(sandbox)
    let starts = try Self.starts(file)
    #expect(starts.count > 50)
    let exposed = starts.filter { start in secrets.contains { start.contains($0) } }
    let key = try #require(secrets.first)
    // The environment of exec's own command, and of the job of CI that has nothing but variables.
    let token = exposed.filter { $0.contains("\"TOKEN=\(Self.password)\"") }
    let variable = exposed.filter {
      $0.contains("[\"vaultctl\", \"find\"") && $0.contains("\"VAULTCTL_KEY=\(key)\"")
    }
    #expect(token.count == 1)
    #expect(variable.count == 1)
    #expect(exposed.count == 2)
  }

  /// Returns every secret that the jobs have used, the key as text first.
  private func secrets(_ sandbox: Sandbox) throws -> [String] {
    let read = try sandbox.run(
      "sh", "-euc", "cat key.txt; tail -n 1 code; vaultctl export -q json",
      environment: Self.environment)
    #expect(read.status == 0, "\(read.errors)")
    let files = read.lines.prefix(2)
    // With those that items had before, and the generated ones.
    let stored = read.output.matches(of: #/"secret":"([^"]+)"/#).map { String($0.1) }
    let secrets = files + Self.literals + stored
    #expect(files.allSatisfy { $0.count > 40 })
    #expect(stored.contains(Self.password) && Self.literals.allSatisfy(stored.contains))
    #expect(Set(stored).count > 6)
    return Array(secrets)
  }

  @Test(
    "every console job runs as written, and starts no program with what was typed",
    .disabled(if: Project.isSanitized, "a sanitizer's own threads do not bear it"),
    .enabled("the kernel's keyrings are denied here") { try keyringsWork() }, arguments: Job.all)
  func consoleJobs(_ job: Job) throws {
    let block = try #require(
      try Self.blocks("console").first { $0.text.hasPrefix("$ \(job.command)") })
    let sandbox = try Sandbox()
    // A session is only shared in a folder that is in memory.
    let shared = URL(filePath: "/dev/shm/vault-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: shared, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: shared) }
    var environment = Self.environment
    environment["XDG_RUNTIME_DIR"] = shared.path
    // The default; a session bus takes the home folder from the user's entry, not from HOME.
    environment["XDG_DATA_HOME"] = sandbox.home.appending(path: ".local/share").path
    let tools = Project.root.appending(path: ".build/servers/libsecret-tools/usr/bin").path
    let products = Project.products.path
    environment["PATH"] = "\(sandbox.environment["PATH"] ?? ""):\(tools):\(products)"
    let prepared = try sandbox.run(
      ["bash", "-euo", "pipefail", "-c", job.preparation], input: "\(Self.password)\n",
      environment: environment)
    try #require(prepared.status == 0, "\(prepared.errors)")
    let file = sandbox.folder.appending(path: "calls")
    try ConsoleSession(block).run(
      in: sandbox, below: Self.trace(file) + (job.needsBus ? ["dbus-run-session", "--"] : []),
      environment: environment, typing: Self.password)
    let starts = try Self.starts(file)
    #expect(!starts.isEmpty)
    #expect(!starts.contains { $0.contains(Self.password) })
  }

  @Test("every console job of the page is one that runs here")
  func allConsoleJobs() throws {
    let blocks = try Self.blocks("console")
    #expect(blocks.count == Job.all.count)
    #expect(
      blocks.allSatisfy { block in Job.all.contains { block.text.hasPrefix("$ \($0.command)") } })
  }

  private static func keyringsWork() throws -> Bool {
    let sandbox = try Sandbox()
    _ = try sandbox.makeVault()
    let doctor = try sandbox.run("vaultctl", "doctor")
    return doctor.lines.contains { $0.hasPrefix("ok") && $0.contains("remembered-keys") }
  }
}
