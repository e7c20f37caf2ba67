/// The policy for sending a credential that the server or proxy has not requested in this exchange.
///
/// With every policy, a credential is sent only to its own origin. Once it was accepted, it is sent
/// only to the paths that its challenges were for, unless it is on the request itself.
public enum BeforeChallenge: Sendable {
  /// Never: each request is challenged first.
  case never
  /// After a success of this ``Authenticator`` with the same space and user.
  case afterSuccess
  /// Also without a success, as Basic, over TLS or to this machine: the request's own credential,
  /// or a stored one if it is clear whose is meant.
  case always
}
