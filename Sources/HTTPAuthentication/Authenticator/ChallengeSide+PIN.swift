package import CredentialVault
package import VaultModel

private struct PINKey: Hashable {
  let authenticator: ObjectIdentifier
  let item: ItemID
}

/// The reply to a question for a PIN, which all requests that wait for it share.
private enum PINReply: Sendable {
  case opened(Item)
  case none
}

/// Stored credentials that need a PIN: they are used if no other one is left.
extension ChallengeSide {
  /// Opens a stored credential with its PIN, and makes an attempt with it.
  ///
  /// It is not stored again when it is accepted.
  mutating func takeSealed(for responder: ChallengeResponder) async throws(VaultError) -> Bool {
    guard let (vault, item) = try await sealed(for: responder) else { return false }
    // Asked for once in a request, whatever becomes of it.
    askedPINs.insert(item.id)
    guard let opened = try await authenticator.opened(item, in: vault, for: responder.space)
    else { return false }
    let candidate = Candidate(item: opened, pending: nil)
    var credential = candidate.credential
    credential.persistence = .none
    guard !wasRejected(credential, by: responder.space), maySend(candidate, to: responder)
    else { return false }
    return try take(own: credential, for: responder)
  }

  /// Returns the best item of the space that needs a PIN, with its vault.
  private func sealed(
    for responder: ChallengeResponder
  ) async throws(VaultError) -> (Vault, Item)? {
    let side = self
    return try await authenticator.vault.waiting {
      () throws(VaultError) -> (Vault, Item)? in
      for space in try responder.space.andWithoutRealm {
        var query = ItemQuery(space, at: side.requestPath)
        query.includesExpired = false
        for found in try side.authenticator.vaults.findAll(query) {
          let item = found.item
          if item.needsPIN, item.isSent, side.meantUser.means(item.account),
            side.switches.allows(item), !side.askedPINs.contains(item.id)
          {
            return (found.vault, item)
          }
        }
      }
      return nil
    }
  }
}

extension Authenticator {
  /// The limit on wrong PINs for one credential.
  private static let mostPINs = 3

  /// Asks for the PIN of an item and opens it, once for all requests that wait for it.
  ///
  /// - Returns: The item with its secret; nil if nobody has a PIN for it.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if all PINs were wrong; as
  ///   `vault.pins.open`; the errors of waiting for an answer.
  package func opened(
    _ item: Item, in vault: Vault, for space: ProtectionSpace
  ) async throws(VaultError) -> Item? {
    let key = PINKey(authenticator: ObjectIdentifier(self), item: item.id)
    let reply = try await settings.queue.reply(to: key, within: settings.answerLimit) {
      () async throws(VaultError) -> PINReply? in
      nil
    } ask: { [prompt] () async throws(VaultError) in
      for failures in 0..<Self.mostPINs {
        let question = PINQuestion(space: space, item: item, failures: failures)
        guard let pin = await prompt.pin(question) else { break }
        do throws(VaultError) {
          let opened = try await vault.waiting { () throws(VaultError) in
            try vault.pins.open(item, pin: pin)
          }
          return PromptQueue.Asked(reply: PINReply.opened(opened))
        } catch {
          guard error.code == .authenticationFailed, failures + 1 < Self.mostPINs else {
            throw error
          }
        }
      }
      return PromptQueue.Asked(reply: PINReply.none)
    }
    guard case .opened(let opened) = reply else { return nil }
    return opened
  }
}
