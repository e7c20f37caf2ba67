import CredentialVault

/// The Swift of the article: each function's body is one of its snippets.
struct Unlocking: PrintingArticle {
  let printed = PrintedLines()

  func askUser(_ prompt: String) throws -> Secret {
    throw VaultError(.interrupted, "nobody answers \(prompt)")
  }

  func unlock(_ path: String) async throws {
    let vault = try Vault.openLocked(path: path)
    if try vault.state() == .locked {
      try await vault.unlock(
        with: .askedPassphrase { try askUser("Passphrase: ") })
    }
  }

  func lock(_ vault: Vault, _ keyPath: String) async throws {
    try await vault.lock()
    try await vault.unlock(with: .keyFile(keyPath))
  }
}
