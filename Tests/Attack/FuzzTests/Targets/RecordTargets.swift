import FuzzTesting
import VaultModel

@testable import SealedTree

extension FuzzTarget {
  static let head = FuzzTarget(name: "head") { bytes in
    try roundTrip(bytes, refusing: .damaged) { (bytes) throws(VaultError) in
      try Head(decoding: bytes)
    } write: { head in
      head.encoded
    }
  }

  /// A block of ancestors: its number, of two bytes, and its content.
  static let ancestors = FuzzTarget(name: "ancestors") { bytes in
    guard bytes.count > 1 else { return .refused }
    let number = UInt64(bytes[0]) | UInt64(bytes[1]) << 8
    return try roundTrip(Array(bytes.dropFirst(2)), refusing: .damaged) {
      (bytes) throws(VaultError) in
      try AncestorBlock(decoding: bytes, number: number)
    } write: { block in
      block.encoded
    }
  }

  /// The content of a commit's row.
  static let commit = FuzzTarget(name: "commit") { bytes in
    try roundTrip(bytes, refusing: .damaged) { (bytes) throws(VaultError) in
      try PastCommit(decoding: bytes)
    } write: { commit in
      commit.encoded
    }
  }

  /// A bucket's content: each record is read by the reader of its kind, and by one that knows only
  /// its place.
  static let bucket = FuzzTarget(name: "bucket") { bytes in
    var records = RecordReader(bytes)
    var outcome = Outcome.refused
    while true {
      let next = try reading(refusing: .damaged) { () throws(VaultError) in try records.next() }
      guard let (kind, body) = next ?? nil else { return outcome }
      outcome = try outcome || read(kind: kind, bytes, body)
      _ = try reading(refusing: .damaged) { () throws(VaultError) in
        try Route.host(kind: kind, bytes, body)
      }
      _ = try reading(refusing: .damaged, .tooNew) { () throws(VaultError) in
        try PastRecord(kind: kind, bytes, body)
      }
    }
  }

  private static func read(kind: UInt8, _ bytes: [UInt8], _ body: Range<Int>) throws -> Outcome {
    let written = try reading(refusing: .damaged) { () throws(VaultError) -> [UInt8]? in
      switch kind {
      case RecordKind.item: return try rewritten(item: bytes, body)
      case RecordKind.defaultUser: return try DefaultRecord(decoding: bytes, body).encoded
      case RecordKind.policyRule:
        // With an unknown field it is never written.
        let rule = try PolicyRuleRecord(decoding: bytes, body)
        return rule.unknownTag == nil ? rule.encoded : Array(bytes[body])
      case RecordKind.previousSecret: return try PreviousRecord(decoding: bytes, body).encoded
      case RecordKind.tree: return try TreeRecord(decoding: bytes, body).encoded
      default: return nil
      }
    }
    guard let written = written ?? nil else { return .refused }
    try require(written == Array(bytes[body]), "a record was read, and is written as other bytes")
    let route = try reading { () throws(VaultError) in try Route(kind: kind, bytes, body) }
    try require(route != nil, "a record was read that belongs nowhere")
    return .read
  }

  /// Returns an item as it is written; a field that the secret is as old as the item may be there,
  /// and is not written.
  private static func rewritten(
    item bytes: [UInt8], _ body: Range<Int>
  ) throws(VaultError) -> [UInt8] {
    let record = try ItemRecord(decoding: bytes, body)
    let written = record.encoded
    guard record.item.secretChanged == record.item.created, written.count < body.count else {
      return written
    }
    let again = try ItemRecord(decoding: written, 0..<written.count)
    return again.encoded == written ? Array(bytes[body]) : written
  }
}
