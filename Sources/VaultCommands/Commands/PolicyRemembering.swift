import CredentialVault
import VaultModel

/// `vaultctl policy remember`: the vault's own limit on remembering its key.
enum PolicyRemembering {
  /// Sets the limit; nil shows it.
  static func run(_ limit: String?, _ invocation: Invocation) throws(VaultError) {
    var seconds: UInt32?
    if let limit { seconds = try parse(limit) }
    let policy = try invocation.openVault().policy
    if limit != nil {
      try policy.setMostRemembered(seconds)
    } else {
      seconds = try policy.mostRemembered()
    }
    guard invocation.isJSON else {
      guard !invocation.isQuiet || limit == nil else { return }
      return try invocation.output.line(line(seconds))
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.field(rememberLimit: seconds)
    }
  }

  /// Returns the line of a limit in seconds; nil is none.
  static func line(_ limit: UInt32?) -> String {
    "the vault's key may be remembered: \(text(limit))"
  }

  private static func parse(_ text: String) throws(VaultError) -> UInt32? {
    switch text {
    case "any": return nil
    case "no": return 0
    default:
      guard let seconds = TimeSpan.seconds(text), seconds > 0 else {
        throw VaultError(
          .invalidArgument, "policy remember needs a time like 8h (s m h d w y), no or any")
      }
      // The most is what the file has for no limit.
      return UInt32(clamping: min(seconds, Int64(UInt32.max) - 1))
    }
  }

  /// Returns a limit in words.
  static func text(_ seconds: UInt32?) -> String {
    switch seconds {
    case nil: "for any time"
    case 0?: "never"
    case let seconds?: "for \(RememberedTime.span(seconds)) at most"
    }
  }
}

extension JSONWriter {
  /// Writes the most seconds for which a machine may remember the vault's key; nothing for any
  /// time.
  mutating func field(rememberLimit seconds: UInt32?) throws(VaultError) {
    if let seconds { try field("remember_limit_seconds", seconds) }
  }
}
