import Glibc

/// Process-wide memory for secrets: a lock around `Blocks` that survives `fork`.
///
/// One `sodium_malloc` per item would cost 23 µs and four mappings each, and 16 000 of them exhaust
/// the kernel's mappings; a block of an arena costs tens of nanoseconds and no mapping.
///
/// The lock is a `pthread_mutex_t`, held around `fork`, and not a `Mutex`. A `Mutex` records its
/// owner's thread number, which changes in the child, so a child could neither release a contended
/// lock that it inherited nor wait for one.
///
/// `@safe`: the pointer is to a mutex that is never freed, and blocks have one owner each.
// Everything that changes is in `blocks`, which is only touched with the mutex held.
@safe final class Arena: @unchecked Sendable {
  /// The arena for secrets, of which a forked child keeps its copy: the program itself is copied.
  static let secrets = Arena(isWipedOnFork: false)

  /// The arena for keys, which a forked child sees as zeros: a vault opened before the fork is
  /// closed there.
  static let keys = Arena(isWipedOnFork: true)

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var blocks: Blocks

  private init(isWipedOnFork: Bool) {
    blocks = Blocks(isWipedOnFork: isWipedOnFork)
    // The mutex has its own address for the life of the process and is initialized here, once.
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    _ = unsafe pthread_mutex_init(mutex, nil)
    precondition(Self.forkHandlers == 0, "out of memory: the fork handlers are not registered")
  }

  /// Returns zeroed memory for `count` bytes, at least one, aligned to 16 bytes.
  func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    lock()
    defer { unlock() }
    return unsafe blocks.allocate(count)
  }

  /// Wipes and takes back the memory that `allocate(count)` returned.
  func free(_ block: UnsafeMutableRawPointer, count: Int) {
    // Before the lock: until it is on a list the block is still the caller's alone.
    unsafe wipe(UnsafeMutableRawBufferPointer(start: block, count: Blocks.size(for: count)))
    lock()
    defer { unlock() }
    unsafe blocks.free(block, count: count)
  }

  var report: MemoryProtection.Report {
    lock()
    defer { unlock() }
    return blocks.report
  }

  // The mutex is initialized and never moved or destroyed.
  private func lock() { _ = unsafe pthread_mutex_lock(mutex) }
  private func unlock() { _ = unsafe pthread_mutex_unlock(mutex) }

  /// The handlers, registered once, before the first block is allocated; 0 unless out of memory.
  ///
  /// Without them, a child would hang if another thread of its parent held a lock at the fork.
  private static let forkHandlers = pthread_atfork(
    {
      Arena.secrets.lock()
      Arena.keys.lock()
    },
    {
      Arena.keys.unlock()
      Arena.secrets.unlock()
    },
    {
      Arena.keys.blocks.enterForkedChild()
      Arena.keys.unlock()
      Arena.secrets.blocks.enterForkedChild()
      Arena.secrets.unlock()
    })
}
