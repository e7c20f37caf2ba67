import Glibc

/// A value that one thread at a time can access, as in ``Lock``, but with its own allocation.
///
/// ``Lock`` is generic in another module, so its type is looked up at run time, and every access to
/// a value in an object is recorded. Both together took longer than finding an item. The value must
/// not be requested again while it is held.
// Proof: the value is only touched with the mutex held; both pointers are set once and freed in
// deinit.
@safe struct Guarded<Value>: ~Copyable, @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  init(_ value: consuming Value) {
    // One block, whose beginning is aligned for both; the value is behind the mutex at a multiple
    // of its alignment.
    let alignment = unsafe max(
      MemoryLayout<pthread_mutex_t>.alignment, MemoryLayout<Value>.alignment)
    let size = unsafe MemoryLayout<pthread_mutex_t>.size
    let offset = (size + alignment - 1) / alignment * alignment
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: offset + MemoryLayout<Value>.size, alignment: alignment)
    unsafe mutex = block.bindMemory(to: pthread_mutex_t.self, capacity: 1)
    unsafe self.value = (block + offset).bindMemory(to: Value.self, capacity: 1)
    // Both are valid from here to deinit, and initialized once.
    unsafe pthread_mutex_init(mutex, nil)
    unsafe self.value.initialize(to: value)
  }

  deinit {
    // Nobody holds the lock of a value that nobody can reach any more; the block begins with the
    // mutex.
    unsafe value.deinitialize(count: 1)
    unsafe pthread_mutex_destroy(mutex)
    unsafe UnsafeMutableRawPointer(mutex).deallocate()
  }

  /// Runs `body` with exclusive access to the value.
  @inline(__always)
  borrowing func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    // Both are valid as long as this is borrowed.
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try unsafe body(&value.pointee)
  }
}
