import VaultAdministration
import VaultModel

/// `vaultctl status`: says whether the vault opens without a prompt.
enum StatusCommand {
  static let command = Command(
    id: .status, operands: .none, summary: "say whether the vault opens without a prompt",
    example: "vaultctl status",
    details: [
      "The exit status is 0 if it opens with a remembered key, or with one that is named or found,"
        + " and 36 if a passphrase would be needed. status never prompts, and does not count as a"
        + " use. With several vaults, it is 36 if one of them is locked."
    ], groups: [.common], takesSeveralVaults: true, run: run)

  /// The way in which a vault opens.
  private enum State {
    case remembered(idle: UInt32, secondsLeft: UInt32)
    case key
    case locked

    var isLocked: Bool { if case .locked = self { true } else { false } }
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard !invocation.arguments.has(.recovery) else {
      throw VaultError(.invalidArgument, "--recovery: status never prompts")
    }
    let given = try invocation.keyFromArguments().orFound()?.loaded()
    var states: [(path: String, state: State)] = []
    for listed in try VaultLocation.list(invocation.arguments.texts(.vault)).vaults {
      states.append((listed.path, try state(of: invocation.openLocked(listed), given)))
    }
    let status: ExitCode = states.contains { $0.state.isLocked } ? .locked : .success
    if invocation.isJSON {
      try invocation.output.document(vaults: states, of: \.path, status: status) {
        (vault, json) throws(VaultError) in
        switch vault.state {
        case .remembered(let idle, let left):
          try json.field("state", "remembered")
          try json.field("idle_seconds", idle)
          try json.field("seconds_left", left)
        case .key: try json.field("state", "key")
        case .locked: try json.field("state", "locked")
        }
      }
    } else if !invocation.isQuiet {
      for (path, state) in states { try invocation.output.line("\(path): \(text(state))") }
    }
    return status
  }

  private static func state(of vault: Vault, _ key: KeySource?) throws(VaultError) -> State {
    if let key, try vault.opens(withoutAsking: key) { return .key }
    if let (idle, secondsLeft) = try RememberedKey(vault).remembered() {
      return .remembered(idle: idle, secondsLeft: secondsLeft)
    }
    return .locked
  }

  private static func text(_ state: State) -> String {
    switch state {
    case .remembered(0, let left): "unlocked for one use within \(RememberedTime.span(left))"
    case .remembered(let idle, let left):
      "unlocked: \(RememberedTime.span(idle)) without use, \(RememberedTime.span(left)) at most"
    case .key: "opens with a key that is named or found"
    case .locked: "locked"
    }
  }
}
