import CVaultSQLite
package import VaultModel

/// One SQLite connection: not thread-safe, closed in `deinit`.
///
/// Only sealed bytes are ever bound, because SQLite copies bound values into memory that is not
/// wiped.
@safe package final class Connection {
  let database: OpaquePointer
  package let path: String
  /// The VFS of the database, released after it; nil for a database in memory.
  let vfs: VaultVFS?
  private let busyWait: BusyWait
  /// Whether SQLite was to write, and the path did not name the open file any more.
  private(set) var isMoved = false
  /// The number of bytes of nodes that may still be read; nil without a limit.
  ///
  /// In a file whose structure is damaged, many rows may claim the same pages.
  package var allowance: Int?
  // Filled as statements are used, finalized in deinit.
  private var prepared = unsafe [OpaquePointer?](
    repeating: nil, count: Statement.allCases.count)

  /// Opens an existing file, if the files beside it belong to a vault.
  ///
  /// A read-only connection does not replay a journal: it fails if there is one to replay.
  ///
  /// - Parameters:
  ///   - path: The path, as a ``VaultPath`` has it.
  ///   - busyWait: The wait for other processes.
  ///   - isReadOnly: Whether the file is only read.
  ///   - chain: The migrations whose schemas SQLite may read; nil for a new file that has none yet.
  /// - Throws: As ``SideFiles`` and ``SQLiteError`` say.
  package convenience init(
    path: String, busyWait: BusyWait, isReadOnly: Bool = false, chain: MigrationChain?
  ) throws(VaultError) {
    try SideFiles(of: path, isOnlyRead: isReadOnly).check()
    let judge = chain.map { PageOneJudge($0, of: path) }
    try self.init(path, VaultVFS(path: path, judge: judge), busyWait, isReadOnly)
  }

  /// Creates a database in memory, for trying steps of the schema.
  convenience init() throws(VaultError) {
    try self.init(":memory:", nil, BusyWait(timeout: .zero), false)
  }

  private init(
    _ path: String, _ vfs: VaultVFS?, _ busyWait: BusyWait, _ isReadOnly: Bool
  ) throws(VaultError) {
    var handle: OpaquePointer?
    // NOMUTEX: callers hold the store's mutex. NOFOLLOW: a symlink put there since the check.
    let flags =
      (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
      | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
    // The name lives as long as the VFS. sqlite3_open_v2 may hand back a handle and an error; the
    // handle is then closed.
    let status = unsafe sqlite3_open_v2(path, &handle, flags, vfs?.name)
    guard status == SQLITE_OK, let handle = unsafe handle else {
      let number = unsafe sqlite3_system_errno(handle)
      unsafe sqlite3_close_v2(handle)
      throw vfs?.refusal(status)
        ?? SQLiteError.error(status, "opening", path: path, systemError: number)
    }
    unsafe database = handle
    self.path = path
    self.vfs = vfs
    self.busyWait = busyWait
    unsafe busyWait.install(on: handle)
  }

  deinit {
    // Each statement was prepared on this connection and is finalized once.
    while let statement = unsafe prepared.popLast() { unsafe sqlite3_finalize(statement) }
    unsafe sqlite3_close_v2(database)
  }

  /// Applies the settings that the vault's guarantees need; none is left to the build's defaults.
  package func configure() throws(VaultError) {
    // The connection is open; these calls only set its flags.
    unsafe vault_sqlite3_harden(database)
    unsafe sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Statement.mostBytesOfRow)
    unsafe sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0)
    unsafe sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0)
    let settings: [StaticString] = [
      // EXTRA: with FULL, a power failure lost acknowledged commits in 1621 of 5000 simulations.
      "PRAGMA synchronous = EXTRA",
      "PRAGMA secure_delete = ON",
      "PRAGMA temp_store = MEMORY",
      "PRAGMA mmap_size = 0",
      "PRAGMA cell_size_check = ON",
      "PRAGMA trusted_schema = OFF",
    ]
    for setting in settings { try execute(setting) }
  }

  /// Runs our own SQL whose rows do not matter: settings and migrations.
  package func execute(_ sql: StaticString) throws(VaultError) {
    // A StaticString's bytes live for ever and end in NUL.
    let status = unsafe sqlite3_exec(
      database, UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self), nil, nil, nil)
    guard status == SQLITE_OK else { throw error(status, "\(sql)") }
  }

  /// Runs a migration's SQL.
  func execute(migration sql: [UInt8]) throws(VaultError) {
    let text = String(decoding: sql, as: UTF8.self)
    let status = unsafe sqlite3_exec(database, text, nil, nil, nil)
    guard status == SQLITE_OK else { throw error(status, "migrating") }
  }

  /// Returns the error for an extended result code, which may be a refusal of the VFS.
  func error(_ status: Int32, _ doing: String) -> VaultError {
    if status & 0xFF == SQLITE_BUSY, busyWait.isCancelled { return .cancelled }
    if status == vault_sqlite3_readonly_moved { isMoved = true }
    return vfs?.refusal(status)
      ?? SQLiteError.error(
        status, doing, path: vfs?.path, systemError: unsafe sqlite3_system_errno(database))
  }

  // MARK: State

  /// The limit of waiting for other processes.
  var lockTimeout: Duration { busyWait.timeout }

  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

  package var isReadOnly: Bool { unsafe sqlite3_db_readonly(database, "main") == 1 }

  /// The number of rows that the last statement changed.
  var changes: Int { Int(unsafe sqlite3_changes(database)) }

  /// SQLite's own handle of the file, below the VFS: for reading bytes instead of pages.
  @unsafe var file: UnsafeMutablePointer<sqlite3_file>? {
    unsafe vault_vfs_below(vault_sqlite3_file(database))
  }

  /// Returns the size of the file in bytes.
  package func byteCount() throws(VaultError) -> Int {
    var count: Int64 = 0
    // The handle is the open connection's own, the result a local variable.
    let status = unsafe vault_sqlite3_file_size(file, &count)
    guard status == SQLITE_OK else { throw error(status, "asking for the file's size") }
    return Int(count)
  }

  /// Reads the first 100 bytes of the file through SQLite's own handle; fewer if it is shorter.
  ///
  /// A descriptor of our own must not be used: closing it would release SQLite's POSIX locks.
  package func header() throws(VaultError) -> SQLiteHeader {
    var header = SQLiteHeader()
    // The handle is the open connection's own.
    let status = unsafe header.withUnsafeMutableBytes {
      unsafe vault_sqlite3_read(file, $0.baseAddress, Int32($0.count), 0)
    }
    guard status == SQLITE_OK || status == vault_sqlite3_short_read else {
      throw error(status, "reading the file's header")
    }
    return header
  }

  /// Returns whether any process, including this one, is in a write transaction, without taking a
  /// lock.
  package func isReserved() throws(VaultError) -> Bool {
    var isReserved: Int32 = 0
    // The result is a local variable.
    let status = unsafe vault_sqlite3_is_reserved(file, &isReserved)
    guard status == SQLITE_OK else { throw error(status, "looking at the lock") }
    return isReserved != 0
  }

  /// Runs `body`, which writes every page, with a cache of 64 MiB.
  ///
  /// With SQLite's 2 MB, a rekey of 10⁵ items synchronized its journal five times as often.
  func withLargeCache<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    try execute("PRAGMA cache_size = -65536")
    defer {
      do throws(VaultError) {
        try execute("PRAGMA cache_size = -2000")
      } catch {
        // The writes are kept; only memory is not released.
      }
    }
    return try body()
  }

  /// Sets whether a transaction that is larger than the cache may write to the file before its
  /// commit, which keeps readers out from then on; no transaction may be open.
  func setSpilling(_ isAllowed: Bool) throws(VaultError) {
    try execute(isAllowed ? "PRAGMA cache_spill = ON" : "PRAGMA cache_spill = OFF")
  }

  /// Runs `body` without waiting for other processes' locks.
  func withoutWaiting(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    busyWait.isPatient = false
    defer { busyWait.isPatient = true }
    try body()
  }

  /// Runs `body`, whose waits a cancelled task does not end.
  func withoutCancellation<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    busyWait.isCancellable = false
    defer { busyWait.isCancellable = true }
    return try body()
  }

  /// Makes the next transaction read the file instead of SQLite's cache; no transaction may be
  /// open.
  package func forgetPages() {
    unsafe sqlite3_db_release_memory(database)
  }

  // MARK: Statements

  /// Runs a statement, passes each row to `row`, and resets it for its next use.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - bindings: Its parameters.
  ///   - most: The number of rows after which it ends.
  ///   - row: Gets each row.
  /// - Throws: Any error of `row`; ``VaultError/Code/damaged`` if a value is longer or the rows are
  ///   more than those of a vault can be; as ``SQLiteError`` says.
  package func run(
    _ statement: Statement, _ bindings: Binding..., atMost most: Int = .max,
    row: (Row) throws(VaultError) -> Void = { _ in }
  ) throws(VaultError) {
    let handle = unsafe try prepare(statement)
    defer {
      unsafe sqlite3_reset(handle)
      unsafe sqlite3_clear_bindings(handle)
      unsafe sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Statement.mostBytesOfRow)
    }
    for (index, binding) in bindings.enumerated() {
      let status = unsafe binding.bind(to: handle, at: Int32(index + 1))
      guard status == SQLITE_OK else { throw error(status, "\(statement)") }
    }
    var (count, last) = (0, Int64?.none)
    while count < most {
      // Before each step, since `row` may run another statement.
      unsafe sqlite3_limit(database, SQLITE_LIMIT_LENGTH, statement.mostBytes)
      let status = unsafe sqlite3_step(handle)
      if status == SQLITE_DONE { return }
      guard status == SQLITE_ROW else { throw error(status, "\(statement)") }
      let current = unsafe Row(handle)
      count += 1
      if statement.isInOrder {
        let id = Int64(bitPattern: current.integer(0))
        guard last.map({ $0 < id }) ?? true else {
          throw VaultError(.damaged, "the rows of a table are not in order")
        }
        last = id
      }
      try row(current)
    }
  }

  /// Returns the faults that SQLite finds in the file's pages and rows; none if each page has one
  /// place in it.
  ///
  /// It ends at the first part of the answer that is a fault. SQLite looks at the pages first, each
  /// of them once. Then it walks the rows, which has no end where pages are shared.
  ///
  /// - Throws: ``VaultError/Code/inputOutput`` and ``VaultError/Code/outOfMemory`` if a page could
  ///   not be read; as ``SQLiteError`` says.
  package func structureFaults(
    _ check: Statement = .integrityCheck
  ) throws(VaultError) -> [String] {
    _ = vfs?.takeFailedRead()
    var (text, failure) = ("", VaultError?.none)
    do throws(VaultError) {
      try run(check, atMost: 1) { row in text = row.text(0) }
    } catch {
      guard error.code == .damaged else { throw error }
      failure = error
    }
    // A page that could not be read is no damage, but SQLite's check says so.
    if let code = vfs?.takeFailedRead() { throw error(code, "\(check)") }
    if let failure { return ["its check ended early: \(failure.context)"] }
    guard text != "ok" else { return [] }
    let lines = text.split(separator: "\n").map(String.init)
    return lines.filter { !$0.hasPrefix("***") }
  }

  /// Requires that each page has one place in the file, so that no walk of its rows is longer than
  /// it.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  package func requireStructure() throws(VaultError) {
    guard let fault = try structureFaults().first else { return }
    throw VaultError(.damaged, "the file's structure is damaged: \(fault)")
  }

  /// Runs `VACUUM INTO`, which has to attach its target; nothing else may attach.
  ///
  /// - Parameter path: An empty file made for it.
  /// - Throws: As ``SQLiteError`` says.
  package func vacuum(into path: String) throws(VaultError) {
    unsafe sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 1)
    defer { unsafe sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0) }
    guard let vfs else { throw VaultError(.internalError, "a database in memory has no copy") }
    try requireStructure()
    // A compact copy may need a page more where rows of other lengths follow each other.
    let count = try byteCount()
    try vfs.allowing(copy: path, atMost: count + count / 8 + 65536) { () throws(VaultError) in
      try run(.vacuumInto, .text(path))
    }
  }

  /// Runs `VACUUM`, which attaches its own copy, in memory.
  func vacuum() throws(VaultError) {
    unsafe sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 1)
    defer { unsafe sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0) }
    try run(.vacuum)
  }

  @unsafe private func prepare(_ statement: Statement) throws(VaultError) -> OpaquePointer {
    if let handle = unsafe prepared[statement.rawValue] { return unsafe handle }
    var handle: OpaquePointer?
    let sql = statement.sql
    // A StaticString's bytes live for ever.
    let status = unsafe sqlite3_prepare_v3(
      database, UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self),
      Int32(sql.utf8CodeUnitCount), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard status == SQLITE_OK, let handle = unsafe handle else {
      throw error(status, "preparing \(statement)")
    }
    unsafe prepared[statement.rawValue] = handle
    return unsafe handle
  }
}
