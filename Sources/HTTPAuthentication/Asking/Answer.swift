public import VaultModel

/// What a prompt says.
public enum Answer: Sendable {
  /// Use this; an empty user or password is one.
  ///
  /// Its persistence says how strongly it is remembered once the server has accepted it.
  case use(Credential)
  /// Use what is stored for this user.
  case useStored(user: String)
  /// Leave the response as it is: the caller gets the 401 or 407.
  case goOnWithout
  /// Do not use this scheme; the next one that the server offers is tried.
  case declineScheme
  /// Give up, and with this request those that the case names.
  case cancel(Cancellation)
}

/// Which requests end without an answer.
public enum Cancellation: Sendable, Hashable {
  /// The one that was asked for; others that wait for the same space are asked anew.
  case request
  /// All that wait for the same space.
  case space
  /// All that wait for any answer in this process.
  case all
}
