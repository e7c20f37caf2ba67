import CFleetPostgres
import Glibc
import VaultModel

/// One connection to a PostgreSQL server; not thread-safe, closed in `deinit`.
///
/// Only sealed rows cross it. Everything is sent and awaited with a limit of time.
@safe final class PostgresConnection {
  let connection: OpaquePointer
  /// How long the server may be silent.
  var limit: Duration
  var timeout: ResponseTimeout
  private let process = getpid()
  private var isLost = false

  /// Whether it can be used no more; a forked child has its parent's, and leaves it alone.
  var isBroken: Bool { isLost || isForkedChild }

  private var isForkedChild: Bool { getpid() != process }

  /// Connects to a server, at the first of its addresses that answers.
  ///
  /// - Parameters:
  ///   - address: The server.
  ///   - limit: How long the server may be silent, which it is while it waits for a lock.
  /// - Throws: ``VaultError/Code/unavailable``.
  init(_ address: ServerAddress, limit: Duration) throws(VaultError) {
    (self.limit, timeout) = (limit, ResponseTimeout(limit))
    unsafe self.connection = try Self.connect(to: address)
    // Otherwise a long batch would wait for the server, and the server for its answers to be read.
    unsafe PQsetnonblocking(connection, 1)
  }

  /// Connects as ``init(_:limit:)`` does, for statements that wait so long for a lock.
  ///
  /// A row's lock may be awaited twice: first in the line of those who want it, then for who has
  /// it. So a server that says busy is heard before it is taken for one that does not answer.
  convenience init(_ address: ServerAddress, lockTimeout: Duration) throws(VaultError) {
    try self.init(address, limit: lockTimeout * 2 + .seconds(10))
  }

  /// Tries the server's addresses in turn, each for the address's limit of time.
  ///
  /// libpq would try them itself, but goes on only if one of them refuses: it never stops waiting
  /// for one that is silent. As libpq does, this ends at one that does not accept the password, so
  /// that no account is closed for trying it at each.
  @unsafe private static func connect(
    to address: ServerAddress
  ) throws(VaultError) -> OpaquePointer {
    var failures: [String] = []
    for place in address.places {
      let connection = unsafe try address.begin(place)
      // Before anything is read: the default prints the server's notices to standard error, control
      // characters included.
      _ = unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
      guard let failure = unsafe complete(connection, within: address.connectLimit) else {
        return unsafe connection
      }
      if !failures.contains(failure) { failures.append(failure) }
      // It was begun above, and nothing else has it. A server that has let us in says its version
      // first: what it refuses then, as a standby does, is not the password.
      let isLogin =
        unsafe PQconnectionUsedPassword(connection) == 1
        && PQparameterStatus(connection, "server_version") == nil
      unsafe PQfinish(connection)
      if isLogin { break }
    }
    throw VaultError(.unavailable, "the fleet's server: \(failures.joined(separator: "; "))")
  }

