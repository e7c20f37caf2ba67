import CredentialVault

/// The Swift of the article: each function's body is one of its snippets.
struct Unlocking: PrintingArticle {
  let printed = PrintedLines()

  func askUser(_ prompt: String) throws -> Secret {
    throw VaultError(.interrupted, "nobody answers \(prompt)")
  }

  func show(_ text: String) {}

  func unlock(_ path: String) async throws {
    let vault = try Vault.openLocked(path: path)
    if try vault.state() == .locked {
      try await vault.unlock(
        with: .askedPassphrase { try askUser("Passphrase: ") })
    }
  }

  func change(_ vault: Vault, _ passphrase: Secret) async throws {
    let recovery = try await vault.perform { vault in
      try vault.keys.add(.passphrase(passphrase), name: "laptop")
      for slot in try vault.keys.slots() where slot.name == "old laptop" {
        try vault.keys.remove(id: slot.id)
      }
      return try vault.keys.addRecoveryCode(name: "in the safe")
    }
    try recovery.code.withUTF8String { text in show(text) }
  }

  func rekey(_ vault: Vault, _ keyPath: String, _ lostSlot: SlotInformation) async throws {
    let report = try await vault.perform { vault in
      try vault.keys.rekey(keeping: [.keyFile(keyPath)], removing: [lostSlot.id])
    }
    print("removed slots: \(report.removedSlots)")
  }

  func lock(_ vault: Vault, _ keyPath: String) async throws {
    try await vault.lock()
    try await vault.unlock(with: .keyFile(keyPath))
  }
}
