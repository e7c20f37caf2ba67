import Foundation
import ProgramTesting
import Testing

/// The pages for people: the tutorial and the cookbook.
@Suite("the guides")
struct GuidePagesTests {
  static let pages = ["tutorial", "cookbook"]
  private static let password = "correct horse"
  private static let environment: [String: String?] = [
    "PW": password, "VAULTCTL_VAULT": nil, "VAULTCTL_KEY_FILE": nil, "XDG_DATA_HOME": nil,
    "XDG_CONFIG_HOME": nil,
  ]

  private func page(_ name: String) throws -> Markdown {
    Markdown(try Project.text(of: "Documentation/\(name).md"))
  }

  @Test("its shell session runs as written, and prints what it says", arguments: pages)
  func session(_ name: String) throws {
    let result = try ShellSession(page(name)).run(in: Sandbox(), environment: Self.environment)
    #expect(result.status == 0)
    let messages = result.errors.split(separator: "\n")
    #expect(
      messages.allSatisfy { $0.prefixMatch(of: #/vaultctl: (warning|hint): /#) != nil },
      "\(result.errors)")
  }

  @Test("the documents on the page on JSON are those that the program writes")
  func documents() throws {
    let sandbox = try Sandbox()
    try #require(sandbox.makeVault().status == 0)
    #expect(try ShellSession(page("json")).run(in: sandbox, environment: [:]).status == 0)
  }

  @Test("its links lead somewhere", arguments: pages + ["json"])
  func links(_ name: String) throws {
    for link in try page(name).links {
      let target = Project.root.appending(path: "Documentation/\(link.split(separator: "#")[0])")
      #expect(FileManager.default.fileExists(atPath: target.path), "\(link)")
    }
  }

  @Test(
    "no job of the cookbook starts a program with the password in its arguments or environment",
    .disabled(if: Project.isSanitized, "a sanitizer's own threads do not bear it"))
  func exposure() throws {
    let sandbox = try Sandbox()
    let trace = sandbox.folder.appending(path: "calls")
    let script = try page("cookbook").blocks.filter { $0.language == "sh" }.map(\.text).joined()
    // The shell knows the password and exports it to nobody.
    let result = try sandbox.run(
      [
        "strace", "-f", "-v", "-s", "100000", "-e", "trace=execve,execveat", "-o", trace.path,
        "bash", "-euo", "pipefail", "-c", "read -r PW <&0; exec <&- </dev/null\n" + script,
      ], input: "\(Self.password)\n", environment: Self.environment.merging(["PW": nil]) { $1 })
    #expect(result.status == 0, "\(result.errors)")
    let calls = try String(contentsOf: trace, encoding: .utf8).split(separator: "\n").filter {
      $0.contains("execve")
    }
    #expect(calls.count > 50)
    // A program is looked for in each folder of PATH.
    let exposed = calls.filter { $0.contains(Self.password) && !$0.contains(" = -1 ENOENT") }
    // Only the environment of exec's own command and of what it starts.
    #expect(exposed.count == 1)
    #expect(exposed.allSatisfy { $0.contains("\"TOKEN=\(Self.password)\"") })
  }
}
