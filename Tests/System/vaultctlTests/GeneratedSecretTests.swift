import SecureMemory
import Testing
import VaultModel

@testable import VaultCommands

@Suite("GeneratedSecret")
struct GeneratedSecretTests {
  /// Returns how often each byte is in secrets that are made for this test alone.
  private func counts(_ form: GeneratedSecret, rounds: Int) -> [UInt8: Int] {
    var counts: [UInt8: Int] = [:]
    for _ in 0..<rounds {
      form.make().withBytes { bytes in
        for index in bytes.indices { counts[bytes[index], default: 0] += 1 }
      }
    }
    return counts
  }

  @Test("words for bytes differ for every two bytes, and are the same every time")
  func wordsForBytes() {
    #expect(GeneratedSecret.words(for: [0, 0, 255, 255]) == "babab-zuzuz")
    #expect(GeneratedSecret.words(for: [0x12, 0x34]) == "damuh")
    let all = (0...UInt16.max).map { number in
      GeneratedSecret.words(for: [UInt8(number >> 8), UInt8(number & 255)])
    }
    #expect(Set(all).count == 65536)
  }

  @Test("the standard form has 24 letters and digits, and another one is different")
  func standard() {
    let secret = GeneratedSecret.standard.make()
    #expect(secret.count == 24)
    #expect(SecretText.isLine(secret))
    #expect(!secret.isEqual(to: GeneratedSecret.standard.make()))
  }

  @Test(
    "the entropy is that of the choices",
    arguments: [
      ("", 142), ("32", 190), ("24,symbols", 155), ("24,no-ambiguous", 139), ("words", 77),
      ("8,words", 103), ("1", 5),
    ])
  func entropy(_ specification: String, _ bits: Int) throws {
    #expect(try GeneratedSecret(specification: specification).entropy == bits)
  }

  @Test(
    "a specification that is none is refused, and not repeated",
    arguments: [
      "hunter2", "0", "1025", "-1", "24,", ",", "24,24", "words,6", "words,words",
      "6,words,symbols",
      "65,words", "symbols,symbols", "24 ", "٣", "99999999999999999999",
    ])
  func refused(_ specification: String) {
    do throws(VaultError) {
      _ = try GeneratedSecret(specification: specification)
      Issue.record("taken: \(specification)")
    } catch {
      #expect(error.code == .invalidArgument)
      #expect(!error.text.contains("hunter2"))
    }
  }

  @Test("every character of the set is chosen about as often as any other, and no other one")
  func uniform() throws {
    let all = counts(try GeneratedSecret(specification: "1000,symbols"), rounds: 100)
    #expect(all.count == 90)
    // 1111 are expected of each; seven standard deviations are 233.
    #expect(all.values.allSatisfy { abs($0 - 1111) < 233 })
    let few = counts(try GeneratedSecret(specification: "1000,no-ambiguous"), rounds: 10)
    #expect(few.count == 57)
  }

  @Test("words are of EFF's list, whole, and each about as often as any other")
  func words() throws {
    #expect(EFFWords.text.description.split(separator: " ").count == EFFWords.count)
    let list = Set(EFFWords.text.description.split(separator: " ").map(String.init))
    #expect(list.count == EFFWords.count && list.map(\.utf8.count).max() == EFFWords.longest)
    #expect(list.contains("abacus") && list.contains("zoom") && list.contains("yo-yo"))
    let form = try GeneratedSecret(specification: "1,words")
    var initials: [Character: Int] = [:]
    for _ in 0..<2000 {
      let word = form.make().withBytes { bytes in
        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
      }
      #expect(list.contains(word))
      initials[word.prefix(1).first ?? "-", default: 0] += 1
    }
    // An eighth of the words begin with s; seven standard deviations are 104.
    let expected = Double(list.count { $0.hasPrefix("s") }) / Double(list.count) * 2000
    #expect(abs(Double(initials["s", default: 0]) - expected) < 104)
    let several = try GeneratedSecret(specification: "5,words").make()
    #expect(several.count > 5 * 3 + 3 && several.count <= 5 * 10 - 1)
  }
}
