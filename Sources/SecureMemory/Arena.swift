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

/// One block of an arena with one owner: filled once, read by closure, wiped at the end.
///
/// `@safe`: the pointer is to at least `count` bytes that belong to this value until its `deinit`.
// The bytes are written in `init`, before anyone else has the value, in `deinit`, after, and while
// its one owner changes it.
@safe struct Block: ~Copyable, @unchecked Sendable {
  let count: Int
  private let start: UnsafeMutableRawPointer
  private let arena: Arena

  /// Creates a block whose `count` zeroed bytes `body` fills; wipes and frees them if it throws.
  init<E: Error>(
    count: Int, in arena: Arena,
    initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    precondition(count >= 0, "the count of bytes is negative")
    // The arena hands out `count` bytes, and they are this block's alone.
    let start = unsafe arena.allocate(count)
    do throws(E) {
      try unsafe body(UnsafeMutableRawBufferPointer(start: start, count: count))
    } catch {
      unsafe arena.free(start, count: count)
      throw error
    }
    self.count = count
    unsafe self.start = start
    self.arena = arena
  }

  deinit {
    // The block was this value's alone, and nobody can borrow it any more.
    unsafe arena.free(start, count: count)
  }

  borrowing func withRawBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    // The span cannot leave `body`, and the block is borrowed meanwhile.
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count).bytes)
  }

  borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    // Initialized bytes of a block that is borrowed meanwhile; `body` must not keep the pointer.
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }
  /// Calls `body` with memory that may be written; the owner alone can call it.
  mutating func withUnsafeMutableBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    // Initialized bytes of a block that nobody else can use meanwhile.
    try unsafe body(UnsafeMutableRawBufferPointer(start: start, count: count))
  }
}
