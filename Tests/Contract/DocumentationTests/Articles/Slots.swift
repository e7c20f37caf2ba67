import VaultAdministration

/// The Swift of the article: each function's body is one of its snippets.
struct Slots: PrintingArticle {
  let printed = PrintedLines()

  func show(_ text: String) {}

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
}
