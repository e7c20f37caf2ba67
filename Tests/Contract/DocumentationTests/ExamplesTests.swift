import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("the page on the examples", .waiting)
struct ExamplesTests {
  let page: Markdown

  init() throws { page = Markdown(try Project.text(of: "Examples/README.md")) }

  @Test("its shell session runs as written, and prints what it says")
  func session() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.installLibrary().status == 0)
    try #require(try sandbox.makeVault().status == 0)
    try FileManager.default.copyItem(
      at: Project.root.appending(path: "Examples/HTTPClient"),
      to: sandbox.home.appending(path: "HTTPClient"))
    try FileManager.default.createSymbolicLink(
      at: sandbox.folder.appending(path: "bin/Download"),
      withDestinationURL: URL(filePath: Project.example("Download")))
    for scheme in ["basic", "digest"] {
      let pages = sandbox.folder.appending(path: "server/pages/\(scheme)")
      try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
      try Data("a page\n".utf8).write(to: pages.appending(path: "page"))
    }
    let server = try HTTPServer("http", in: sandbox, users: ["ann": "correct horse"])
    let result = try ShellSession(page).run(
      in: sandbox,
      environment: [
        "PW": "correct horse", "PORT": "\(server.port)",
        "PKG_CONFIG_PATH": sandbox.prefix.appending(path: "lib/pkgconfig").path,
      ])
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test("a download asks once and is unasked then, and what nobody answers is an error")
  func download() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    let program = Project.example("Download")
    let pages = sandbox.folder.appending(path: "server/pages/digest")
    try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
    for name in ["one", "two"] {
      try Data("page \(name)\n".utf8).write(to: pages.appending(path: name))
    }
    let server = try HTTPServer("http", in: sandbox, users: ["ann": "correct horse"])
    let url = "http://127.0.0.1:\(server.port)/digest"

    let refused = try sandbox.run(program, "\(url)/one")
    #expect(refused.status == 1 && refused.output == "")
    #expect(refused.errors == "download: error: 401 Unauthorized\n")
    let add = try sandbox.run(
      "vaultctl", "add", "-r", "http", "-s", "127.0.0.1", "-P", "\(server.port)", "-d",
      "Team Digest", "-a", "ann", "--password-stdin", input: "correct horse")
    try #require(add.status == 0)
    let both = try sandbox.run(program, "\(url)/one", "\(url)/two")
    #expect(both.status == 0 && both.errors == "")
    #expect(both.output == "page one\npage two\n")
    #expect(
      try server.requests(4) == [
        "- GET /digest/one 401", "- GET /digest/one 401", "ann GET /digest/one 200",
        "ann GET /digest/two 200",
      ])

    let missing = try sandbox.run(program, "\(url)/three")
    #expect(missing.status == 1 && missing.errors == "download: error: 404 Not Found\n")
    #expect(try sandbox.run(program).status == 64)
  }

  @Test("the C program for tokens stores all of them or none", arguments: ["gcc", "clang"])
  func tokens(compiler: String) throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.installLibrary().status == 0)
    let source = Project.root.appending(path: "Examples/tokens.c")
    let compiled = try sandbox.compile([source], as: "tokens", compiler: compiler)
    try #require(compiled.status == 0, "\(compiled.output)\(compiled.errors)")
    try #require(try sandbox.makeVault().status == 0)
    let tokens = sandbox.folder.appending(path: "tokens").path

    // The second line has no UTF-8.
    let refused = try sandbox.run([
      "sh", "-c", "printf 'api ann one\\n\\377 ann two\\n' | \(tokens)",
    ])
    #expect(refused.status == 1 && refused.errors == "a text is not UTF-8\n")
    let none = try sandbox.run("vaultctl", "list")
    #expect(none.status == 0 && none.output == "")

    let stored = try sandbox.run(tokens, input: "api ann one\nbackup ann two\napi ann three\n")
    #expect(stored.status == 0 && stored.output == "3 tokens\n", "\(stored.errors)")
    let found = try sandbox.run("vaultctl", "find", "--service", "api", "-a", "ann", "-w")
    #expect(found.output == "three\n", "\(found.errors)")
  }

  @Test("the C program gets pages at the same time, and logs in to each by its own scheme")
  func parallel() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.installLibrary().status == 0)
    let source = Project.root.appending(path: "Examples/parallel.c")
    let compiled = try sandbox.compile(
      [source], as: "parallel",
      flags: [
        "-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
        "-Wl,--no-as-needed", "-lcurl",
      ])
    try #require(compiled.status == 0, "\(compiled.output)\(compiled.errors)")
    try #require(try sandbox.makeVault().status == 0)
    for scheme in ["basic", "digest"] {
      let pages = sandbox.folder.appending(path: "server/pages/\(scheme)")
      try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
      for page in 1...5 {
        try Data(repeating: 65, count: page).write(to: pages.appending(path: "\(page)"))
      }
    }
    let server = try HTTPServer("http", in: sandbox, users: ["ann": "correct horse"])
    let program = sandbox.folder.appending(path: "parallel").path
    let origin = "http://127.0.0.1:\(server.port)"
    let refused = try sandbox.run(program, "\(origin)/basic/1")
    #expect(refused.status == 1 && refused.output == "401 0 \(origin)/basic/1\n")
    // Both realms of this server take the same password.
    let add = try sandbox.run(
      "vaultctl", "add", "-r", "http", "-s", "127.0.0.1", "-P", "\(server.port)", "-a", "ann",
      "--password-stdin", input: "correct horse")
    try #require(add.status == 0)
    let urls = ["basic", "digest"].flatMap { scheme in
      (1...5).map { "\(origin)/\(scheme)/\($0)" }
    }
    let result = try sandbox.run([program] + urls)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.sorted() == urls.map { "200 \($0.suffix(1)) \($0)" }.sorted())
    // It cannot tell connections apart, so it is given no login on one.
    let login = try sandbox.run(program, "\(origin)/login/page")
    #expect(login.status == 1 && login.output.hasPrefix("401 "))
    #expect(try server.requests(1, containing: "/login/") == ["- GET /login/page 401"])
  }

  @Test("other HTTP clients log in by the lines of their page")
  func clients() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    let refused = try sandbox.run(Project.example("Clients"))
    #expect(
      refused.output == """
        AsyncHTTPClient 401 noCredential
        Vapor 401 noCredential
        OpenAPIRuntime 401 once

        """, "\(refused.errors)")
    let add = try sandbox.run(
      "vaultctl", "add", "ann@api.example.com", "-d", "API", "--password-stdin",
      input: "correct horse")
    try #require(add.status == 0)
    let result = try sandbox.run(Project.example("Clients"))
    #expect(
      result.output == """
        AsyncHTTPClient 200 done
        Vapor 200 done
        OpenAPIRuntime 200 once

        """, "\(result.errors)")
  }

  @Test("its links lead to files")
  func links() throws {
    #expect(page.links.count > 5)
    for link in page.links {
      let target = Project.root.appending(path: "Examples/\(link)").path
      #expect(FileManager.default.fileExists(atPath: target), "\(link)")
    }
  }
}

