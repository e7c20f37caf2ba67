import VaultCrypto
package import VaultModel

/// The record in a bucket of a group of records that has its own tree.
///
/// Source: `Documentation/format.md` §§5.5 and 6.6.
package struct TreeRecord: Equatable {
  /// The end of tree numbers: rows of higher ones would have the ids of large secrets.
  static let numberEnd: UInt32 = 1 << 29

  /// The route of the group down to the level above the tree's own.
  package var host: [UInt8]
  package var account: [UInt8]
  package let level: Int
  package let number: UInt32
  package var directory: Directory
  private var unknown: [UnknownField] = []

  package init(
    host: [UInt8], account: [UInt8], level: Int, number: UInt32, directory: Directory
  ) {
    self.host = host
    self.account = account
    self.level = level
    self.number = number
    self.directory = directory
  }

  package init(decoding bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    (host, account) = ([], [])
    var (level, number): (UInt8, UInt32) = (0, 0)
    var directory: Directory?
    var reader = FieldReader(bytes, body)
    while let field = try reader.next() {
      switch FieldTag(rawValue: field.tag) {
      case .server: host = Array(bytes[field.range])
      case .account: account = Array(bytes[field.range])
      case .treeLevel: level = try reader.number(field)
      case .treeNumber: number = try reader.number(field)
      case .treeDirectory: directory = try Directory(decoding: bytes, field.range)
      default: unknown.append(reader.unknown(field))
      }
    }
    guard let directory, (1...2).contains(level), (1..<Self.numberEnd).contains(number),
      level == 2 || account.isEmpty
    else { throw FieldReader.damaged("a tree record is incomplete") }
    self.level = Int(level)
    self.number = number
    self.directory = directory
  }

  package var encoded: [UInt8] {
    var writer = FieldWriter(keeping: unknown, capacity: 64 + directory.tags.count * Tag.byteCount)
    writer.put(FieldTag.server, host)
    writer.put(FieldTag.account, account)
    writer.put(FieldTag.treeLevel, UInt8(level))
    writer.put(FieldTag.treeNumber, number)
    writer.put(FieldTag.treeDirectory, directory.encoded)
    return writer.finish()
  }

  /// The key that the tree's records share.
  package var groupKey: [UInt8] { level == 1 ? host : account }
}
