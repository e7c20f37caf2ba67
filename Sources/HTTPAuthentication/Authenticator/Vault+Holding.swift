import CredentialVault
import SecureMemory
import VaultModel

/// Storing an answer in the vault.
extension Vault {
  /// Holds an answer until it is accepted, if the policy allows it to be remembered.
  ///
  /// - Returns: The pending credential; nil if the answer is for one use.
  func hold(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) -> PendingCredential? {
    guard credential.persistence > .none else { return nil }
    var credential = credential
    // A vault without a file can keep it for the session at most.
    if path == nil { credential.persistence = .session }
    do throws(VaultError) {
      let home = try home(of: credential.user, space, at: requestPath)
      return try pending.set(credential, for: home, at: requestPath).pending
    } catch {
      // An answer that may not be remembered may still be used.
      guard error.code == .policyRefused else { throw error }
      return nil
    }
  }

  /// Does what the synchronous ``hold(_:for:at:)`` does, without blocking the calling thread.
  func hold(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath
  ) async throws(VaultError) -> PendingCredential? {
    try await waiting { () throws(VaultError) in
      try hold(credential, for: space, at: requestPath)
    }
  }

  /// Stores an answer that was accepted.
  ///
  /// Another request with the same answer may already have confirmed it, or rejected it. Such a
  /// rejection is not final for this space.
  func keep(
    _ credential: Credential, _ pending: PendingCredential, for space: ProtectionSpace,
    at requestPath: RequestPath
  ) throws(VaultError) {
    do throws(VaultError) {
      try self.pending.confirm(pending)
    } catch {
      guard error.code == .itemNotFound else { throw error }
      let home = try home(of: credential.user, space, at: requestPath)
      let isKept = try candidates(ItemQuery(home, at: requestPath)).contains {
        $0.item.account.hasSameBytes(as: credential.user)
          && $0.credential.secret.isEqual(to: credential.secret)
      }
      guard !isKept else { return }
      var credential = credential
      credential.persistence = pending.requested
      try set(credential, for: home, at: requestPath, isAccepted: true)
    }
  }

  /// Returns the space for a user's new secret: that of the item it replaces, or the challenge's
  /// own.
  private func home(
    of user: String, _ space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) -> ProtectionSpace {
    for space in try space.andWithoutRealm {
      let stored = try findAll(ItemQuery(space, at: requestPath))
      if stored.contains(where: { $0.account.hasSameBytes(as: user) }) { return space }
    }
    return space
  }
}
