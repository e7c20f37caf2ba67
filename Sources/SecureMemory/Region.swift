import Glibc

/// Whole pages between two guard pages, locked in memory if the limit allows, never in core dumps.
///
/// `@safe`: the pages are those of one mapping that this value made; only `Blocks` hands them out.
@safe
struct Region {
  let start: UnsafeMutableRawPointer
  let byteCount: Int
  /// False also in a forked child, because memory locks are not inherited (mlock(2)).
  private(set) var isLocked: Bool
  /// The error of locking the pages when they were mapped.
  let lockErrno: Int32?
  /// False if the kernel does not support `MADV_WIPEONFORK` (before 4.14, and in some sandboxes).
  private let isWipedByKernel: Bool

  /// Maps `byteCount` zero bytes, rounded up to whole pages; ends the process if it cannot.
  init(byteCount: Int, isWipedOnFork: Bool) {
    let pageSize = Int(getpagesize())
    self.byteCount = (byteCount + pageSize - 1) / pageSize * pageSize
    let mapped = self.byteCount + 2 * pageSize
    // The mapping is new and `mapped` long, so that every offset below lies in it.
    let base = unsafe mapPages(byteCount: mapped, protection: PROT_NONE)
    unsafe start = base + pageSize
    let status = unsafe mprotect(start, self.byteCount, PROT_READ | PROT_WRITE)
    guard status == 0 else { endOutOfMemory() }
    isLocked = unsafe mlock(start, self.byteCount) == 0
    lockErrno = isLocked ? nil : errno
    // Every kernel since 3.4 takes this for anonymous memory; one without core dumps may not.
    _ = unsafe madvise(start, self.byteCount, MADV_DONTDUMP)
    isWipedByKernel =
      unsafe isWipedOnFork && madvise(start, self.byteCount, MADV_WIPEONFORK) == 0
  }

  /// Whether the kernel wipes such memory in a forked child, tested with a page of its own.
  static let canBeWipedByKernel: Bool = {
    let region = Region(byteCount: 1, isWipedOnFork: true)
    defer { region.unmap() }
    return region.isWipedByKernel
  }()

  /// Unmaps the pages, whose blocks are already wiped.
  func unmap() {
    let pageSize = Int(getpagesize())
    // The same mapping as in `init`. A failure (too many mappings to split one) leaves zero pages.
    _ = unsafe munmap(start - pageSize, byteCount + 2 * pageSize)
  }

  /// Updates the region in a forked child: no locks, and zeros if required.
  mutating func enterForkedChild(isWipedOnFork: Bool) {
    isLocked = false
    if isWipedOnFork, !isWipedByKernel {
      // All of the region, and nobody else runs in the child yet.
      unsafe wipe(UnsafeMutableRawBufferPointer(start: start, count: byteCount))
    }
  }
}

/// Maps new zero pages, private to the process; ends the process if it cannot.
func mapPages(byteCount: Int, protection: Int32) -> UnsafeMutableRawPointer {
  // An anonymous mapping at an address of the kernel's choice touches no memory in use.
  let pages = unsafe mmap(nil, byteCount, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
  guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { endOutOfMemory() }
  return unsafe pages
}

/// Ends the process in the same way as Swift when its own allocations fail.
private func endOutOfMemory() -> Never {
  let message: StaticString = "out of memory for secrets\n"
  // A StaticString's bytes live for ever.
  _ = unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
  abort()
}
