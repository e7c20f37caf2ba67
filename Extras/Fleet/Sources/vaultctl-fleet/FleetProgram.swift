import CredentialVault
import VaultAdministration
import VaultCommands
import VaultFleet
import VaultModel

/// `vaultctl fleet`.
enum FleetProgram {
  /// Runs an action that asks a server; `vaultctl` itself runs the others.
  static func run(_ invocation: Invocation) throws(VaultError) {
    let (action, inner) = invocation.takingAction()
    let operands = inner.arguments.operands
    switch (action, operands.first, operands.count) {
    case ("init", let address, 0...1): try initialize(given(address, inner), inner)
    case ("clone", let address?, 1) where inner.arguments.has("all"):
      try FleetGroups.clone(ServerAddress(address), inner)
    case ("clone", let address, 0...2):
      try clone(given(address, inner), operands.dropFirst().first, inner)
    case ("list", let address, 0...1): try FleetGroups.list(given(address, inner), inner)
    case ("sync", nil, _): try FleetSync.run(inner)
    case ("status", nil, _): try FleetStatus.run(inner)
    case ("grant", .some, 1...):
      try change("granted", inner) { (server, vault) throws(VaultError) in
        for role in operands { try server.grant(role, vault) }
      }
    case ("revoke", let role?, 1):
      try change("revoked", inner) {
        (server, vault) throws(VaultError) in try server.revoke(role, vault)
      }
    case ("schema", nil, _): try showSchema(inner)
    default:
      let isRole = action == "grant" || action == "revoke"
      guard isRole, operands.isEmpty else {
        throw VaultError(.invalidArgument, "unexpected argument")
      }
      throw VaultError(.invalidArgument, "fleet \(action ?? "") needs ROLE")
    }
  }

  /// Returns the address that was given, else the one of the replica.
  private static func given(
    _ address: String?, _ invocation: Invocation
  ) throws(VaultError) -> ServerAddress {
    if let address { return try ServerAddress(address) }
    do throws(VaultError) {
      return try FleetFile(besides: invocation.absolutePath()).read()
    } catch {
      guard error.code == .configuration else { throw error }
      throw VaultError(.invalidArgument, "ADDRESS is needed: \(error.context)")
    }
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
    let admins = invocation.arguments.texts("fingerprint")
    guard admins.count <= 1 else {
      throw VaultError(.invalidArgument, "--fingerprint names the one admin of a machine's vault")
    }
    if vault == nil { vault = try FleetFile(besides: path).readVault() }
    try Fleet.clone(
      address, vault: vault, to: path, lockTimeout: timeout,
      accepted: invocation.arguments.has("accept-vault"), admin: admins.first
    ) { (tryKey) throws(VaultError) in
      try invocation.withKey(ofNew: path, tryKey)
    }
    try write("cloned", invocation.openVault(), invocation)
  }

  private static func showSchema(_ invocation: Invocation) throws(VaultError) {
    guard invocation.isJSON else { return try invocation.output.write(FleetServer.schema) }
    try invocation.output.document { (json) throws(VaultError) in
      try json.field("text", FleetServer.schema)
    }
  }

  private static func change(
    _ verb: String, _ invocation: Invocation,
    _ body: (FleetServer, VaultID) throws(VaultError) -> Void
  ) throws(VaultError) {
    let vault = try invocation.openVault()
    let server = try Fleet.server(of: vault, lockTimeout: invocation.lockTimeout())
    try body(server, VaultReplica(vault).id())
    try write(verb, vault, invocation)
  }

  private static func write(
    _ verb: String, _ vault: Vault, _ invocation: Invocation
  ) throws(VaultError) {
    let generation = try VaultReplica(vault).generation()
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.field("vault_id", VaultReplica(vault).id().hex)
        try json.field("generation", generation)
      }
    }
    if !invocation.isQuiet {
      try invocation.output.line("\(verb) \(vault.path ?? "") at generation \(generation)")
    }
  }
}
