import CFleetPostgres
import Glibc
import VaultModel

/// Answers that are too long to be in memory at once.
extension PostgresConnection {
  /// Sends statements together, and passes each row on when it comes.
  ///
  /// - Parameters:
  ///   - queries: The statements.
  ///   - row: Gets the number of the statement, from 0, and a row. After its error, the connection
  ///     can be used no more, because the rest of the answer is still under way.
  /// - Throws: The errors of `row`; ``VaultError/Code/unavailable`` if the connection was lost; the
  ///   server's error for the first statement that failed, as ``ServerError`` says.
  func run(
    _ queries: [Query], row: (Int, AnswerRow) throws(VaultError) -> Void
  ) throws(VaultError) {
    try beginPipeline(queries)
    var failure: VaultError?
    for index in queries.indices {
      // Before the first result of each statement that is run; the connection is open.
      guard unsafe PQsetSingleRowMode(connection) == 1 || failure != nil else { throw lost() }
      // Each result is cleared once.
      while let result = unsafe try next() {
        defer { unsafe PQclear(result) }
        switch unsafe PQresultStatus(result) {
        case PGRES_SINGLE_TUPLE:
          do throws(VaultError) {
            for values in unsafe Self.rows(of: result) {
              timeout.extend(by: values.byteCount)
              try row(index, values)
            }
          } catch {
            _ = lost("the answer was not read to its end")
            throw error
          }
        // The end of a statement's rows, and statements after one that failed.
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_PIPELINE_ABORTED: continue
        case PGRES_FATAL_ERROR: failure = unsafe failure ?? ServerError.error(of: result)
        // Of such a result there may be no end.
        default: throw lost("it answered something else than what it was asked")
        }
      }
    }
    try endPipeline()
    if let failure { throw failure }
  }
}

/// All waits for a server that is connected; each has an end.
extension PostgresConnection {
  /// Returns the next result, which the caller clears; nil at the end of a statement.
  @unsafe func next() throws(VaultError) -> OpaquePointer? {
    while true {
      // The connection is open.
      let unsent = unsafe PQflush(connection)
      guard unsent >= 0 else { throw lost() }
      if unsent == 0, unsafe PQisBusy(connection) == 0 { return unsafe PQgetResult(connection) }
      try wait(toWrite: unsent > 0)
    }
  }

  /// Waits a moment for the server to send something, or to take more, and reads what it sent.
  ///
  /// Not for long, since TLS may have taken from the socket what libpq has not read yet.
  func wait(toWrite: Bool) throws(VaultError) {
    let begun = ContinuousClock.now
    var file = pollfd(
      fd: unsafe PQsocket(connection), events: Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0),
      revents: 0)
    // One structure of our own; the connection is open.
    let count = unsafe poll(&file, 1, PQsslInUse(connection) == 0 ? 1000 : 50)
    guard count >= 0 || errno == EINTR, unsafe PQconsumeInput(connection) == 1 else {
      throw lost()
    }
    // Nobody waits for them now, and libpq would keep all that a server sends.
    _ = takeNotifications()
    guard timeout.allows(ContinuousClock.now - begun) else { throw lost("it does not answer") }
  }

  /// Waits for a notification of the server.
  ///
  /// - Returns: Whether one came in that time.
  /// - Throws: ``VaultError/Code/unavailable`` if the connection was lost.
  func awaitNotification(for time: Duration) throws(VaultError) -> Bool {
    let deadline = ContinuousClock.now + time
    while true {
      // The connection is open.
      guard !isBroken, unsafe PQconsumeInput(connection) == 1 else { throw lost() }
      if takeNotifications() { return true }
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return false }
      var file = pollfd(fd: unsafe PQsocket(connection), events: Int16(POLLIN), revents: 0)
      let milliseconds =
        left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
      // One structure of our own.
      guard unsafe poll(&file, 1, Int32(clamping: milliseconds)) >= 0 || errno == EINTR else {
        throw lost()
      }
    }
  }

  /// Takes all notifications that have come, and returns whether there were any.
  private func takeNotifications() -> Bool {
    var isAny = false
    // The connection is open, and each notification is freed once.
    while let notification = unsafe PQnotifies(connection) {
      unsafe PQfreemem(notification)
      isAny = true
    }
    return isAny
  }
}
