import CredentialVault
import SecureMemory
import VaultModel

/// One credential on its way: where it is from, and what it was made into.
struct Attempt: Sendable {
  /// What makes the fields; requests of the same server and user share it.
  let authentication: Authentication
  /// The challenge that is answered; nil for what is sent before one.
  let challenge: Authentication?
  /// What was sent.
  let credential: Credential
  /// What has to be confirmed or rejected; nil if it is stored already, or is not to be.
  let pending: PendingCredential?
  /// The field of the last request.
  private(set) var field: AuthorizationField
  /// Whether the server or proxy has accepted it, and that was taken note of.
  var isAccepted = false

  /// Whether the nonce is one that other requests count, too.
  var sharesNonce: Bool { authentication.method == .digest && authentication !== challenge }

  /// Makes the field for a request.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the scheme cannot carry this user or password;
  ///   ``VaultError/Code/unsupported`` if libcrypto refuses the hash.
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

  /// Makes the field for the next request, with the nonce as it is now.
  mutating func renew(for request: RequestHead) throws(VaultError) {
    field = try authentication.field(for: credential, of: request)
  }

  /// The same credential for a challenge whose nonce no other request uses.
  func alone(
    with challenge: Authentication, for request: RequestHead
  ) throws(VaultError) -> Attempt {
    try Attempt(challenge, answering: challenge, credential, pending: pending, for: request)
  }
}
