import SecureMemory
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@Suite("the seal by a PIN")
struct PINSealTests {
  private let pin = Secret("7391")

  private func seal(_ secret: String) throws -> Secret {
    try PINSeal.seal(Secret(secret), pin: pin, cost: .minimum)
  }

  private func open(_ bytes: [UInt8], _ pin: Secret) throws -> [UInt8] {
    try PINSeal.open(Secret(copying: bytes.span), pin: pin).array
  }

  @Test(
    "a sealed secret opens with its PIN, and has it nowhere", arguments: ["", "one", "päß\u{0}"])
  func opens(_ text: String) throws {
    let sealed = try seal(text)
    #expect(sealed.count == text.utf8.count + PINSeal.overhead)
    #expect(try PINSeal.open(sealed, pin: pin).array == Array(text.utf8))
    #expect(try seal(text).array != sealed.array)
  }

  @Test("another PIN opens nothing", arguments: ["7390", "73910", "739", " 7391"])
  func wrong(_ other: String) throws {
    let sealed = try seal("one").array
    #expect(throws: VaultError(.authenticationFailed, "")) { try open(sealed, Secret(other)) }
  }

  @Test("an empty PIN is an argument that has no meaning")
  func empty() throws {
    let sealed = try seal("one").array
    #expect(throws: VaultError(.invalidArgument, "")) { try open(sealed, Secret("")) }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try PINSeal.seal(Secret("one"), pin: Secret(""), cost: .minimum)
    }
  }

  @Test("a changed byte of the header, the salt, the nonce or the box opens nothing")
  func changed() throws {
    let sealed = try seal("one").array
    for index in [0, 7, 16, 31, 32, 55, 56, 58, 59, sealed.count - 1] {
      var bytes = sealed
      bytes[index] ^= 1
      let code: VaultError.Code = index < 8 ? .invalidData : .authenticationFailed
      #expect(throws: VaultError(code, ""), "byte \(index)") { try open(bytes, pin) }
    }
    for count in [0, 8, 31, 32, PINSeal.overhead - 1] {
      #expect(throws: VaultError(.invalidData, ""), "\(count) bytes") {
        try open(Array(sealed.prefix(count)), pin)
      }
    }
  }

  @Test("a seal that was made by the page of the format alone opens: its header is sealed with it")
  func format() throws {
    // By the primitives of `Tests/Contract/Golden/sodium.py`.
    let box: [UInt8] = [
      0x58, 0x68, 0x9E, 0xC4, 0xFB, 0xF8, 0xA3, 0x9B, 0x18, 0x5A, 0x50, 0x2A, 0xA8, 0x6C, 0xA9,
      0x2B, 0x83, 0x30, 0x46,
    ]
    let (salt, nonce) = (Array<UInt8>(0..<16), Array<UInt8>(100..<124))
    let header: [UInt8] = Array("vltpin01".utf8) + [0, 0x20, 0, 0, 1, 0, 0, 0] + salt
    #expect(try open(header + nonce + box, pin) == Array("one".utf8))
  }

  @Test("a cost out of bounds derives nothing")
  func costs() throws {
    let sealed = try seal("one").array
    for (index, value) in [(8, [255, 255, 255, 255]), (12, [17, 0, 0, 0]), (12, [0, 0, 0, 0])] {
      var bytes = sealed
      bytes.replaceSubrange(index..<index + 4, with: value.map { UInt8($0) })
      #expect(throws: VaultError(.tooCostly, "")) { try open(bytes, pin) }
    }
  }
}
