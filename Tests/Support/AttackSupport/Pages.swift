/// The pages of an SQLite file, as somebody writes them who wants its readers to do more than the
/// file is worth.
///
/// Source: <https://sqlite.org/fileformat2.html#b_tree_pages>.
package struct Pages: Sendable {
  package static let size = 4096
  package private(set) var bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var count: UInt32 { UInt32(bytes.count / Self.size) }

  package subscript(number: UInt32) -> [UInt8] {
    get { Array(bytes[Int(number - 1) * Self.size..<Int(number) * Self.size]) }
    set {
      bytes.replaceSubrange(Int(number - 1) * Self.size..<Int(number) * Self.size, with: newValue)
    }
  }

  /// Writes a number into the file's header: at 28 the page count, at 32 the first page of the free
  /// list, at 36 its length.
  package mutating func setHeader(_ number: UInt32, at offset: Int) {
    bytes.replaceSubrange(offset..<offset + 4, with: Self.bigEndian(number))
  }

  /// Adds a page and returns its number.
  package mutating func append(_ page: [UInt8]) -> UInt32 {
    bytes += page
    setHeader(count, at: 28)
    return count
  }

  static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    var bytes = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes.reversed()
  }

  /// Returns a page of a table's tree.
  private static func page(_ kind: UInt8, _ right: UInt32?, _ cells: [[UInt8]]) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: size)
    let header = right == nil ? 8 : 12
    var start = size
    for (index, cell) in cells.enumerated() {
      start -= cell.count
      page.replaceSubrange(start..<start + cell.count, with: cell)
      page.replaceSubrange(
        header + 2 * index..<header + 2 * index + 2, with: bigEndian(UInt32(start)).suffix(2))
    }
    page[0] = kind
    page.replaceSubrange(3..<5, with: bigEndian(UInt32(cells.count)).suffix(2))
    page.replaceSubrange(5..<7, with: bigEndian(UInt32(start)).suffix(2))
    if let right { page.replaceSubrange(8..<12, with: bigEndian(right)) }
    return page
  }

  /// Returns an inner page with children, each with the highest id below it, and a last child.
  package static func inner(_ children: [(UInt32, UInt64)], _ last: UInt32) -> [UInt8] {
    page(5, last, children.map { bigEndian($0.0) + varint($0.1) })
  }

  /// A row that may claim to be longer than all pages of the file.
  package struct Row {
    let id: UInt64
    /// The sizes of the columns after the id.
    let sizes: [Int]
    /// The first bytes of the first column.
    let beginning: [UInt8]
    /// The bytes with which the row ends.
    let end: [UInt8]

    package init(_ id: UInt64, _ sizes: [Int], beginning: [UInt8] = [], end: [UInt8] = []) {
      (self.id, self.sizes, self.beginning, self.end) = (id, sizes, beginning, end)
    }
  }

  /// Replaces a table by rows, each of which has one overflow page that leads back to itself.
  ///
  /// - Parameters:
  ///   - root: The table's first page.
  ///   - rows: The rows, in ascending order of id.
  package mutating func replace(table root: UInt32, with rows: [Row]) {
    var children: [(UInt32, UInt64)] = []
    var cells: [[UInt8]] = []
    for (index, row) in rows.enumerated() {
      cells.append(cell(row))
      let next = index + 1 < rows.count ? cells[cells.count - 1].count + 2 : Self.size
      guard cells.reduce(next, { $0 + $1.count + 2 }) > Self.size - 8 else { continue }
      children.append((append(Self.page(13, nil, cells)), row.id))
      cells = []
    }
    let last = children.removeLast().0
    self[root] = Self.inner(children, last)
  }

  private mutating func cell(_ row: Row) -> [UInt8] {
    let types: [UInt8] = [0] + row.sizes.flatMap { Self.varint(UInt64(12 + 2 * $0)) }
    let header = Self.varint(UInt64(types.count + 1)) + types
    let count = header.count + row.sizes.reduce(0, +)
    // As SQLite divides a row between its cell and the pages of its chain.
    let least = (Self.size - 12) * 32 / 255 - 23
    let rest = least + (count - least) % (Self.size - 4)
    let local = count <= Self.size - 35 ? count : rest <= Self.size - 35 ? rest : least
    var cell = Self.varint(UInt64(count)) + Self.varint(row.id)
    cell += (header + row.beginning + [UInt8](repeating: 0, count: local)).prefix(local)
    guard local < count else { return cell }
    let own = self.count + 1
    let last = (count - local - 1) % (Self.size - 4) + 1
    var page = Self.bigEndian(own) + [UInt8](repeating: 0, count: Self.size - 4)
    page.replaceSubrange(4 + last - row.end.count..<4 + last, with: row.end)
    return cell + Self.bigEndian(append(page))
  }

  /// Replaces a table by a tree in which each page names the next one as all of its children.
  ///
  /// - Parameters:
  ///   - root: The table's first page.
  ///   - levels: The number of inner pages; with 400 children each, 8 of them have more leaves than
  ///     anybody can visit.
  ///   - leaf: A page with rows, or the root itself for a tree without any.
  package mutating func multiply(table root: UInt32, levels: Int, leaf: UInt32) {
    let first = count + 1
    func children(_ page: UInt32) -> [UInt8] {
      Self.inner((1...400).map { (page, UInt64($0)) }, page)
    }
    for level in 1..<levels {
      _ = append(children(level == levels - 1 ? leaf : first + UInt32(level)))
    }
    self[root] = children(first)
  }
}
