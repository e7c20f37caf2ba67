import VaultModel

extension Timestamp {
  /// The time in the keychain's format: the 16 bytes of `YYYYMMDDhhmmssZ` and NUL, in UTC.
  ///
  /// Fractions of a second are dropped, and a year without four digits becomes the nearest one with
  /// four.
  var keychainDate: [UInt8] {
    let first: Int64 = -62_167_219_200_000  // 0000-01-01T00:00:00Z
    let last: Int64 = 253_402_300_799_999  // 9999-12-31T23:59:59.999Z
    let moment = Timestamp(milliseconds: min(max(milliseconds, first), last))
    let digits = moment.rfc3339.utf8.prefix(19).filter {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
    return digits + [UInt8(ascii: "Z"), 0]
  }
}
