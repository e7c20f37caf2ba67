import CredentialVault
import VaultStore
public import VaultModel

extension VaultMaintenance {
  /// Brings an unlocked replica of a fleet's vault up to its server's state, as each write to it
  /// does by itself.
  ///
  /// `vaultctl-fleet` asks the server; it is found beside the program or in `libexec`, and its
  /// connection stays open until the vault is closed. Other threads look up while the server is
  /// asked. The data is verified before it is written, so after an error the replica is as it was.
  /// A task calls it in `Vault.perform { … }`, and not on the vault's own thread, where lookups
  /// would wait for the server.
  ///
  /// - Returns: The generation of the vault before and after; they are the same if nothing was new.
  /// - Throws: ``VaultError/Code/unavailable`` if the server cannot be reached, or the program is
  ///   not installed; ``VaultError/Code/configuration`` if it does not show the vault to this
  ///   machine's role; ``VaultError/Code/damaged``, ``VaultError/Code/rolledBack`` or
  ///   ``VaultError/Code/forked`` if what it has does not continue this replica;
  ///   ``VaultError/Code/invalidArgument`` for a vault that is not a replica;
  ///   ``VaultError/Code/locked``.
  @discardableResult
  public func sync() throws(VaultError) -> (before: UInt64, after: UInt64) {
    let file = try vault.requireFile()
    let time = Timestamp.now()
    let generations = try file.sync()
    VaultLocation.noteContact(besides: file.path.path, at: time)
    return generations
  }
}
