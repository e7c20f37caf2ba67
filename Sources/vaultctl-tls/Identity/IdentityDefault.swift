import CredentialVault
import TLSCredentials
import VaultCommands
import VaultModel

/// `vaultctl identity default`: the identities that are preferred for URLs and domains.
enum IdentityDefault {
  static func run(_ operands: [String], _ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    let identities = vault.identities
    switch (operands[0], operands.count) {
    case ("set", 3):
      let identity = try identities.named(operands[1])
      try identities.setPreferred(identity, for: operands[2])
      try confirm("\(operands[2])  \(identity.line)", identities, in: vault, invocation)
    case ("clear", 2):
      try identities.setPreferred(nil, for: operands[1])
      try confirm("cleared \(operands[1])", identities, in: vault, invocation)
    case ("show", 1): try write(try identities.preferences(), in: vault, invocation)
    case ("show", 2):
      try invocation.write([try identities.preferred(for: operands[1])])
    default:
      throw VaultError(
        .invalidArgument, "identity default needs set REF NAME, clear NAME or show [NAME]")
    }
  }

  /// Reports a change: a line, or a document with the preferences that there are now.
  private static func confirm(
    _ line: String, _ identities: VaultIdentities, in vault: Vault, _ invocation: Invocation
  ) throws(VaultError) {
    if invocation.isJSON {
      try write(try identities.preferences(), in: vault, invocation)
    } else if !invocation.isQuiet {
      try invocation.output.line(line)
    }
  }

  private static func write(
    _ preferences: [IdentityPreference], in vault: Vault, _ invocation: Invocation
  ) throws(VaultError) {
    if invocation.isJSON {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.objects("preferences", preferences) { (preference, json) throws(VaultError) in
          try json.field("name", preference.name)
          try json.field("identity", preference.identity.text)
        }
      }
    }
    var known: [ItemID: String] = [:]
    for identity in try vault.identities.findAll() { known[identity.id] = identity.line }
    for preference in preferences {
      let identity = known[preference.identity] ?? "\(ItemText.id(preference.identity))  (removed)"
      try invocation.output.line("\(preference.name)  \(identity)")
    }
  }
}
