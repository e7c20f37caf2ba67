import Glibc
import Synchronization

/// A canary that tells a process whether it is a forked child of the one that made it.
///
/// A page that the kernel wipes in a child (`MADV_WIPEONFORK`) contains a random word, and the
/// canary remembers it. A check costs one read and no system call, and unlike a process number the
/// word is never reused. It also detects children made without the C library's `fork`.
package struct ForkCanary: Sendable {
  private let expected: UInt64

  /// Creates a canary that is valid in this process, which may itself be a forked child.
  package init() {
    let fresh = UInt64.random(in: 1...UInt64.max)
    // Zero in a new page and in a child's: the first canary there sets the word for all.
    let (exchanged, current) = unsafe Self.word.pointee.compareExchange(
      expected: 0, desired: fresh, ordering: .relaxed)
    expected = exchanged ? fresh : current
  }

  /// Whether this process was forked, directly or not, from the one that made the canary.
  package var isForkedChild: Bool {
    unsafe Self.word.pointee.load(ordering: .relaxed) != expected
  }

  // The pointer is constant and its page stays mapped for good; the word behind it is atomic.
  nonisolated(unsafe) private static let word: UnsafeMutablePointer<Atomic<UInt64>> = {
    let byteCount = Int(getpagesize())
    // A page is aligned and large enough for one word, and is bound to nothing else.
    let page = unsafe mapPages(byteCount: byteCount, protection: PROT_READ | PROT_WRITE)
    let word = unsafe page.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
    unsafe word.initialize(to: Atomic(0))
    // Where the kernel refuses (before 4.14, and in some sandboxes) a handler of `fork` stands in.
    if unsafe madvise(page, byteCount, MADV_WIPEONFORK) != 0 {
      let result = pthread_atfork(
        nil, nil, { unsafe ForkCanary.word.pointee.store(0, ordering: .relaxed) })
      precondition(result == 0, "out of memory: the fork handler is not registered")
    }
    return unsafe word
  }()
}
