public import SecureMemory
public import VaultModel

extension VaultKeys {
  /// Calls the synchronous ``slots()`` without blocking the calling thread.
  public func slots() async throws(VaultError) -> [SlotInformation] {
    try await vault.thread.run { () throws(VaultError) in try slots() }
  }

  /// Calls the synchronous ``add(_:name:cost:)`` without blocking the calling thread.
  @discardableResult
  public func add(
    _ key: KeySource, name: String = "", cost: PassphraseCost? = nil
  ) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try add(key, name: name, cost: cost) }
  }

  /// Calls the synchronous ``addRecoveryCode(name:)`` without blocking the calling thread.
  public func addRecoveryCode(
    name: String = ""
  ) async throws(VaultError) -> (slot: SlotInformation, code: Secret) {
    try await vault.thread.run { () throws(VaultError) in try addRecoveryCode(name: name) }
  }

  /// Calls the synchronous ``calibratedCost()`` without blocking the calling thread.
  public static func calibratedCost() async throws(VaultError) -> PassphraseCost {
    try await VaultThread().run { () throws(VaultError) in try calibratedCost() }
  }

  /// Calls the synchronous ``remove(id:)`` without blocking the calling thread.
  public func remove(id: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try remove(id: id) }
  }

  /// Calls the synchronous ``rename(id:to:)`` without blocking the calling thread.
  @discardableResult
  public func rename(id: Int, to name: String) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try rename(id: id, to: name) }
  }

  /// Calls the synchronous ``test(_:id:)`` without blocking the calling thread.
  public func test(_ key: KeySource, id: Int? = nil) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try test(key, id: id) }
  }

  /// Calls the synchronous ``changePassphrase(from:to:cost:)`` without blocking the calling thread.
  @discardableResult
  public func changePassphrase(
    from old: KeySource, to new: KeySource, cost: PassphraseCost? = nil
  ) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in
      try changePassphrase(from: old, to: new, cost: cost)
    }
  }

  /// Calls the synchronous ``rekey(keeping:removing:cost:progress:otherSlot:)`` without blocking
  /// the calling thread.
  ///
  /// The closures are called on the vault's own thread.
  public func rekey(
    keeping keys: [KeySource], removing ids: Set<Int> = [], cost: PassphraseCost? = nil,
    progress: @Sendable (Double) throws -> Void = { _ in },
    otherSlot: @Sendable (SlotInformation) throws -> KeySource? = VaultKeys.keepEverySlot
  ) async throws -> RekeyReport {
    try await vault.thread.runUserClosure {
      try rekey(
        keeping: keys, removing: ids, cost: cost, progress: progress, otherSlot: otherSlot)
    }
  }

  /// Calls the synchronous ``requireSharedSession()`` without blocking the calling thread.
  public func requireSharedSession() async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try requireSharedSession() }
  }
}

extension KeySource {
  /// Calls the synchronous ``find()`` without blocking the calling thread.
  public static func find() async throws(VaultError) -> KeySource? {
    try await VaultThread().run { () throws(VaultError) in try find() }
  }

  /// Calls the synchronous ``completed()`` without blocking the calling thread.
  public func completed() async throws(VaultError) -> KeySource {
    try await VaultThread().run { () throws(VaultError) in try completed() }
  }

  /// Calls the synchronous ``textOfKeyFile()`` without blocking the calling thread.
  public func textOfKeyFile() async throws(VaultError) -> Secret {
    try await VaultThread().run { () throws(VaultError) in try textOfKeyFile() }
  }

  /// Calls the synchronous ``loaded()`` without blocking the calling thread.
  public func loaded() async throws(VaultError) -> KeySource {
    try await VaultThread().run { () throws(VaultError) in try loaded() }
  }
}

extension KeyFile {
  /// Calls the synchronous ``create(at:)`` without blocking the calling thread.
  public static func create(at path: String) async throws(VaultError) {
    try await VaultThread().run { () throws(VaultError) in try create(at: path) }
  }
}

extension VaultPINs {
  /// Calls the synchronous ``open(_:pin:)`` without blocking the calling thread.
  public func open(
    _ item: InternetPassword, pin: Secret
  ) async throws(VaultError) -> InternetPassword {
    try await vault.thread.run { () throws(VaultError) in try open(item, pin: pin) }
  }

  /// Calls the synchronous ``set(_:on:replacing:cost:)`` without blocking the calling thread.
  @discardableResult
  public func set(
    _ pin: Secret, on item: InternetPassword, replacing old: Secret? = nil,
    cost: PassphraseCost = .policy
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try set(pin, on: item, replacing: old, cost: cost)
    }
  }

  /// Calls the synchronous ``add(_:pin:persistence:cost:)`` without blocking the calling thread.
  @discardableResult
  public func add(
    _ item: InternetPassword, pin: Secret, persistence: Persistence = .permanent,
    cost: PassphraseCost = .policy
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try add(item, pin: pin, persistence: persistence, cost: cost)
    }
  }

  /// Calls the synchronous ``setSecret(_:of:pin:cost:)`` without blocking the calling thread.
  @discardableResult
  public func setSecret(
    _ secret: Secret, of item: InternetPassword, pin: Secret, cost: PassphraseCost = .policy
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try setSecret(secret, of: item, pin: pin, cost: cost)
    }
  }

  /// Calls the synchronous ``remove(from:pin:)`` without blocking the calling thread.
  @discardableResult
  public func remove(
    from item: InternetPassword, pin: Secret
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in try remove(from: item, pin: pin) }
  }
}

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
