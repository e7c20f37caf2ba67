import VaultAdministration
import VaultStore
import SecureMemory
import TestSupport
import Testing
import VaultModel

extension Trait where Self == ConditionTrait {
  /// The test needs the kernel's keyrings, which containers often deny.
  static var needsKeyrings: Self {
    .enabled("the kernel's keyrings are denied here") {
      if case .works = KeyringState.current() { true } else { false }
    }
  }
}

/// A vault's key in the kernel, as a program that links the library meets it.
@Suite("a remembered key", .needsKeyrings)
struct RememberingTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("vault/own.vault") }
  private let passphrase = KeySource.passphrase(Secret("p"))

  /// Makes a vault with a passphrase, whose key is remembered.
  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    let vault = try Vault.create(
      path: folder.file("vault/own.vault"), key: .passphrase(Secret("p")), cost: .minimum)
    try RememberedKey(vault).remember(for: RememberedTime())
    try vault.close()
  }

  private func state(_ open: () throws -> Vault) throws -> Vault.State {
    let vault = try open()
    defer { try? vault.close() }
    return try vault.state()
  }

  @Test("opening without a key finds it, alone and in a list, until it is forgotten")
  func opening() async {
    // In a process of its own, since other suites name their key file in the environment.
    await #expect(processExitsWith: .success) {
      Environment.clear()
      let test = try RememberingTests()
      let path = test.path
      #expect(try test.state { try Vault.open(path: path) } == .unlocked)
      #expect(try test.state { try Vault.openLocked(path: path) } == .locked)
      let list = try VaultList.open([path])
      #expect(try list.vaults[0].state() == .unlocked)
      #expect(try RememberedKey(list.vaults[0]).forget())
      // An open vault stays open: only the key to open it again is gone.
      #expect(try list.vaults[0].state() == .unlocked)
      try list.vaults[0].close()
      #expect(try test.state { try Vault.open(path: path) } == .locked)
    }
  }

  @Test("a key that is named is used instead, also if it is wrong")
  func named() throws {
    expect(.authenticationFailed) {
      _ = try Vault.open(path: path, key: .passphrase(Secret("wrong")))
    }
    let vault = try Vault.openLocked(path: path)
    try RememberedKey(vault).forget()
    try vault.close()
  }

  @Test("passwd, slot remove and rekey forget it, and a renamed slot does not")
  func changes() throws {
    let vault = try Vault.open(path: path, key: passphrase, minimumCost: .minimum)
    func isRemembered(after change: () throws -> Void) throws -> Bool {
      try RememberedKey(vault).remember(for: RememberedTime())
      try change()
      try vault.lock()
      defer { try? vault.unlock(with: passphrase) }
      return try RememberedKey(vault).remembered() != nil
    }
    #expect(try isRemembered { try vault.keys.rename(id: 1, to: "mine") })
    let code = try vault.keys.addRecoveryCode()
    #expect(try !isRemembered { try vault.keys.remove(id: code.slot.id) })
    #expect(
      try !isRemembered {
        try vault.keys.changePassphrase(from: passphrase, to: passphrase, cost: .minimum)
      })
    #expect(try !isRemembered { _ = try vault.keys.rekey(keeping: [passphrase], cost: .minimum) })
    try vault.close()
  }

  @Test("the vault's own limit shortens or forbids it, and survives a rekey")
  func limit() throws {
    let vault = try Vault.open(path: path, key: passphrase, minimumCost: .minimum)
    #expect(try vault.policy.mostRemembered() == nil)
    try vault.policy.setMostRemembered(60)
    #expect(try RememberedKey(vault).remembered() == nil)
    let granted = try RememberedKey(vault).remember(for: RememberedTime())
    #expect(granted == RememberedTime(idle: 60, most: 60))
    _ = try vault.keys.rekey(keeping: [passphrase], cost: .minimum)
    #expect(try vault.policy.mostRemembered() == 60)
    try vault.policy.setMostRemembered(0)
    expect(.policyRefused) { try RememberedKey(vault).remember(for: RememberedTime()) }
    expect(.invalidArgument) { try vault.policy.setMostRemembered(.max) }
    try vault.policy.setMostRemembered(nil)
    try RememberedKey(vault).remember(for: RememberedTime())
    try RememberedKey(vault).forget()
    try vault.close()
  }

  @Test("a vault in memory has nothing to remember")
  func inMemory() throws {
    expect(.unsupported) { try RememberedKey(Vault.inMemory()).remember(for: RememberedTime()) }
    expect(.unsupported) { try RememberedKey(Vault.inMemory()).forget() }
  }
}
