import Glibc
import StoreTesting
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
}
