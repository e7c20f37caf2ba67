import VaultCrypto
import VaultModel

/// The first page of an SQLite file: its header and, in a vault, all rows of its schema.
///
/// Nothing of the bytes is trusted: each number is checked before it is used.
/// Source: <https://sqlite.org/fileformat2.html#b_tree_pages>.
struct PageOne {
  /// The size of a vault's pages in bytes.
  static let size = 4096
  private static let tableLeaf: UInt8 = 0x0D
  /// The largest row without an overflow page.
  private static let mostLocal = size - 35

  /// One row of the schema.
  struct Row {
    let entry: SchemaEntry
    let name: [UInt8]
    let root: Int
  }

  private let bytes: [UInt8]

  /// Creates a page.
  ///
  /// - Parameter bytes: A whole page.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  // MARK: Header

  private func bigEndian(at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  var userVersion: UInt32 { bigEndian(at: 60) }
  var isOurs: Bool { bigEndian(at: 68) == SQLiteHeader.applicationID }

  /// Whether the file has a vault's container format: pages of 4096 bytes without a reserve, a
  /// rollback journal, no auto-vacuum, UTF-8.
  var isContainer: Bool {
    bytes[16] == 0x10 && bytes[17] == 0 && bytes[18] == 1 && bytes[19] == 1 && bytes[20] == 0
      && bigEndian(at: 52) == 0 && bigEndian(at: 56) == 1 && bigEndian(at: 64) == 0
  }

  // MARK: Schema

  /// Returns the schema's rows in order; nil if there are more than `most`, or not all of them are
  /// on this page.
  func schema(atMost most: Int) -> [Row]? {
    guard bytes[100] == Self.tableLeaf else { return nil }
    let count = Int(bytes[103]) << 8 | Int(bytes[104])
    guard count <= most else { return nil }
    var rows: [Row] = []
    for cell in 0..<count {
      let start = Int(bytes[108 + 2 * cell]) << 8 | Int(bytes[109 + 2 * cell])
      guard let columns = Self.columns(of: bytes, at: start, isWhole: true), columns.count == 5,
        let type = columns[0].text(in: bytes), let name = columns[1].text(in: bytes),
        columns[2].text(in: bytes) != nil, let root = columns[3].integer(in: bytes),
        let sql = columns[4].text(in: bytes)
      else { return nil }
      rows.append(
        Row(
          entry: SchemaEntry(type: String(decoding: type, as: UTF8.self), sql: Array(sql)),
          name: Array(name), root: root))
    }
    return rows
  }

  /// Returns the ident on the first page of the vault's table, whatever the rest of its row; nil if
  /// there is none.
  static func ident(on page: [UInt8]) -> [UInt8]? {
    guard page.count == size, page[0] == tableLeaf, page[3] != 0 || page[4] != 0,
      let columns = columns(of: page, at: Int(page[8]) << 8 | Int(page[9])), columns.count > 1,
      // The row id replaces the first column, which is NULL. Twelve more than twice its length: a
      // blob.
      columns[0].type == 0, columns[1].type == 12 + 2 * 48, columns[1].start + 48 <= size
    else { return nil }
    return Array(page[columns[1].start..<columns[1].start + 48])
  }

  // MARK: Rows

  /// The offset and type of a column.
  ///
  /// Source: <https://sqlite.org/fileformat2.html#record_format>.
  private struct Column {
    let type: UInt64
    let start: Int

    /// The number of bytes of the type; they may extend beyond the page.
    var count: Int {
      switch type {
      case 1...4: Int(type)
      case 5: 6
      case 6, 7: 8
      case 12...: Int(clamping: (type - 12) / 2)
      default: 0
      }
    }

    /// Returns the text, which is empty for NULL; nil if it is another type, or not all on the
    /// page.
    func text(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
      if type == 0 { return [] }
      guard type >= 13, !type.isMultiple(of: 2), count <= bytes.count - start else { return nil }
      return bytes[start..<start + count]
    }

    func integer(in bytes: [UInt8]) -> Int? {
      if type == 8 || type == 9 { return Int(type) - 8 }
      guard (1...4).contains(type), count <= bytes.count - start else { return nil }
      return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }
  }

  /// Returns the columns of the row whose cell begins at an offset.
  ///
  /// - Parameters:
  ///   - bytes: The page.
  ///   - offset: The start of the cell.
  ///   - isWhole: Whether the whole row must be on the page; else its beginning is enough.
  /// - Returns: Nil if it is not, or is malformed.
  private static func columns(
    of bytes: [UInt8], at offset: Int, isWhole: Bool = false
  ) -> [Column]? {
    var position = offset
    guard let size = SQLiteVarint.read(bytes, &position), SQLiteVarint.read(bytes, &position) != nil
    else { return nil }
    let start = position
    // SQLite would look for the rest of a longer row on other pages.
    guard !isWhole || size <= UInt64(min(mostLocal, bytes.count - start)) else { return nil }
    guard let count = SQLiteVarint.read(bytes, &position), count <= UInt64(bytes.count - start)
    else {
      return nil
    }
    let end = start + Int(count)
    var columns: [Column] = []
    var body = end
    while position < end {
      guard let type = SQLiteVarint.read(bytes, &position) else { return nil }
      columns.append(Column(type: type, start: body))
      body += min(columns[columns.count - 1].count, bytes.count)
      // The following columns are beyond the page.
      guard body <= bytes.count else { break }
    }
    guard !isWhole || UInt64(body - start) <= size else { return nil }
    return columns
  }
}

/// A check whether SQLite may read a file's schema: only one of a vault's, text for text.
///
/// SQLite parses a file's whole schema before it runs the first statement, and 100,000 tables took
/// it 19 s. A vault's schema is on the first page, so only that page is checked. Source:
/// `Documentation/format.md` §2.
struct PageOneJudge {
  private let chain: MigrationChain
  private let path: String

