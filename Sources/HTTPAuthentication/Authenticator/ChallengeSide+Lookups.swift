import CredentialVault
import VaultModel

private struct UnlockKey: Hashable {
  let authenticator: ObjectIdentifier
}

/// Unlocking a vault; a locked vault is never treated as an empty one.
extension ChallengeSide {
  /// Looks something up; if the vault is locked, has it unlocked and looks again.
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
    return try await authenticator.vault.waiting(changing: &self, lookUp)
  }
}

extension Vault {
  /// Runs `body` on the vault's own thread with a copy of a value, which is put back even if `body`
  /// throws.
  func waiting<Value: Sendable, R: Sendable>(
    changing value: inout Value, _ body: @Sendable (inout Value) throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    let start = value
    let (end, result) = try await waiting {
      () throws(VaultError) -> (Value, Result<R, VaultError>) in
      var value = start
      do throws(VaultError) {
        let found = try body(&value)
        return (value, .success(found))
      } catch {
        return (value, .failure(error))
      }
    }
    value = end
    return try result.get()
  }

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
