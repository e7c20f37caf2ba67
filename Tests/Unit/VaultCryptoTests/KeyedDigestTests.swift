import SecureMemory
import TestSupport
import Testing

@testable import VaultCrypto

@Suite("keyed digest")
struct KeyedDigestTests {
  private func key(_ byte: UInt8) -> KeyBuffer {
    // As many bytes as the buffer has.
    unsafe KeyBuffer(count: KeyedDigest.keySize) { buffer in
      for index in buffer.indices { unsafe buffer[index] = byte }
    }
  }

  private func isOf(_ digest: KeyedDigest?, _ secret: String, _ byte: UInt8) -> Bool? {
    digest?.isOf(Secret(secret), key(byte))
  }

  @Test("it recognizes its secret alone, under its key alone, by a salt of its own, and reads back")
  func recognizes() throws {
    let digest = KeyedDigest(of: Secret("one"), key(1))
    let again = try #require(KeyedDigest(digest.bytes))
    #expect(isOf(again, "one", 1) == true)
    #expect(isOf(again, "two", 1) == false)
    #expect(isOf(again, "one", 2) == false)
    let another = KeyedDigest(of: Secret("one"), key(1))
    #expect(another.bytes != digest.bytes)
    #expect(digest.bytes.count == KeyedDigest.count && KeyedDigest([1]) == nil)
    for index in [0, 15, 16, 47] {
      var spoiled = digest.bytes
      spoiled[index] ^= 1
      #expect(isOf(KeyedDigest(spoiled), "one", 1) == false)
    }
  }
}
