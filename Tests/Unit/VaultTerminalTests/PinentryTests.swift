import SecureMemory
import Testing
import VaultModel
import TestSupport

@testable import VaultTerminal

@Suite("PinentryDialogue")
struct PinentryTests {
  /// Gives lines to a dialogue, and returns what it sends, and at the end what it found out.
  private func feed(_ dialogue: inout PinentryDialogue, _ text: String) -> [String] {
    var rest = Array(text.utf8)[...]
    var said: [String] = []
    repeat {
      let steps = unsafe dialogue.receive { memory in
        let part = rest.prefix(memory.count)
        rest = rest.dropFirst(part.count)
        unsafe memory.copyBytes(from: part)
        return part.count
      }
      for step in steps {
        switch step {
        case .wait: said.append("wait")
        case .send(let line): said.append(String(line.dropLast()))
        case .passphrase(let secret): said.append("got \(secret.count): \(secret.array)")
        case .ended: said.append("ended")
        }
      }
    } while !rest.isEmpty && said.last != "ended"
    return said
  }

  @Test("options may be refused, and the passphrase is decoded")
  func passphrase() {
    var dialogue = PinentryDialogue(
      forVaultAt: "/a%\n", by: "mail\n\u{202E}\u{1B}%" + String(repeating: "x", count: 5000),
      options: ["ttyname=/dev/pts/1"])
    #expect(feed(&dialogue, "OK Pleased to meet you\n") == ["OPTION ttyname=/dev/pts/1"])
    #expect(feed(&dialogue, "ERR 1 no tty\n") == ["SETTIMEOUT 120"])
    #expect(
      feed(&dialogue, "OK\nOK\n# comment\nOK\n") == [
        "SETTITLE Credential vault",
        "SETDESC Passphrase of the vault%0A/a%25%0A%0Awanted by mail%25"
          + String(repeating: "x", count: 59), "wait", "SETPROMPT Passphrase:",
      ])
    #expect(feed(&dialogue, "OK\n") == ["GETPIN"])
    // In pieces, as pipes have them.
    #expect(feed(&dialogue, "D a%25%0a") == [])
    #expect(feed(&dialogue, "b\nOK") == ["wait"])
    #expect(feed(&dialogue, "\n") == ["got 4: [97, 37, 10, 98]"])
    #expect(dialogue.again() == "SETERROR Wrong passphrase.\n")
    #expect(feed(&dialogue, "OK\nOK\n") == ["GETPIN", "got 0: []"])
  }

  @Test("it says in a sentence that other programs can open the vault afterwards, if they can")
  func sharing() {
    func description(_ time: RememberedTime?) -> String {
      var dialogue = PinentryDialogue(
        forVaultAt: "/v", by: nil, rememberedFor: time, options: [])
      return feed(&dialogue, "OK\nOK\nOK\n").first { $0.hasPrefix("SETDESC") } ?? ""
    }
    let sentence = "Your other programs, such as vaultctl, can then open it too"
    #expect(description(RememberedTime()).contains("\(sentence), until none has for 15 minutes."))
    #expect(!description(nil).contains(sentence) && !description(.oneUse).contains(sentence))
  }

  @Test(
    "what is no passphrase ends it",
    arguments: [
      "ERR 83886179 Operation cancelled\n", "D a%\nOK\n", "D %zz\n", "D a\nD b\n", "INQUIRE X\n",
      String(repeating: "x", count: 5000),
    ])
  func endings(answer: String) {
    var dialogue = PinentryDialogue(forVaultAt: "/v", by: nil, options: [])
    _ = feed(&dialogue, "OK\nOK\nOK\nOK\nOK\n")
    #expect(feed(&dialogue, answer).contains("ended"))
  }
}
