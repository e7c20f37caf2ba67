/// The rows that lie in an SQLite file's pages, found page by page and not by SQLite.
///
/// Where schema, roots or inner pages are damaged SQLite finds nothing below them. Every row of a vault is
/// known by its own seal or checksum, so it matters little where it lies. Nothing of the bytes is trusted: each
/// number is checked before it is used. Source: <https://sqlite.org/fileformat2.html#b_tree_pages>.
struct PageScan {
  /// A row of one of the tables; which, its columns tell.
  struct Row {
    let id: UInt64
    /// The blobs among its columns, in order; the last one may be cut short where its pages are damaged.
    let blobs: [[UInt8]]
  }

  private static let pageSize = 4096
  private static let tableLeaf: UInt8 = 0x0D
  /// 2¹⁶ more than the largest secret's row.
  private static let largestRow = (1 << 20) + (1 << 16)
  private let bytes: [UInt8]

  /// - Parameter bytes: A whole file.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Calls `body` with every row of every page that is a leaf of a table.
  func eachRow(_ body: (Row) -> Void) {
    for start in stride(from: 0, to: bytes.count, by: Self.pageSize) {
      // The first page begins with the file's header.
      let header = start == 0 ? 100 : start
      guard header + 8 <= bytes.count, bytes[header] == Self.tableLeaf else { continue }
      let count = number(at: header + 3, size: 2) ?? 0
      for cell in 0..<count {
        guard let offset = number(at: header + 8 + 2 * cell, size: 2), offset < Self.pageSize,
          let row = row(at: start + offset)
        else { continue }
        body(row)
      }
    }
  }

  private func number(at offset: Int, size: Int) -> Int? {
    guard offset + size <= bytes.count else { return nil }
    return bytes[offset..<offset + size].reduce(0) { $0 << 8 | Int($1) }
  }

  /// SQLite's own number of 1 to 9 bytes, highest first.
  private static func varint(_ bytes: [UInt8], _ position: inout Int) -> UInt64? {
    var number: UInt64 = 0
    for index in 0..<9 {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      if index == 8 { return number << 8 | UInt64(byte) }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return number }
    }
    return number
  }

  private func row(at start: Int) -> Row? {
    var position = start
    guard let size = Self.varint(bytes, &position), let id = Self.varint(bytes, &position),
      size <= Self.largestRow
    else { return nil }
    return Self.blobs(in: payload(Int(size), at: position)).map { Row(id: id, blobs: $0) }
  }

  /// A row's bytes: the first ones in its cell, the others on a chain of pages.
  private func payload(_ size: Int, at start: Int) -> [UInt8] {
    let most = Self.pageSize - 35
    let least = (Self.pageSize - 12) * 32 / 255 - 23
    let rest = least + (size - least) % (Self.pageSize - 4)
    let local = size <= most ? size : rest <= most ? rest : least
    var payload = Array(bytes[min(start, bytes.count)..<min(start + local, bytes.count)])
    var next = number(at: start + local, size: 4) ?? 0
    while payload.count < size, next > 1 {
      // Each page gives at least one byte, so a chain that bites its tail ends, too.
      let page = (next - 1) * Self.pageSize
      guard page + Self.pageSize <= bytes.count else { break }
      next = number(at: page, size: 4) ?? 0
      payload += bytes[page + 4..<page + 4 + min(Self.pageSize - 4, size - payload.count)]
    }
    return payload
  }

  /// The blobs of a record; nil if it is none of a vault's: a NULL for the row id, then one or two blobs.
  private static func blobs(in payload: [UInt8]) -> [[UInt8]]? {
    var position = 0
    guard let headerSize = varint(payload, &position), headerSize <= 30,
      headerSize <= payload.count, varint(payload, &position) == 0
    else { return nil }
    var sizes: [Int] = []
    while position < headerSize {
      // Source: <https://sqlite.org/fileformat2.html#record_format>: even types from 12 on are blobs.
      guard let type = varint(payload, &position), type >= 12, type.isMultiple(of: 2),
        type <= 2 * largestRow
      else { return nil }
      sizes.append(Int(type - 12) / 2)
    }
    var blobs: [[UInt8]] = []
    for size in sizes {
      let end = min(position + size, payload.count)
      blobs.append(Array(payload[position..<end]))
      position = end
    }
    return (1...2).contains(blobs.count) ? blobs : nil
  }
}
