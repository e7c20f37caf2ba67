import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The image of `Packaging/Containerfile`, without a builder: an empty root with what it copies.
@Suite("a container", .waiting)
struct ContainerTests {
  /// Returns the lines of the file, as the engine's instructions and their values.
  private static func instructions() throws -> [String: [String]] {
    let lines = try Project.text(of: "Packaging/Containerfile").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    return Dictionary(
      grouping: lines.map { $0.split(separator: " ", maxSplits: 1).map(String.init) },
      by: { $0[0] }
    ).mapValues { $0.map { $0[1] } }
  }

  /// Whether this user may make a root of its own; not in every sandbox.
  static let mayMakeRoots: Bool = {
    let probe = Process()
    probe.executableURL = URL(filePath: "/usr/bin/unshare")
    probe.arguments = ["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "x", "/mnt"]
    probe.standardError = FileHandle.nullDevice
    guard (try? probe.run()) != nil else { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()

  private let sandbox: Sandbox
  private let root: URL
  private let environment: [String]

  init() throws {
    sandbox = try Sandbox()
    root = sandbox.folder.appending(path: "root")
    let installed = try sandbox.installLibrary()
    try #require(installed.status == 0, "\(installed.errors)")
    let instructions = try Self.instructions()
    #expect(instructions["FROM"] == ["scratch"])
    for copy in instructions["COPY"] ?? [] {
      let paths = copy.split(separator: " ").map(String.init)
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: sandbox.prefix.appending(path: paths[0]), to: root.appending(path: paths[1]))
    }
    environment = (instructions["ENV"] ?? []).flatMap { $0.split(separator: " ").map(String.init) }
    for folder in ["vault", "run/secrets"] {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
  }

  /// Runs the entry point with these words, with or without the mount that engines make.
  private func run(
    _ words: [String], input: String = "", hasProc: Bool = true
  ) throws -> Sandbox.Result {
    if hasProc {
      try FileManager.default.createDirectory(
        at: root.appending(path: "proc"), withIntermediateDirectories: true)
    }
    let mount = hasProc ? "mount --rbind /proc \"$0/proc\"; " : ""
    let start = [
      "unshare", "--user", "--map-root-user", "--mount", "env", "-i",
      "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
    ]
    let shell = ["sh", "-euc", "\(mount)exec chroot \"$0\" \"$@\"", root.path, "/vaultctl"]
    return try sandbox.run(start + environment + shell + words, input: input)
  }

  @Test("the page shows the file, and its entry point is what was copied")
  func page() throws {
    let page = try Project.text(of: "Documentation/cookbook.md")
    let lines = try Project.text(of: "Packaging/Containerfile").split(separator: "\n")
    let file = lines.filter { !$0.hasPrefix("#") }.joined(separator: "\n")
    #expect(page.contains("```dockerfile\n\(file)\n```"))
    #expect(try Self.instructions()["ENTRYPOINT"] == ["[\"/vaultctl\"]"])
  }

  @Test(
    "a root with the program alone makes a vault, keeps an item and finds it",
    .enabled(if: mayMakeRoots))
  func works() throws {
    let made = try run(["init", "-q"])
    try #require(made.status == 0, "\(made.errors)")
    let added = try run(
      ["add", "-q", "https://ann@git.example.com", "--password-stdin"], input: "hunter2")
    try #require(added.status == 0, "\(added.errors)")
    #expect(try run(["find", "-w", "git.example.com"]).output == "hunter2\n")
    #expect(try run(["verify"]).output == "items: 1, buckets: 1, problems: none\n")
    let kept = try FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: "vault").path)
    #expect(kept == ["default.vault"])
  }

  @Test("without /proc it does not run, as the page says", .enabled(if: mayMakeRoots))
  func needsProc() throws {
    let result = try run(["help"], hasProc: false)
    #expect(result.status != 0 && result.output.isEmpty)
    let page = try Project.text(of: "Documentation/cookbook.md")
    #expect(page.contains("/proc"))
  }
}
