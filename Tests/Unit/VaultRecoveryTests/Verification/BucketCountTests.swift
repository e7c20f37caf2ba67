import VaultReports
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Directories that name more buckets than there are: code that reads them all does no more work
/// than the file justifies.
@Suite("bucket counts without buckets")
struct BucketCountTests {
  private let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
    try fixture.addItems(5)
  }

  private static func directory(_ bucketCount: UInt32, load: UInt64) -> Directory {
    var directory = Directory()
    directory.bucketCount = bucketCount
    directory.load = load
    let tag = VaultCrypto.Tag([UInt8](repeating: 7, count: 16), at: 0)
    directory.tags = Array(repeating: tag, count: Directory.chunkCount(bucketCount))
    return directory
  }

  @Test("chunks that the file has no room for are one problem, and every item is salvaged")
  func root() throws {
    let count: UInt32 = 1 << 22
    try fixture.store.changeHead {
      $0.directory = Self.directory(count, load: $0.directory.load)
    }
    let found = try fixture.store.verify()
    #expect(found.problems.map(\.kind) == [.chunk] && found.bucketCount == 0)
    #expect(found.problems.map(\.buckets) == [0...Int(count) - 1])
    #expect(found.problems.map(\.missing) == [5])
    let report = try fixture.salvaged().report
    #expect(report.problems.map(\.buckets) == [0...Int(count) - 1])
    #expect(report.itemCount == 5 && report.unverifiedCount == 5)
  }

  @Test("trees share the room that the file has for their chunks")
  func trees() throws {
    // Each of them alone would be possible.
    let byteCount = try fixture.store.locked { (file) throws(VaultError) in
      try file.connection.byteCount()
    }
    let count = UInt32((byteCount / 2048 + 1) * Directory.tagsPerChunk)
    let place = try HostName("forged.example")
    for number in 0..<8 {
      let record = TreeRecord(
        host: Array("f\(number).\(place.name)".utf8), account: [], level: 1,
        number: UInt32(100 + number), directory: Self.directory(count, load: 3))
      try fixture.store.plant(RecordKind.tree, record.encoded)
    }
    let found = try fixture.store.verify()
    #expect(found.itemCount == 5)
    let whole = found.problems.filter { $0.buckets == 0...Int(count) - 1 }
    #expect(whole.count >= 6)
    let report = try fixture.salvaged().report
    #expect(report.itemCount == 5 && report.unverifiedCount == 0)
  }

  @Test(
    "lost chunks of a tree that has the room are a problem each, and their rows are no strangers")
  func chunks() throws {
    try fixture.store.changeHead { $0.directory = Self.directory(200, load: $0.directory.load) }
    let found = try fixture.store.verify()
    #expect(found.problems.map(\.kind) == [.chunk, .chunk, .count])
    #expect(found.problems.prefix(2).map(\.buckets) == [0...127, 128...199])
  }
}