  init(_ chain: MigrationChain, of path: String) {
    self.chain = chain
    self.path = path
  }

  /// Judges a first page, as SQLite read it under its lock.
  ///
  /// Whether the file's schema version is true is decided by its ident, which the head verifies.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - read: Returns another page, by its number from 1.
  /// - Throws: ``VaultError/Code/tooNew`` for a later version's vault, ``VaultError/Code/damaged``
  ///   for any other vault with a fault, and ``VaultError/Code/notAVault`` for a file that never
  ///   was a vault.
  func judge(
    _ page: PageOne, reading read: (Int) throws(VaultError) -> [UInt8]
  ) throws(VaultError) {
    let version = min(max(page.userVersion, 1), chain.version)
    let expected = try chain.schema(after: version)
    let isExpected = page.schema(atMost: expected.count).map { $0.map(\.entry) } == expected
    guard page.isOurs else {
      // One damaged byte in the application id must not make a vault appear to be something else.
      guard isExpected else { throw VaultError(.notAVault, "\(path) is not a vault") }
      throw VaultError(.damaged, "the file's application id is damaged")
    }
    guard page.isContainer else {
      throw VaultError(.damaged, "the file's header is not a vault's")
    }
    guard isExpected, page.userVersion == version else {
      try refuseNewer(page, read)
      throw VaultError(
        .damaged,
        isExpected
          ? "the file's schema version is damaged" : "the file's schema is not a vault's")
    }
  }

  /// Rejects a vault with another schema as too new, if its ident says so.
  private func refuseNewer(
    _ page: PageOne, _ read: (Int) throws(VaultError) -> [UInt8]
  ) throws(VaultError) {
    // As many rows as fit on a page.
    let rows = page.schema(atMost: PageOne.size / 8)
    guard let vault = rows?.first(where: { $0.name == Array("vault".utf8) }), vault.root > 1 else {
      return
    }
    do throws(VaultError) {
      guard let ident = PageOne.ident(on: try read(vault.root)) else { return }
      _ = try Ident(decoding: ident, knowing: chain.features)
    } catch {
      guard error.code == .tooNew else { return }
      throw error
    }
  }
}
