/// The rows in an SQLite file's pages, found page by page without SQLite.
///
/// If schema, roots or inner pages are damaged, SQLite finds nothing below them. Every row of a
/// vault is identified by its own seal or checksum, so its place hardly matters. No byte is
/// trusted: each number is checked before it is used. Source:
/// <https://sqlite.org/fileformat2.html#b_tree_pages>.
final class PageScan {
  /// A row; its column count identifies the table.
  struct Row {
    let id: UInt64
    /// The row's offset in the file.
    let place: UInt64
    /// The sizes of the blobs among its columns, in order.
    let sizes: [Int]
    /// The part of its bytes on the page itself.
    fileprivate let start: ArraySlice<UInt8>
    fileprivate let byteCount: Int
    /// The first overflow page, from 1; 0 without one.
    fileprivate let next: Int
    fileprivate let headerSize: Int
  }

  private static let tableLeaf: UInt8 = 0x0D
  /// The limit of the library for SQLite's rows, and their header.
  private static let largestRow = 64 << 20
  /// The maximum number of node rows on a page: each takes 489 bytes of it, or all of its own page.
  private static let mostNodes = 8
  /// The limit on reads of an overflow page during the scan.
  ///
  /// A valid row has its own pages, but every cell of a planted page may name the same ones.
  private static let mostReads: UInt8 = 4
  private let file: RawFile
  /// The number of reads of each page, in blocks that are allocated when one of their pages is
  /// read: at most one byte for each page of the file, whatever page numbers cells contain.
  private var reads: [[UInt8]]
  private static let readsBlockSize = 1 << 16

  init(_ file: RawFile) {
    self.file = file
    // Page numbers have 32 bits.
    let numbered = min(file.pageCount, 1 << 32)
    reads = Array(repeating: [], count: numbered / Self.readsBlockSize + 1)
  }

  /// Calls `body` with every row of every leaf page of a table.
  func eachRow(_ body: (Row) -> Void) {
    file.eachPage { number in
      let page = file.page(number)
      // The first page begins with the file's header.
      let header = number == 0 ? 100 : 0
      guard header + 8 <= page.count, page[header] == Self.tableLeaf else { return }
      var known: Set<Int> = []
      var nodes = 0
      for cell in 0..<(Self.number(page, at: header + 3, size: 2) ?? 0) {
        guard let offset = Self.number(page, at: header + 8 + 2 * cell, size: 2) else { break }
        guard nodes < Self.mostNodes, known.insert(offset).inserted,
          let row = Self.row(page, at: offset, of: number)
        else { continue }
        if row.byteCount > 512 { nodes += 1 }
        body(row)
      }
    }
  }

  /// Returns the row at a place from ``eachRow(_:)``.
  func row(at place: UInt64) -> Row? {
    let number = Int(place) / RawFile.pageSize
    return Self.row(file.page(number), at: Int(place) % RawFile.pageSize, of: number)
  }

  /// Returns a row's blobs; the last one may be truncated if its pages are damaged.
  ///
  /// With `isCounted`, during the scan, the same overflow pages are not read for every row.
  func blobs(of row: Row, isCounted: Bool) -> [[UInt8]] {
    var payload = Array(row.start)
    var next = row.next
    while payload.count < row.byteCount, next > 1, next <= file.pageCount {
      // Each page gives at least one byte, so even a cyclic chain ends.
      guard !isCounted || mayRead(next) else { break }
      let page = file.page(next - 1)
      guard page.count == RawFile.pageSize else { break }
      next = Self.number(page, at: 0, size: 4) ?? 0
      payload += page[4..<4 + min(RawFile.pageSize - 4, row.byteCount - payload.count)]
    }
    var blobs: [[UInt8]] = []
    var position = row.headerSize
    for size in row.sizes {
      let (start, end) = (min(position, payload.count), min(position + size, payload.count))
      blobs.append(Array(payload[start..<end]))
      position += size
    }
    return blobs
  }

  /// Counts a read of a page, and returns whether it is allowed; pages of a file are numbered from
  /// 1.
  private func mayRead(_ number: Int) -> Bool {
    let (block, place) = number.quotientAndRemainder(dividingBy: Self.readsBlockSize)
    if reads[block].isEmpty { reads[block] = Array(repeating: 0, count: Self.readsBlockSize) }
    guard reads[block][place] < Self.mostReads else { return false }
    reads[block][place] += 1
    return true
  }

  /// Returns the first blob of a row, if all of it is on the row's own page.
  func firstBlob(of row: Row) -> [UInt8]? {
    guard let size = row.sizes.first, row.headerSize + size <= row.start.count else { return nil }
    return Array(row.start.dropFirst(row.headerSize).prefix(size))
  }

  // MARK: Cells

  private static func number(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
    guard offset + size <= bytes.count else { return nil }
    return bytes[offset..<offset + size].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns the row of a cell; nil if a vault has no such row: a NULL for the row id, then one or
  /// two blobs.
  private static func row(_ page: [UInt8], at offset: Int, of number: Int) -> Row? {
    var position = offset
    guard let byteCount = SQLiteVarint.read(page, &position),
      let id = SQLiteVarint.read(page, &position),
      byteCount <= largestRow + 64
    else { return nil }
    let local = min(localSize(Int(byteCount)), page.count - position)
    let start = page[position..<position + local]
    let next = local < Int(byteCount) ? Self.number(page, at: position + local, size: 4) ?? 0 : 0
    var inHeader = position
    guard let headerSize = SQLiteVarint.read(page, &inHeader), headerSize <= 30,
      headerSize <= local,
      SQLiteVarint.read(page, &inHeader) == 0
    else { return nil }
    var sizes: [Int] = []
    while inHeader < position + Int(headerSize) {
      // Source: <https://sqlite.org/fileformat2.html#record_format>: even types from 12 on are
      // blobs.
      guard let type = SQLiteVarint.read(page, &inHeader), type >= 12, type.isMultiple(of: 2),
        type <= 2 * largestRow
      else { return nil }
      sizes.append(Int(type - 12) / 2)
    }
    guard (1...2).contains(sizes.count) else { return nil }
    return Row(
      id: id, place: UInt64(number * RawFile.pageSize + offset), sizes: sizes, start: start,
      byteCount: Int(byteCount), next: next, headerSize: Int(headerSize))
  }

  /// Returns the number of a row's bytes in its cell; the others are on a chain of pages.
  private static func localSize(_ size: Int) -> Int {
    let most = RawFile.pageSize - 35
    let least = (RawFile.pageSize - 12) * 32 / 255 - 23
    guard size > most else { return size }
    let rest = least + (size - least) % (RawFile.pageSize - 4)
    return rest <= most ? rest : least
  }
}
