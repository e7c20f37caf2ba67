import Foundation
import Testing

@testable import SecureMemory

/// A random marker that is in memory in clear only if it is written on purpose.
struct Marker {
  static let count = 32
  /// Every byte inverted, so that a scan does not find the marker here.
  ///
  /// The scan stops at each byte that is the marker's first, so that is one that memory has few of:
  /// with zero, one of a large process took minutes.
  private let inverted = (0..<count).map { index in
    UInt8.random(in: index == 0 ? 0x10...0x6f : .min ... .max)
  }

  func write(to memory: UnsafeMutableRawBufferPointer) {
    // Trap beyond the end, in debug builds.
    for index in 0..<Self.count { unsafe memory[index] = ~inverted[index] }
  }

  /// Held during a scan: another one at the same time would find the memory that this one has read.
  ///
  /// No state is needed; but one of no size has the lock's own address, and ThreadSanitizer reports
  /// a race.
  private static let scanning = Lock(UInt8(0))

  /// Counts the marker's copies in all memory that this process can write.
  func copiesInMemory() throws -> Int {
    try Self.scanning.withLock { _ in try scan() }
  }

  private func scan() throws -> Int {
    // A constant path.
    let memory = unsafe open("/proc/self/mem", O_RDONLY)
    try #require(memory >= 0)
    defer { close(memory) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer {
      // Freed memory would show the next scan the bytes that this one has read.
      unsafe wipe(buffer)
      unsafe buffer.deallocate()
    }
    // An address range, compared only.
    let start = UInt(bitPattern: buffer.baseAddress)
    let own = start..<start + UInt(buffer.count)
    var copies = 0
    for range in try writableRanges() {
      var position = range.lowerBound
      while position < range.upperBound {
        let wanted = min(UInt(buffer.count), range.upperBound - position)
        // At most the buffer's size.
        let got = unsafe pread(memory, buffer.baseAddress, Int(wanted), off_t(position))
        guard got > 0 else {
          // Another thread has unmapped this page meanwhile, and maybe not those after it.
          position = (position + 4096) & ~4095
          continue
        }
        let window = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<got])
        copies += unsafe occurrences(in: window) { !own.contains(position + UInt($0)) }
        let isLast = position + UInt(got) == range.upperBound || got < Self.count
        // Windows overlap by less than a marker: one across two windows is found, and once.
        position += UInt(isLast ? got : got - Self.count + 1)
      }
    }
    return copies
  }

  private func writableRanges() throws -> [Range<UInt>] {
    var end: UInt = 0
    return try linesOfOwnProcess("maps").compactMap { line in
      let fields = line.split(separator: " ")
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      // Sanitizers map terabytes for their shadow, which holds no contents.
      guard fields[1].hasPrefix("rw"), ends.count == 2, ends[1] - ends[0] < 1 << 30 else {
        return nil
      }
      // A range that grows while the list is read, as a thread's heap does, is there twice.
      defer { end = max(end, ends[1]) }
      return ends[1] > end ? max(ends[0], end)..<ends[1] : nil
    }
  }

  private func occurrences(
    in window: UnsafeRawBufferPointer, where isCounted: (Int) -> Bool
  ) -> Int {
    var found = 0
    var offset = 0
    // All reads are below `window.count`: `memchr` gets the rest of the window from `offset`.
    while offset + Self.count <= window.count, let start = window.baseAddress,
      let hit = unsafe memchr(start + offset, Int32(~inverted[0]), window.count - offset)
    {
      offset = unsafe UnsafeRawPointer(hit) - start
      if offset + Self.count <= window.count, isCounted(offset),
        (0..<Self.count).allSatisfy({ unsafe window[offset + $0] == ~inverted[$0] })
      {
        found += 1
      }
      offset += 1
    }
    return found
  }
}
