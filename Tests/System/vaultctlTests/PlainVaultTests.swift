import Foundation
import ProgramTesting
import Testing

/// A vault of one machine: the code for replicas of a fleet's vault costs it two questions whether
/// a file exists.
@Suite struct PlainVaultTests {
  @Test(
    "it opens no connection, starts no program, and reads nothing of a fleet",
    .disabled(if: Project.isSanitized, "a sanitizer makes calls of its own"),
    arguments: [
      (words: "add -q https://bob@b.example --password-stdin", writes: true),
      (words: "modify -q a.example --password-stdin", writes: true),
      (words: "find -q -w a.example", writes: false),
      (words: "list -q", writes: false),
    ])
  func calls(_ words: String, writes: Bool) throws {
    let sandbox = try Sandbox()
    func run(_ script: String) throws {
      let result = try sandbox.run(
        ["sh", "-euc", script], input: "one",
        environment: ["VAULTCTL_VAULT": nil, "VAULTCTL_KEY_FILE": nil])
      try #require(result.status == 0, "\(result.errors)")
    }
    try run("vaultctl init -q; vaultctl add -q https://ann@a.example --password-stdin")
    try run("strace -f -qq -o calls vaultctl \(words)")
    let calls = try String(contentsOf: sandbox.home.appending(path: "calls"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let others = calls.filter { $0.contains(#/ (socket|connect|clone3?|v?fork|execve|pipe2?)\(/#) }
    // Its own start.
    #expect(others.count == 1 && others[0].contains("execve"), "\(others)")
    let fleet = calls.filter { $0.contains(#/\.fleet"|vaultctl-fleet|libpq|machine\.key/#) }
    #expect(fleet.count == (writes ? 2 : 1), "\(fleet)")
    #expect(fleet.allSatisfy { $0.contains("ENOENT") }, "\(fleet)")
  }
}
