import Glibc
import VaultModel

/// A moment of this run of the kernel, by clocks that nobody can set.
///
/// The time of day can be set back, which delays the kernel's timeouts.
struct BootMark: Equatable {
  /// The random id of this run of the kernel.
  let bootID: [UInt8]
  /// The nanoseconds since the boot, including sleep.
  let now: UInt64
  /// The bounds of the nanoseconds of sleep among them: the clocks are read one after the other.
  let asleep: ClosedRange<UInt64>

  static let bootIDSize = 16

  /// The error for a kernel that does not say it.
  static let unknown = VaultError(
    .unavailable, "/proc does not say when the machine was started")

  /// Returns the present moment, by a function that reads a clock; nil if the kernel does not say
  /// which run it is.
  static func current(
    _ nanoseconds: (clockid_t) -> UInt64 = BootMark.nanoseconds
  ) -> BootMark? {
    guard let bootID = readBootID() else { return nil }
    let before = nanoseconds(CLOCK_MONOTONIC)
    let now = nanoseconds(CLOCK_BOOTTIME)
    let after = nanoseconds(CLOCK_MONOTONIC)
    // Either clock may have an offset in another time namespace.
    guard before <= now, before <= after else { return nil }
    return BootMark(
      bootID: bootID, now: now, asleep: (now - min(now, after))...(now - before))
  }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    // Both clocks exist since Linux 2.6.39, and `time` is written whole.
    guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Reads the id of the boot from the kernel (random(4)).
  private static func readBootID() -> [UInt8]? {
    let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 64)
    // The buffer has as many bytes as are read at most.
    let count = unsafe read(descriptor, &text, text.count)
    let read = text.prefix(max(count, 0))
    let digits = read.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == 2 * bootIDSize else { return nil }
    return (0..<bootIDSize).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
  }
}
