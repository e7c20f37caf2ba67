import Foundation
import SecureMemory
import Testing
import VaultCrypto
import VaultModel

@testable import VaultStore

/// The limits of a remembered key, by clocks that the tests set.
@Suite("remembered key")
struct RememberedKeyTests {
  private let keys = EpochKeys.random()
  private let time = RememberedTime(idle: 60, most: 100)

  private func secondsLeft(_ mark: BootMark, made: BootMark = .at(1000, asleep: 5)) -> UInt32? {
    RememberedKey(keys, time, at: made).secondsLeft(at: mark)
  }

  @Test("it has the layout of its description, and reads back as the vault key")
  func layout() throws {
    let made = BootMark(bootID: Array(1...16), now: 1, asleep: 2...3)
    let remembered = RememberedKey(keys, time, at: made)
    let bytes = remembered.content.withRawBytes { bytes in
      (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
    #expect(bytes.count == 69 && bytes[0] == 1)
    let key = Array(bytes[1..<33])
    #expect(keys.withVaultKey { Secret(copying: $0) }.isEqual(to: Secret(copying: key.span)))
    // 100 s and 1 ns; 3 ns; 60 s.
    #expect(Array(bytes[33..<41]) == [1, 0xE8, 0x76, 0x48, 0x17, 0, 0, 0])
    #expect(Array(bytes[41..<57]) == Array(1...16))
    #expect(Array(bytes[57...]) == [3, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0])
    #expect(remembered.keys(of: keys.ident).hasSameVaultKey(as: keys))
    #expect(remembered.idle == 60)
  }

  @Test("it may be used until its end, and never after it")
  func end() {
    #expect(secondsLeft(.at(1000, asleep: 5)) == 100)
    #expect(secondsLeft(.at(1099, asleep: 5)) == 1)
    #expect(secondsLeft(.at(1100, asleep: 5)) == nil)
    #expect(secondsLeft(.at(5000, asleep: 5)) == nil)
  }

  @Test("a rest of a second counts as one, so that the kernel's timeout is never 0")
  func rest() {
    var mark = BootMark.at(1099, asleep: 5)
    mark = BootMark(bootID: mark.bootID, now: mark.now + 999_999_999, asleep: mark.asleep)
    #expect(secondsLeft(mark) == 1)
  }

  @Test("it is not used after the machine slept, nor after another boot")
  func sleep() {
    #expect(secondsLeft(.at(1010, asleep: 6)) == nil)
    #expect(secondsLeft(.at(1010, asleep: 5, boot: 8)) == nil)
  }

  @Test("a wait between the readings of two clocks is not taken for sleep")
  func clocksReadApart() {
    // It slept for 5 s both times: each reading knows that only within bounds.
    let second: UInt64 = 1_000_000_000
    let made = BootMark(
      bootID: BootMark.at(0).bootID, now: 1000 * second, asleep: 5 * second...5 * second + 7)
    let used = BootMark(
      bootID: made.bootID, now: 1001 * second, asleep: 5 * second - 9...5 * second + 9)
    #expect(secondsLeft(used, made: made) == 99)
  }

  @Test("the present moment counts sleep, and its bounds are those of the three readings")
  func clocks() throws {
    func mark(_ before: UInt64, _ now: UInt64, _ after: UInt64) throws -> BootMark? {
      var readings = [(CLOCK_MONOTONIC, before), (CLOCK_BOOTTIME, now), (CLOCK_MONOTONIC, after)]
      let mark = BootMark.current { clock in
        let reading = readings.removeFirst()
        #expect(clock == reading.0)
        return reading.1
      }
      #expect(readings.isEmpty)
      return mark
    }
    let slept = try #require(try mark(100, 150, 103))
    #expect(slept.now == 150 && slept.asleep == 47...50)
    #expect(try mark(100, 101, 103)?.asleep == 0...1)
    #expect(try mark(100, 100, 100)?.asleep == 0...0)
    // Clocks of another time namespace.
    #expect(try mark(100, 99, 103) == nil)
    #expect(try mark(100, 150, 99) == nil)

    // The kernel's own, between two readings here.
    func read(_ clock: clockid_t) -> UInt64 {
      var time = timespec()
      // `time` is written whole.
      #expect(unsafe clock_gettime(clock, &time) == 0)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
    let before = read(CLOCK_BOOTTIME)
    let current = try #require(BootMark.current())
    #expect((before...read(CLOCK_BOOTTIME)).contains(current.now))
    let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    let digits = text.filter(\.isHexDigit)
    #expect(
      current.bootID.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digits)
  }

  @Test("another version or length is no key")
  func malformed() {
    func isKey(_ count: Int, version: UInt8) -> Bool {
      // Both are at least one byte long.
      switch RememberedKey(unsafe KeyBuffer(count: count) { unsafe $0[0] = version }) {
      case .some: true
      case .none: false
      }
    }
    #expect(isKey(RememberedKey.byteCount, version: 1))
    #expect(!isKey(RememberedKey.byteCount + 1, version: 1))
    #expect(!isKey(RememberedKey.byteCount - 1, version: 1))
    #expect(!isKey(RememberedKey.byteCount, version: 2))
  }

  @Test(
    "a user's line of /proc/key-users is read, and nobody else's",
    arguments: [
      ("    0:    14 13/13 7/1000000 150/25000000\n 1000:     5 5/5 5/200 77/20000\n", true),
      (" 10000:     5 5/5 5/200 77/20000\n", false), ("1000: 5 5/5 5/200\n", false), ("", false),
    ])
  func quota(_ text: String, isThere: Bool) {
    let quota = KeyringState.Quota(text, user: 1000)
    #expect((quota != nil) == isThere)
    guard let quota else { return }
    #expect(quota.keys == 5 && quota.mostKeys == 200 && quota.bytes == 77)
    #expect(quota.mostBytes == 20_000)
  }
}
