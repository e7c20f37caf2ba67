import CredentialVault

/// The Swift of the article: each function's body is one of its snippets.
struct SpacesAndCredentials: PrintingArticle {
  let printed = PrintedLines()

  func spaces() throws {
    let server = try ProtectionSpace(url: "https://git.example.com/", realm: "Team Git")
    let same = try ProtectionSpace(host: "GIT.example.com.", port: 443, realm: "Team Git")
    let proxy = try ProtectionSpace(proxyHost: "proxy.example.com", port: 3128, type: .httpProxy)
    print(server == same, proxy.isProxy)  // true true
  }

  func users(_ vault: Vault, _ space: ProtectionSpace) async throws {
    for credential in try await vault.credentials(for: space) {
      print(credential.user, credential.persistence)
    }
    try vault.setDefaultUser("ann", for: space)
  }

  func modify(_ vault: Vault, _ space: ProtectionSpace, _ password: Secret) async throws {
    var query = ItemQuery(space)
    query.account = .equals("ann")
    let item = try await vault.find(query, withSecrets: true)
    try vault.modify(
      item, [.label("Team Git"), .secret(password)], ifRevision: item.revision)
  }

  func undo(_ vault: Vault, _ item: Item, _ query: ItemQuery) async throws {
    try await vault.remove(item)
    if let removed = try vault.trash.items(query).first {
      try vault.trash.restore(removed)
    }
    let restored = try await vault.find(query)
    try vault.history.revert(restored)
  }

  func observe(_ vault: Vault) async {
    for await event in vault.events {
      print(event)
    }
  }
}
