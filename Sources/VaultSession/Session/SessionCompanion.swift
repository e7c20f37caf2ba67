/// Something that has to be closed whenever this process's session ends, since it has credentials
/// of the session, too.
package protocol SessionCompanion: AnyObject, Sendable {
  /// The vault was locked or closed; called while its lock is held.
  func sessionHasEnded()
}

/// A session's companion, for as long as others keep it.
struct WeakCompanion {
  weak var value: (any SessionCompanion)?
}
