import VaultAdministration
import VaultModel

/// `vaultctl lock`: forgets the vault's key.
enum LockCommand {
  static let command = Command(
    id: .lock, operands: .none, summary: "forget the vault's key at once", example: "vaultctl lock",
    details: [
      "This forgets the key that unlock or --remember left, for every program that opens the vault"
        + " from now on, and ends the session that programs share. Programs that have the vault open"
        + " keep it open. No key is needed, nor the vault's file: of a vault that was moved away or"
        + " is not mounted, the key is that of the vault that this machine has last seen there.",
      "With --all, the keys and sessions of all vaults of this user are forgotten.",
    ],
    groups: [
      OptionGroup(
        heading: "What", options: [Option(.all, nil, .none, "forget those of all vaults")]),
      .common,
    ], takesSeveralVaults: true,
    hints: { _ in
      [.vaultNotFound: "vaultctl lock --all forgets the keys of all vaults, wherever they are"]
    }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard !invocation.arguments.has(.all) else { return try lockAll(invocation) }
    let vaults = try VaultLocation.list(invocation.arguments.texts(.vault)).vaults
    let found = try KeySource.find()?.loaded()
    var locked: [(path: String, wasRemembered: Bool)] = []
    var open: [String] = []
    var failure: VaultError?
    for listed in vaults {
      do throws(VaultError) {
        let result = try lock(listed, found, invocation)
        locked.append((listed.path, result.wasRemembered))
        if result.isOpen { open.append(listed.path) }
      } catch {
        // The others are locked all the same.
        failure = failure ?? (vaults.count > 1 ? error.named(listed.path) : error)
      }
    }
    if let failure { throw failure }
    if invocation.isJSON {
      try invocation.output.document(vaults: locked, of: \.path) {
        (vault, json) throws(VaultError) in try json.field("was_remembered", vault.wasRemembered)
      }
    } else if !invocation.isQuiet {
      for (path, wasRemembered) in locked {
        try invocation.output.line(
          wasRemembered ? "locked \(path)" : "nothing was remembered of \(path)")
      }
    }
    for path in open where !invocation.isQuiet {
      try invocation.warn("\(path) still opens, with a key that is found")
    }
    return .success
  }

  /// Forgets a vault's key; returns whether there was one, and whether the vault opens without it.
  private static func lock(
    _ listed: ListedVault, _ found: KeySource?, _ invocation: Invocation
  ) throws(VaultError) -> (wasRemembered: Bool, isOpen: Bool) {
    let vault: Vault
    do throws(VaultError) {
      vault = try invocation.openLocked(listed)
    } catch {
      guard let wasRemembered = try RememberedKey.forget(at: listed.path) else { throw error }
      return (wasRemembered, false)
    }
    let wasRemembered = try RememberedKey(vault).forget()
    guard let found else { return (wasRemembered, false) }
    return (wasRemembered, try vault.opens(withoutAsking: found))
  }

  private static func lockAll(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard invocation.arguments.texts(.vault).isEmpty else {
      throw VaultError(.invalidArgument, "--all and --vault exclude each other")
    }
    let count = try RememberedKey.forgetAll()
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("forgotten_keys", count)
      }
    } else if !invocation.isQuiet {
      try invocation.output.line(
        count == 0 ? "nothing was remembered" : count == 1 ? "forgot 1 key" : "forgot \(count) keys"
      )
    }
    return .success
  }
}
