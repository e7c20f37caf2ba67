import Foundation
import ProgramTesting
import TestTraits
import Testing

/// Counts the keys on the page again, and types those of `vaultctl`.
@Suite("the page of keystrokes", .waiting)
struct KeystrokesPageTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let task: String
    let ours: String
    let counts: [Int]
    let peer: String
    let reason: String

    var testDescription: String { task }

    /// Whether it goes on in the list on the terminal, as `PickerTests` types it.
    var isPicked: Bool { ours.contains("⏎") }
  }

  private static let rows: [Row] = {
    do {
      return try Project.text(of: "Documentation/keystrokes.md").split(separator: "\n")
        .filter { $0.hasPrefix("| ") && $0.contains("`") }
        .map { line in
          let cells = line.dropFirst().dropLast()
            .split(separator: "|", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
          return Row(
            task: cells[0], ours: cells[1].filter { $0 != "`" },
            counts: [Int(cells[2]) ?? -1, Int(cells[4]) ?? -1],
            peer: cells[3].filter { $0 != "`" }, reason: cells[5])
        }
    } catch {
      return []
    }
  }()

  /// A program's name is one key, and Enter follows unless it is among the keys.
  private static func keys(_ command: String) -> Int {
    let rest = command.drop { $0.isLetter }
    return 1 + rest.count + (rest.contains("⏎") ? 0 : 1)
  }

  @Test("there are thirty tasks, none twice")
  func whole() {
    #expect(Self.rows.count == 30 && Set(Self.rows.map(\.task)).count == 30)
  }

  @Test("the counts are those of the commands, and more than two more say why", arguments: rows)
  func counts(_ row: Row) {
    #expect(row.counts == [Self.keys(row.ours), Self.keys(row.peer)])
    #expect(row.counts[0] <= row.counts[1] + 2 || !row.reason.isEmpty)
    #expect(row.ours.hasPrefix("vaultctl"))
  }

  @Test("what is typed here does its task", arguments: rows.filter { !$0.isPicked })
  func typed(_ row: Row) throws {
    let sandbox = try Sandbox()
    let made = try sandbox.run(
      "sh", "-euc",
      """
      vaultctl init -q
      printf one | vaultctl add -q https://ann@git.example.com --password-stdin
      printf two | vaultctl modify -q git.example.com --password-stdin
      printf GEZDGNBVGY3TQOJQ | vaultctl modify -q git.example.com --totp-fd 0
      printf old | vaultctl add -q https://ann@old.example.com --password-stdin
      vaultctl rm -q old.example.com
      printf 'A={{ vault "git.example.com" }}\n' > e; cp e a
      printf 'name,url,username,password\nx,https://i.example.com,ann,x\n' > a.csv
      printf '#!/bin/sh\ncat > /dev/null\n' > "$HOME/../bin/wl-copy"
      cp "$HOME/../bin/wl-copy" "$HOME/../bin/wl-paste"; chmod 700 "$HOME/../bin/"wl-*
      """)
    try #require(made.status == 0, "\(made.errors)")
    let result = try sandbox.run(
      ["sh", "-c", row.ours],
      environment: ["EDITOR": "true", "WAYLAND_DISPLAY": "w"], at: try PseudoTerminal(),
      [("assword for", "three"), ("Again:", "three")])
    // Whether a key is remembered is up to the kernel.
    let asksKernel = ["unlock", "lock", "status"].contains(row.task) || row.ours.contains("status")
    #expect(result.status == 0 || asksKernel && result.status != 64, "\(result.errors)")
  }
}
