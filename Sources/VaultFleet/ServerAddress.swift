import CPostgres
package import VaultModel

/// Where a fleet's server is: a connection string of libpq without a password.
///
/// Source: <https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>.
package struct ServerAddress: Equatable, Sendable {
  package let text: String
  /// How long connecting may take, at each address of a host that it names.
  let connectLimit: Duration

  private static let connectSeconds = 5

  /// Checks a connection string: keywords and values, or a URI.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it cannot be read, holds a password, or has
  ///   several lines.
  package init(_ text: String) throws(VaultError) {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 }) else {
      throw VaultError(.invalidArgument, "the server's address is empty or has several lines")
    }
    var message: UnsafeMutablePointer<CChar>?
    // The array and the message are libpq's, and freed once.
    let options = unsafe PQconninfoParse(text, &message)
    defer {
      unsafe PQconninfoFree(options)
      unsafe PQfreemem(message)
    }
    guard var option = unsafe options else {
      // Its message would repeat what may be a password.
      throw VaultError(
        .invalidArgument, "the server's address is no connection string of PostgreSQL")
    }
    var seconds = Self.connectSeconds
    // The last element has no keyword.
    while let keyword = unsafe option.pointee.keyword {
      // Keywords end in NUL.
      let name = unsafe String(cString: keyword)
      if ["password", "sslpassword"].contains(name), unsafe option.pointee.val != nil {
        throw VaultError(
          .invalidArgument,
          "the server's address holds a password: keep it in a file that PGPASSFILE names")
      }
      // A value is NULL or ends in NUL.
      if let value = unsafe option.pointee.val.map({ unsafe String(cString: $0) }) {
        if name == "connect_timeout" { seconds = Int(value) ?? seconds }
      }
      unsafe option += 1
    }
    self.text = text
    // None is as long as nobody waits for.
    connectLimit = .seconds(seconds > 0 ? min(seconds, 3600) : 3600)
  }

  /// The keywords and values of a connection: those of the address win over the defaults before it.
  ///
  /// A Unix socket has no certificate, and libpq ignores the mode there. It would ignore it as well
  /// where it has a ticket of Kerberos, and encrypt by that. Of several hosts, a standby is none to
  /// ask: it lags, which would look like a server that was set back, and cannot be written.
  var parameters: [(keyword: String, value: String)] {
    [
      ("sslmode", "verify-full"), ("connect_timeout", "\(Self.connectSeconds)"),
      ("gssencmode", "disable"), ("target_session_attrs", "read-write"),
      ("tcp_user_timeout", "10000"),
      ("keepalives_idle", "10"), ("client_encoding", "UTF8"),
      ("fallback_application_name", "vault-fleet"), ("dbname", text),
    ]
  }
}
