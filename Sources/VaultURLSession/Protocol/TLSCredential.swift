package import Foundation
public import FoundationNetworking
public import TLSCredentials

/// A credential of TLS: the trust in a server, or an identity.
// Proof: Foundation's credential does not change, and what is added is constant.
package final class TLSCredential: URLCredential, @unchecked Sendable {
  /// The kind of a credential, with its content.
  package enum Kind: Sendable {
    /// The server that was asked about is trusted.
    case trust
    /// This identity is presented.
    case identity(Identity)
  }

  /// The kind, with the content.
  package let kind: Kind
  /// The objects that it was made of, for those that ask for them.
  package let parts: [any Sendable]

  /// Creates a credential.
  package init(_ kind: Kind, of parts: [any Sendable], _ persistence: Persistence) {
    self.kind = kind
    self.parts = parts
    super.init(user: "", password: "", persistence: persistence)
  }

  /// Reads nothing: a private key is not archived.
  package required init?(coder: NSCoder) { nil }

  package override var user: String? { nil }
  package override var password: String? { nil }
  package override var hasPassword: Bool { false }
}

/// Credentials that have an identity.
extension URLCredential {
  /// Creates a credential that presents an identity, without Apple's names.
  public static func identity(_ identity: Identity) -> URLCredential {
    TLSCredential(.identity(identity), of: [], .forSession)
  }

  /// A credential that trusts the server that was asked about, without Apple's names.
  public static var trustingServer: URLCredential { TLSCredential(.trust, of: [], .forSession) }
}
