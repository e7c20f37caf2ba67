import Foundation
import Synchronization
import Testing

@testable import SecureMemory

/// A place where threads pass secrets on.
///
/// With `NSLock`, because TSan does not see how a contended `Mutex` goes from thread to thread.
// Everything that changes is only touched with the lock held.
private final class SecretPool: @unchecked Sendable {
  typealias Entry = (secret: Secret, bytes: [UInt8])
  private let lock = NSLock()
  private var entries: [Entry] = []

  func exchange(_ entry: Entry, round: Int) -> Entry {
    lock.withLock {
      entries.append(entry)
      return entries.count > 40 ? entries.remove(at: round % entries.count) : entries[0]
    }
  }
}

private final class Counter: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .relaxed) }
  func increment() { value.add(1, ordering: .relaxed) }
}

@Suite("Arena")
struct ArenaTests {
  @Test("a block holds what is asked for, wastes at most a third, and is aligned")
  func sizes() {
    for count in 1...5000 {
      let size = Blocks.size(for: count)
      #expect(size >= count && size % 16 == 0)
      #expect(size - count < 16 || size * 2 < count * 3)
    }
    #expect(Blocks.size(for: 0) == 16)
  }

  @Test("a freed block serves the next secret of its size, and other memory stays untouched")
  func reuse() {
    var blocks = Blocks(isWipedOnFork: false)
    // Only addresses are compared.
    let first = unsafe blocks.allocate(20)
    let second = unsafe blocks.allocate(20)
    let distance = unsafe second - first
    #expect(distance == 32)
    unsafe blocks.free(first, count: 20)
    let other = unsafe blocks.allocate(40)
    let again = unsafe blocks.allocate(32)
    let isReused = unsafe other != first && again == first
    #expect(isReused)
  }

  @Test("a large block ends at its guard page and is unmapped when freed")
  func large() {
    var blocks = Blocks(isWipedOnFork: false)
    let page = Int(getpagesize())
    // Only addresses are compared.
    let block = unsafe blocks.allocate(10_000)
    #expect((UInt(bitPattern: block) + 10_000) % UInt(page) == 0)
    let mapped = blocks.report.lockedBytes + blocks.report.unlockedBytes
    #expect(mapped == (10_000 + page - 1) / page * page)
    unsafe blocks.free(block, count: 10_000)
    #expect(blocks.report.lockedBytes + blocks.report.unlockedBytes == 0)
  }

  @Test("the memory is left out of core dumps and, if for keys, wiped in a forked child")
  func advice() throws {
    let secret = Secret("left out of dumps")
    let key = KeyBuffer(random: 32)
    let large = KeyBuffer(random: 100_000)
    // Addresses only.
    let secretFlags = try secret.withRawBytes { bytes in
      try unsafe bytes.withUnsafeBytes { try unsafe vmFlags(of: $0.baseAddress) }
    }
    let keyFlags = try unsafe key.withUnsafeBytes { try unsafe vmFlags(of: $0.baseAddress) }
    let largeFlags = try unsafe large.withUnsafeBytes { try unsafe vmFlags(of: $0.baseAddress) }
    #expect(secretFlags.contains("dd") && !secretFlags.contains("wf"))
    #expect(keyFlags.isSuperset(of: ["dd", "wf"]))
    #expect(largeFlags.isSuperset(of: ["dd", "wf"]))
  }

  @Test("writing before the first block of a region ends the process")
  func guardBefore() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      // No handler, so that the kernel ends the process.
      _ = signal(SIGSEGV, SIG_DFL)
      let region = Region(byteCount: 4096, isWipedOnFork: false)
      // The fault is the point; the first load proves that the region itself is readable.
      precondition(unsafe region.start.load(as: UInt8.self) == 0)
      unsafe (region.start - 1).storeBytes(of: 1, as: UInt8.self)
    }
  }

  @Test("writing after the last block of a region ends the process")
  func guardAfter() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      // No handler, so that the kernel ends the process.
      _ = signal(SIGSEGV, SIG_DFL)
      let region = Region(byteCount: 4096, isWipedOnFork: false)
      let last = unsafe region.start + (region.byteCount - 1)
      // The fault is the point; the first store proves that the region itself is writable.
      unsafe last.storeBytes(of: 1, as: UInt8.self)
      unsafe (last + 1).storeBytes(of: 1, as: UInt8.self)
    }
  }

  @Test("a count that no memory can hold ends the process with a message")
  func outOfMemory() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      // No handler, so that the kernel ends the process.
      _ = (signal(SIGTRAP, SIG_DFL), signal(SIGILL, SIG_DFL))
      _ = KeyBuffer(random: 1 << 46)
    }
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("out of memory"))
  }

  @Test("threads that make, read, pass on and drop secrets do not disturb each other")
  func threads() async {
    let shelf = SecretPool()
    let wrong = Counter()
    await onThreads(8) { number in
      for round in 0..<500 {
        let bytes = pattern(seed: number * 7919 + round, count: (round * 37) % 600)
        let secret = Secret(bytes)
        let key = KeyBuffer(bytes)
        // Takes a secret that another thread made, and drops it here.
        let taken = shelf.exchange((secret, bytes), round: round)
        let isRight = taken.secret.holds(taken.bytes)
        let isKey = key.withRawBytes { key in secret.withRawBytes { constantTimeEqual(key, $0) } }
        if !isRight || !isKey { wrong.increment() }
      }
    }
    #expect(wrong.count == 0)
  }

  @Test("no two threads ever get the same memory")
  func exclusiveBlocks() async {
    let wrong = Counter()
    await onThreads(8) { number in
      for round in 0..<400 {
        let stamps = (0..<64).map { number << 32 | round << 8 | $0 }
        let secrets = stamps.map { stamp in
          // The buffer is as long as the number.
          unsafe Secret(count: 8) { unsafe $0.storeBytes(of: stamp, as: Int.self) }
        }
        for (secret, stamp) in zip(secrets, stamps) {
          let isOwn = secret.withRawBytes { bytes in
            // As above; any bit pattern is a number.
            unsafe bytes.unsafeLoad(as: Int.self) == stamp
          }
          if !isOwn { wrong.increment() }
        }
      }
    }
    #expect(wrong.count == 0)
  }

  /// Runs `body` on that many threads of its own at once, and waits for all.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let done = DispatchGroup()
    for number in 0..<count {
      done.enter()
      Thread.detachNewThread {
        body(number)
        done.leave()
      }
    }
    await withCheckedContinuation { continuation in
      done.notify(queue: .global()) { continuation.resume() }
    }
  }

  /// Returns the kernel's two-letter flags of the mapping that holds the address (proc(5),
  /// VmFlags).
  private func vmFlags(of address: UnsafeRawPointer?) throws -> Set<String> {
    let address = UInt(bitPattern: address)
    var isInside = false
    for line in try linesOfOwnProcess("smaps") {
      let fields = line.split(separator: " ")
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2 { isInside = (ends[0]..<ends[1]).contains(address) }
      if isInside, fields[0] == "VmFlags:" { return Set(fields.dropFirst().map(String.init)) }
    }
    return []
  }
}
