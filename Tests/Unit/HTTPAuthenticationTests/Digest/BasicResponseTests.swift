import Foundation
import HTTPAuthentication
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("BasicResponse") struct BasicResponseTests {
  private func value(_ user: String, _ password: String) throws -> Secret {
    try BasicResponse.value(
      Credential(user: user, secret: Secret(password), persistence: .none))
  }

  @Test(
    "user and password are sent in UTF-8 and base64",
    arguments: [
      ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
      ("test", "123\u{A3}", "dGVzdDoxMjPCow=="),
      ("", "", "Og=="), ("", "x", "Ong="), ("a", "", "YTo="), ("a", "b", "YTpi"),
      ("u", "a:b:c", "dTphOmI6Yw=="),
      ("ann", "\u{10FFFF}\u{1F511}\u{FFFD}>>>???~~~", "YW5uOvSPv7/wn5SR77+9Pj4+Pz8/fn5+"),
    ])
  func vectors(_ user: String, _ password: String, _ text: String) throws {
    let isRight = try value(user, password).isEqual(to: Secret("Basic " + text))
    #expect(isRight)
  }

  @Test(
    "user and password are sent in NFC, and bytes that are no UTF-8 as they are",
    arguments: [
      ("e\u{301}", "\u{E9}"), ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"), ("\u{212B}", "\u{C5}"),
      // Marks are sorted, some characters have no composed form, and one grows to three times its
      // length.
      ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("\u{958}", "\u{915}\u{93C}"),
      ("\u{1D160}", "\u{1D158}\u{1D165}\u{1D16E}"),
      (String(repeating: "e\u{301}", count: 3000), String(repeating: "\u{E9}", count: 3000)),
    ])
  func normalForm(_ typed: String, _ sent: String) throws {
    let isRight = try value("u" + typed, "p" + typed).isEqual(to: value("u" + sent, "p" + sent))
    #expect(isRight)
    #expect(!typed.utf8.elementsEqual(sent.utf8))
    let bytes = Data("u:".utf8) + Data(sent.utf8)
    let isUTF8 = try value("u", typed).isEqual(to: Secret("Basic " + bytes.base64EncodedString()))
    #expect(isUTF8)
    let latin1: [UInt8] = Array(typed.utf8) + [0xE9]
    let kept = try BasicResponse.value(
      Credential(user: "u", secret: Secret(latin1), persistence: .none))
    let isKept = kept.isEqual(
      to: Secret("Basic " + (Data("u:".utf8) + Data(latin1)).base64EncodedString()))
    #expect(isKept)
  }

  @Test(
    "a user with a colon or control character is refused by name",
    arguments: ["a:b", ":", "a\rb", "\u{7F}"])
  func badUser(_ user: String) throws {
    let error = try #require(throws: VaultError.self) { try value(user, "secret") }
    #expect(error.code == .invalidArgument)
    #expect(error.context == "user: holds a colon or a control character")
  }

  @Test(
    "a password with a control character is refused by name, and not shown",
    arguments: ["pass\nword", "\0", "\u{1F}"])
  func badPassword(_ password: String) throws {
    let error = try #require(throws: VaultError.self) { try value("ann", password) }
    #expect(error.code == .invalidArgument)
    #expect(error.context == "password: holds a control character")
  }

  @Test(
    "passwords of every length and of every byte but controls are encoded as Foundation does it")
  func everyByte() throws {
    let all = (UInt8(0x20)...0xFF).filter { $0 != 0x7F }
    var random = SplitMix(seed: 7617)
    for length in 0...all.count {
      let password = Array(all.shuffled(using: &random).prefix(length))
      let value = try BasicResponse.value(
        Credential(user: "u", secret: Secret(password), persistence: .none))
      let text = "Basic " + Data("u:".utf8 + password).base64EncodedString()
      let isRight = value.isEqual(to: Secret(text))
      #expect(isRight, "\(length) bytes")
    }
  }
}
