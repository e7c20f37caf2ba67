import TestTraits
import Foundation
import ProgramTesting
import Testing

@testable import VaultCommands

/// Commands that nobody watches, and vaults that open, that do not, or that are not there.
@Suite("without a terminal", .waiting)
struct WithoutTerminalTests {
  /// Makes two vaults of one item: the key file opens the first, a passphrase the second.
  private static let making = """
    mkdir -m 700 made && cd made && umask 077 && printf pass > pass && unset VAULTCTL_KEY_FILE
    vaultctl init -q --vault open --key-file key
    vaultctl init -q --vault locked --passphrase-file pass --kdf 1:8
    add() { printf x | vaultctl add -q https://a@b.example.com --password-stdin "$@"; }
    add --vault open --key-file key && add --vault locked --passphrase-file pass
    """

  /// Runs a command beside no vault, or one of those.
  private static let running = """
    unset VAULTCTL_KEY_FILE; umask 077
    one() { vault=$1; shift; VAULTCTL_VAULT=$PWD/$vault timeout 120 setsid -w "$@" <&- >&- 2>&-
    echo $vault $?; }

    """

  /// Returns what is run of a command: it with and without operands, or each of its actions.
  private static func lines(_ name: CommandName) -> [String] {
    let words = name.command.operands.words
    let operands = name.command.operands.isFile ? ["", "x"] : ["", "x", "https://a@b.example.com"]
    return words.isEmpty
      ? operands.map { "\(name.rawValue) \($0)" }
      : [name.rawValue] + words.flatMap { ["\(name.rawValue) \($0)", "\(name.rawValue) \($0) x"] }
  }

  private static let groups = 8

  @Test(
    "every command and action ends by itself in a session of its own with a closed input",
    arguments: 0..<groups)
  func ends(_ group: Int) throws {
    let commands = CommandName.allCases.enumerated()
      .filter { $0.offset % Self.groups == group }.map(\.element)
    let fixture = try ProgramFixture()
    try #require(fixture.run(Self.making).status == 0)
    // Each in a script of its own: the limit of time is a script's, on a slow machine too.
    for command in commands { try expectEnd(of: command, in: fixture) }
  }

  private func expectEnd(of command: CommandName, in fixture: ProgramFixture) throws {
    var script =
      Self.running + """
        cp -a $WORK/made $WORK/\(command.rawValue) && cd $WORK/\(command.rawValue)
        export HOME=$PWD

        """
    var lines: [String] = []
    for line in Self.lines(command) {
      script += "one none vaultctl \(line)\none locked vaultctl \(line)\n"
      script += "one open env VAULTCTL_KEY_FILE=key vaultctl \(line)\n"
      lines += Array(repeating: line, count: 3)
    }
    let run = try fixture.run(script)
    let results = String(decoding: run.output, as: UTF8.self).split(separator: "\n")
    try #require(results.count == lines.count, "\(command): \(results)")
    for (line, result) in zip(lines, results) {
      let place = Comment(rawValue: "\(line): \(result)")
      let words = result.split(separator: " ")
      // 124 is timeout's, for a command that it had to end.
      let status = Int32(words[1]).flatMap(ExitCode.init)
      #expect(status != nil, place)
      #expect(words[0] != "open" || status != .locked && status != .noVault, place)
    }
  }
}
