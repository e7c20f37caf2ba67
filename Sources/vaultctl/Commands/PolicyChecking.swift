import CredentialVault
import VaultModel

/// `vaultctl policy check` and `apply`: the contents of the vault that exceed the policy.
enum PolicyChecking {
  static func check(_ invocation: Invocation) throws(VaultError) {
    try write(invocation.openVault().policy.excesses(), isDone: false, invocation)
  }

  static func apply(_ invocation: Invocation) throws(VaultError) {
    guard !invocation.arguments.has(.dryRun) else { return try check(invocation) }
    try write(invocation.openVault().policy.apply(), isDone: true, invocation)
  }

  private static func write(
    _ found: [PolicyExcess], isDone: Bool, _ invocation: Invocation
  ) throws(VaultError) {
    let excess = found.sorted { $0.key < $1.key }
    guard invocation.isJSON else {
      for one in excess {
        if isDone, invocation.isQuiet { break }
        try invocation.output.line(PolicyText.line(one, isDone: isDone))
      }
      if excess.isEmpty, !invocation.isQuiet {
        try invocation.output.line("nothing exceeds the policy")
      }
      let isSessionOnly = excess.contains { one in
        if case .moveToSession = one.remedy { true } else { false }
      }
      if isSessionOnly, !invocation.isQuiet {
        try invocation.warn(
          "what may be kept for the session only \(isDone ? "is gone" : "would be gone"): the session"
            + " of vaultctl ends with the command")
      }
      return
    }
    var json = JSONWriter(invocation.output)
    try json.beginObject()
    try json.field("ok", true)
    try json.field("excess", excess)
    try json.field("applied", isDone)
    try json.endObject()
    try json.finish()
  }
}
