import Foundation
import Testing

@Suite("Progress")
struct ProgressTests {
  @Test("a bar is erased before the report is written")
  func erased() throws {
    let workplace = try Workplace()
    // Deriving the key takes longer than the bar's patience.
    let made = try workplace.run(
      "umask 077; printf pass >pass; vaultctl init -q --passphrase-file pass --kdf 8:256"
        + " && printf x | vaultctl add -q --passphrase-file pass -s a.example.com --password-stdin")
    try #require(made.status == 0)
    let outcome = try workplace.run(
      "vaultctl rekey --passphrase-file pass --kdf 8:256 >/dev/tty 2>&1", terminal: [])
    #expect(outcome.status == 0)
    #expect(outcome.shown.contains("re-encrypting ["))
    #expect(outcome.shown.contains("\r\u{1B}[Kre-encrypted everything: epoch 2\r\n"))
    #expect(outcome.shown.components(separatedBy: "\u{1B}[K").count == 2)
  }
}
