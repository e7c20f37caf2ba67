import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("the derivation of keys")
struct KeyDerivationTests {
  @Test("PKCS #12's own function, by public vectors")
  func pkcs12() throws {
    // From Bouncy Castle's PKCS12Test, which OpenSSL's evpkdf tests also have.
    let smeg = try FilePassphrase.forms(of: Secret("smeg"))[0].utf16
    let vectors: [(salt: String, KeyDerivation.Purpose, iterations: Int, expected: String)] = [
      ("0A58CF64530D823F", .key, 1, "8AAAE6297B6CB04642AB5B077851284EB7128F1A2A7FBCA3"),
      ("0A58CF64530D823F", .iv, 1, "79993DFE048D3B76"),
      ("642B99AB44FB4B1F", .key, 1, "F3A95FEC48D7711E985CFE67908C5AB79FA3D7C5CAA5D966"),
      ("3D83C0E4546AC140", .mac, 1, "8D967D88F6CAA9D714800AB3D48051D63F73A312"),
    ]
    for (salt, purpose, iterations, expected) in vectors {
      let key = try KeyDerivation.pkcs12(
        smeg, salt: bytes(salt), iterations: iterations, .sha1, purpose,
        count: expected.count / 2)
      #expect(key.array == bytes(expected))
    }
    let queeg = try FilePassphrase.forms(of: Secret("queeg"))[0].utf16
    let key = try KeyDerivation.pkcs12(
      queeg, salt: bytes("05DEC959ACFF72F7"), iterations: 1000, .sha1, .key, count: 24)
    #expect(key.array == bytes("ED2034E36328830FF09DF1E1A07DD357185DAC0D4F9EB3D4"))
  }

  @Test("a passphrase counts as UTF-16 with its NUL, and as its bytes where OpenSSL 1.0 took those")
  func passphrases() throws {
    let forms = try FilePassphrase.forms(of: Secret("aä😀"))
    #expect(
      forms.map(\.utf16.array) == [
        [0, 0x61, 0, 0xE4, 0xD8, 0x3D, 0xDE, 0x00, 0, 0],
        [0, 0x61, 0, 0xC3, 0, 0xA4, 0, 0xF0, 0, 0x9F, 0, 0x98, 0, 0x80, 0, 0],
      ])
    #expect(try FilePassphrase.forms(of: nil).map(\.utf16.array) == [[0, 0], []])
    #expect(try FilePassphrase.forms(of: Secret("a")).map(\.utf16.array) == [[0, 0x61, 0, 0]])
  }

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.utf8.compactMap(\.hexadecimalValue)
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
