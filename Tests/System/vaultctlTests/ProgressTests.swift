import ProgramTesting
import TestTraits
import Testing

/// The bars of long work, on a terminal.
@Suite("Progress", .waiting)
struct ProgressTests {
  /// Makes a vault whose key takes longer to derive than a bar's patience, and a copy of it.
  private static func workplace() throws -> ProgramFixture {
    let workplace = try ProgramFixture()
    let made = try workplace.run(
      """
      umask 077; printf pass >pass; unset VAULTCTL_KEY_FILE
      vaultctl init -q --passphrase-file pass --kdf 8:256
      { echo name,url,username,password; seq -f 'n,https://h%.0f.example.com,ann,pw' 3000; } > all
      vaultctl import -q --passphrase-file pass chrome all
      cp vault other
      """)
    try #require(made.status == 0, "\(String(decoding: made.messages, as: UTF8.self))")
    return workplace
  }

  /// Returns the lines that a bar showed, in their order.
  private static func lines(_ title: String, _ shown: String) -> [Substring] {
    shown.split(separator: "\r").filter { $0.hasPrefix("\(title) [") }
  }

  private static func shares(_ title: String, _ shown: String) -> [Int] {
    lines(title, shown).compactMap { line in
      let words = line.split(separator: " ")
      let sign = words.firstIndex { $0.hasPrefix("%") } ?? 0
      return sign > 0 ? Int(words[sign - 1]) : nil
    }
  }

  /// The number of times that a bar was erased.
  private static func erasures(_ shown: String) -> Int { shown.matches(of: /\r +\r/).count }

  @Test("an import's bar moves with its entries, and is erased before the report")
  func importing() throws {
    let outcome = try Self.workplace().run(
      "{ echo name,url,username,password; seq -f 'n,https://n%.0f.example.com,ann,pw' 300; } > in;"
        + " vaultctl import --passphrase-file pass chrome in >/dev/tty 2>&1", terminal: [])
    #expect(outcome.status == 0)
    let shares = Self.shares("importing", outcome.shown)
    // The line feed behind the last entry is not read yet.
    #expect(shares.count > 50 && shares == shares.sorted() && shares.last ?? 0 >= 99)
    #expect(outcome.shown.contains(/\r +\rimported: 300 new \(chrome\)\r\n/))
    #expect(Self.erasures(outcome.shown) == 1)
  }

  @Test("the files of a pass store have a bar while gpg decrypts them")
  func decrypting() throws {
    let outcome = try ProgramFixture().run(
      "vaultctl init -q; mkdir store; touch store/a.gpg store/b.gpg store/c.gpg store/d.gpg;"
        + " printf '#!/bin/sh\nsleep 0.3; echo pw\n' > bin/gpg; chmod 700 bin/gpg;"
        + " vaultctl import -r https pass store >/dev/tty 2>&1", terminal: [])
    #expect(outcome.status == 0)
    #expect(Self.shares("decrypting", outcome.shown).suffix(3) == [50, 75, 100])
    #expect(outcome.shown.hasPrefix("\rdecrypting ["))
    #expect(outcome.shown.hasSuffix(" \rimported: 4 new (pass)\r\n"))
  }

  private static let commands = [
    ("rekey --kdf 8:256", "re-encrypting", "re-encrypted everything"),
    ("restore --check other", "comparing", "items: 3000"),
    ("restore --yes other", "restoring", "restored 3000 items"),
    ("salvage new", "salvaging", "wrote new (3000 items"),
    ("merge --prefer ours other", "merging", "changed there"),
  ]

