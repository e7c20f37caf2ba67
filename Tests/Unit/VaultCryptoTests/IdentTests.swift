import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

@Suite("Ident")
struct IdentTests {
  let ident = Ident(vaultID: VaultID(), epoch: 5)

  @Test("an ident reads back")
  func roundTrip() throws {
    #expect(ident.encoded.count == Ident.byteCount)
    #expect(try Ident(decoding: ident.encoded) == ident)
  }

  @Test("an ident with any bit changed, cut off or longer is damaged, never newer")
  func damage() {
    let bytes = ident.encoded
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        #expect(throws: VaultError(.damaged, "")) { try Ident(decoding: changed) }
      }
      #expect(throws: VaultError(.damaged, "")) { try Ident(decoding: Array(bytes[..<index])) }
    }
    #expect(throws: VaultError(.damaged, "")) { try Ident(decoding: bytes + [0]) }
  }

  @Test("vault ids are 32 lower-case digits, and no two are alike")
  func vaultIDs() throws {
    let bytes = (0..<16).map { UInt8($0 * 17) }
    #expect(VaultID(bytes[...])?.hex == "00112233445566778899aabbccddeeff")
    #expect(VaultID(bytes.dropLast()) == nil)
    #expect(Set((0..<1000).map { _ in VaultID() }).count == 1000)
  }
}
