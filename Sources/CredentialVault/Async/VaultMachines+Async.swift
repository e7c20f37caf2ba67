public import VaultModel

extension VaultMachines {
  /// Calls the synchronous ``list()`` without blocking the calling thread.
  public func list() async throws(VaultError) -> [VaultMachine] {
    try await vault.thread.run { () throws(VaultError) in try list() }
  }

  /// Calls the synchronous ``begin(keyFile:name:)`` without blocking the calling thread.
  @discardableResult
  public func begin(
    keyFile path: String, name: String
  ) async throws(VaultError) -> VaultMachine {
    try await vault.thread.run { () throws(VaultError) in try begin(keyFile: path, name: name) }
  }

  /// Calls the synchronous ``adminKey()`` without blocking the calling thread.
  public func adminKey() async throws(VaultError) -> String {
    try await vault.thread.run { () throws(VaultError) in try adminKey() }
  }

  /// Calls the synchronous ``admit(_:isAdmin:with:)`` without blocking the calling thread.
  @discardableResult
  public func admit(
    _ request: String, isAdmin: Bool = false, with key: KeySource
  ) async throws(VaultError) -> VaultMachine {
    try await vault.thread.run { () throws(VaultError) in
      try admit(request, isAdmin: isAdmin, with: key)
    }
  }

  /// Calls the synchronous ``admit(all:isAdmin:with:)`` without blocking the calling thread.
  @discardableResult
  public func admit(
    all requests: [String], isAdmin: Bool = false, with key: KeySource
  ) async throws(VaultError) -> [VaultMachine] {
    try await vault.thread.run { () throws(VaultError) in
      try admit(all: requests, isAdmin: isAdmin, with: key)
    }
  }
}

extension MachineKeyFile {
  /// Calls the synchronous ``create(at:name:adminKey:)`` without blocking the calling thread.
  public static func create(
    at path: String, name: String, adminKey: String
  ) async throws(VaultError) -> String {
    try await VaultThread().run { () throws(VaultError) in
      try create(at: path, name: name, adminKey: adminKey)
    }
  }
}
