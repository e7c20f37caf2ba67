import CredentialVault
import VaultModel

private struct UnlockKey: Hashable {
  let authenticator: ObjectIdentifier
  let vault: ObjectIdentifier
}

/// Unlocking vaults; a locked vault is never treated as an empty one.
extension ChallengeSide {
  /// Looks something up; if a vault is locked, has it unlocked and looks again.
  ///
  /// - Throws: ``VaultError/Code/locked`` if nobody unlocks it;
  ///   ``VaultError/Code/authenticationFailed`` if all keys were wrong; the errors of waiting for
  ///   an answer.
  mutating func unlocked<R: Sendable>(
    _ lookUp: @Sendable (inout ChallengeSide) throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    do throws(VaultError) {
      return try await authenticator.vault.waiting(changing: &self, lookUp)
    } catch {
      guard error.code == .locked, switches.mayPrompt else { throw error }
    }
    for vault in authenticator.vaults.vaults { try await unlock(vault) }
    return try await authenticator.vault.waiting(changing: &self, lookUp)
  }

  /// Unlocks a vault, if it is locked.
  private func unlock(_ vault: Vault) async throws(VaultError) {
    let authenticator = authenticator
    let key = UnlockKey(
      authenticator: ObjectIdentifier(authenticator), vault: ObjectIdentifier(vault))
    try await authenticator.settings.queue.reply(
      to: key, within: authenticator.settings.answerLimit
    ) {
      () async throws(VaultError) -> Void? in
      // Another request may have unlocked it while this one waited in the queue.
      try await vault.waiting { () throws(VaultError) -> Void? in
        try vault.state() == .locked ? nil : ()
      }
    } ask: { () async throws(VaultError) in
      try await vault.unlock(asking: authenticator.prompt)
      return PromptQueue.Asked(reply: ())
    }
  }
}

extension Vault {
  /// The limit on wrong keys for one vault.
  private static let mostKeys = 3

  /// Prompts for keys until one is right.
  fileprivate func unlock(asking prompt: any CredentialPrompt) async throws(VaultError) {
    for failures in 0..<Self.mostKeys {
      guard let key = await prompt.key(UnlockQuestion(path: path, failures: failures)) else {
        break
      }
      do throws(VaultError) {
        return try await unlock(with: key)
      } catch {
        guard error.code == .authenticationFailed, failures + 1 < Self.mostKeys else { throw error }
      }
    }
    throw VaultError(.locked, "the vault is locked, and nobody unlocked it")
  }
}
