import CVaultSQLite
import VaultModel

/// The rows that a transaction touched.
///
/// SQLite itself names them, so that no statement can be forgotten. Their bytes are read at the end
/// of the transaction: only the last ones count.
final class RowRecorder {
  private var touched: [RowDelta.Table: Set<UInt64>] = [:]
  /// Whether a table was changed that replicas do not have in common.
  private var hasUnknown = false

  fileprivate func note(_ table: String, _ id: UInt64) {
    // Its only row is sent with every change.
    guard table != "vault" else { return }
    guard let table = RowDelta.Table(named: table) else {
      hasUnknown = true
      return
    }
    touched[table, default: []].insert(id)
  }

  /// Returns the touched rows as they are now, in the order of tables and ids.
  func rows(in connection: Connection) throws(VaultError) -> [RowDelta.Entry] {
    guard !hasUnknown else {
      throw VaultError(.internalError, "a table was changed that replicas do not have")
    }
    var rows: [RowDelta.Entry] = []
    for table in RowDelta.Table.allCases {
      for id in touched[table, default: []].sorted() {
        rows.append(RowDelta.Entry(table, id, try connection.sealed(table, id)))
      }
    }
    return rows
  }
}

extension Connection {
  /// Runs `body`, and records the rows that it touches.
  func recording<R>(
    _ recorder: RowRecorder, _ body: () throws(VaultError) -> R
  ) throws(VaultError) -> R {
    // The recorder outlives the hook, which is removed before this function returns.
    unsafe sqlite3_update_hook(
      database,
      { recorder, _, _, table, id in
        guard let recorder = unsafe recorder, let table = unsafe table else { return }
        // The pointer is the recorder below, and SQLite's name ends in NUL.
        let object = unsafe Unmanaged<RowRecorder>.fromOpaque(recorder).takeUnretainedValue()
        object.note(unsafe String(cString: table), UInt64(bitPattern: id))
      }, Unmanaged.passUnretained(recorder).toOpaque())
    defer { unsafe sqlite3_update_hook(database, nil, nil) }
    return try withExtendedLifetime(recorder) { () throws(VaultError) in try body() }
  }

  /// Returns the bytes of a row; nil if there is none.
  func sealed(_ table: RowDelta.Table, _ id: UInt64) throws(VaultError) -> [UInt8]? {
    guard table == .slot else { return try row(id) }
    var body: [UInt8]?
    try run(.selectSlot, .integer(id)) { row in body = row.blob(0) }
    return body
  }

  /// Returns all rows that replicas have in common.
  func allRows() throws(VaultError) -> [RowDelta.Entry] {
    var rows: [RowDelta.Entry] = []
    try run(.selectSlots) { row in
      rows.append(RowDelta.Entry(.slot, row.integer(0), row.blob(1)))
    }
    try run(.selectNodes) { row in
      rows.append(RowDelta.Entry(.node, row.integer(0), row.blob(1)))
    }
    return rows
  }

  /// Returns those rows of another replica that differ from this one's, and the nodes that they
  /// replace here.
  func differing(
    _ rows: [RowDelta.Entry]
  ) throws(VaultError) -> (rows: [RowDelta.Entry], replaced: [UInt64: [UInt8]]) {
    var differing: [RowDelta.Entry] = []
    var replaced: [UInt64: [UInt8]] = [:]
    for row in rows {
      let old = try sealed(row.table, row.id)
      guard old != row.sealed else { continue }
      differing.append(row)
      if row.table == .node { replaced[row.id] = old }
    }
    return (differing, replaced)
  }

  /// Returns the removals of those rows that are not among all rows of another replica.
  func removals(of rows: [RowDelta.Entry]) throws(VaultError) -> [RowDelta.Entry] {
    var kept: [RowDelta.Table: Set<UInt64>] = [:]
    for row in rows { kept[row.table, default: []].insert(row.id) }
    var removals: [RowDelta.Entry] = []
    func note(_ table: RowDelta.Table, _ id: UInt64) {
      guard kept[table]?.contains(id) != true else { return }
      removals.append(RowDelta.Entry(table, id, nil))
    }
    try run(.selectSlots) { row in note(.slot, row.integer(0)) }
    try run(.selectNodeIDs) { row in note(.node, row.integer(0)) }
    return removals
  }

  /// Writes the rows of another replica.
  func put(_ rows: [RowDelta.Entry]) throws(VaultError) {
    for row in rows {
      // SQLite's ids are signed, and a negative one is not a vault's.
      guard row.id < 1 << 63 else { throw VaultError(.damaged, "a row's id is out of bounds") }
      switch (row.table, row.sealed) {
      case (.node, let sealed?): try put(sealed, under: row.id)
      case (.node, nil): try remove(row.id)
      case (.slot, let body):
        try run(.deleteSlot, .integer(row.id))
        if let body { try run(.insertSlot, .integer(row.id), .blob(body)) }
      }
    }
  }
}
