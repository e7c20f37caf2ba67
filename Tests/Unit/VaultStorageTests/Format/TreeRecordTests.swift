import TestSupport
import Testing
import VaultCrypto
import VaultModel

@testable import SealedTree

@Suite("TreeRecord")
struct TreeRecordTests {
  @Test("tree records read back, at both levels, with fields that are not known")
  func roundTrip() throws {
    let host = Array("h".utf8)
    for (level, account) in [(1, [UInt8]()), (2, []), (2, Array("a".utf8))] {
      let record = TreeRecord(
        host: host, account: account, level: level, number: TreeRecord.numberEnd - 1,
        directory: Directory())
      let body = record.encoded
      #expect(try TreeRecord(decoding: body, 0..<body.count) == record)
      #expect(record.groupKey == (level == 1 ? host : account))
      let longer = body + [100, 1, 9]
      #expect(try TreeRecord(decoding: longer, 0..<longer.count).encoded == longer)
      for count in body.indices {
        #expect(throws: VaultError(.damaged, "")) { try TreeRecord(decoding: body, 0..<count) }
      }
    }
  }
}
