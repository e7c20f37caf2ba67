import CFleetPostgres
import VaultModel

/// Errors of a PostgreSQL server, as ours.
///
/// Source: <https://www.postgresql.org/docs/15/errcodes-appendix.html>.
enum ServerError {
  /// Returns the error of a result, which is not cleared.
  @unsafe static func error(of result: OpaquePointer) -> VaultError {
    // 'C' and 'M' of `postgres_ext.h`; the texts are the result's, and copied.
    let state = unsafe field(Int32(UInt8(ascii: "C")), result)
    let message = unsafe field(Int32(UInt8(ascii: "M")), result)
    return VaultError(code(of: state), "the fleet's server: \(message) (\(state))")
  }

  private static func code(of state: String) -> VaultError.Code {
    switch state {
    // lock_not_available, deadlock_detected, serialization_failure
    case "55P03", "40P01", "40001": .busy
    // unique_violation
    case "23505": .vaultExists
    // division_by_zero: see `PostgresArbiter`.
    case "22012": .conflict
    // undefined_table, undefined_column, undefined_function, invalid_schema_name, undefined_object
    // (which a role is), insufficient_privilege: repeating helps against none of them.
    case "42P01", "42703", "42883", "3F000", "42704", "42501": .configuration
    default: .unavailable
    }
  }

  @unsafe private static func field(_ name: Int32, _ result: OpaquePointer) -> String {
    // NULL, or a text that ends in NUL.
    guard let text = unsafe PQresultErrorField(result, name) else { return "" }
    return String(unsafe String(cString: text).prefix(300))
  }
}
