import Foundation
import ProgramTesting
import Testing
import VaultModel

@testable import VaultCommands

/// A real terminal, which keeps a scrollback: tmux, with a shell in a folder with a vault.
final class RealTerminal {
  let workplace: ProgramFixture
  private let tmux: String

  init(_ columns: Int = 80, _ rows: Int = 12, preparing script: String) throws {
    let root = Project.root.appending(path: ".build/servers/tmux")
    let program = root.appending(path: "usr/bin/tmux")
    try #require(FileManager.default.isExecutableFile(atPath: program.path), "Scripts/servers")
    workplace = try ProgramFixture()
    let libraries = root.appending(path: "usr/lib/\(Self.machine)-linux-gnu").path
    tmux =
      "LC_ALL=C.UTF-8 LD_LIBRARY_PATH=\(libraries) \(program.path) -u -S $WORK/tmux -f /dev/null"
    let made = try workplace.run(
      """
      \(script)
      env SHELL=/bin/sh PS1='$ ' TERM=xterm-256color LC_ALL=C.UTF-8 \(tmux) \
        new-session -d -x \(columns) -y \(rows) sh
      """)
    try #require(made.status == 0, "\(String(decoding: made.messages, as: UTF8.self))")
    try wait(for: "$")
  }

  deinit { _ = try? workplace.run("\(tmux) kill-server") }

  private static var machine: String {
    #if arch(arm64)
    "aarch64"
    #else
    "x86_64"
    #endif
  }

  /// Types keys, as tmux names them.
  func type(_ keys: String...) throws {
    for key in keys { _ = try workplace.run("\(tmux) send-keys -- \(Hint.quoted(key))") }
  }

  /// Everything that the terminal has, with the scrollback.
  func screen() throws -> String {
    let run = try workplace.run("\(tmux) capture-pane -p -S -")
    return String(decoding: run.output, as: UTF8.self)
  }

  /// Waits until the terminal shows a text, or no longer does, for two minutes at most.
  @discardableResult
  func wait(for text: String, isShown: Bool = true) throws -> String {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      let shown = try screen()
      if shown.contains(text) == isShown { return shown }
    }
    Issue.record("the terminal does not show what it should: \(text)")
    return try screen()
  }

  /// The number of the picker's process, which is somewhere below that of the terminal's shell.
  func picker() throws -> pid_t {
    let run = try workplace.run("\(tmux) display-message -p '#{pane_pid}'")
    var waiting = [String(decoding: run.output, as: UTF8.self)]
    while let next = waiting.popLast() {
      let number = next.trimmingCharacters(in: .whitespacesAndNewlines)
      let name = try String(contentsOfFile: "/proc/\(number)/comm", encoding: .utf8)
      if name == "vaultctl\n" { return try #require(pid_t(number)) }
      let children = try String(
        contentsOfFile: "/proc/\(number)/task/\(number)/children", encoding: .utf8)
      waiting += children.split(separator: " ").map(String.init)
    }
    throw VaultError(.itemNotFound, "there is no picker")
  }
}