/// The programs that `Scripts/stranger` builds from a version tag (`make examples`).
extension Project {
  static func example(_ name: String) -> String {
    root.appending(path: ".build/stranger/products/debug/\(name)").path
  }
}

@Suite("A package of somebody else's", .waiting)
struct StrangerTests {
  @Test("finds, logs in and stores with one import, and its own error ends a transaction")
  func firstSteps() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    let program = Project.example("FirstSteps")
    let full = try sandbox.run(program)
    #expect(full.status == 0, "\(full.errors)")
    #expect(full.output == "the journal is full, and nothing was added\n")
    let add = try sandbox.run(
      "vaultctl", "add", "-r", "https", "-s", "git.example.com", "-d", "Team Git", "-a", "ann",
      "--password-stdin", input: "correct horse")
    try #require(add.status == 0)
    let found = try sandbox.run(program, "room")
    #expect(found.status == 0, "\(found.errors)")
    #expect(
      found.output == """
        ann 13
        logged in as ann
        added bob at https://mirror.example.com, permanent

        """)
  }

  @Test("keeps passwords as on macOS, and a reference is valid in every process and after a rename")
  func keychain() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    let program = Project.example("Keychain")
    let saved = try sandbox.run(program, "save", "a token")
    #expect(saved.status == 0, "\(saved.errors)")
    let reference = try #require(saved.output.split(separator: "\n").first)
    let again = try sandbox.run(program, "save", "another")
    #expect(again.status == 1)
    #expect(again.output == "The specified item already exists in the keychain.\n")
    #expect(try sandbox.run(program, "rename", "second").status == 0)
    let loaded = try sandbox.run(program, "load", String(reference))
    #expect(loaded.output == "second a token\n")
    let found = try sandbox.run("vaultctl", "find", "--service", "com.example.keychain", "-w")
    #expect(found.output == "a token\n")
  }

  @Test("has no name in common with Foundation")
  func besideFoundation() throws {
    let sandbox = try Sandbox()
    let run = try sandbox.run(Project.example("BesideFoundation"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("git.example.com https://git.example.com \"Team Git\" 0 401 "))
  }
}
