public import CredentialVault
import VaultCrypto
import VaultStore
public import VaultModel

/// A machine that opens a vault with a key of its own.
public struct VaultMachine: Sendable, Identifiable {
  /// The id of its slot.
  public let id: Int
  /// Its name.
  public let name: String
  /// Whether it holds the admin key, and so can admit and remove machines.
  public let isAdmin: Bool
  /// The time when it was admitted.
  public let admitted: Timestamp
  /// Eight groups of five digits of its public keys and name, for people to compare.
  public let fingerprint: String

  init?(_ slot: Slot) {
    guard let machine = slot.machine else { return nil }
    id = Int(slot.id)
    name = slot.name
    isAdmin = machine.isAdmin
    admitted = slot.created
    fingerprint = MachineText.fingerprint(of: machine.publicKey, name: name)
  }
}

/// The machines that open a vault with keys of their own: `vault.keys.machines`.
///
/// An admin admits a machine by its public key, so no secret leaves the machine. Every machine
/// believes the admin keys alone that it was joined to, and those that followed them: nobody else
/// with the vault's key can make it follow to another.
/// ``VaultKeys/rekey(keeping:removing:cost:progress:otherSlot:)`` removes a machine, with an
/// admin's key among those that are kept; the others follow by themselves. Without one of the
/// admins, there is a new admin key, since that machine knows the old one.
public struct VaultMachines: Sendable {
  let vault: Vault

  /// Returns the vault's machines, in ascending order of id.
  ///
  /// - Throws: As ``VaultKeys/slots()``.
  public func list() throws(VaultError) -> [VaultMachine] {
    try vault.requireFile().slots().compactMap(VaultMachine.init)
  }

  /// Makes this machine the vault's first one, and its admin.
  ///
  /// - Parameters:
  ///   - path: The machine's key file: a new one, or the one by which it is a machine of another
  ///     vault.
  ///   - name: The machine's name, at most 64 bytes.
  /// - Returns: The machine.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the vault has machines, or the name is empty
  ///   or too long; ``VaultError/Code/locked``; as ``KeyFile/create(at:)`` and
  ///   ``Vault/write(_:)``.
  @discardableResult
  public func begin(keyFile path: String, name: String) throws(VaultError) -> VaultMachine {
    try vault.requireUnlocked()
    let file = try vault.requireFile()
    guard try file.adminKey() == nil else {
      throw VaultError(.invalidArgument, "the vault has machines already: an admin admits this one")
    }
    let admin = AdminSecret()
    let isNew = !KeyFile.isPresent(at: path)
    let key = try MachineKeyFile.key(at: path, joining: admin.key)
    do throws(VaultError) {
      return try Self.machine(file.addFirstMachine(key, name: name, signer: admin))
    } catch {
      // After an unknown outcome, the file may be the only key of an admin.
      if isNew, error.code != .outcomeUnknown { KeyFile.discard(path) }
      throw error
    }
  }

  /// Returns the line of the present admin key, for machines that are to join.
  ///
  /// It is public, but must reach them unchanged: compare ``MachineKeyFile/fingerprint(of:)``.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if the vault has no machines;
  ///   ``VaultError/Code/locked``.
  public func adminKey() throws(VaultError) -> String {
    try vault.requireUnlocked()
    guard let admin = try vault.requireFile().adminKey() else {
      throw VaultError(.itemNotFound, "the vault has no machines")
    }
    return MachineText.line(of: admin)
  }

  /// Admits a machine.
  ///
  /// - Parameters:
  ///   - request: The line that ``MachineKeyFile/create(at:name:adminKey:)`` returned there.
  ///     Compare its fingerprint first: anyone who can change it on its way would be admitted
  ///     instead.
  ///   - asAdmin: Whether it shall also hold the admin key.
  ///   - key: The key file of an admin's machine.
  /// - Returns: The machine.
  /// - Throws: ``VaultError/Code/invalidData`` for another line;
  ///   ``VaultError/Code/duplicateItem`` if the vault has the machine, or one of its name;
  ///   ``VaultError/Code/invalidArgument`` if the key is not an admin's;
  ///   ``VaultError/Code/locked``; any error of reading the key; as ``Vault/write(_:)``.
  @discardableResult
  public func admit(
    _ request: String, asAdmin: Bool = false, with key: KeySource
  ) throws(VaultError) -> VaultMachine {
    try admit(all: [request], asAdmin: asAdmin, with: key)[0]
  }

  /// Admits several machines in one commit, all of them or none.
  ///
  /// Each commit of machines reads and signs all that the vault has, so this is faster for many.
  ///
  /// - Parameters:
  ///   - requests: Their lines, as ``admit(_:asAdmin:with:)`` takes one.
  ///   - asAdmin: Whether they shall also hold the admin key.
  ///   - key: The key file of an admin's machine.
  /// - Returns: The machines, in the same order.
  /// - Throws: As ``admit(_:asAdmin:with:)``.
  @discardableResult
  public func admit(
    all requests: [String], asAdmin: Bool = false, with key: KeySource
  ) throws(VaultError) -> [VaultMachine] {
    try vault.requireUnlocked()
    let machines = try requests.map { (request) throws(VaultError) in
      let (publicKey, name) = try MachineText.machine(request)
      return NewMachine(publicKey, name: name, isAdmin: asAdmin)
    }
    return try vault.requireFile().admit(machines, with: key.read()).map(Self.machine)
  }

  private static func machine(_ slot: Slot) throws(VaultError) -> VaultMachine {
    guard let machine = VaultMachine(slot) else {
      throw VaultError(.internalError, "the slot is no machine's")
    }
    return machine
  }
}

extension VaultKeys {
  /// The machines that an admin lets open the vault.
  public var machines: VaultMachines { VaultMachines(vault: vault) }
}

extension Vault {
  /// Returns the kept commits of a fleet's vault, the newest first; none of another vault.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``; as any reading.
  package func commits(limit: Int) throws(VaultError) -> [FleetCommit] {
    try requireUnlocked()
    return try requireFile().commits(limit: limit)
  }
}
