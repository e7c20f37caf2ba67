import CredentialVault
import Foundation
import Glibc
import ProgramTesting
import TestTraits
import Testing

@Suite("moving an item between a vault and a replica", .waiting)
struct MoveTests {
  /// A machine with a replica, `test.vault`, and a vault of its own.
  private let fleet: Machines
  private var sandbox: Sandbox { fleet.sandboxes[1] }

  init() throws {
    fleet = try Machines()
    try fleet.expect(fleet.run(1, "vaultctl", "init", "-q", "--vault", "own.vault"), 0)
    try fleet.expect(fleet.add("ann", on: 1), 0)
    let changed = try fleet.run(
      1, "vaultctl", "modify", "-q", "ann.example.com", "--password-stdin", input: "two")
    try fleet.expect(changed, 0)
  }

  private func generation(_ vault: String) throws -> Int {
    let text = try fleet.run(1, "vaultctl", "info", "--vault", vault, "--json").output
    return try #require(text.firstMatch(of: #/"generation":([0-9]+)/#).flatMap { Int($0.1) })
  }

  private func history(_ vault: String) throws -> String {
    try fleet.run(1, "vaultctl", "history", "--vault", vault, "ann.example.com", "--show", "1")
      .output
  }

  @Test("it takes one commit on each side, and every replica follows")
  func commits() throws {
    let before = try (generation("test.vault"), generation("own.vault"))
    try fleet.expect(
      fleet.run(1, "vaultctl", "move", "ann.example.com", "--to", "own.vault"), 0)
    #expect(try generation("test.vault") == before.0 + 1)
    #expect(try generation("own.vault") == before.1 + 1)
    #expect(try history("own.vault") == "one\n")
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    #expect(try fleet.accounts(on: 0) == [])
    let back = try fleet.run(
      1, "vaultctl", "move", "ann.example.com", "--vault", "own.vault", "--to", "test.vault")
    try fleet.expect(back, 0)
    #expect(try history("test.vault") == "one\n")
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    #expect(try fleet.accounts(on: 0) == ["ann"])
    _ = try fleet.independentContents(on: 1)
  }

  @Test(
    "killed between the two commits, both vaults have it, and the same command ends the move",
    arguments: [("test.vault", "own.vault"), ("own.vault", "test.vault")])
  func killed(from: String, to: String) throws {
    if from == "own.vault" {
      try fleet.expect(
        fleet.run(1, "vaultctl", "move", "ann.example.com", "--to", "own.vault"), 0)
    }
    let words = ["vaultctl", "move", "-q", "ann.example.com", "--vault", from, "--to", to]
    let vault = try Vault.open(
      path: sandbox.home.appending(path: from).path,
      key: .keyFile(sandbox.home.appending(path: "test.key").path))
    let before = try generation(to)
    // The writer's lock of the first vault keeps the move from its second commit.
    try vault.write { _ in
      let program = try RunningProgram(
        words + ["--lock-timeout", "120"], environment: sandbox.environment,
        folder: sandbox.home.path, input: FileHandle.nullDevice.fileDescriptor,
        output: STDERR_FILENO, errors: STDERR_FILENO)
      while try generation(to) == before { try #require(try program.isRunning) }
      Glibc.kill(program.identifier, SIGKILL)
      _ = try program.wait()
    }
    try vault.close()
    for vault in [from, to] { #expect(try history(vault) == "one\n") }
    try fleet.expect(sandbox.run(words), 0)
    #expect(try generation(to) == before + 1)
    #expect(try history(from).isEmpty && history(to) == "one\n")
    for vault in [from, to] {
      try fleet.expect(fleet.run(1, "vaultctl", "verify", "-q", "--vault", vault), 0)
    }
  }
}
