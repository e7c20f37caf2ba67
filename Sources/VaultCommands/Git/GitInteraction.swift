import CredentialVault
import VaultModel

/// Whether Git allows its helpers to prompt.
enum GitInteraction {
  static var isAllowed: Bool {
    if isOff(Environment.value("GIT_TERMINAL_PROMPT")) { return false }
    if isOff(Environment.value("GCM_INTERACTIVE")) { return false }
    return !isOff(setting(Environment.value("GIT_CONFIG_PARAMETERS") ?? ""))
      && !isOff(numberedSetting())
  }

  /// Returns the last value of `credential.interactive` among the options of `git -c`.
  ///
  /// Git writes them as `'credential.interactive'='false'`, before 2.30 as
  /// `'credential.interactive=false'`.
  static func setting(_ parameters: String) -> String? {
    var value: String?
    for word in parameters.split(separator: " ") {
      let parts = word.filter { $0 != "'" }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts[0].lowercased() == "credential.interactive" {
        value = parts.count > 1 ? String(parts[1]) : "true"
      }
    }
    return value
  }

  /// Returns the last value of `credential.interactive` among `GIT_CONFIG_KEY_n`.
  private static func numberedSetting() -> String? {
    guard let count = Environment.value("GIT_CONFIG_COUNT").flatMap(Int.init), count > 0 else {
      return nil
    }
    var value: String?
    for number in 0..<min(count, 1000)
    where Environment.value("GIT_CONFIG_KEY_\(number)")?.lowercased() == "credential.interactive" {
      value = Environment.value("GIT_CONFIG_VALUE_\(number)")
    }
    return value
  }

  static func isOff(_ value: String?) -> Bool {
    guard let value else { return false }
    return ["0", "false", "no", "off", "never"].contains(value.lowercased())
  }
}
