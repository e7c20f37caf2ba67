import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import OneTimePasswords

@Suite("OneTimePassword")
struct OneTimePasswordTests {
  private func password(_ key: String, at seconds: Int64) throws(VaultError) -> String? {
    String(
      validating: try OneTimePassword(reading: Secret(key)).password(
        at: Timestamp(seconds: seconds)
      )
      .array, as: UTF8.self)
  }

  /// The keys of RFC 6238, appendix B, in base 32, with the algorithm's name in an address.
  static let keys = [
    ("SHA1", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
    ("SHA256", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA"),
    (
      "SHA512",
      "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQ"
        + "OJQGEZDGNA"
    ),
  ]
  /// The passwords of RFC 6238, appendix B, in the order of the keys.
  static let vectors: [(seconds: Int64, passwords: [String])] = [
    (59, ["94287082", "46119246", "90693936"]),
    (1_111_111_109, ["07081804", "68084774", "25091201"]),
    (1_111_111_111, ["14050471", "67062674", "99943326"]),
    (1_234_567_890, ["89005924", "91819424", "93441116"]),
    (2_000_000_000, ["69279037", "90698825", "38618901"]),
    (20_000_000_000, ["65353130", "77737706", "47863826"]),
  ]

  @Test("RFC 6238's passwords, and their last six and seven digits", arguments: vectors)
  func published(seconds: Int64, passwords: [String]) throws {
    for ((algorithm, key), expected) in zip(Self.keys, passwords) {
      for digits in 6...8 {
        let address = "otpauth://totp/x?secret=\(key)&algorithm=\(algorithm)&digits=\(digits)"
        #expect(try password(address, at: seconds) == String(expected.suffix(digits)))
      }
    }
    #expect(try password(Self.keys[0].1, at: seconds) == String(passwords[0].suffix(6)))
  }

  @Test(
    "a key is read in the forms in which servers and programs give it",
    arguments: [
      "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "gezd gnbv gy3t qojq gezd gnbv gy3t qojq",
      " GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ\n", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ======",
      "otpauth://totp/A%20b:ann?issuer=A%20b&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      "OTPAUTH://TOTP/?SECRET=gezdgnbvgy3tqojqgezdgnbvgy3tqojq&algorithm=sha-1&period=30&digits=6",
      "otpauth://totp?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ%3D%3D&image=https%3A%2F%2Fa.example",
      "otpauth://totp/x?&&novalue&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&period=&digits=",
      "key=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&step=30&size=6&type=totp",
    ])
  func forms(_ key: String) throws {
    #expect(try password(key, at: 59) == "287082")
  }

  @Test("the time for which a password is good is the key's own")
  func period() throws {
    let minute = try OneTimePassword(
      reading: Secret("otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&period=60"))
    let times = [0, 59_999, 60_000, 119_000].map { Timestamp(milliseconds: $0) }
    #expect(times.map { minute.remaining(at: $0) } == [60, 1, 60, 1])
    let passwords = try times.map { try minute.password(at: $0).array }
    #expect(passwords[0] == passwords[1] && passwords[1] != passwords[2])
    #expect(passwords[2] == passwords[3])
    // Clocks that were never set show times before 1970.
    #expect(minute.remaining(at: Timestamp(seconds: -5)) == 60)
  }

  @Test(
    "what is no key is refused when it is read, and what is not supported is named",
    arguments: [
      ("", VaultError.Code.invalidData, "empty"), ("A1B8", .invalidData, "base 32"),
      ("ABC:DEF", .invalidData, "neither"), ("otpauth://totp/x", .invalidData, "no secret"),
      ("otpauth://totp/x?secret=", .invalidData, "empty"),
      ("otpauth://totp/x?secret=GEZDGNBV%4", .invalidData, "%"),
      ("otpauth://other/x?secret=GEZDGNBV", .invalidData, "time-based"),
      ("otpauth:", .invalidData, "time-based"),
      ("otpauth://hotp/x?secret=GEZDGNBV&counter=1", .unsupported, "HOTP"),
      ("steam://GEZDGNBV", .unsupported, "Steam"),
      ("otpauth://totp/Steam:a?secret=GEZDGNBV&encoder=steam", .unsupported, "Steam"),
      ("otpauth://totp/x?secret=GEZDGNBV&algorithm=MD5", .unsupported, "SHA512"),
      ("otpauth://totp/x?secret=GEZDGNBV&digits=9", .unsupported, "digits"),
      ("otpauth://totp/x?secret=GEZDGNBV&digits=six", .unsupported, "digits"),
      ("otpauth://totp/x?secret=GEZDGNBV&period=0", .unsupported, "period"),
      ("\u{0}", .invalidData, "base 32"),
    ])
  func refused(_ key: String, _ code: VaultError.Code, _ word: String) {
    do throws(VaultError) {
      _ = try OneTimePassword(reading: Secret(key))
      Issue.record("\(key) was read")
    } catch {
      #expect(error.code == code && error.context.contains(word), "\(error.context)")
      #expect(!error.context.contains("GEZDGNBV"))
    }
  }
}
