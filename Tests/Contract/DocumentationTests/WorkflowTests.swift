import Foundation
import ProgramTesting
import TestTraits
import Testing

/// What GitHub runs and shows: the syntax of each file, and that its commands exist here.
@Suite("the workflows", .waiting)
struct WorkflowTests {
  static let files = [
    "workflows/checks.yml", "ISSUE_TEMPLATE/bug.yml", "ISSUE_TEMPLATE/idea.yml",
    "ISSUE_TEMPLATE/config.yml",
  ]

  /// Returns what a YAML file has, as JSON decodes it.
  private func read(_ file: String) throws -> [String: Any] {
    let program = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    let result = try Sandbox().run(
      "/usr/bin/python3", "-c", program, input: try Project.text(of: ".github/\(file)"))
    try #require(result.status == 0, "\(result.errors)")
    let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return try #require(value as? [String: Any])
  }

  private func steps() throws -> [[String: Any]] {
    let jobs = try #require(read(Self.files[0])["jobs"] as? [String: [String: Any]])
    return jobs.values.flatMap { $0["steps"] as? [[String: Any]] ?? [] }
  }

  @Test("every file is YAML, and there is no other", arguments: files)
  func syntax(_ file: String) throws {
    #expect(try !read(file).isEmpty)
    let folder = Project.root.appending(path: ".github").path
    let found = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    #expect(found.filter { $0.hasSuffix(".yml") }.sorted() == Self.files.sorted())
  }

  @Test("both architectures run the tests and make the packages and the image")
  func jobs() throws {
    let jobs = try #require(read(Self.files[0])["jobs"] as? [String: [String: Any]])
    #expect(jobs.keys.sorted() == ["image", "test"])
    for job in jobs.values {
      let matrix = try #require((job["strategy"] as? [String: Any])?["matrix"] as? [String: Any])
      #expect(matrix["runner"] as? [String] == ["ubuntu-24.04", "ubuntu-24.04-arm"])
    }
    let commands = try steps().compactMap { $0["run"] as? String }
    let makefile = try Project.text(of: "Makefile").split(separator: "\n")
    for target in ["test", "deb", "dist"] {
      #expect(commands.contains("make \(target)"))
      #expect(makefile.contains { $0.hasPrefix("\(target):") })
    }
    #expect(commands.contains { $0.hasPrefix("docker build -f root/share/doc/") })
    let upload = try #require(
      steps().first { ($0["uses"] as? String)?.hasPrefix("actions/upload-artifact@") == true })
    let what = try #require(upload["with"] as? [String: Any])
    #expect((what["path"] as? String)?.hasPrefix(".build/deb/") == true)
    // A hidden folder's files are left out otherwise, and the image has nothing to be made of.
    #expect(what["include-hidden-files"] as? Bool == true)
    #expect(what["if-no-files-found"] as? String == "error")
  }

  @Test("every step either uses an action or runs what a shell can read")
  func commands() throws {
    let steps = try steps()
    #expect(steps.count > 8)
    for step in steps {
      guard let command = step["run"] as? String else {
        #expect((step["uses"] as? String)?.contains("@v") == true)
        continue
      }
      let result = try Sandbox().run("bash", "-n", "-c", command)
      #expect(result.status == 0, "\(command): \(result.errors)")
    }
  }

  @Test("every question of a form has a label, and an id of its own", arguments: files[1...2])
  func forms(_ file: String) throws {
    let form = try read(file)
    for key in ["name", "description"] { #expect(form[key] is String) }
    let body = try #require(form["body"] as? [[String: Any]])
    let questions = body.filter { $0["type"] as? String != "markdown" }
    #expect(questions.count > 1)
    for question in questions {
      #expect((question["attributes"] as? [String: Any])?["label"] is String)
    }
    #expect(Set(questions.compactMap { $0["id"] as? String }).count == questions.count)
  }

  @Test("the code of conduct is reported to whom weaknesses are, and names no other address")
  func conduct() throws {
    let page = try Project.text(of: "CODE_OF_CONDUCT.md")
    #expect(page.contains("](SECURITY.md#reporting)") && !page.contains("@"))
  }
}
