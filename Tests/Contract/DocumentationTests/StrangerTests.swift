import Foundation
import ProgramTesting
import Testing

/// `Examples/FirstSteps`, which `Scripts/stranger` builds from a version tag (`make examples`).
@Suite("A package of somebody else's")
struct StrangerTests {
  private let products = Project.root.appending(path: ".build/stranger/products/debug")

  @Test("finds, logs in and stores with one import, and its own error ends a transaction")
  func firstSteps() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    let program = products.appending(path: "FirstSteps").path
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

  @Test("has no name in common with Foundation")
  func besideFoundation() throws {
    let sandbox = try Sandbox()
    let run = try sandbox.run(products.appending(path: "BesideFoundation").path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("git.example.com https://git.example.com \"Team Git\" 0 401 "))
  }
}
