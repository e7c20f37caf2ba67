import Foundation
import ProgramTesting
import TestTraits
import Testing

/// Programs that were linked with an older library keep running with a newer one.
@Suite("the ABI of the C library", .waiting)
struct ABITests {
  private static let recorded = Project.root.appending(path: "abi/libcredentialvault.abi").path

  /// Returns the differences of the headers in `root` from the recorded ABI.
  private static func differences(in root: URL, _ sandbox: Sandbox) throws -> Sandbox.Result {
    let file = sandbox.folder.appending(path: "now.abi").path
    let made = try sandbox.run(root.appending(path: "Scripts/abi").path, file)
    try #require(made.status == 0, "\(made.errors)")
    return try sandbox.run("abidiff", "--non-reachable-types", recorded, file)
  }

  @Test("it is the recorded one: after an addition, record it with `make abi`")
  func unchanged() throws {
    let result = try Self.differences(in: Project.root, Sandbox())
    #expect(result.status == 0, "\(result.output)")
  }

  @Test("it has all functions and constants of the headers, and so has Debian's list")
  func complete() throws {
    let text = try Project.text(of: "abi/libcredentialvault.abi")
    let symbols = try Project.text(of: "Packaging/libcredentialvault0.symbols")
    let constants = try Prototype.strings().keys.map { "Vault" + $0 }
    for name in Prototype.all.map(\.name) + constants {
      #expect(text.contains("<elf-symbol name='\(name)'"), "\(name)")
      #expect(symbols.contains("\n \(name)@Base "), "\(name)")
    }
  }

  @Test(
    "a change that would break programs is seen",
    arguments: [
      ("VAULT_SERVER = 3,", "VAULT_SERVER = 33,"),
      ("VAULT_CLASS_GENERIC_PASSWORD = 1,", "VAULT_CLASS_GENERIC_PASSWORD = 2,"),
      ("VAULT_ACCEPTED = 16,", "VAULT_ACCEPTED = 32,"),
      ("vault_close(vault_t *VAULT_REQUIRED vault)", "vault_close(void)"),
      ("  uint64_t set;\n", ""),
    ])
  func changed(_ text: String, _ other: String) throws {
    let sandbox = try Sandbox()
    let copy = sandbox.folder.appending(path: "copy")
    for folder in ["Scripts", "Sources/CVault", "abi", "Package.swift"] {
      let target = copy.appending(path: folder)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: Project.root.appending(path: folder), to: target)
    }
    let header = copy.appending(path: "Sources/CVault/include/vault.h")
    let before = try String(contentsOf: header, encoding: .utf8)
    try #require(before.contains(text))
    try Data(before.replacing(text, with: other, maxReplacements: 1).utf8).write(to: header)
    let result = try Self.differences(in: copy, sandbox)
    #expect(result.status & 4 == 4, "\(result.output)")

    // Only what was added is recorded under the same soname.
    let record = try sandbox.run(copy.appending(path: "Scripts/abi").path, "--record")
    #expect(record.status == 1)
    #expect(record.errors.contains("this needs another soname"))
    let kept = try Data(contentsOf: copy.appending(path: "abi/libcredentialvault.abi"))
    #expect(try kept == Data(contentsOf: URL(filePath: Self.recorded)))
  }
}
