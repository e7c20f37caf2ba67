import VaultStore
public import VaultModel

/// The items of the file and of the session apart, for a program that keeps an index of the file's.
extension Vault {
  /// Returns the generation of the file now, which every commit raises; cheap if nobody else has
  /// made one.
  ///
  /// - Returns: 0 for a vault in memory.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func fileGeneration() throws(VaultError) -> UInt64 {
    try requireUnlocked()
    return try file?.look() ?? 0
  }

  /// Returns the items of all classes in the file, also expired ones, without their secrets.
  ///
  /// - Throws: As ``fileGeneration()``.
  public func itemsOfFile() throws(VaultError) -> [Item] {
    try requireUnlocked()
    return try file?.find(.everything, withSecrets: false) ?? []
  }

  /// Returns the items of all classes in the session, without their secrets, and those of the file
  /// that none of these hides, as ``findAll(_:withSecrets:)`` does.
  ///
  /// - Parameter permanent: The items of the file.
  /// - Returns: Both, without a defined order.
  /// - Throws: As ``fileGeneration()``.
  public func itemsOfSession(
    beside permanent: [Item]
  ) throws(VaultError) -> [Item] {
    try requireUnlocked()
    let temporary = try session.find(.everything, withSecrets: false)
    guard !temporary.isEmpty else { return permanent }
    return ItemQuery.everything.merged(temporary, permanent, at: session.time.now())
  }
}
