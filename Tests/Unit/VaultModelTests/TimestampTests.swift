import TestSupport
import Testing

@testable import VaultModel

@Suite("Timestamp")
struct TimestampTests {
  /// Seconds from GNU date: `date -u -d TEXT +%s`.
  static let both: [(milliseconds: Int64, text: String)] = [
    (0, "1970-01-01T00:00:00Z"),
    (1, "1970-01-01T00:00:00.001Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (250, "1970-01-01T00:00:00.250Z"),
    (1_768_446_900_000, "2026-01-15T03:15:00Z"),
    (951_782_400_000, "2000-02-29T00:00:00Z"),
    (951_868_800_000, "2000-03-01T00:00:00Z"),
    (1_709_164_800_000, "2024-02-29T00:00:00Z"),
    (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00Z"),
    (4_107_456_000_000, "2100-02-28T00:00:00Z"),
    (-2_203_891_200_000, "1900-03-01T00:00:00Z"),
    (2_147_483_648_000, "2038-01-19T03:14:08Z"),
    (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    (253_402_300_800_000, "+10000-01-01T00:00:00Z"),
    (-62_167_219_200_001, "-00001-12-31T23:59:59.999Z"),
    (.max, "+292278994-08-17T07:12:55.807Z"),
    (.min, "-292275055-05-16T16:47:04.192Z"),
  ]

  @Test("moments and their text are the same both ways", arguments: both)
  func roundTrip(milliseconds: Int64, text: String) throws {
    #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
    #expect(Timestamp(milliseconds: milliseconds).description == text)
    #expect(try Timestamp(rfc3339: text).milliseconds == milliseconds)
  }

  @Test("every moment reads back from its text")
  func random() throws {
    var random = SplitMix(seed: 4)
    for _ in 0..<5000 {
      let bits = Int64.random(in: 1...63, using: &random)
      let moment = Timestamp(
        milliseconds: Int64(bitPattern: random.next()) >> (63 - bits))
      #expect(try Timestamp(rfc3339: moment.rfc3339) == moment)
    }
  }

  @Test("every day follows the one before it")
  func calendar() throws {
    var previous = try Timestamp(rfc3339: "1899-12-31T12:00:00Z")
    for year in 1900...2104 {
      for month in 1...12 {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year == 2000)
        let days = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        for day in 1...31 {
          let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
          let text = "\(year)-\(two(month))-\(two(day))T12:00:00Z"
          guard day <= days else {
            #expect(throws: VaultError(.invalidArgument, "")) { try Timestamp(rfc3339: text) }
            continue
          }
          let moment = previous.adding(milliseconds: 86_400_000)
          #expect(moment.rfc3339 == text)
          previous = moment
        }
      }
    }
  }

  @Test(
    "offsets, lower case, long fractions and leap seconds are read",
    arguments: [
      ("2026-01-15t03:15:00z", "2026-01-15T03:15:00Z"),
      ("2026-01-15T04:15:00+01:00", "2026-01-15T03:15:00Z"),
      ("2026-01-14T21:45:00-05:30", "2026-01-15T03:15:00Z"),
      ("2026-01-15T03:15:00-00:00", "2026-01-15T03:15:00Z"),
      ("2026-01-15T03:15:00.5Z", "2026-01-15T03:15:00.500Z"),
      ("2026-01-15T03:15:00.123999999999Z", "2026-01-15T03:15:00.123Z"),
      ("2026-01-15T03:15:00.000Z", "2026-01-15T03:15:00Z"),
      ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
      ("2025-01-01T00:30:00+23:59", "2024-12-31T00:31:00Z"),
    ])
  func reading(text: String, canonical: String) throws {
    #expect(try Timestamp(rfc3339: text).rfc3339 == canonical)
  }

  @Test(
    "what is no date and time of RFC 3339 is an invalid argument",
    arguments: [
      "", " ", "2026", "2026-01-15", "2026-01-15T03:15Z", "2026-01-15T03:15:00",
      "2026-01-15 03:15:00Z", " 2026-01-15T03:15:00Z", "2026-01-15T03:15:00Z ",
      "2026-01-15T03:15:00ZZ", "2026-1-15T03:15:00Z", "26-01-15T03:15:00Z",
      "2026-00-15T03:15:00Z", "2026-13-15T03:15:00Z", "2026-01-00T03:15:00Z",
      "2026-01-32T03:15:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-15T24:00:00Z",
      "2026-01-15T03:60:00Z", "2026-01-15T03:15:61Z", "2026-01-15T03:15:00.Z",
      "2026-01-15T03:15:00,5Z", "2026-01-15T03:15:00+1:00", "2026-01-15T03:15:00+0100",
      "2026-01-15T03:15:00+24:00", "2026-01-15T03:15:00+01:60", "2026-01-15T03:15:00+",
      "+2026-01-15T03:15:00Z", "-2026-01-15T03:15:00Z", "+1000000000-01-01T00:00:00Z",
      "+292278994-08-17T07:12:55.808Z", "-292275055-05-16T16:47:04.191Z",
      "+999999999-12-31T23:59:59Z", "-999999999-01-01T00:00:00Z", "２026-01-15T03:15:00Z",
      "2026-01-15T03:15:00Z\0", "20260115T031500Z", "-1-01-01T00:00:00Z",
    ])
  func refused(text: String) {
    #expect(throws: VaultError(.invalidArgument, "")) { try Timestamp(rfc3339: text) }
  }

  @Test("every text that is cut short or has a byte replaced is refused or another moment")
  func damage() throws {
    let text = "2026-01-15T03:15:00.250+01:00"
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count {
      let cut = String(decoding: bytes[..<count], as: UTF8.self)
      #expect(throws: VaultError(.invalidArgument, "")) { try Timestamp(rfc3339: cut) }
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] = UInt8(ascii: "x")
      let other = String(decoding: changed, as: UTF8.self)
      #expect(throws: VaultError(.invalidArgument, "")) { try Timestamp(rfc3339: other) }
    }
  }

  @Test("sums and seconds saturate")
  func saturation() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    #expect(last.adding(milliseconds: 1) == last)
    #expect(last.adding(milliseconds: .max) == last)
    #expect(first.adding(milliseconds: -1) == first)
    #expect(first.adding(milliseconds: .min) == first)
    #expect(last.adding(milliseconds: .min).milliseconds == -1)
    #expect(Timestamp(milliseconds: 5).adding(milliseconds: -7).milliseconds == -2)
    #expect(Timestamp(seconds: .max) == last)
    #expect(Timestamp(seconds: .min) == first)
    #expect(Timestamp(seconds: -3).milliseconds == -3000)
    #expect(first < last)
  }

  @Test("the clock is past the day this was written")
  func now() throws {
    #expect(try Timestamp.now() > Timestamp(rfc3339: "2025-01-01T00:00:00Z"))
    #expect(try Timestamp.now() < Timestamp(rfc3339: "2300-01-01T00:00:00Z"))
  }
}