  /// Goes on connecting until it is done.
  ///
  /// - Returns: The reason why it failed; nil if it succeeded.
  @unsafe private static func complete(
    _ connection: OpaquePointer, within limit: Duration
  ) -> String? {
    let deadline = ContinuousClock.now + limit
    // The first step waits to write: the connection is the one that was just begun.
    var step =
      unsafe PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
    while step == PGRES_POLLING_READING || step == PGRES_POLLING_WRITING {
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return unsafe name(of: connection) + "it does not answer" }
      var file = pollfd(
        fd: unsafe PQsocket(connection),
        events: Int16(step == PGRES_POLLING_READING ? POLLIN : POLLOUT), revents: 0)
      // One structure of our own; the connection is open.
      let count = unsafe poll(&file, 1, Int32(clamping: Int64(left / .milliseconds(1)) + 1))
      guard count >= 0 || errno == EINTR else { return unsafe message(of: connection) }
      if count > 0 { step = unsafe PQconnectPoll(connection) }
    }
    return step == PGRES_POLLING_OK ? nil : unsafe message(of: connection)
  }

  /// Returns the address that a connection is tried at, before what is said of it; empty if it is
  /// unknown.
  @unsafe private static func name(of connection: OpaquePointer) -> String {
    // Each text is the connection's, NULL or ends in NUL, and is copied at once.
    let parts = unsafe [PQhost(connection), PQhostaddr(connection)].compactMap { text in
      unsafe text.map { unsafe String(cString: $0) }
    }.filter { !$0.isEmpty }
    let names = parts.count == 2 && parts[0] == parts[1] ? [parts[0]] : parts
    return names.isEmpty ? "" : String("\(names.joined(separator: ", ")): ".prefix(300))
  }

  deinit {
    // A forked child would end its parent's session.
    guard !isForkedChild else { return }
    // It was connected once, and is closed once.
    unsafe PQfinish(connection)
  }

  /// The first line of the connection's last message.
  private var message: String { unsafe Self.message(of: connection) }

  @unsafe private static func message(of connection: OpaquePointer) -> String {
    // The text is the connection's, and copied at once.
    let text = unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""
    let line = text.split(separator: "\n").first ?? "the connection failed"
    return String(line.prefix(300))
  }

  /// Sends statements together, and returns the rows of each, which are few.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the connection was lost; the server's error for
  ///   the first statement that failed, as ``ServerError`` says; ``VaultError/Code/damaged`` if the
  ///   answer is longer than any of those.
  func run(_ queries: [Query]) throws(VaultError) -> [[AnswerRow]] {
    var answers = [[AnswerRow]](repeating: [], count: queries.count)
    var byteCount = 0
    try run(queries) { (statement, row) throws(VaultError) in
      byteCount += row.memory
      guard byteCount <= Self.mostBytes else {
        throw VaultError(.damaged, "the fleet's server sends more than it was asked for")
      }
      answers[statement].append(row)
    }
    return answers
  }

  /// Thousands of vaults' ids are less.
  private static let mostBytes = 16 << 20

  /// Sends statements together; ``endPipeline()`` has to follow, unless the connection is broken.
  func beginPipeline(_ queries: [Query]) throws(VaultError) {
    guard !isBroken else { throw VaultError(.unavailable, "the connection was lost") }
    // The connection is open.
    guard unsafe PQenterPipelineMode(connection) == 1 else { throw lost() }
    var byteCount = 0
    for query in queries { byteCount += try send(query) }
    timeout = ResponseTimeout(limit, sending: byteCount)
    guard unsafe PQpipelineSync(connection) == 1 else { throw lost() }
  }

  /// Sends a statement, and returns the number of its parameters' bytes.
  private func send(_ query: Query) throws(VaultError) -> Int {
    let encoded = query.parameters.map(\.encoded)
    let bytes = encoded.flatMap(\.self) + [0]
    let counts = encoded.map { Int32($0.count) }
    let types = query.parameters.map(\.type)
    let formats = encoded.map { _ in Int32(1) }
    let status = unsafe bytes.withUnsafeBytes { (bytes) -> Int32 in
      var values: [UnsafePointer<CChar>?] = unsafe []
      var offset = 0
      for count in counts {
        // One byte more than all values have: there is a base address.
        unsafe values.append(
          bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self))
        offset += Int(count)
      }
      // A StaticString's bytes live for ever and end in NUL; libpq copies the rest.
      return unsafe PQsendQueryParams(
        connection, UnsafeRawPointer(query.sql.utf8Start).assumingMemoryBound(to: CChar.self),
        Int32(counts.count), types, values, counts, formats, 1)
    }
    guard status == 1 else { throw lost() }
    return bytes.count
  }

  /// Runs a script of our own whose rows do not matter, in one transaction.
  ///
  /// - Throws: As ``run(_:)``.
  func execute(script: [UInt8]) throws(VaultError) {
    let text = String(decoding: script, as: UTF8.self)
    timeout = ResponseTimeout(limit, sending: script.count)
    // The text is a C string during the call.
    guard unsafe PQsendQuery(connection, text) == 1 else { throw lost() }
    var failure: VaultError?
    // The connection is open, and each result is cleared once.
    while let result = unsafe try next() {
      defer { unsafe PQclear(result) }
      switch unsafe PQresultStatus(result) {
      case PGRES_COMMAND_OK: continue
      case PGRES_FATAL_ERROR: failure = unsafe failure ?? ServerError.error(of: result)
      // Of such a result there may be no end.
      default: throw lost("it answered something else than what it was asked")
      }
    }
    if let failure { throw failure }
  }

  /// Ends a transaction after an error.
  func endTransaction() {
    // With a broken connection, the server ends the transaction.
    guard !isBroken else { return }
    do throws(VaultError) {
      _ = try run([Query("ROLLBACK")])
    } catch {
      // It is broken now.
    }
  }

  func endPipeline() throws(VaultError) {
    guard let result = unsafe try next() else { throw lost() }
    // It is this function's own, and the connection is open.
    defer { unsafe PQclear(result) }
    guard unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC,
      unsafe PQexitPipelineMode(connection) == 1
    else { throw lost() }
  }

  /// Returns the error of a connection that can be used no more from now on.
  func lost(_ text: String? = nil) -> VaultError {
    isLost = true
    return VaultError(.unavailable, "the fleet's server: \(text ?? message)")
  }

  @unsafe static func rows(of result: OpaquePointer) -> [AnswerRow] {
    // Rows and columns are within the counts; bytes are copied before the result is cleared.
    let columns = unsafe PQnfields(result)
    return (0..<(unsafe PQntuples(result))).map { row in
      AnswerRow(
        values: (0..<columns).map { column in
          guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
          let count = Int(unsafe PQgetlength(result, row, column))
          return unsafe Array(
            UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count))
        })
    }
  }
}
