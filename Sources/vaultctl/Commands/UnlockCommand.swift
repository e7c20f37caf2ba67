import CredentialVault
import VaultModel

/// `vaultctl unlock`: lets the kernel remember the vault's key for a while.
enum UnlockCommand {
  static let command = Command(
    id: .unlock, operands: .none, summary: "remember the vault's key for a while",
    details: [
      "After unlock, every program of this user opens the vault without a prompt, until lock, or"
        + " until it was not used for the time of -t, or until --max is over. The key is in the"
        + " kernel's memory, not in a file and in no process, and is forgotten when the machine"
        + " sleeps or is started again. It is found after key files and before prompts.",
      "rekey, passwd and slot remove forget it. A vault can forbid it or shorten it: vaultctl"
        + " policy remember. Where the kernel's keyrings are denied, as in most containers, the"
        + " exit status is 69; vaultctl doctor tells more.",
      "Without unlock, --remember, VAULTCTL_REMEMBER or a line remember = 15m of the configuration"
        + " does the same whenever a passphrase is typed.",
    ],
    groups: [
      OptionGroup(
        heading: "How long",
        options: [
          Option(
            .timeout, "t", .text("TIME"), "forget it after this time without a use (default 15m)"),
          Option(.max, nil, .text("TIME"), "forget it after this time in any case (default 8h)"),
        ]), .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let time = RememberedTime(
      idle: try arguments.parsed(.timeout, as: Values.spanSeconds),
      most: try arguments.parsed(.max, as: Values.spanSeconds))
    // So that nobody types a passphrase in vain.
    try VaultKeys.requireRemembering()
    let vaults = try VaultLocation.list(arguments.texts(.vault)).vaults
    let given = try invocation.keyFromArguments().orFound()?.loaded()
    var unlocked: [(path: String, time: RememberedTime)] = []
    for listed in vaults {
      let vault = try invocation.openLocked(listed)
      try invocation.withKey(given, for: listed.path, of: vault) { (key) throws(VaultError) in
        try vault.unlock(with: key)
      }
      unlocked.append((listed.path, try vault.keys.remember(for: time)))
    }
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.name("vaults")
      try json.beginArray()
      for (path, time) in unlocked {
        try json.beginObject()
        try json.field("path", path)
        try json.field("idle_seconds", time.idle)
        try json.field("max_seconds", time.most)
        try json.endObject()
      }
      try json.endArray()
      try json.endObject()
      try json.finish()
    } else if !invocation.isQuiet {
      for (path, time) in unlocked {
        try invocation.output.line("unlocked \(path): \(time.text)")
      }
    }
    return .success
  }
}

/// `vaultctl lock`: forgets the vault's key.
enum LockCommand {
  static let command = Command(
    id: .lock, operands: .none, summary: "forget the vault's key at once",
    details: [
      "This ends what unlock and --remember began, for every program that opens the vault from now"
        + " on. A program that has it open keeps it open. No key is needed."
    ], groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vaults = try VaultLocation.list(invocation.arguments.texts(.vault)).vaults
    var locked: [(path: String, wasRemembered: Bool)] = []
    var failure: VaultError?
    for listed in vaults {
      do throws(VaultError) {
        locked.append((listed.path, try invocation.openLocked(listed).keys.forget()))
      } catch {
        // The others are locked all the same.
        failure = failure ?? (vaults.count > 1 ? error.named(listed.path) : error)
      }
    }
    if let failure { throw failure }
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.name("vaults")
      try json.beginArray()
      for (path, wasRemembered) in locked {
        try json.beginObject()
        try json.field("path", path)
        try json.field("was_remembered", wasRemembered)
        try json.endObject()
      }
      try json.endArray()
      try json.endObject()
      try json.finish()
    } else if !invocation.isQuiet {
      for (path, wasRemembered) in locked {
        try invocation.output.line(
          wasRemembered ? "locked \(path)" : "nothing was remembered of \(path)")
      }
    }
    return .success
  }
}
