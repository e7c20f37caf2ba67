import Glibc
import StoreTesting
import TestSupport
import Testing
@testable import VaultStore
import VaultModel

@Suite("RawFile")
struct RawFileTests {
  /// Returns whether somebody has the lock of a writer on a file.
  private func isReserved(_ path: String) throws -> Bool {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var range = flock()
    range.l_type = Int16(F_WRLCK)
    range.l_whence = Int16(SEEK_SET)
    (range.l_start, range.l_len) = (0x4000_0001, 1)
    // F_OFD_GETLK, for which this process's own locks are another's; the structure is ours.
    try #require(unsafe fcntl(descriptor, 36, &range) == 0)
    return range.l_type != Int16(F_UNLCK)
  }

  @Test("the end of a salvage leaves the locks that this process took meanwhile")
  func locks() throws {
    let fixture = try StoreFixture()
    try fixture.store.close()
    var file: RawFile? = try RawFile(VaultPath(fixture.path))
    let writer = try LockHolder(fixture.path)
    try writer.lock("IMMEDIATE")
    #expect(try isReserved(fixture.path))
    // The check itself has closed a descriptor.
    try writer.unlock()
    try writer.lock("IMMEDIATE")
    #expect(file?.pageCount ?? 0 > 0)
    file = nil
    #expect(try isReserved(fixture.path))
  }

  @Test("nobody commits while the file is read, in this process either")
  func shared() throws {
    let fixture = try StoreFixture()
    try fixture.store.close()
    let writer = try LockHolder(fixture.path)
    var file: RawFile? = try RawFile(VaultPath(fixture.path))
    #expect(throws: LockHolder.Failure.self) { try writer.lock("EXCLUSIVE") }
    #expect(file != nil)
    file = nil
    try writer.lock("EXCLUSIVE")
    #expect(throws: VaultError(.busy, "")) { try RawFile(VaultPath(fixture.path)) }
    try writer.unlock()
  }

  /// Returns the numbers of the pages that are visited; nil if there are far too many.
  private func pages(of path: String) throws -> [Int]? {
    let file = try RawFile(VaultPath(path))
    var numbers: [Int] = []
    file.eachPage { if numbers.count < 1 << 16 { numbers.append($0) } }
    return numbers.count < 1 << 16 ? numbers : nil
  }

  private static let vast = 1 << 40

  /// Makes a closed vault that claims 1 TiB, and returns the number of its pages.
  private func makeVast(_ fixture: StoreFixture) throws -> Int {
    try fixture.store.close()
    let count = try RawFile(VaultPath(fixture.path)).pageCount
    // The path is a C string for the call.
    try #require(unsafe truncate(fixture.path, Self.vast) == 0)
    return count
  }

  @Test("the holes of a file are not read, and what is between them is")
  func holes() throws {
    let fixture = try StoreFixture()
    let count = try makeVast(fixture)
    #expect(try pages(of: fixture.path) == Array(0..<count))
    let descriptor = unsafe open(fixture.path, O_WRONLY | O_CLOEXEC)
    // The byte outlives the call.
    var byte: UInt8 = 1
    #expect(unsafe pwrite(descriptor, &byte, 1, Self.vast / 2 + 5000) == 1)
    #expect(unsafe pwrite(descriptor, &byte, 1, Self.vast - 1) == 1)
    close(descriptor)
    let last = Self.vast / RawFile.pageSize
    #expect(try pages(of: fixture.path) == Array(0..<count) + [last / 2 + 1, last - 1])
  }

  @Test("a journal's pages are read where the file has a hole, has bytes or ends, each once")
  func journal() throws {
    let fixture = try StoreFixture()
    let count = try makeVast(fixture)
    let vast = Self.vast / RawFile.pageSize
    let restored = [2, vast / 2, vast]
    var journal = JournalBytes(pageCount: vast + 1, recordCount: restored.count)
    for number in restored {
      journal.append([UInt8](repeating: 7, count: RawFile.pageSize), number: number + 1)
    }
    _ = try fixture.folder.write(journal.bytes, as: "own.vault-journal")
    let file = try RawFile(VaultPath(fixture.path))
    #expect(file.pageCount == vast + 1)
    #expect(try pages(of: fixture.path) == restored + (0..<count).filter { $0 != 2 })
  }
}
