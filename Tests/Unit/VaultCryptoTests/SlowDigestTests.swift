import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

@Suite("slow digest")
struct SlowDigestTests {
  @Test("it recognizes its secret alone, by a salt of its own, and reads back")
  func recognizes() throws {
    let digest = try SlowDigest(of: Secret("one"))
    let again = try #require(SlowDigest(digest.bytes))
    #expect(try again.isOf(Secret("one")))
    #expect(try !again.isOf(Secret("two")))
    #expect(try SlowDigest(of: Secret("one")).bytes != digest.bytes)
    #expect(digest.bytes.count == SlowDigest.count && SlowDigest([1]) == nil)
  }

  @Test("it costs as much as a passphrase's key")
  func cost() throws {
    let salt = [UInt8](repeating: 7, count: 16)
    let key = try SlotKey(passphrase: Secret("one"), salt: salt, cost: .policy)
    let expected = key.buffer.withRawBytes { Hash.hash(Array("vltdig01".utf8), count: 32, key: $0) }
    #expect(try #require(SlowDigest(salt + expected)).isOf(Secret("one")))
  }
}
