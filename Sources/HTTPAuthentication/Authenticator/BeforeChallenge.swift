/// When a credential is sent that the server or proxy has not asked for in this exchange.
///
/// Whatever it says: never to another origin than the one it is for, nor outside of the paths that its challenge was for.
public enum BeforeChallenge: Sendable {
  /// Never: each request is challenged first.
  case never
  /// Where this ``Authenticator`` has had a success with the same space and user.
  case afterSuccess
  /// Also without one: as Basic, over TLS or to this machine, if it is plain whose credential is meant.
  case always
}
