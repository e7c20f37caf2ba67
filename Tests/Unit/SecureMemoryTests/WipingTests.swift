import Glibc
import Testing

@testable import SecureMemory

@Suite("Wiping")
struct WipingTests {
  @Test("the scan finds an ordinary copy, and that it is gone")
  func positiveControl() throws {
    let marker = Marker()
    #expect(try marker.copiesInMemory() == 0)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    // The buffer of the line above, freed once.
    unsafe marker.write(to: memory)
    #expect(try marker.copiesInMemory() == 1)
    unsafe wipe(memory)
    #expect(try marker.copiesInMemory() == 0)
    unsafe memory.deallocate()
  }

  @Test("a block of the C library's heap is wiped to its end before it is freed")
  func block() throws {
    let marker = Marker()
    // Large, and with another block after it: the scan's own allocations use the beginning of freed
    // memory, and the end stays as it was left.
    let block = unsafe malloc(100_000)
    let next = unsafe malloc(100_000)
    // As many bytes as were asked for.
    let memory = unsafe UnsafeMutableRawBufferPointer(start: block, count: 100_000)
    unsafe marker.write(to: UnsafeMutableRawBufferPointer(rebasing: memory[(100_000 - 32)...]))
    #expect(try marker.copiesInMemory() == 1)
    unsafe wipeAndFree(block)
    #expect(try marker.copiesInMemory() == 0)
    unsafe free(next)
  }

  @Test("a secret is in memory once while it lives, and nowhere after", arguments: [32, 5000])
  func secret(count: Int) throws {
    let marker = Marker()
    // `count` is at least the marker's.
    var secret: Secret? = unsafe Secret(count: count) { unsafe marker.write(to: $0) }
    #expect(try marker.copiesInMemory() == 1)
    var copy = secret.map { secret in secret.withRawBytes { Secret(copying: $0) } }
    #expect(try marker.copiesInMemory() == 2)
    secret = nil
    #expect(try marker.copiesInMemory() == 1)
    #expect(copy?.count == count)
    copy = nil
    #expect(try marker.copiesInMemory() == 0)
  }

  @Test("a key is in memory once while it lives, and nowhere after", arguments: [32, 5000])
  func key(count: Int) throws {
    let marker = Marker()
    do {
      // `count` is at least the marker's.
      let key = unsafe KeyBuffer(count: count) { unsafe marker.write(to: $0) }
      #expect(try marker.copiesInMemory() == 1)
      let isCounted = key.count == count
      #expect(isCounted)
    }
    #expect(try marker.copiesInMemory() == 0)
  }

  @Test("what was written before an error is wiped", arguments: [32, 5000])
  func failedInitializer(count: Int) throws {
    let marker = Marker()
    #expect(throws: BodyError.self) {
      // `count` is at least the marker's.
      _ = try unsafe Secret(count: count) { memory throws(BodyError) in
        unsafe marker.write(to: memory)
        throw BodyError()
      }
    }
    #expect(try marker.copiesInMemory() == 0)
  }

  @Test(
    "wiping the stack overwrites what a call left there",
    .disabled(if: isRunning(sanitizer: "asan"), "ASan keeps local variables off the stack"))
  func stack() throws {
    let marker = Marker()
    leaveOnStack(marker, depth: 32)
    // The positive control; the scan's own calls use less of the stack.
    let left = try marker.copiesInMemory()
    #expect(left >= 1)
    wipeStack()
    #expect(try marker.copiesInMemory() == 0)
  }

  /// Writes the marker some `depth` KiB below the caller's stack, and returns without wiping it.
  @inline(never)
  private func leaveOnStack(_ marker: Marker, depth: Int) {
    // On the stack up to 1 KiB; the marker is shorter.
    unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { memory in
      unsafe memory.storeBytes(of: 0, as: UInt8.self)
      if depth > 0 {
        leaveOnStack(marker, depth: depth - 1)
      } else {
        unsafe marker.write(to: memory)
      }
      // To no file: a call that may read the bytes, so that the optimizer leaves them there.
      _ = unsafe write(-1, memory.baseAddress, Marker.count)
    }
  }

  @Test("bytes are equal if count and all of them are")
  func comparison() {
    let bytes = pattern(seed: 1, count: 40)
    for count in 0...40 {
      let a = Array(bytes[..<count])
      #expect(areEqual(a, pattern(seed: 1, count: count)))
      #expect(!areEqual(a, a + [1]) && !areEqual(a + [1], a))
      for index in 0..<count {
        var b = a
        b[index] ^= 1
        #expect(!areEqual(a, b))
      }
    }
  }
}
