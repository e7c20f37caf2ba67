package import TestSupport
package import VaultCrypto
package import VaultStore
package import VaultModel

/// A fleet of three machines, and one key file, over a server in memory.
package final class MachineFleet {
  package let folder: TemporaryFolder
  package let server = MemoryArbiter()
  package let file = KeyFile()
  package let adminSecret = AdminSecret()
  package let admin: MachineKey
  package let build: MachineKey
  package let web: MachineKey
  /// The replica of the admin's machine.
  package let first: FileStore
  private var count = 0

  package init(hasMachines: Bool = true, time: TimeSource = .system) throws {
    folder = try TemporaryFolder()
    admin = MachineKey(joining: adminSecret.key)
    (build, web) = (MachineKey(joining: adminSecret.key), MachineKey(joining: adminSecret.key))
    let path = try VaultPath(folder.file("admin.vault"))
    let made = try FileStore.create(
      path, key: .keyFile(file), slotName: "file", cost: .minimum, stateFolder: nil,
      lockTimeout: .seconds(5), logDays: 0)
    if hasMachines {
      _ = try made.addFirstMachine(admin, name: "admin", signer: adminSecret)
      for (machine, name) in [(build, "build"), (web, "web")] {
        _ = try made.admit(
          [NewMachine(machine.publicKey, name: name, isAdmin: false)], with: .machine(admin))
      }
    }
    try made.close()
    first = try Self.open(path, hasMachines ? .machine(admin) : .keyFile(file), time)
    try first.publish(to: server)
  }

  private static func open(
    _ path: VaultPath, _ key: UnlockKey, _ time: TimeSource = .system
  ) throws -> FileStore {
    let store = try FileStore.open(path, stateFolder: nil, lockTimeout: .seconds(5), time: time)
    try store.unlock(with: key, keyFile: { () throws(VaultError) in key })
    // Thousands of commits need not survive a power failure.
    try store.locked { (file) throws(VaultError) in
      try file.connection.execute("PRAGMA synchronous = OFF")
    }
    return store
  }

  /// Makes one more replica.
  package func clone(
    _ key: UnlockKey, from other: MemoryArbiter? = nil, time: TimeSource = .system
  ) throws -> FileStore {
    let server = other ?? server
    count += 1
    let path = try VaultPath(folder.file("\(count).vault"))
    try VaultFile.create(
      path, copying: server, from: server.opening(), of: first.ident().vaultID, key: key)
    let store = try Self.open(path, key, time)
    try store.join(server)
    return store
  }

  /// Makes a copy of a replica's file, which another server writes from now on.
  package func copy(
    _ store: FileStore, _ key: UnlockKey, writing server: MemoryArbiter
  ) throws -> FileStore {
    count += 1
    let path = folder.file("\(count).vault")
    _ = try folder.write(folder.bytes(store.path.path), as: "\(count).vault")
    let copy = try Self.open(VaultPath(path), key)
    try copy.join(server)
    return copy
  }

  /// Rekeys as the admin.
  package func rekey(removing ids: Set<UInt32> = []) throws {
    _ = try first.rekey(
      keeping: [.machine(admin), .keyFile(file)], removing: ids, cost: .minimum,
      otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
  }
}
