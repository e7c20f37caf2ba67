/// The change of a file's or folder's owner or mode that an error asks for, for a program to put
/// into words or to make.
///
/// Later versions may have more cases, so keep a `default` in a `switch`.
public enum AccessRemedy: Sendable, Hashable {
  /// Make a folder accessible to its owner alone (mode 0700).
  case makePrivate(path: String)
  /// Take the permission to write to a folder away from some users.
  case removeWriteAccess(path: String, from: Users)
  /// Make a file or folder this user's own and accessible to nobody else.
  case takeOwnership(path: String, of: Place)

  /// The users who lose a permission.
  public enum Users: Sendable, Hashable {
    /// The group and all others.
    case groupAndOthers
    /// All others, but not the group.
    case others
  }

  /// The kind of thing that should be this user's own.
  public enum Place: Sendable, Hashable {
    /// A file (mode 0600).
    case file
    /// A folder (mode 0700).
    case folder
  }
}
