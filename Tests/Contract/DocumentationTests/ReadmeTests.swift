import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("README", .waiting)
struct ReadmeTests {
  let readme: Markdown
  let password = "correct horse battery staple"

  init() throws {
    readme = Markdown(try Project.text(of: "README.md"))
  }

  @Test("its shell session runs as written, and prints what it says")
  func session() throws {
    let result = try ShellSession(readme).run(
      in: Sandbox(),
      environment: ["PW": password, "VAULTCTL_VAULT": .none, "VAULTCTL_KEY_FILE": .none])
    #expect(result.status == 0)
    #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("vaultctl: hint: ") })
  }

  @Test("its Swift program is Examples/Lookup, byte for byte")
  func program() throws {
    let programs = readme.blocks.filter { $0.language == "swift" }.map(\.text)
    #expect(programs == [try Project.text(of: "Examples/Lookup/Sources/Lookup/main.swift")])
  }

  @Test("its Swift program builds as a package of its own, and finds the credential")
  func example() throws {
    let sandbox = try Sandbox()
    let program = Project.example("Lookup")

    try #require(try sandbox.makeVault().status == 0)
    let add = try sandbox.run(
      "vaultctl", "add", "-r", "https", "-s", "git.example.com", "-d", "Team Git", "-a", "ann",
      "--password-stdin", input: password)
    try #require(add.status == 0)
    let lookup = try sandbox.run(program, "https://git.example.com/team.git")
    #expect(lookup.status == 0)
    #expect(
      lookup.output == "ann in https://git.example.com \"Team Git\", secret of 28 bytes\n")
    let miss = try sandbox.run(program, "https://none.example.com/")
    #expect(miss.status == 0)
    #expect(miss.output == "")
  }

  @Test("the C program that it names needs what pkg-config says, and finds the credential")
  func library() throws {
    let source = "Examples/lookup.c"
    #expect(readme.links.contains(source))

    let sandbox = try Sandbox()
    try #require(try sandbox.installLibrary().status == 0)
    let compiled = try sandbox.compile([Project.root.appending(path: source)], as: "lookup")
    try #require(compiled.status == 0, "\(compiled.output)\(compiled.errors)")

    try #require(try sandbox.makeVault().status == 0)
    let add = try sandbox.run(
      "vaultctl", "add", "-r", "https", "-s", "git.example.com", "-d", "Team Git", "-a", "ann",
      "--password-stdin", input: password)
    try #require(add.status == 0)
    let lookup = sandbox.folder.appending(path: "lookup").path
    let found = try sandbox.run(lookup, "https://git.example.com/team.git")
    #expect(found.status == 0, "\(found.errors)")
    #expect(found.output == "ann, secret of 28 bytes\n")
    let missed = try sandbox.run(lookup, "https://none.example.com/")
    #expect(missed.status == 1)
    #expect(missed.errors == "no item matches\n")
  }

  @Test("it is two screens long, and leads on to the pages for users")
  func length() {
    #expect(readme.lineCount <= 130)
    for page in ["tutorial", "cookbook", "json", "configuration", "threat-model"] {
      #expect(readme.links.contains("Documentation/\(page).md"), "\(page)")
    }
  }
}
