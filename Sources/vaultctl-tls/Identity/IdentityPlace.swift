import CredentialVault
import TLSCredentials
import VaultCommands
import VaultModel

/// The place in which an import stores identities, as its options say.
struct IdentityPlace {
  let space: ProtectionSpace?
  /// The account; empty for the file's name.
  let name: String
  let persistence: Persistence

  /// - Throws: ``VaultError/Code/invalidArgument`` for a URL or persistence that is none.
  init(_ arguments: Arguments) throws(VaultError) {
    space = try arguments.parsed(.url) { (url) throws(VaultError) in
      try ProtectionSpace(url: url, authenticationMethod: .clientCertificate)
    }
    persistence = try arguments.parsed(.persistence, as: Values.persistence) ?? .permanent
    guard persistence > .none else {
      throw VaultError(.invalidArgument, "--persistence: not session or permanent")
    }
    name = arguments.text(.account) ?? ""
  }

  /// Checks that a vault can keep what is put there.
  func require(in vault: Vault) throws(VaultError) {
    if persistence == .session { try AddCommand.requireSharedSession(of: vault) }
  }

  /// Stores an identity: `store` adds it, or replaces the one of the same name if that is wanted.
  func storing(
    in vault: Vault, _ invocation: Invocation,
    _ store: (StoredIdentity?) throws(VaultError) -> IdentityStoreResult
  ) throws(VaultError) -> StoredIdentity {
    let result: IdentityStoreResult
    do throws(VaultError) {
      result = try store(nil)
    } catch {
      guard error.code == .duplicateItem, invocation.arguments.has(.update),
        let known = error.candidates.first
      else { throw error }
      result = try store(StoredIdentity(known))
    }
    _ = try result.stored.kept(in: vault)
    return result.identity
  }
}
