import Foundation
import ProgramTesting
import TestTraits
import Testing
import VaultModel

@testable import VaultCommands

/// The picker in a real terminal.
@Suite("vaultctl pick in a terminal", .waiting)
struct PickerTests {
  private static let secret = "Zq7-s3cret"
  private static let vault = """
    vaultctl init -q
    for host in git.example.com ci.example.com xn--mnchen-3ya.example; do
      printf '\(secret)' | vaultctl add -q https://ann@$host --password-stdin
    done
    printf GEZDGNBVGY3TQOJQ | vaultctl modify -q ci.example.com --totp-fd 0
    mkdir wayland; printf '#!/bin/sh\ncat > $WORK/clip\n' > wayland/wl-copy
    cp wayland/wl-copy wayland/wl-paste; chmod 700 wayland/*
    export PATH=$WORK/wayland:$PATH WAYLAND_DISPLAY=none
    """

  @Test("it narrows, reveals and copies; nothing of it is left on the terminal")
  func copying() throws {
    let terminal = try RealTerminal(preparing: Self.vault)
    try terminal.type("vaultctl", "Enter")
    try terminal.wait(for: "3/3")
    try terminal.wait(for: "https://münchen.example")
    try terminal.type("ci")
    try terminal.wait(for: "1/3")
    try terminal.type("C-r")
    try terminal.wait(for: Self.secret)
    try terminal.type("x")
    try terminal.wait(for: "1/3")
    try terminal.type("C-t")
    try terminal.wait(for: "one-time password, good for")
    try terminal.type("x")
    try terminal.wait(for: "1/3")
    try terminal.type("Enter")
    let after = try terminal.wait(
      for: "copied the secret of ann at https://ci.example.com, for 45 s")
    for word in [Self.secret, "1/3", "git.example.com", "one-time"] {
      #expect(!after.contains(word))
    }
    #expect(try terminal.workplace.run("cat clip").output == Data(Self.secret.utf8))
  }

  @Test(
    "a signal, and even a kill, leaves neither the list nor a secret, and a terminal that works",
    arguments: [SIGTERM, SIGHUP, SIGINT, SIGKILL])
  func signals(_ signal: Int32) throws {
    let terminal = try RealTerminal(preparing: Self.vault)
    try terminal.type("vaultctl pick git", "Enter")
    try terminal.wait(for: "1/3")
    try terminal.type("C-r")
    try terminal.wait(for: Self.secret)
    kill(try terminal.picker(), signal)
    let after = try terminal.wait(for: Self.secret, isShown: false)
    #expect(!after.contains("the next key"))
    try terminal.type("stty -a | grep -o -e '-icanon' -e '-echo ' ; echo e''nd", "Enter")
    let settings = try terminal.wait(for: "end")
    #expect(!settings.contains("\n-icanon") && !settings.contains("\n-echo"))
  }

  @Test("it works at 40 columns, stops and goes on, and leaves without a choice")
  func narrow() throws {
    let terminal = try RealTerminal(40, 8, preparing: Self.vault)
    try terminal.type("vaultctl", "Enter")
    let shown = try terminal.wait(for: "Enter copy")
    #expect(shown.contains("> https://ci.example.com"))
    try terminal.type("Down")
    // Before the next key: the kernel drops what was typed and not yet read when C-z stops.
    try terminal.wait(for: "> https://git.example.com")
    try terminal.type("C-z")
    try terminal.wait(for: "Stopped")
    #expect(try !terminal.screen().contains("example.com"))
    try terminal.type("fg", "Enter")
    try terminal.wait(for: "> https://git.example.com")
    try terminal.type("Escape")
    try terminal.wait(for: "Enter copy", isShown: false)
  }

  @Test("a terminal that cannot be drawn on gets help", arguments: ["dumb", ""])
  func dumb(_ terminal: String) throws {
    let workplace = try ProgramFixture()
    let run = try workplace.run(
      "vaultctl init -q; TERM=\(terminal) vaultctl > /dev/tty", terminal: [])
    #expect(run.status == 0)
    #expect(run.shown.contains("vaultctl help COMMAND"))
    #expect(!run.shown.contains("\u{1B}"))
  }

  @Test("its keys explain, edit and remove")
  func actions() throws {
    let terminal = try RealTerminal(preparing: Self.vault)
    try terminal.type("vaultctl pick git", "Enter")
    try terminal.wait(for: "1/3")
    try terminal.type("C-x")
    try terminal.wait(for: "match 1:")
    try terminal.type("EDITOR='sed -i s/^label:.*/label:Changed/' vaultctl pick git", "Enter")
    try terminal.wait(for: "1/3")
    try terminal.type("C-e")
    try terminal.wait(for: "changed ")
    try terminal.type("vaultctl pick Changed", "Enter")
    try terminal.wait(for: "1/3")
    try terminal.type("C-d")
    try terminal.wait(for: "Remove it (yes or no)?")
    try terminal.type("yes", "Enter")
    try terminal.wait(for: "removed ")
    #expect(try terminal.workplace.run("vaultctl list | wc -l").output == Data("2\n".utf8))
  }

  @Test("a lookup without a match offers it, with what was typed")
  func offered() throws {
    let terminal = try RealTerminal(preparing: Self.vault)
    try terminal.type("vaultctl find -w exampl", "Enter")
    let shown = try terminal.wait(for: "> exampl")
    #expect(shown.contains("3/3"))
    try terminal.type("Enter")
    try terminal.wait(for: Self.secret)
    try terminal.type("vaultctl copy exampl", "Enter")
    try terminal.wait(for: "3/3")
    try terminal.type("Down", "Enter")
    try terminal.wait(for: "copied the secret of ann at https://git.example.com")
    try terminal.type("vaultctl example.org", "Enter")
    try terminal.wait(for: "0/3")
    try terminal.type("Escape")
    try terminal.wait(for: "no item matches")
  }
}
