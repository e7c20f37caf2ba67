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
    try await authenticator.unlockAll()
    return try await authenticator.vault.waiting(changing: &self, lookUp)
  }
}

extension Authenticator {
  /// Looks something up for a request; if a vault is locked, has it unlocked and looks again.
  ///
  /// - Throws: ``VaultError/Code/locked`` if nobody unlocks it;
  ///   ``VaultError/Code/authenticationFailed`` if all keys were wrong; the errors of waiting for
  ///   an answer.
  package func unlocked<R: Sendable>(
    for options: RequestOptions, _ lookUp: @Sendable @escaping () throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    do throws(VaultError) {
      return try await vault.waiting(lookUp)
    } catch {
      guard error.code == .locked, Switches(of: options, self).mayPrompt else { throw error }
    }
    try await unlockAll()
    return try await vault.waiting(lookUp)
  }

  /// Unlocks the vaults that are locked.
  fileprivate func unlockAll() async throws(VaultError) {
    for vault in vaults.vaults { try await unlock(vault) }
  }

  private func unlock(_ vault: Vault) async throws(VaultError) {
    let key = UnlockKey(authenticator: ObjectIdentifier(self), vault: ObjectIdentifier(vault))
    try await settings.queue.reply(to: key, within: settings.answerLimit) {
      () async throws(VaultError) -> Void? in
      // Another request may have unlocked it while this one waited in the queue.
      try await vault.waiting { () throws(VaultError) -> Void? in
        try vault.state() == .locked ? nil : ()
      }
    } ask: { [prompt] () async throws(VaultError) in
      try await vault.unlock(asking: prompt)
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
