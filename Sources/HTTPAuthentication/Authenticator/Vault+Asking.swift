import CredentialVault
import VaultModel

/// What an answer does to the vault.
extension Vault {
  /// Where a user's new secret belongs: to the item that it replaces, or to the challenge's own space.
  func home(
    of user: String, _ space: ProtectionSpace
  ) throws(VaultError) -> ProtectionSpace {
    for space in try space.andWithoutRealm
    where try findAll(ItemQuery(space)).contains(where: { $0.account.hasSameBytes(as: user) }) {
      return space
    }
    return space
  }

  /// Holds an answer until it is accepted, if the policy lets it be remembered at all.
  func hold(
    _ credential: Credential, for space: ProtectionSpace
  ) throws(VaultError) -> PendingCredential? {
    guard credential.persistence > .none else { return nil }
    do throws(VaultError) {
      return try setPending(credential, for: home(of: credential.user, space)).pending
    } catch {
      // What may not be remembered may still be used.
      guard error.code == .policyRefused else { throw error }
      return nil
    }
  }

  func unlock(asking asker: any Asker, most: Int) async throws(VaultError) -> Bool {
    for failures in 0..<most {
      guard let key = await asker.key(UnlockQuestion(path: path, failures: failures)) else { break }
      do throws(VaultError) {
        try unlock(with: key)
        return true
      } catch {
        guard error.code == .authenticationFailed, failures + 1 < most else { throw error }
      }
    }
    throw VaultError(.locked, "the vault is locked, and nobody unlocked it")
  }
}
