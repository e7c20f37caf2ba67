/// When a credential is sent that the server or proxy has not asked for in this exchange.
///
/// Whatever it says: never to another origin than the one it is for; nor, once it was accepted, outside of the paths that
/// its challenges were for, unless it is on the request itself.
public enum BeforeChallenge: Sendable {
  /// Never: each request is challenged first.
  case never
  /// Where this ``Authenticator`` has had a success with the same space and user.
  case afterSuccess
  /// Also without one, as Basic, over TLS or to this machine: the request's own, and if it is plain whose is meant what is
  /// stored.
  case always
}
