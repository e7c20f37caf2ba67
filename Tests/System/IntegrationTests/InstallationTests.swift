import Foundation
import ProgramTesting
import TestTraits
import Testing

/// `make install` and `make uninstall`, into a folder of the test's own.
@Suite("installing", .waiting)
struct InstallationTests {
  private let sandbox: Sandbox
  private let prefix: URL

  init() throws {
    sandbox = try Sandbox()
    prefix = sandbox.folder.appending(path: "prefix")
  }

  private func script(_ name: String) throws -> Sandbox.Result {
    try sandbox.run(Project.root.appending(path: "Scripts/\(name)").path, "", prefix.path)
  }

  /// Returns the names of everything below the prefix.
  private func files() -> Set<String> {
    Set(FileManager.default.enumerator(atPath: prefix.path)?.compactMap { $0 as? String } ?? [])
  }

  @Test("what was installed runs, and is gone afterwards; what others put there stays")
  func uninstalls() throws {
    try FileManager.default.createDirectory(
      at: prefix.appending(path: "share/man/man1"), withIntermediateDirectories: true)
    let page = prefix.appending(path: "share/man/man1/another.1")
    try Data("another".utf8).write(to: page)
    let before = files()

    // Twice: the second installation takes the folders of the first for its own.
    for _ in 0..<2 {
      let result = try script("install")
      try #require(result.status == 0, "\(result.errors)")
    }
    let version = try sandbox.run(prefix.appending(path: "bin/vaultctl").path, "--version")
    #expect(version.output.hasPrefix("vaultctl "))
    #expect(files().count > before.count + 30)
    // What a user reads next, with the pictures that it shows.
    #expect(
      files().isSuperset(
        of: [
          "index.md", "tutorial.md", "cookbook.md", "pictures/file.svg", "schemas/commands.json",
          "LICENSE", "NOTICES", "CHANGELOG.md",
        ]
        .map { "share/doc/credential-vault/\($0)" }))
    let manual = try String(
      contentsOf: prefix.appending(path: "share/man/man1/vaultctl.1"), encoding: .utf8)
    #expect(manual.contains("share/doc/credential\\-vault/index.md\n"))

    #expect(try script("uninstall").status == 0)
    #expect(files() == before)
    // Nothing is installed any more.
    #expect(try script("uninstall").status == 1)
  }

  @Test("the man pages are well formed, and as HTML lead to each other")
  func manual() throws {
    let folder = sandbox.folder.appending(path: "manual")
    let result = try sandbox.run(
      Project.root.appending(path: "Scripts/manual").path, "--html", ".build/shipped/release",
      folder.path)
    try #require(result.status == 0, "\(result.errors)")
    let pages = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    #expect(pages.isSuperset(of: ["vaultctl.html", "vaultctl-find.html", "vaultctl-askpass.html"]))
    #expect(pages.count > 50)
    for page in pages where page.hasSuffix(".html") {
      let text = try String(contentsOf: folder.appending(path: page), encoding: .utf8)
      let links = text.matches(of: #/href="([^#"]+)"/#).map { String($0.1) }
      #expect(links.contains("style.css") && pages.isSuperset(of: links), "\(page): \(links)")
      #expect(
        ["index.html", "vaultctl.html"].contains(page) || links.contains("vaultctl.html"),
        "\(page)")
    }
  }

  @Test("what was installed can be moved: its pkg-config file names the folder that it is in")
  func moves() throws {
    try #require(try script("install").status == 0)
    let moved = sandbox.folder.appending(path: "moved")
    try FileManager.default.moveItem(at: prefix, to: moved)
    let found = try sandbox.run(
      "pkg-config", "--cflags", "--libs", "credentialvault",
      environment: ["PKG_CONFIG_PATH": moved.appending(path: "lib/pkgconfig").path])
    #expect(found.status == 0, "\(found.errors)")
    #expect(!found.output.contains(prefix.path))
    let folders = found.output.matches(of: /-[IL](\S+)/).map { String($0.1) }
    #expect(folders.count == 2)
    for folder in folders {
      let path = URL(filePath: folder).standardizedFileURL.path
      #expect(path.hasPrefix(moved.path) && FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("a list that names something outside removes nothing")
  func refusesPaths() throws {
    let list = prefix.appending(path: "share/doc/credential-vault/installed")
    let other = sandbox.folder.appending(path: "other")
    try FileManager.default.createDirectory(
      at: list.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("share/doc/credential-vault/installed\n../other\n".utf8).write(to: list)
    try Data("mine".utf8).write(to: other)
    #expect(try script("uninstall").status == 1)
    #expect(try String(contentsOf: other, encoding: .utf8) == "mine")
    #expect(FileManager.default.fileExists(atPath: list.path))
  }

  @Test("a program that is not hardened is not installed")
  func refusesSoftPrograms() throws {
    let source = sandbox.folder.appending(path: "soft.c")
    try Data("int main(void) { return 0; }\n".utf8).write(to: source)
    let program = sandbox.folder.appending(path: "soft").path
    let strip = Project.root.appending(path: "Scripts/strip").path
    for (flags, reason) in [
      (["-Wl,-z,now", "-Wl,-z,execstack"], "the stack is executable"),
      // In its list a writable segment follows that of the stack.
      (["-fuse-ld=gold", "-Wl,-z,now", "-Wl,-z,execstack"], "the stack is executable"),
      (["-Wl,-z,lazy"], "symbols are bound late (no BIND_NOW)"),
      (["-Wl,-z,now", "-Wl,-z,norelro"], "no read-only relocations (RELRO)"),
    ] {
      let build = try sandbox.run(["gcc", "-o", program, source.path] + flags)
      try #require(build.status == 0, "\(build.errors)")
      let result = try sandbox.run(strip, program, "\(program).stripped", "--strip-all")
      #expect(result.status == 1)
      #expect(result.errors.contains(reason))
      #expect(!FileManager.default.fileExists(atPath: "\(program).stripped"))
    }
  }
}
