import Glibc
import PeerSQLite
import VaultModel

/// A text in C's memory that is never freed, so that SQLite is given it without a copy.
// Proof: the memory is written once, before anybody else sees the pointer.
@safe struct CText: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<CChar>
  let count: Int32

  init(_ text: String) {
    // strdup copies the text's bytes up to its NUL.
    unsafe pointer = unsafe strdup(text)
    count = Int32(text.utf8.count)
  }
}

/// An item as the peer is given it: bound without a copy.
struct PeerItem: Sendable {
  static let realm = CText(Sample.realm)
  static let path = CText(Sample.path)
  static let https = CText("https")
  static let basic = CText("basic")

  let server: CText
  let account: CText
  let label: CText
  let secret: CText

  init(_ sample: Sample) {
    server = CText(sample.server)
    account = CText(sample.account)
    label = CText(sample.label)
    secret = CText(sample.secret)
  }
}

/// Debian's unencrypted SQLite through its C API, with the vault's journal settings and key.
///
/// It gets what is best for it: an index that begins with the server, prepared statements, values
/// bound without copies, columns copied into one buffer instead of into Swift's strings.
// Proof: a connection in SQLite's serialized mode; the benchmark uses each from one thread.
@safe final class Peer: @unchecked Sendable {
  private let database: OpaquePointer
  private var statements: [String: OpaquePointer] = unsafe [:]
  private let buffer: UnsafeMutableRawPointer
  private static let bufferSize = 1 << 16

  private static let columns = """
    account, realm, server, protocol, method, port, path, label, created, modified
    """
  private static let schema = """
    CREATE TABLE item (
      id INTEGER PRIMARY KEY, account TEXT NOT NULL, realm TEXT NOT NULL, server TEXT NOT NULL,
      protocol TEXT NOT NULL, method TEXT NOT NULL, port INTEGER NOT NULL, path TEXT NOT NULL,
      label TEXT NOT NULL, created INTEGER NOT NULL, modified INTEGER NOT NULL, secret BLOB NOT NULL,
      UNIQUE (server, port, protocol, realm, account, path, method)
    ) STRICT
    """

