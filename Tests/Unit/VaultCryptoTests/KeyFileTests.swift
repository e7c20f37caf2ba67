import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

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
}
