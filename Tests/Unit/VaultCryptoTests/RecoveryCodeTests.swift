import SecureMemory
import TestSupport
import Testing
@testable import VaultCrypto
import VaultModel

@Suite("RecoveryCode")
struct RecoveryCodeTests {
  private func read(_ text: String) throws(VaultError) -> RecoveryCode {
    try RecoveryCode(reading: Secret(text))
  }

  private func text(_ code: RecoveryCode) -> String {
    String(decoding: code.text().array, as: UTF8.self)
  }

  @Test("a code reads back from its text, and every new one is another")
  func roundTrip() throws {
    for _ in 0..<100 {
      let code = RecoveryCode()
      #expect(try read(text(code)).bytes.isEqual(to: code.bytes))
      #expect(!RecoveryCode().bytes.isEqual(to: code.bytes))
    }
  }

  @Test("a code's text is seven groups of five characters that are hard to misread")
  func form() {
    let text = text(RecoveryCode())
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    #expect(groups.count == 7 && groups.allSatisfy { $0.count == 5 })
    #expect(text.allSatisfy { "0123456789ABCDEFGHJKMNPQRSTVWXYZ-".contains($0) })
  }

  @Test("case, blanks, dashes and what looks alike make no difference")
  func forms() throws {
    let code = RecoveryCode()
    let text = text(code)
    let forms = [
      text.lowercased(), text.replacing("-", with: ""), text.replacing("-", with: " "),
      "\t\(text)\r\n", "-- \(text) --", text.map(String.init).joined(separator: " "),
      text.replacing("0", with: "O").replacing("1", with: "I"),
      text.replacing("0", with: "o").replacing("1", with: "l"),
      text.replacing("1", with: "L"), text.replacing("1", with: "i"),
    ]
    for form in forms { #expect(try read(form).bytes.isEqual(to: code.bytes)) }
  }

  @Test("a code with a character too few or too many, or one that no code has, is invalidData")
  func malformed() {
    let text = text(RecoveryCode())
    let forms = [
      "", "-", String(text.dropLast()), text + "0", text + "-00000", text.replacing("-", with: "U"),
      "U" + text.dropFirst(), text + "!", text + "\0", text.replacing("-", with: "–"),
      String(repeating: "0", count: 100_000),
    ]
    for form in forms { #expect(throws: VaultError(.invalidData, "")) { try read(form) } }
  }

  @Test("any one character mistyped, and any two neighbours swapped, are found")
  func mistyped() throws {
    let code = RecoveryCode(bytes: Secret(pattern(RecoveryCode.byteCount)))
    let text = Array(text(code))
    var found = 0
    var tried = 0
    for index in text.indices where text[index] != "-" {
      for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != text[index] {
        var wrong = text
        wrong[index] = other
        tried += 1
        found += isRefused(String(wrong)) ? 1 : 0
      }
      guard index > 0, text[index] != text[index - 1], text[index - 1] != "-" else { continue }
      var wrong = text
      wrong.swapAt(index, index - 1)
      tried += 1
      found += isRefused(String(wrong)) ? 1 : 0
    }
    // One in 32768 has the right check by chance; of this code's, none.
    #expect(found == tried && tried > 1000)
  }

  private func isRefused(_ text: String) -> Bool {
    do throws(VaultError) {
      _ = try read(text)
      return false
    } catch {
      return error.code == .invalidData
    }
  }

  @Test("what is said of a wrong code holds nothing of it")
  func silence() {
    for form in ["ABCDE", "ABCDE-!", "ABCDE-FGHJK-MNPQR-STVWX-YZ012-34567-89ABC"] {
      do throws(VaultError) {
        _ = try read(form)
        Issue.record("it was taken")
      } catch {
        for part in form.split(separator: "-") where part.count > 1 {
          #expect(!error.description.contains(part))
        }
      }
    }
  }

  @Test("a recovery code opens its slot, and no other code, key file or passphrase does")
  func slot() throws {
    let keys = EpochKeys.random(epoch: 3)
    let code = RecoveryCode()
    let slot = try Slot(
      for: .recoveryCode(code), to: keys, id: 2, name: "safe", cost: .standard)
    #expect(slot.kind == .recoveryCode && slot.cost == nil && slot.name == "safe")
    let read = try Slot(decoding: slot.encoded, id: 2)
    #expect(read == slot)
    let typed = try RecoveryCode(reading: code.text())
    #expect(
      try read.open(with: .recoveryCode(typed), idents: [keys.ident]).hasSameVaultKey(as: keys))
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try read.open(with: .recoveryCode(RecoveryCode()), idents: [keys.ident])
    }
    #expect(!read.takes(.keyFile(KeyFile())) && !read.takes(.passphrase(Secret("p"))))
    #expect(read.takes(.recoveryCode(code)))
  }
}

@Suite("KeyFile")
struct KeyFileTests {
  private func read(_ bytes: [UInt8]) throws(VaultError) -> KeyFile {
    try bytes.withSpan { (bytes) throws(VaultError) in try KeyFile(decoding: bytes) }
  }

  @Test("a key file reads back, and every new one has another key")
  func roundTrip() throws {
    let file = KeyFile()
    let read = try read(file.encoded().array)
    #expect(read.key.isEqual(to: file.key))
    #expect(read.encoded().isEqual(to: file.encoded()))
    #expect(!KeyFile().key.isEqual(to: file.key))
  }

  @Test("a key file with any byte changed, cut off or longer is invalidData")
  func damage() {
    let bytes = KeyFile().encoded().array
    #expect(bytes.count == KeyFile.byteCount)
    for index in bytes.indices {
      #expect(throws: VaultError(.invalidData, "")) { try read(bytes.flipped(at: index)) }
      #expect(throws: VaultError(.invalidData, "")) { try read(Array(bytes[..<index])) }
    }
    #expect(throws: VaultError(.invalidData, "")) { try read(bytes + [0x0A]) }
  }

  @Test(
    "a key file reads back from its text, which is one line, with blanks and line ends anywhere")
  func text() throws {
    let file = KeyFile()
    let text = file.text().array
    #expect(text.count == 64 && text.starts(with: Array("dmx0a2V5MQ".utf8)))
    for form in [
      text, text + [0x0A], text + [0x0D, 0x0A], [0x20] + text[..<20] + [0x0A] + text[20...],
    ] {
      #expect(try KeyFile(reading: Secret(form)).key.isEqual(to: file.key))
    }
  }

  @Test("a text with any character changed, missing or added is invalidData")
  func mistyped() {
    let text = KeyFile().text().array
    for index in text.indices {
      var changed = text
      changed[index] = text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      for wrong in [changed, Array(text[..<index]), text[..<index] + [0x2A] + text[(index + 1)...]]
      {
        #expect(throws: VaultError(.invalidData, "")) { try KeyFile(reading: Secret(wrong)) }
      }
    }
    #expect(throws: VaultError(.invalidData, "")) { try KeyFile(reading: Secret(text + text)) }
  }
}
