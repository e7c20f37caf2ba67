import VaultAdministration
import VaultModel

/// `vaultctl unlock`: lets the kernel remember the vault's key for a while.
enum UnlockCommand {
  static let command = Command(
    id: .unlock, operands: .none, summary: "remember the vault's key for a while",
    example: "vaultctl unlock -t 15m",
    details: [
      "After unlock, every program of this user opens the vault without a prompt, until lock,"
        + " until it has not been used for the time of -t, or until --max is over. The key is in the"
        + " kernel's memory, in no file and no process, and is forgotten when the machine sleeps or"
        + " restarts. It is tried after key files and before prompts. No other user gets it, even"
        + " through sudo -u or su.",
      "rekey, passwd and slot remove forget it. A vault can forbid or limit it: vaultctl"
        + " policy remember. If the kernel's keyrings are denied, as in most containers, the exit"
        + " status is 69; vaultctl doctor says more.",
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
    ], takesSeveralVaults: true, hints: hints, run: run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    [
      .policyRefused: "vaultctl policy remember\(failure.vaults) shows the vault's limit",
      .unavailable:
        "vaultctl doctor\(failure.vaults); --key-file and --passphrase-file work without it",
    ]
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let idle = try arguments.parsed(.timeout, as: Values.spanSeconds)
    let most = try arguments.parsed(.max, as: Values.spanSeconds)
    if let idle, let most, idle > most {
      throw VaultError(.invalidArgument, "--timeout is longer than --max")
    }
    let time = RememberedTime(idle: idle, most: most)
    // So that nobody types a passphrase in vain.
    try RememberedKey.require()
    let vaults = try VaultLocation.list(arguments.texts(.vault)).vaults
    let named = try invocation.keyFromArguments()
    let given = try named.orFound()?.loaded()
    var unlocked: [(path: String, time: RememberedTime)] = []
    var openAnyway: [String] = []
    for listed in vaults {
      let vault = try invocation.openLocked(listed)
      if named == nil, let given, try vault.opens(withoutAsking: given) {
        openAnyway.append(listed.path)
      }
      try invocation.withKey(given, for: listed.path, of: .vault(vault)) {
        (key) throws(VaultError) in
        try vault.unlock(with: key)
      }
      unlocked.append((listed.path, try RememberedKey(vault).remember(for: time)))
    }
    if invocation.isJSON {
      try invocation.output.document(vaults: unlocked, of: \.path) {
        (vault, json) throws(VaultError) in
        try json.field("idle_seconds", vault.time.idle)
        try json.field("max_seconds", vault.time.most)
      }
    } else if !invocation.isQuiet {
      for (path, time) in unlocked {
        try invocation.output.line("unlocked \(path): \(time.text)")
      }
    }
    for path in openAnyway where !invocation.isQuiet {
      try invocation.hint("\(path) opens with a key that is found, even without unlock")
    }
    return .success
  }
}

extension Vault {
  /// Returns whether a key opens the vault alone; one that was found and cannot be used does not.
  func opens(withoutAsking key: KeySource) throws(VaultError) -> Bool {
    do throws(VaultError) {
      try unlock(with: key)
      return true
    } catch {
      guard
        [.locked, .authenticationFailed].contains(error.code)
          || key.isFound && error.code != .busy
      else { throw error }
      return false
    }
  }
}

extension Output {
  /// Writes `{"ok":true,"vaults":[…]}`, with `"exit"` if there is a status: an object for each
  /// vault, with its path and what `fields` writes.
  func document<V>(
    vaults: [V], of path: (V) -> String, status: ExitCode? = nil,
    fields: (V, inout JSONWriter) throws(VaultError) -> Void
  ) throws(VaultError) {
    try document(status: status) { (json) throws(VaultError) in
      try json.objects("vaults", vaults) { (vault, json) throws(VaultError) in
        try json.field("path", path(vault))
        try fields(vault, &json)
      }
    }
  }
}
