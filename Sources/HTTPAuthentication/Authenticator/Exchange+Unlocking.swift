import CredentialVault
import VaultModel

private struct UnlockKey: Hashable {
  let authenticator: ObjectIdentifier
}

/// Unlocking a vault; a locked vault is never treated as an empty one.
extension Exchange {
  /// Looks something up; if the vault is locked, has it unlocked and looks again.
  ///
  /// - Throws: ``VaultError/Code/locked`` if nobody unlocks it;
  ///   ``VaultError/Code/authenticationFailed`` if all keys were wrong; the errors of waiting for
  ///   an answer.
  mutating func unlocked<R: Sendable>(
    _ lookUp: @Sendable (inout Exchange) throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    do throws(VaultError) {
      return try await waiting(lookUp)
    } catch {
      guard error.code == .locked else { throw error }
    }
    let authenticator = authenticator
    let key = UnlockKey(authenticator: ObjectIdentifier(authenticator))
    try await authenticator.line.reply(to: key, within: authenticator.answerLimit) {
      () async throws(VaultError) -> Void? in
      // Another request may have unlocked it while this one waited in the queue.
      try authenticator.vault.state == .locked ? nil : ()
    } ask: { () async throws(VaultError) in
      try await authenticator.vault.unlock(asking: authenticator.prompt)
      return PromptQueue.Asked(reply: ())
    }
    return try await waiting(lookUp)
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
