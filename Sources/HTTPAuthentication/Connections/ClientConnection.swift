import SecureMemory
import VaultModel

/// A connection of a client to a server, for schemes that log in on one.
public struct ClientConnection: Hashable, Sendable {
  /// A number that no other connection of the client has had.
  let number: UInt64
  /// The data that bind a login to the server's certificate, as tls-server-end-point; empty without
  /// TLS.
  ///
  /// - Source: RFC 5929 §4.
  let binding: [UInt8]

  /// Describes a connection.
  public init(number: UInt64, binding: [UInt8] = []) {
    self.number = number
    self.binding = binding
  }
}

/// The owner of a connection that somebody has logged in on: the server, the scheme, and the user.
///
/// Two are equal if a request of the one may go over a connection of the other.
public struct ConnectionOwner: Hashable, Sendable {
  private let space: ProtectionSpace
  private let user: [UInt8]
  /// The hash of the secret; nil for tickets, whose user is the one that they name.
  private let secret: SecretHasher.Hash?

  init(_ space: ProtectionSpace, user: String, _ secret: SecretHasher.Hash?) {
    self.space = space
    self.user = Array(user.utf8)
    self.secret = secret
  }
}