  /// Opens a database, with its table if `creating`.
  init(path: String, creating: Bool = false) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0)
    guard unsafe sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle = unsafe handle
    else { throw Failure("SQLite cannot open \(path)") }
    unsafe database = handle
    unsafe buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
    // With sqlite3_busy_timeout a reader beside a busy writer waits for seconds; this is how the
    // vault waits, so that the stores are compared and not the waiting.
    unsafe sqlite3_busy_handler(
      handle,
      { _, attempt in
        usleep(attempt < 20 ? 50 : 500)
        return attempt < 20_000 ? 1 : 0
      }, nil)
    try execute("PRAGMA synchronous = EXTRA")
    try execute("PRAGMA secure_delete = ON")
    if creating {
      try execute("PRAGMA journal_mode = DELETE")
      try execute(Self.schema)
    }
  }

  deinit {
    // Each statement was prepared on this connection.
    unsafe statements.values.forEach { unsafe sqlite3_finalize($0) }
    unsafe sqlite3_close_v2(database)
    unsafe buffer.deallocate()
  }

  func execute(_ sql: String) throws {
    guard unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure("SQLite: \(unsafe String(cString: sqlite3_errmsg(database))): \(sql)")
    }
  }

  @unsafe private func statement(_ sql: String) throws -> OpaquePointer {
    if let statement = unsafe statements[sql] { return unsafe statement }
    var handle: OpaquePointer?
    guard
      unsafe sqlite3_prepare_v3(
        database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil) == SQLITE_OK,
      let handle = unsafe handle
    else { throw Failure("SQLite: \(unsafe String(cString: sqlite3_errmsg(database))): \(sql)") }
    unsafe statements[sql] = handle
    return unsafe handle
  }

  @unsafe private func bind(_ statement: OpaquePointer, _ index: Int32, _ text: CText) {
    // SQLITE_STATIC: the text is never freed.
    unsafe sqlite3_bind_text(statement, index, text.pointer, text.count, nil)
  }

  @unsafe private func finish(_ statement: OpaquePointer, _ doing: String) throws {
    let status = unsafe sqlite3_step(statement)
    unsafe sqlite3_reset(statement)
    guard status == SQLITE_DONE, unsafe sqlite3_changes(database) == 1 else {
      throw Failure("SQLite: \(doing): \(status)")
    }
  }

  // MARK: Writing

  private static let insert = """
    INSERT INTO item (\(columns), secret) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    """

  func insert(_ item: PeerItem) throws {
    let statement = unsafe try statement(Self.insert)
    unsafe bind(statement, 1, item.account)
    unsafe bind(statement, 2, PeerItem.realm)
    unsafe bind(statement, 3, item.server)
    unsafe bind(statement, 4, PeerItem.https)
    unsafe bind(statement, 5, PeerItem.basic)
    unsafe sqlite3_bind_int(statement, 6, Int32(Sample.port))
    unsafe bind(statement, 7, PeerItem.path)
    unsafe bind(statement, 8, item.label)
    let now = Timestamp.now().milliseconds
    unsafe sqlite3_bind_int64(statement, 9, now)
    unsafe sqlite3_bind_int64(statement, 10, now)
    unsafe sqlite3_bind_blob(statement, 11, item.secret.pointer, item.secret.count, nil)
    unsafe try finish(statement, "insert")
  }

  func insertAll(_ items: [PeerItem]) throws {
    try execute("BEGIN IMMEDIATE")
    for item in items { try insert(item) }
    try execute("COMMIT")
  }

  private static let key = """
    server = ?1 AND port = ?2 AND protocol = ?3 AND realm = ?4 AND account = ?5
    """
  private static let update = """
    UPDATE item SET secret = ?8, modified = ?9 WHERE \(key) AND path = ?6 AND method = ?7
    """
  private static let delete = "DELETE FROM item WHERE \(key) AND path = ?6 AND method = ?7"

  @unsafe private func bindKey(_ statement: OpaquePointer, _ item: PeerItem) {
    unsafe bind(statement, 1, item.server)
    unsafe sqlite3_bind_int(statement, 2, Int32(Sample.port))
    unsafe bind(statement, 3, PeerItem.https)
    unsafe bind(statement, 4, PeerItem.realm)
    unsafe bind(statement, 5, item.account)
  }

  func update(_ item: PeerItem, secret: CText) throws {
    let statement = unsafe try statement(Self.update)
    unsafe bindKey(statement, item)
    unsafe bind(statement, 6, PeerItem.path)
    unsafe bind(statement, 7, PeerItem.basic)
    unsafe sqlite3_bind_blob(statement, 8, secret.pointer, secret.count, nil)
    unsafe sqlite3_bind_int64(statement, 9, Timestamp.now().milliseconds)
    unsafe try finish(statement, "update")
  }

  func remove(_ item: PeerItem) throws {
    let statement = unsafe try statement(Self.delete)
    unsafe bindKey(statement, item)
    unsafe bind(statement, 6, PeerItem.path)
    unsafe bind(statement, 7, PeerItem.basic)
    unsafe try finish(statement, "delete")
  }

  // MARK: Reading

  private static let select = "SELECT \(columns), secret FROM item WHERE \(key)"

  /// Fetches an item: every column is copied and the secret's bytes are added up.
  ///
  /// - Returns: The sum, or nil if there is no such item.
  func find(_ item: PeerItem) throws -> Int? {
    let statement = unsafe try statement(Self.select)
    unsafe bindKey(statement, item)
    defer { unsafe sqlite3_reset(statement) }
    switch unsafe sqlite3_step(statement) {
    case SQLITE_DONE: return nil
    case SQLITE_ROW: break
    case let status: throw Failure("SQLite: find: \(status)")
    }
    unsafe copyColumns(statement, 0..<10)
    let secret = unsafe sqlite3_column_blob(statement, 10)
    let count = Int(unsafe sqlite3_column_bytes(statement, 10))
    let sum = unsafe sum(UnsafeRawBufferPointer(start: secret, count: count))
    guard unsafe sqlite3_step(statement) == SQLITE_DONE else { throw Failure("two items") }
    return sum
  }

  private static let selectUsers = """
    SELECT \(columns), secret FROM item
    WHERE server = ?1 AND port = ?2 AND protocol = ?3 AND realm = ?4
    """

  /// Fetches all items of a space, as ``find(_:)`` does one.
  ///
  /// - Returns: The number of items.
  func findUsers(_ item: PeerItem) throws -> Int {
    let statement = unsafe try statement(Self.selectUsers)
    unsafe bind(statement, 1, item.server)
    unsafe sqlite3_bind_int(statement, 2, Int32(Sample.port))
    unsafe bind(statement, 3, PeerItem.https)
    unsafe bind(statement, 4, PeerItem.realm)
    defer { unsafe sqlite3_reset(statement) }
    var count = 0
    while unsafe sqlite3_step(statement) == SQLITE_ROW {
      unsafe copyColumns(statement, 0..<10)
      let secret = unsafe sqlite3_column_blob(statement, 10)
      let bytes = Int(unsafe sqlite3_column_bytes(statement, 10))
      guard unsafe sum(UnsafeRawBufferPointer(start: secret, count: bytes)) > 0 else {
        throw Failure("an empty secret")
      }
      count += 1
    }
    return count
  }

  /// Copies the attributes of each item, in the key's order if `sorted`.
  ///
  /// - Returns: The number of items.
  func list(sorted: Bool) throws -> Int {
    let order = "ORDER BY account, realm, server, protocol, method, port, path"
    let statement = unsafe try statement(
      "SELECT id, \(Self.columns) FROM item \(sorted ? order : "")")
    defer { unsafe sqlite3_reset(statement) }
    var count = 0
    while unsafe sqlite3_step(statement) == SQLITE_ROW {
      unsafe copyColumns(statement, 0..<11)
      count += 1
    }
    return count
  }

  @unsafe private func copyColumns(_ statement: OpaquePointer, _ columns: Range<Int32>) {
    var offset = 0
    for column in columns {
      if unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER {
        let value = unsafe sqlite3_column_int64(statement, column)
        unsafe buffer.storeBytes(of: value, toByteOffset: offset & ~7, as: Int64.self)
        offset = (offset & ~7) + 8
      } else if let text = unsafe sqlite3_column_text(statement, column) {
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        // The columns of an item fit many times.
        unsafe memcpy(buffer + offset, text, min(count, Self.bufferSize - offset))
        offset += (count + 7) & ~7
      }
    }
  }

  func integrityCheck() throws {
    let statement = unsafe try statement("PRAGMA integrity_check")
    defer { unsafe sqlite3_reset(statement) }
    guard unsafe sqlite3_step(statement) == SQLITE_ROW,
      unsafe String(cString: sqlite3_column_text(statement, 0)) == "ok"
    else { throw Failure("SQLite: integrity check") }
  }
}

/// Adds up a secret's bytes: so it has been read, on both sides.
@unsafe func sum(_ bytes: UnsafeRawBufferPointer) -> Int {
  var sum = 0
  for index in 0..<bytes.count { sum += Int(unsafe bytes[index]) }
  return sum
}
