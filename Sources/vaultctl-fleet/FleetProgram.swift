import CredentialVault
import VaultCommands
import VaultCrypto
import VaultFleet
import VaultModel

/// `vaultctl fleet`.
enum FleetProgram {
  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    if try FleetCommand.runHere(invocation) { return .success }
    let (action, inner) = invocation.takingAction()
    let operands = inner.arguments.operands
    switch (action, operands.first, operands.count) {
    case ("init", let address?, 1): try initialize(ServerAddress(address), inner)
    case ("clone", let address?, 1...2):
      try clone(ServerAddress(address), operands.dropFirst().first, inner)
    case ("sync", nil, _): try FleetSync.run(inner)
    case ("status", nil, _): try status(inner)
    case ("grant", let role?, 1):
      try change("granted", inner) {
        (server, vault) throws(VaultError) in try server.grant(role, vault)
      }
    case ("revoke", let role?, 1):
      try change("revoked", inner) {
        (server, vault) throws(VaultError) in try server.revoke(role, vault)
      }
    case ("schema", nil, _): try showSchema(inner)
    case ("sync", _, _), ("status", _, _), ("schema", _, _):
      throw VaultError(.invalidArgument, "unexpected argument")
    default:
      let needed = action == "grant" || action == "revoke" ? "ROLE" : "ADDRESS"
      throw VaultError(.invalidArgument, "fleet \(action ?? "") needs \(needed)")
    }
    return .success
  }

  private static func initialize(
    _ address: ServerAddress, _ invocation: Invocation
  ) throws(VaultError) {
    let vault = try invocation.openVault()
    try Fleet.publish(vault, to: address, lockTimeout: invocation.lockTimeout())
    try write("published", vault, invocation)
  }

  private static func clone(
    _ address: ServerAddress, _ id: String?, _ invocation: Invocation
  ) throws(VaultError) {
    var vault: VaultID?
    if let id {
      guard let known = VaultID(hexadecimal: id) else {
        throw VaultError(.invalidArgument, "ID is 32 hexadecimal digits")
      }
      vault = known
    }
    let path = try invocation.absolutePath()
    let timeout = try invocation.lockTimeout()
    try Fleet.clone(address, vault: vault, to: path, lockTimeout: timeout) {
      (tryKey) throws(VaultError) in
      try invocation.withKey(ofNew: path) { (key) throws(VaultError) in
        try tryKey(key.read())
      }
    }
    try write("cloned", invocation.openVault(), invocation)
  }

  private static func showSchema(_ invocation: Invocation) throws(VaultError) {
    guard invocation.isJSON else { return try invocation.output.write(FleetServer.schema) }
    try invocation.output.document { (json) throws(VaultError) in
      try json.field("text", FleetServer.schema)
    }
  }

  private static func status(_ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    let own = try Fleet.generation(of: vault)
    let state = try Fleet.serverState(of: vault, lockTimeout: invocation.lockTimeout())
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field("generation", own)
        try json.field("server_generation", state.generation)
        try json.field("seconds_since_commit", state.age)
      }
    }
    let relation =
      if own == state.generation {
        "as on the server"
      } else if own < state.generation {
        "behind the server, which is at generation \(state.generation)"
      } else {
        "ahead of the server, which is at generation \(state.generation)"
      }
    try invocation.output.line(
      "generation \(own), \(relation); the last commit was \(state.age) s ago")
  }

  private static func change(
    _ verb: String, _ invocation: Invocation,
    _ body: (FleetServer, VaultID) throws(VaultError) -> Void
  ) throws(VaultError) {
    let vault = try invocation.openVault()
    let server = try Fleet.server(of: vault, lockTimeout: invocation.lockTimeout())
    try body(server, Fleet.id(of: vault))
    try write(verb, vault, invocation)
  }

  private static func write(
    _ verb: String, _ vault: Vault, _ invocation: Invocation
  ) throws(VaultError) {
    let generation = try Fleet.generation(of: vault)
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field("vault_id", Fleet.id(of: vault).hex)
        try json.field("generation", generation)
      }
    }
    if !invocation.isQuiet {
      try invocation.output.line("\(verb) \(vault.path ?? "") at generation \(generation)")
    }
  }
}
