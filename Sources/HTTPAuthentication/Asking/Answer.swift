public import VaultModel

/// The answer of a prompt.
public enum Answer: Sendable {
  /// Use this credential; an empty user or password is valid.
  ///
  /// Its persistence says how strongly it is remembered once the server has accepted it.
  case use(Credential)
  /// Use the stored credential of this user.
  case useStored(user: String)
  /// Leave the response as it is: the caller gets the 401 or 407.
  case goOnWithout
  /// Do not use this scheme; the next one that the server offers is tried.
  case declineScheme
  /// Give up, and cancel the requests that the case names.
  case cancel(Cancellation)
}

/// The requests that end without an answer.
public enum Cancellation: Sendable, Hashable {
  /// The request that prompted; others that wait for the same space prompt again.
  case request
  /// All requests that wait for the same space.
  case space
  /// All requests in this process that wait for any answer.
  case all
}
