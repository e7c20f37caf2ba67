import CredentialVault

/// The Swift of the article: each function's body is one of its snippets.
struct Unlocking: PrintingArticle {
  let printed = PrintedLines()

  func askUser(_ prompt: String) throws -> Secret {
    throw VaultError(.interrupted, "nobody answers \(prompt)")
  }

  func show(_ text: String) {}

  func unlock(_ path: String) async throws {
    let vault = try await Vault.openLocked(path: path)
    if try await vault.state() == .locked {
      try await vault.unlock(
        with: .askedPassphrase { try askUser("Passphrase: ") })
    }
  }

  func change(_ vault: Vault, _ passphrase: Secret) async throws {
    let keys = vault.keys
    try await keys.add(.passphrase(passphrase), name: "laptop")
    let recovery = try await keys.addRecoveryCode(name: "in the safe")
    try recovery.code.withUTF8String { text in show(text) }

    for slot in try await keys.slots() where slot.name == "old laptop" {
      try await keys.remove(id: slot.id)
    }
  }

  func rekey(_ vault: Vault, _ keyPath: String, _ lostSlot: SlotInformation) async throws {
    let report = try await vault.keys.rekey(
      keeping: [.keyFile(keyPath)], removing: [lostSlot.id])
    print("removed slots: \(report.removedSlots)")
  }

  func lock(_ vault: Vault, _ keyPath: String) async throws {
    try await vault.lock()
    try await vault.unlock(with: .keyFile(keyPath))
  }
}
