import TLSCredentials

/// The Swift of the article: each function's body is one of its snippets.
struct UsingIdentities {
  func show(_ text: String) {}

  func store(_ identity: Identity, for space: ProtectionSpace, in vault: Vault) async throws {
    let result = try vault.identities.add(identity, for: space)
    print("\(result.identity.item.account) is kept \(result.decision.granted)")
  }

  func present(
    _ url: String, _ request: IdentityRequest, from vault: Vault
  ) async throws(VaultError) -> Identity? {
    do throws(VaultError) {
      let chosen = try vault.identities.choose(for: url, request)
      return try vault.identities.open(chosen)
    } catch {
      switch error.code {
      case .itemNotFound: return nil
      case .expired: show("renew \(error.candidates.map(\.label))")
      case .ambiguous: show("choose one of \(error.candidates.map(\.label))")
      default: show(error.description)
      }
      throw error
    }
  }

  func prefer(
    _ stored: StoredIdentity, for space: ProtectionSpace, in vault: Vault
  ) async throws {
    try vault.setDefaultUser(stored.item.account, for: space)
    try vault.identities.setPreferred(stored, for: "https://api.example.com/team/")
    try vault.identities.setPreferred(stored, for: "*.example.com")
  }

  func renew(
    _ stored: StoredIdentity, _ certificate: Certificate, _ chain: [Certificate], in vault: Vault
  ) async throws {
    try vault.identities.renew(stored, certificate: certificate, chain: chain)
  }
}
