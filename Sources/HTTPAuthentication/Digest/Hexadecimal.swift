/// Hexadecimal digits in lower case, computed without a table, so that no cache line reveals a
/// secret.
enum Hexadecimal {
  /// Expands the bytes in the upper half of `memory` to digits in all of it.
  ///
  /// Each byte is read before its place is written: byte i is at n/2 + i, its digits at 2i and 2i +
  /// 1.
  @unsafe static func expandUpperHalf(of memory: UnsafeMutableRawBufferPointer) {
    let half = memory.count / 2
    for index in 0..<half {
      // 2 · index + 1 and half + index are below the count.
      let byte = unsafe memory[half + index]
      unsafe memory[2 * index] = digit(byte >> 4)
      unsafe memory[2 * index + 1] = digit(byte & 15)
    }
  }

  /// Returns the digit of a number below 16.
  static func digit(_ value: UInt8) -> UInt8 {
    // 9 − value is negative from 10 on; its highest bit then adds the distance between "9" and "a".
    value &+ 48 &+ ((9 &- value) >> 7) &* 39
  }

  /// Returns the eight digits of a number.
  static func digits(_ number: UInt32) -> String {
    // All of the eight bytes are written, within the buffer.
    unsafe String(unsafeUninitializedCapacity: 8) { digits in
      for index in 0..<8 {
        unsafe digits[index] = digit(UInt8(truncatingIfNeeded: number >> (28 - 4 * index)) & 15)
      }
      return 8
    }
  }
}
