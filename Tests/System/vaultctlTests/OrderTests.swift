import Foundation
import ProgramTesting
import TestSupport
import TestTraits
import Testing

/// A replica whose writes a toy of another language orders, over its standard streams.
private final class Toy {
  let sandbox: Sandbox
  private let vaultctl: String
  private var vault: URL { sandbox.home.appending(path: "test.vault") }

  init() throws {
    sandbox = try Sandbox()
    let bin = sandbox.folder.appending(path: "toy/bin")
    let program = Project.products.appending(path: "vaultctl")
    vaultctl = bin.appending(path: "vaultctl").path
    let manager = FileManager.default
    try manager.createDirectory(at: bin, withIntermediateDirectories: true)
    // By another program: one that this process starts meanwhile would have it open for writing.
    try #require(sandbox.run("cp", program.path, vaultctl).status == 0)
    let golden = URL(filePath: Golden.folder)
    try manager.copyItem(at: golden.appending(path: "fleet.vault"), to: vault)
    let key = sandbox.home.appending(path: "test.key")
    try manager.copyItem(at: golden.appending(path: "fleet.build-machine"), to: key)
    for file in [vault, key] {
      try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
  }

  /// Puts the toy where the program of the fleet is looked for, or elsewhere.
  func install(in folder: String = "toy/libexec") throws {
    let folder = sandbox.folder.appending(path: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: Project.root.appending(path: "Tests/System/vaultctlTests/Programs/toy-order"),
      to: folder.appending(path: "vaultctl-fleet"))
  }

  func setMood(_ mood: String) throws {
    try Data(mood.utf8).write(to: URL(filePath: vault.path + ".mood"))
  }

  func run(_ words: String..., input: String = "", path: String? = nil) throws -> Sandbox.Result {
    try sandbox.run(
      [vaultctl] + words, input: input, environment: path.map { ["PATH": $0] } ?? [:])
  }

  func add(_ name: String) throws -> Sandbox.Result {
    try run("add", "-q", "https://\(name)@\(name).example.com", "--password-stdin", input: "one")
  }

  func contents() throws -> Data { try Data(contentsOf: vault) }

  /// What the toy wrote about the changes that it accepted.
  func log() throws -> [Substring] {
    try String(contentsOfFile: vault.path + ".order", encoding: .utf8).split(separator: "\n")
  }
}

@Suite("another program that orders a replica's writes", .waiting)
struct OrderTests {
  @Test("it accepts changes, which the file then has")
  func storing() throws {
    let toy = try Toy()
    try toy.install()
    let first = try toy.add("new")
    #expect(first.status == 0, "\(first.errors)")
    #expect(try toy.add("newer").status == 0)
    let found = try toy.run("find", "-w", "new.example.com")
    #expect(found.output == "one\n")
    #expect(try toy.run("verify").status == 0)
    let generations = try toy.log().compactMap { Int($0.split(separator: " ")[0]) }
    #expect(generations.count == 2)
    #expect(generations.last == generations.first.map { $0 + 1 })
    #expect(try toy.log().allSatisfy { $0.hasSuffix("True") })
  }

  @Test(
    "after its refusal, its end and its nonsense, the file is as it was",
    arguments: [
      ("refuse", 75, "the toy is busy"), ("vanish", 69, "before the change was stored"),
      ("babble", 49, "answers otherwise"), ("grow", 49, "another generation than its head"),
    ])
  func failing(mood: String, status: Int32, words: String) throws {
    let toy = try Toy()
    try toy.install()
    try toy.setMood(mood)
    let before = try toy.contents()
    let refused = try toy.add("new")
    #expect(refused.status == status, "\(refused.errors)")
    #expect(refused.errors.contains(words))
    #expect(try toy.contents() == before)
    // Nothing of it stays: the next one is asked anew.
    try toy.setMood("")
    #expect(try toy.add("new").status == 0)
  }

  @Test("it is never one of the PATH")
  func path() throws {
    let toy = try Toy()
    try toy.install(in: "elsewhere")
    let before = try toy.contents()
    let usual = try #require(toy.sandbox.environment["PATH"])
    let refused = try toy.run(
      "trash", "empty", "-y",
      path: "\(toy.sandbox.folder.appending(path: "elsewhere").path):\(usual)")
    #expect(refused.status == 69)
    #expect(refused.errors.contains("needs vaultctl-fleet"))
    #expect(try toy.contents() == before)
  }
}
