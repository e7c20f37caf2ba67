import CredentialVault
import SecureMemory
import VaultModel

/// A credential that is being tried, with its source and the field made from it.
struct Attempt: Sendable {
  /// The authentication that makes the fields; requests of the same server and user share it.
  let authentication: Authentication
  /// The challenge that is answered; nil for a credential sent before one.
  let challenge: Authentication?
  /// The credential that was sent.
  let credential: Credential
  /// The pending credential to confirm or reject; nil if it is already stored, or must not be.
  let pending: PendingCredential?
  /// The field of the last request.
  private(set) var field: AuthorizationField
  /// Whether the server or proxy has accepted the credential, and this has been recorded.
  var isAccepted = false

  /// Whether other requests also count with the nonce.
  var sharesNonce: Bool { authentication.method == .digest && authentication !== challenge }

  /// Creates an attempt with the field for a request.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the scheme cannot carry this user or
  ///   password; ``VaultError/Code/unsupported`` if libcrypto refuses the hash.
  init(
    _ authentication: Authentication, answering challenge: Authentication?,
    _ credential: Credential, pending: PendingCredential? = nil, for request: RequestHead
  ) throws(VaultError) {
    self.authentication = authentication
    self.challenge = challenge
    self.credential = credential
    self.pending = pending
    field = try authentication.field(for: credential, of: request)
  }

  /// Makes the field for the next request with the current nonce.
  mutating func renew(for request: RequestHead) throws(VaultError) {
    field = try authentication.field(for: credential, of: request)
  }

  /// Returns the same credential for a challenge whose nonce no other request uses.
  func alone(
    with challenge: Authentication, for request: RequestHead
  ) throws(VaultError) -> Attempt {
    try Attempt(challenge, answering: challenge, credential, pending: pending, for: request)
  }
}
