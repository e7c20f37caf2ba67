public import VaultModel
import VaultStorage

/// The default credential of a space: a reference to one of its users, never a copy.
extension Vault {
  /// The default user of a space, the session's word first; nil if it has none.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try requireUnlocked()
    if let user = try session.defaultUser(for: space) { return user }
    return try file?.defaultUser(for: space)
  }

  /// Makes one of a space's users its default, where that user's credential is kept; nil clears it.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if the space has no such user.
  public func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) throws(VaultError) {
    guard let user else {
      try requireUnlocked()
      try session.setDefaultUser(nil, for: space)
      try file?.setDefaultUser(nil, for: space)
      return
    }
    let owner = try credentials(for: space).first { $0.user.utf8.elementsEqual(user.utf8) }
    guard let owner else {
      throw VaultError(.itemNotFound, "\(space) has no credential of this user")
    }
    try store(owner.persistence).setDefaultUser(user, for: space)
    // The choice made last holds.
    if owner.persistence == .permanent { try session.setDefaultUser(nil, for: space) }
  }

  /// All defaults.
  ///
  /// - Throws: As ``defaultUser(for:)``.
  public func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try requireUnlocked()
    let permanent = try file?.defaults() ?? [:]
    return permanent.merging(try session.defaults()) { _, temporary in temporary }
  }
}
