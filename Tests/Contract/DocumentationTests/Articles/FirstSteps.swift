import CredentialVault

/// The Swift of the article: each function's body is one of its snippets.
///
/// A stranger's file: it imports what the article imports, and nothing else.
struct FirstSteps: PrintingArticle {
  let printed = PrintedLines()

  /// Somebody's journal, with errors of its own.
  struct Journal {
    enum Failure: Error {
      case full
    }

    let isFull: Bool

    func append(_ id: ItemID) throws(Failure) {
      if isFull { throw .full }
    }
  }

  func login(_ user: String, _ password: String) {}

  // Not called, because it would open the vault of the user who runs the tests. Not formatted,
  // because the article aligns its comment:
  // swift-format-ignore
  func find(_ item: Item, _ journal: Journal) async throws {
    let vault = try await Vault.open()
    let space = try ProtectionSpace(url: "https://git.example.com/", realm: "Team Git")
    if let credential = try await vault.defaultCredential(for: space) {
      print(credential.user, credential.secret.count)
      try credential.secret.withUTF8String { text in login(credential.user, text) }
    }
    try await vault.write { writer in
      try writer.add(item)
      try journal.append(item.id)          // throws its own error type
    }
  }

  func make(_ keyPath: String, _ vaultPath: String, _ item: Item) async throws {
    let vault = try await Vault.perform {
      try KeyFile.create(at: keyPath)
      return try Vault.create(path: vaultPath, key: .keyFile(keyPath))
    }
    try await vault.add(item)
  }

  func store(_ password: Secret, for space: ProtectionSpace, in vault: Vault) async throws {
    let credential = Credential(user: "ann", secret: password, persistence: .permanent)
    let stored = try await vault.set(credential, for: space)
    if stored.item.persistence < credential.persistence {
      print("kept for: \(stored.item.persistence)")
    }
  }

  func handle(_ vault: Vault, _ space: ProtectionSpace) async {
    do {
      let item = try await vault.find(ItemQuery(space), withSecrets: true)
      print(item)
    } catch VaultError.Code.itemNotFound {
      print("no credential for \(space)")
    } catch VaultError.Code.locked {
      print("unlock the vault first")
    } catch {
      print(error)
    }
  }
}