  @Test("what works on a whole vault shows its share, and is erased before the report")
  func erased() throws {
    let workplace = try Self.workplace()
    let changed = try workplace.run(
      "printf y | vaultctl modify -q h7.example.com --passphrase-file pass --vault other"
        + " --password-stdin")
    try #require(changed.status == 0)
    for (command, title, report) in Self.commands {
      // A path of its own: at one, a file that is put back is a rollback.
      let outcome = try workplace.run(
        "cp vault \(title); VAULTCTL_VAULT=$WORK/\(title) vaultctl \(command)"
          + " --passphrase-file pass >/dev/tty 2>&1", terminal: [])
      #expect(outcome.status == 0, "\(outcome.shown)")
      let shares = Self.shares(title, outcome.shown)
      #expect(!shares.isEmpty && shares == shares.sorted(), "\(outcome.shown)")
      // What the key took says nothing about the speed.
      #expect(Self.lines(title, outcome.shown).first?.contains("left") == false)
      #expect(outcome.shown.contains(" \r\(report)"), "\(outcome.shown)")
      #expect(Self.erasures(outcome.shown) == 1)
    }
  }

  /// A backup derives no key after its start, so it is stopped for longer than a bar's patience as
  /// soon as there is a file.
  @Test("a backup shows its share, and is erased before the report")
  func backup() throws {
    let workplace = try ProgramFixture()
    let made = try workplace.run(
      "vaultctl init -q; mkdir copies; { echo name,url,username,password;"
        + " seq -f 'n,https://h%.0f.example.com,ann,pw' 20000; } | vaultctl import -q chrome -")
    try #require(made.status == 0, "\(String(decoding: made.messages, as: UTF8.self))")
    let script = """
      rm -f copies/*; vaultctl backup copies >/dev/tty 2>&1 & backup=$!
      while :; do
        for file in copies/.*.new copies/*; do [ ! -e "$file" ] || break 2; done
      done
      kill -STOP $backup; sleep 0.6; kill -CONT $backup; wait $backup
      """
    let end = ContinuousClock.now + .seconds(120)
    var shown = ""
    // A machine that is busy may stop it only after its end.
    while Self.lines("backing up", shown).isEmpty, ContinuousClock.now < end {
      let outcome = try workplace.run(script, terminal: [])
      #expect(outcome.status == 0)
      shown = outcome.shown
    }
    #expect(shown.contains(" \rwrote "), "\(shown)")
    #expect(Self.erasures(shown) == 1)
  }

  @Test("a restore's question, and a merge's, are on lines of their own")
  func questions() throws {
    let workplace = try Self.workplace()
    let changed = try workplace.run(
      "for vault in vault other; do vaultctl modify -q h7.example.com --passphrase-file pass"
        + " --vault $vault --generate; done")
    try #require(changed.status == 0)
    let restored = try workplace.run(
      "vaultctl restore other --passphrase-file pass >/dev/tty 2>&1",
      terminal: [("(yes or no)?", "no")])
    #expect(!Self.lines("comparing", restored.shown).isEmpty)
    #expect(restored.shown.contains(" \rother (3000 items, as of "), "\(restored.shown)")
    let merged = try workplace.run(
      "vaultctl merge other --passphrase-file pass >/dev/tty 2>&1", terminal: [("to stop:", "o")])
    #expect(!Self.lines("merging", merged.shown).isEmpty)
    let question = try #require(merged.shown.firstRange(of: "changed in both  "))
    #expect(merged.shown[..<question.lowerBound].hasSuffix(" \r"), "\(merged.shown)")
    #expect(merged.shown.contains("merged 1 difference"), "\(merged.shown)")
  }

  @Test("at 40 columns, and on a terminal without commands, it stays on its line")
  func narrow() throws {
    let outcome = try Self.workplace().run(
      "stty cols 40 </dev/tty; TERM=dumb vaultctl rekey --kdf 8:256 --passphrase-file pass"
        + " >/dev/tty 2>&1", terminal: [])
    #expect(outcome.status == 0)
    let lines = Self.lines("re-encrypting", outcome.shown)
    #expect(!lines.isEmpty && lines.allSatisfy { $0.count < 40 }, "\(lines)")
    #expect(!outcome.shown.contains("\u{1B}"))
  }
}
