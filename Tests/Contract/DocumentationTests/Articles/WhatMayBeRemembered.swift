import CredentialVault

/// The Swift of the article: each function's body is one of its snippets.
struct WhatMayBeRemembered: PrintingArticle {
  let printed = PrintedLines()
  let isAccepted: Bool

  func logsIn(with credential: Credential) async throws -> Bool { isAccepted }

  func change(_ vault: Vault) async throws {
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "only what works")
      rule.host = try HostPattern("*.example.com")
      rule.persistOnlyAfterAcceptance = true
      rule.lifetime = .seconds(30 * 86_400)
      rules.append(rule)
    }
  }

  func store(
    _ credential: Credential, for space: ProtectionSpace, in vault: Vault
  ) async throws {
    let stored = try await vault.set(credential, for: space)
    if let pending = stored.pending {
      if try await logsIn(with: credential) {
        try vault.pending.confirm(pending)
      } else {
        try vault.pending.reject(pending)
      }
    }
  }

  func apply(_ vault: Vault, _ space: ProtectionSpace) async throws {
    let explanation = try vault.policy.explain(space)
    print(explanation.decision.granted, explanation.decision.rule?.name ?? "no rule")
    for excess in try vault.policy.apply() {
      print(excess.rule.name, excess.remedy)
    }
  }
}
