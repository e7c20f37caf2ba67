public import CredentialVault
import VaultStore
public import VaultModel

/// The items of a vault's file and of its session apart, for a program that keeps an index of the
/// file's.
public struct VaultLayers: Sendable {
  private let vault: Vault

  /// Sees the layers of a vault.
  public init(_ vault: Vault) {
    self.vault = vault
  }

  /// Returns the generation of the file now, which every commit raises; cheap if nobody else has
  /// made one.
  ///
  /// - Returns: 0 for a vault in memory.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func generation() throws(VaultError) -> UInt64 {
    try vault.requireUnlocked()
    return try vault.file?.look() ?? 0
  }

  /// Returns the items of all classes in the file, also expired ones, without their secrets.
  ///
  /// - Throws: As ``generation()``.
  public func file() throws(VaultError) -> [Item] {
    try vault.requireUnlocked()
    return try vault.file?.find(.everything, withSecrets: false) ?? []
  }

  /// Returns the items of all classes in the session, without their secrets, and those of the file
  /// that none of these hides, as ``VaultReading/findAll(_:withSecrets:)`` does.
  ///
  /// - Parameter permanent: The items of the file.
  /// - Returns: Both, without a defined order.
  /// - Throws: As ``generation()``.
  public func session(beside permanent: [Item]) throws(VaultError) -> [Item] {
    try vault.requireUnlocked()
    let temporary = try vault.session.find(.everything, withSecrets: false)
    guard !temporary.isEmpty else { return permanent }
    return ItemQuery.everything.merged(temporary, permanent, at: vault.now)
  }

  /// Whether there are session credentials that end with this process, because they are not shared.
  ///
  /// - Throws: ``VaultError/Code/locked``.
  public var holdsOwnSession: Bool {
    get throws(VaultError) {
      try !vault.session.own.find(.everything, withSecrets: false).isEmpty
    }
  }
}
