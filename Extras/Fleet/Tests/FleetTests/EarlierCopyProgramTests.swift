import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("programs with copies from before the fleet, or an older replica", .waiting)
struct EarlierCopyProgramTests {
  private let server: PostgresServer
  private let database: String
  private let first: Sandbox
  private let machineKey: String
  private let key: String

  /// Makes a vault, copies it before it has a machine and after that, changes it and publishes it.
  init() throws {
    server = try PostgresServer.shared.get()
    database = try server.makeDatabase()
    first = try Sandbox()
    machineKey = first.home.path + "/.config/vaultctl/machine.key"
    key = first.home.path + "/test.key"
    try #require(first.makeVault().status == 0)
    try copyVault("before.vault")
    try #require(first.run("vaultctl", "fleet", "begin", "--name", "first").status == 0)
    try copyVault("early.vault")
    try #require(add("ann") == 0)
    try #require(
      run("vaultctl", "fleet", "init", server.address(database), key: machineKey).status == 0)
  }

  private func copyVault(_ name: String) throws {
    try FileManager.default.copyItem(
      at: first.home.appending(path: "test.vault"), to: first.home.appending(path: name))
  }

  private func run(
    _ words: String..., key: String?, input: String = "", vault: String? = nil
  ) throws -> Sandbox.Result {
    var variables: [String: String?] = ["VAULTCTL_KEY_FILE": key]
    if let vault {
      // As on another machine, which has not seen the newer state.
      variables["VAULTCTL_VAULT"] = first.home.path + "/" + vault
      variables["XDG_STATE_HOME"] = first.home.path + "/state-" + vault
    }
    return try first.run(words, input: input, environment: variables)
  }

  private func add(_ name: String, to vault: String? = nil, key: String? = nil) throws -> Int32 {
    try run(
      "vaultctl", "add", "-q", "https://\(name)@\(name).example.com", "--password-stdin",
      key: key ?? self.key, input: "one", vault: vault
    ).status
  }

  private func accounts(_ vault: String? = nil) throws -> [String] {
    try run("vaultctl", "list", "--json", key: key, vault: vault).output
      .matches(of: #/"account":"([a-z]+)"/#).map { String($0.1) }.sorted()
  }

  @Test("fleet init makes the copy a replica, by a machine's key and by another one")
  func initialize() throws {
    try #require(add("bob", key: machineKey) == 0)
    for (name, other) in [("one", key), ("two", machineKey)] {
      let home = first.home
      try FileManager.default.copyItem(
        at: home.appending(path: "early.vault"), to: home.appending(path: name))
      let joined = try run(
        "vaultctl", "fleet", "init", server.address(database), key: other, vault: name)
      #expect(joined.status == 0, "\(joined.errors)")
      #expect(try accounts(name) == ["ann", "bob"])
      #expect(try add("eve", to: name, key: key) == 52)
    }
    #expect(try add("eve", to: "two", key: machineKey) == 0)
  }

  @Test("a vault with machines is still published by them alone")
  func publish() throws {
    let other = try server.makeDatabase()
    let refused = try run("vaultctl", "fleet", "init", server.address(other), key: key)
    #expect(refused.status == 52)
    #expect(try run("vaultctl", "fleet", "sync", key: key).status == 0)
  }

  @Test("a copy that was changed since is no replica; it is merged, each file by a key of its own")
  func merge() throws {
    try #require(add("lost", to: "before.vault") == 0)
    let refused = try run(
      "vaultctl", "fleet", "init", server.address(database), key: key, vault: "before.vault")
    #expect(refused.status == 54 && refused.errors.contains("vaultctl fleet clone"))
    #expect(try accounts("before.vault") == ["lost"])
    // One key alone cannot: the one reads no copy of before, and the other writes no replica.
    let reader = try run("vaultctl", "merge", "before.vault", key: key)
    #expect(reader.status == 52 && reader.errors.contains("--other-key-file FILE OTHER"))
    #expect(try run("vaultctl", "merge", "before.vault", key: machineKey).status == 51)
    #expect(try accounts() == ["ann"])
    // Nobody names a key: both are found where they are kept.
    try FileManager.default.moveItem(
      atPath: key, toPath: first.home.path + "/.config/vaultctl/default.key")
    let merged = try run("vaultctl", "merge", "before.vault", key: nil)
    #expect(merged.status == 0, "\(merged.errors)")
    let listed = try run("vaultctl", "list", "--json", key: machineKey)
    #expect(listed.output.contains("lost") && listed.output.contains("ann"))
    let log = try run("vaultctl", "fleet", "log", "--limit", "1", key: machineKey)
    #expect(log.output.contains(", first: "))
    #expect(try run("vaultctl", "verify", key: machineKey).status == 0)
  }

  @Test("a key that is named for the vault leaves the found one for the copy")
  func mergeNamed() throws {
    try #require(add("lost", to: "before.vault") == 0)
    try FileManager.default.moveItem(
      atPath: key, toPath: first.home.path + "/.config/vaultctl/default.key")
    #expect(try run("vaultctl", "merge", "before.vault", key: machineKey).status == 0)
  }

  @Test("the hint for a replica that was set back makes it anew, and proposes no restore")
  func setBack() throws {
    try copyVault("old.vault")
    for name in ["bob", "eve"] { try #require(add(name, key: machineKey) == 0) }
    let (vault, old) = (first.home.path + "/test.vault", first.home.path + "/old.vault")
    try FileManager.default.removeItem(atPath: vault)
    try FileManager.default.moveItem(atPath: old, toPath: vault)
    let refused = try run("vaultctl", "list", key: machineKey)
    #expect(refused.status == 54)
    let hint = " first; then mv \(vault) \(vault).old, and vaultctl fleet clone"
    #expect(refused.errors.contains(hint))
    #expect(!refused.errors.contains("restore"))
    let doctor = try run("vaultctl", "doctor", key: machineKey)
    #expect(doctor.output.contains("vaultctl fleet clone makes it anew"))
    try FileManager.default.moveItem(atPath: vault, toPath: vault + ".old")
    #expect(
      try run("vaultctl", "fleet", "clone", server.address(database), key: machineKey).status == 0)
    #expect(try accounts() == ["ann", "bob", "eve"])
    let merged = try run("vaultctl", "merge", vault + ".old", key: machineKey)
    #expect(merged.output.hasPrefix("nothing to merge"), "\(merged.errors)")
  }

  @Test("the hint for a server that was set back publishes the newest replica")
  func serverSetBack() throws {
    let before = "\(database)_before"
    try server.sql("CREATE DATABASE \(before) TEMPLATE \(database)", in: "postgres")
    try #require(add("bob", key: machineKey) == 0)
    let file = first.home.appending(path: "test.vault.fleet")
    try Data("server = \(server.address(before))\n".utf8).write(to: file)
    let refused = try run("vaultctl", "fleet", "sync", key: machineKey)
    #expect(refused.status == 54)
    let hint = "if the server was set back and does not only lag, vaultctl fleet init"
    #expect(refused.errors.contains(hint))
    let new = try server.makeDatabase()
    let address = server.address(new)
    #expect(try run("vaultctl", "fleet", "init", address, key: machineKey).status == 0)
    #expect(try add("eve", key: machineKey) == 0)
    #expect(try accounts() == ["ann", "bob", "eve"])
  }
}
