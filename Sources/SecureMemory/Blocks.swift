/// The blocks of one arena: the free memory, and the regions that all of it belongs to.
///
/// Small blocks come from shared regions, by size class, and a freed block is reused for its class.
/// The lists of free blocks are outside the regions. So an overrun cannot corrupt them, a forked
/// child's wiped arena still works, and a free block is all zeros. A large block has its own
/// region.
///
/// `@safe`: addresses come from the regions here and are handed out once until they are freed.
@safe
struct Blocks {
  /// The block sizes, two for each octave: 20-byte secrets take 32 bytes each.
  static let sizes = [
    16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
  ]
  static let largestSize = 4096

  /// Small at first: two arenas then stay within the 64 KiB that a process may lock on old systems.
  private static let firstRegionSize = 32 * 1024
  private static let largestRegionSize = 256 * 1024

  private let isWipedOnFork: Bool
  private var freeBlocks: [[UnsafeMutableRawPointer]]
  /// The unused rest of the newest shared region.
  private var unused: UnsafeMutableRawBufferPointer
  private var regions: [Region] = []
  /// The regions of large blocks, by the address of the block.
  private var largeRegions: [UInt: Region] = [:]
  private var firstLockErrno: Int32?

  init(isWipedOnFork: Bool) {
    self.isWipedOnFork = isWipedOnFork
    // Empty lists and an empty buffer refer to no memory.
    unsafe freeBlocks = Array(repeating: [], count: Self.sizes.count)
    unsafe unused = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  }

  /// Returns the size of the block for `count` bytes; never 0, so that every block has an address.
  static func size(for count: Int) -> Int {
    count > Self.largestSize ? (count + 15) & ~15 : sizes[sizeClass(for: count)]
  }

  /// Returns zeroed memory, aligned to 16 bytes.
  mutating func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    guard count <= Self.largestSize else { return unsafe allocateLarge(count) }
    let sizeClass = Self.sizeClass(for: count)
    // A block on a list was freed, and it leaves the list here.
    if let block = unsafe freeBlocks[sizeClass].popLast() { return unsafe block }
    let size = Self.sizes[sizeClass]
    if unsafe unused.count < size { addRegion() }
    // The new region, or the rest of the old one, holds at least `size` bytes.
    let block = unsafe UnsafeMutableRawBufferPointer(rebasing: unused[..<size])
    unsafe unused = UnsafeMutableRawBufferPointer(rebasing: unused[size...])
    guard let start = block.baseAddress else { preconditionFailure("a block has a size") }
    return unsafe start
  }

  /// Takes back memory that was allocated for `count` bytes and has been wiped.
  mutating func free(_ block: UnsafeMutableRawPointer, count: Int) {
    guard count > Self.largestSize else {
      // The owner gives its only pointer back.
      unsafe freeBlocks[Self.sizeClass(for: count)].append(block)
      return
    }
    guard let region = largeRegions.removeValue(forKey: UInt(bitPattern: block)) else {
      preconditionFailure("a large block is freed once, to the arena that it came from")
    }
    region.unmap()
  }

  var report: MemoryProtection.Report {
    let all = regions + Array(largeRegions.values)
    let locked = all.reduce(0) { $0 + ($1.isLocked ? $1.byteCount : 0) }
    let total = all.reduce(0) { $0 + $1.byteCount }
    return MemoryProtection.Report(
      lockedBytes: locked, unlockedBytes: total - locked, lockErrno: firstLockErrno)
  }

  /// Updates the regions; allocates nothing, which may be impossible in a child of a threaded
  /// process.
  mutating func enterForkedChild() {
    for index in regions.indices {
      regions[index].enterForkedChild(isWipedOnFork: isWipedOnFork)
    }
    var index = largeRegions.values.startIndex
    while index != largeRegions.values.endIndex {
      largeRegions.values[index].enterForkedChild(isWipedOnFork: isWipedOnFork)
      largeRegions.values.formIndex(after: &index)
    }
  }

  /// For every multiple of 16 bytes, the first class that holds it.
  private static let classOfSixteens = (0...largestSize / 16).map { sixteens in
    sizes.firstIndex { $0 >= sixteens * 16 } ?? sizes.endIndex
  }

  private static func sizeClass(for count: Int) -> Int {
    classOfSixteens[(max(count, 1) + 15) / 16]
  }

  private mutating func addRegion() {
    let byteCount = min(Self.firstRegionSize << min(regions.count, 3), Self.largestRegionSize)
    let region = map(byteCount)
    regions.append(region)
    // All of a region that nothing has been handed out from. The old rest, under 4 KiB, stays zero.
    unsafe unused = UnsafeMutableRawBufferPointer(start: region.start, count: region.byteCount)
  }

  /// Places the block at the end of its own region, so that the first access beyond it faults.
  private mutating func allocateLarge(_ count: Int) -> UnsafeMutableRawPointer {
    let region = map(count)
    // `size(for:)` is at most the region's size, which is a multiple of the page size.
    let block = unsafe region.start + (region.byteCount - Self.size(for: count))
    largeRegions[UInt(bitPattern: block)] = region
    return unsafe block
  }

  private mutating func map(_ byteCount: Int) -> Region {
    let region = Region(byteCount: byteCount, isWipedOnFork: isWipedOnFork)
    firstLockErrno = firstLockErrno ?? region.lockErrno
    return region
  }
}
