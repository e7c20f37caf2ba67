import CredentialVault
import VaultCommands
import VaultFleet
import VaultModel

/// Groups: several vaults of one server, each of which has machines of its own.
enum FleetGroups {
  /// Returns the paths of the replicas in the user's list, by the ids of their vaults; one that is
  /// lost is known by its address.
  private static func known() throws(VaultError) -> [VaultID: String] {
    var paths: [VaultID: String] = [:]
    for listed in try Invocation.listed() {
      guard let id = try FleetFile(besides: listed.path).readVault() else { continue }
      paths[id] = listed.path
    }
    return paths
  }

  /// Lists the vaults that a server shows to this role.
  static func list(
    _ address: ServerAddress, _ invocation: Invocation
  ) throws(VaultError) {
    let server = try FleetServer(address, lockTimeout: invocation.lockTimeout())
    let (vaults, known) = (try server.vaults(), try known())
    guard invocation.isJSON else {
      for id in vaults { try invocation.output.line("\(id.hex)  \(known[id] ?? "-")") }
      return
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.objects("vaults", vaults) { (id, json) throws(VaultError) in
        try json.field("vault_id", id.hex)
        if let path = known[id] { try json.field("path", path) }
      }
    }
  }

  /// Makes a replica of each vault that a server shows, that this machine was admitted to and that
  /// it has none of, beside the default vault, and adds them to the user's list.
  static func clone(
    _ address: ServerAddress, _ invocation: Invocation
  ) throws(VaultError) {
    guard !invocation.arguments.has("fingerprint") else {
      throw VaultError(
        .invalidArgument, "--fingerprint is of one vault's admin: name that by its ID")
    }
    let key = try invocation.requireMachineKey()
    let server = try FleetServer(address, lockTimeout: invocation.lockTimeout())
    let (vaults, known) = (try server.vaults(), try known())
    let standard = try invocation.absolutePath()
    let folder = standard.lastIndex(of: "/").map { standard[..<$0] } ?? "."
    var made: [(id: VaultID, path: String)] = []
    for id in vaults {
      let path = known[id] ?? "\(folder)/\(id.hex.prefix(8)).vault"
      do throws(VaultError) {
        try Fleet.clone(
          address, vault: id, to: path, lockTimeout: invocation.lockTimeout(),
          accepted: invocation.arguments.has("accept-vault")
        ) { (tryKey) throws(VaultError) in try tryKey(key) }
        made.append((id, path))
      } catch {
        // There is one, or others were admitted.
        guard [.vaultExists, .authenticationFailed].contains(error.code) else {
          throw error.named(path)
        }
      }
    }
    try invocation.addToSearchList(made.map(\.path))
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.objects("vaults", made) { (each, json) throws(VaultError) in
          try json.field("vault_id", each.id.hex)
          try json.field("path", each.path)
        }
      }
    }
    guard !invocation.isQuiet else { return }
    for each in made { try invocation.output.line("cloned \(each.path)") }
    if made.isEmpty {
      try invocation.hint("the server shows no other vault that admits this machine")
    }
  }
}
