import VaultCrypto
import VaultModel

/// What a full look at a vault found.
package struct Verification: Sendable {
  package var itemCount = 0
  package var bucketCount = 0
  /// One line each; hosts and ids, never secrets.
  package var problems: [String] = []
}

/// Opening everything.
extension VaultFile {
  /// Opens every node, item and secret, and runs SQLite's own integrity check.
  func verify() throws(VaultError) -> Verification {
    // From the file itself, not from what was opened before.
    var fresh = try requireUnlocked()
    fresh.reader.forgetNodes()
    fresh.headRow = []
    fresh.head.slots = []
    unlocked = fresh
    forgetLabel()
    connection.forgetPages()
    // A disk that reads badly once may read well the next time.
    defer { connection.forgetPages() }
    return try read { (reader) throws(VaultError) in
      let verifier = Verifier(reader: reader)
      try verifier.visit(tree: 0, level: 0, reader.root)
      try verifier.compare(itemCount: requireUnlocked().head.itemCount)
      try verifier.compareRows(of: connection)
      try connection.run(.integrityCheck) { row in
        let line = row.text(0)
        if line != "ok" { verifier.found.problems.append("SQLite: \(line)") }
      }
      for row in try slotRows() {
        try verifier.note("slot \(row.id)") { () throws(VaultError) in
          _ = try Slot(decoding: row.body, id: row.id)
        }
      }
      return verifier.found
    }
  }
}

private final class Verifier {
  let reader: TreeReader
  var found = Verification()
  private var expectedRows: Set<UInt64> = []

  init(reader: TreeReader) {
    self.reader = reader
  }

  /// Runs a check; damage becomes a problem, and everything else is passed on.
  func note(
    _ what: String, _ check: () throws(VaultError) -> Void
  ) throws(VaultError) {
    do throws(VaultError) {
      try check()
    } catch {
      guard error.code == .damaged else { throw error }
      found.problems.append("\(what): \(error)")
    }
  }

  func visit(tree: UInt32, level: Int, _ directory: Directory) throws(VaultError) {
    var load: UInt64 = 0
    if directory.isChunked {
      for chunk in 0..<Directory.chunkCount(directory.bucketCount) {
        expectedRows.insert(NodeID.chunk(chunk, tree: tree))
      }
    }
    for number in 0..<directory.bucketCount {
      found.bucketCount += 1
      var content: [UInt8] = []
      try note("bucket \(number) of tree \(tree)") { () throws(VaultError) in
        content = try reader.bucket(number, of: tree, in: directory)
      }
      if !content.isEmpty { expectedRows.insert(NodeID.bucket(number, tree: tree)) }
      var groups: [TreeRecord] = []
      var records = RecordReader(content)
      do throws(VaultError) {
        while let record = try records.next() {
          load += 1
          try checkPlace(record, number, level, directory, content)
          if record.kind == RecordKind.tree {
            groups.append(try TreeRecord(decoding: content, record.body))
          } else if record.kind == RecordKind.item {
            try check(ItemRecord(decoding: content, record.body))
          } else {
            try checkKept(record, content)
          }
        }
      } catch {
        found.problems.append("bucket \(number) of tree \(tree): \(error)")
      }
      for group in groups {
        guard group.level == level + 1 else {
          found.problems.append("tree \(group.number) stands at the wrong level")
          continue
        }
        try visit(tree: group.number, level: group.level, group.directory)
      }
    }
    if load != directory.load {
      found.problems.append(
        "tree \(tree) has \(load) records, and its directory says \(directory.load)")
    }
  }

  private func checkPlace(
    _ record: (kind: UInt8, body: Range<Int>), _ number: UInt32, _ level: Int,
    _ directory: Directory, _ content: [UInt8]
  ) throws(VaultError) {
    let route = try Route(kind: record.kind, content, record.body)
    let hash = reader.keys.indexHash(level: UInt8(level), key: route.key(level: level))
    guard Directory.address(hash, bucketCount: directory.bucketCount) == number else {
      throw VaultError(.damaged, "a record lies where no lookup finds it")
    }
  }

  private func check(_ record: ItemRecord) throws(VaultError) {
    found.itemCount += 1
    if let large = record.largeSecret { expectedRows.insert(large.id) }
    try note("item \(record.item.id) on \(record.item.server)") { () throws(VaultError) in
      _ = try reader.opened(record)
    }
  }

  /// Records that this version only keeps: their structure, and the rows that they name.
  private func checkKept(
    _ record: (kind: UInt8, body: Range<Int>), _ content: [UInt8]
  ) throws(VaultError) {
    let mayNameRow = [RecordKind.previousSecret, RecordKind.removedItem].contains(record.kind)
    var fields = FieldReader(content, record.body)
    while let field = try fields.next() {
      guard mayNameRow, field.tag == FieldTag.largeSecret.rawValue else { continue }
      let large = try ItemRecord.LargeSecret(decoding: content, field.range)
      expectedRows.insert(large.id)
      try note("row \(large.id)") { () throws(VaultError) in _ = try reader.secret(large) }
    }
  }

  func compare(itemCount: UInt64) {
    guard found.problems.isEmpty, UInt64(found.itemCount) != itemCount else { return }
    found.problems.append("\(found.itemCount) items, and the head says \(itemCount)")
  }

  /// Rows that nothing names are no damage to what is read, but they do not belong.
  func compareRows(of connection: Connection) throws(VaultError) {
    var foreign: [UInt64] = []
    try connection.run(.selectNodeIDs) { row in
      let id = row.integer(0)
      if !expectedRows.contains(id) { foreign.append(id) }
    }
    for id in foreign where found.problems.isEmpty {
      found.problems.append("row \(id) belongs to nothing")
    }
  }
}
