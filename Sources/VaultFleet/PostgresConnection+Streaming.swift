import CPostgres
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
              patience.earn(values.byteCount)
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
