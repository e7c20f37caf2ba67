import Foundation
import TestSupport

/// A small file that makes a reader without limits read, walk or write far more than it holds.
///
/// Each is made of the golden vault `chunked`, without its key.
package struct Bomb: Sendable {
  package let name: String
  private let bytes: [UInt8]
  /// The size that it claims; beyond its bytes is a hole.
  package let size: Int
  /// The number of bytes that it holds.
  package var held: Int { bytes.count }

  private init(_ name: String, _ bytes: [UInt8], size: Int? = nil) {
    (self.name, self.bytes, self.size) = (name, bytes, size ?? bytes.count)
  }

  /// Writes it as a vault's file.
  package func write(to path: String) throws {
    try File.write(bytes, to: path)
    // The path is a C string for the call.
    guard unsafe truncate(path, size) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// The first pages of the tables.
  private enum Root {
    static let vault: UInt32 = 2
    static let slot: UInt32 = 3
    static let node: UInt32 = 4
  }

  private static let longest = 60 << 20
  /// Room for a row that long, as far as SQLite asks for it.
  private static let claimed = 64 << 20

  /// Makes all of them.
  package static func all() throws -> [Bomb] {
    let golden = try GoldenVault.chunked.get().bytes
    return try rows(golden) + trees(golden) + containers(golden) + statements(golden)
      + pointers(golden)
  }

  /// Returns a file of rows that claim the same pages again and again.
  private static func claiming(
    _ name: String, _ golden: [UInt8], _ root: UInt32, _ rows: [Pages.Row]
  ) -> Bomb {
    var pages = Pages(golden)
    pages.replace(table: root, with: rows)
    pages.setHeader(UInt32(claimed / Pages.size), at: 28)
    return Bomb(name, pages.bytes, size: claimed)
  }

  private static func rows(_ golden: [UInt8]) throws -> [Bomb] {
    let folder = try Folder()
    try File.write(golden, to: folder("v"))
    let ident = try Database.bytes("SELECT ident FROM vault", of: folder("v"))
    // Each is the row that its parent names, until it is opened.
    let buckets = try (0..<UInt64(130)).map { id in
      let tag = try Database.bytes(
        "SELECT substr(sealed, -16) FROM node WHERE id = \(id)", of: folder("v"))
      return Pages.Row(id, [longest], end: tag)
    }
    let chunk = try Database.bytes(
      "SELECT substr(sealed, -16) FROM node WHERE id = 1 << 32", of: folder("v"))
    return [
      claiming("forty long slots", golden, Root.slot, (1...40).map { Pages.Row($0, [30 << 20]) }),
      claiming("a long head", golden, Root.vault, [Pages.Row(0, [48, longest], beginning: ident)]),
      claiming("a long ident", golden, Root.vault, [Pages.Row(0, [longest, 512])]),
      claiming("long buckets", golden, Root.node, buckets),
      claiming(
        "long buckets and a chunk", golden, Root.node,
        buckets + [Pages.Row(1 << 32, [longest], end: chunk)]),
      claiming(
        "thousands of long rows", golden, Root.node,
        (1...2000).map { Pages.Row($0 << 20, [longest]) }),
    ]
  }

  private static func trees(_ golden: [UInt8]) -> [Bomb] {
    var bombs: [Bomb] = []
    for (table, root) in [("slots", Root.slot), ("nodes", Root.node), ("vault", Root.vault)] {
      var pages = Pages(golden)
      let leaf = root == Root.node ? pages.count : pages.append(pages[root])
      pages.multiply(table: root, levels: 8, leaf: leaf)
      bombs.append(Bomb("\(table): every page has one child 400 times", pages.bytes))
      var ring = Pages(golden)
      ring[root] = Pages.inner([(root, 7)], root)
      bombs.append(Bomb("\(table): a page is its own child", ring.bytes))
      var pair = Pages(golden)
      let other = pair.append(Pages.inner([(root, 7)], root))
      pair[root] = Pages.inner((1...300).map { (other, $0) }, other)
      bombs.append(Bomb("\(table): two pages are each other's children", pair.bytes))
    }
    return bombs
  }

  private static func containers(_ golden: [UInt8]) -> [Bomb] {
    var ring = Pages(golden)
    let trunk = ring.append([UInt8](repeating: 0, count: Pages.size))
    ring[trunk] = Pages.bigEndian(trunk) + [UInt8](repeating: 0, count: Pages.size - 4)
    ring.setHeader(trunk, at: 32)
    ring.setHeader(.max >> 1, at: 36)
    var counted = Pages(golden)
    counted.setHeader(.max - 1, at: 28)
    var vast = Pages(golden)
    vast.setHeader(1 << 28, at: 28)
    var wide = Pages(golden)
    wide.setHeader(1 << 17, at: 28)
    return [
      Bomb("a ring of free pages", ring.bytes), Bomb("a page count without pages", counted.bytes),
      Bomb("a hole of 1 TiB", vast.bytes, size: 1 << 40),
      Bomb("a hole of 1 TiB behind the pages", golden, size: 1 << 40),
      Bomb("a hole of 512 MiB", wide.bytes, size: 512 << 20),
    ]
  }

  /// Returns the files that SQL makes.
  private static func statements(_ golden: [UInt8]) throws -> [Bomb] {
    let many = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT"
    let statements = [
      ("slots of 200 kB", "\(many) 40) INSERT INTO slot SELECT i + 20, zeroblob(200000) FROM n"),
      ("empty slots", "\(many) 100000) INSERT INTO slot SELECT i + 20, x'' FROM n"),
      ("a slot of 4097 bytes", "INSERT INTO slot VALUES (9, zeroblob(4097))"),
      ("negative ids", "\(many) 9000) INSERT INTO node SELECT -i, x'' FROM n"),
      ("foreign rows", "\(many) 200000) INSERT INTO node SELECT i + 1000000, x'' FROM n"),
      (
        "trees without a record",
        "\(many) 200000) INSERT INTO node SELECT (i + 9) << 33, x'' FROM n; DELETE FROM node WHERE id = 7"
      ),
      ("a long schema", "CREATE TABLE t (x /* \(String(repeating: "x", count: 1 << 20)) */)"),
      ("two tables of one tree", "UPDATE sqlite_schema SET rootpage = 4 WHERE name = 'slot'"),
      ("a table in the schema", "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'node'"),
      ("a table beyond the file", "UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'node'"),
    ]
    let folder = try Folder()
    return try statements.map { name, sql in
      try File.write(golden, to: folder("v"))
      try Database.run(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + sql, on: folder("v"))
      return try Bomb(name, File.read(folder("v")))
    }
  }

  /// Returns files in which inner pages name any pages.
  private static func pointers(_ golden: [UInt8]) -> [Bomb] {
    (0..<6).map { seed in
      var random = SplitMix(seed: UInt64(seed))
      var pages = Pages(golden)
      for _ in 0..<4 {
        let inner = pages.append(
          Pages.inner(
            (1...300).map {
              (UInt32.random(in: 2...pages.count + 1, using: &random), UInt64($0) * 5)
            },
            Root.node))
        let place = UInt32.random(in: 5...inner, using: &random)
        pages[place] = pages[inner]
      }
      let children = (1...200).map {
        (UInt32.random(in: 2...pages.count, using: &random), UInt64($0))
      }
      pages[Root.node] = Pages.inner(children, pages.count)
      return Bomb("pointers at random, seed \(seed)", pages.bytes)
    }
  }
}
