import SecureMemory
import Testing
import VaultModel

@Suite("Secret as bytes and as text")
struct SecretTextTests {
  private struct OwnError: Error {}

  @Test("bytes go in by a span, and come out by one")
  func bytes() {
    let bytes: [UInt8] = [0, 1, 0xFF]
    let read = Secret(copying: bytes.span).withBytes { span in
      span.indices.map { span[$0] }
    }
    #expect(read == bytes)
    let none: [UInt8] = []
    let empty = Secret(copying: none.span)
    #expect(empty.count == 0)
  }

  @Test("text goes in and comes out with the same bytes", arguments: ["", "pässword", "e\u{301}"])
  func text(_ text: String) throws {
    let isSame = try Secret(text).withUTF8String { Array($0.utf8) == Array(text.utf8) }
    #expect(isSame)
  }

  @Test("bytes that are no text are an error, which does not show them, and one's own passes")
  func noText() {
    let bytes: [UInt8] = [0x61, 0xC3]
    let secret = Secret(copying: bytes.span)
    let error = #expect(throws: VaultError.self) {
      try secret.withUTF8String { _ in Issue.record("it was called") }
    }
    #expect(error?.code == .invalidData && error?.context == "the secret is not UTF-8 text")
    #expect(throws: OwnError.self) { try Secret("a").withUTF8String { _ in throw OwnError() } }
  }
}
