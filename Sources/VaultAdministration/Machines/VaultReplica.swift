public import CredentialVault
import VaultCrypto
public import VaultModel
public import VaultStore

/// A vault of which there are several replicas, and somebody who puts their writes in order.
///
/// A program that knows such an arbiter makes replicas with it. From then on every program that
/// writes a replica starts `vaultctl-fleet order`, beside it or in `libexec`, which answers with
/// ``ArbiterService``.
///
/// Source: `Documentation/fleet.md`, "Ordered writes".
public struct VaultReplica: Sendable {
  private let file: FileStore

  /// - Throws: ``VaultError/Code/unsupported`` for a vault in memory.
  public init(_ vault: Vault) throws(VaultError) {
    file = try vault.requireFile()
  }

  /// Returns the vault's identifier, which all its replicas have.
  ///
  /// - Throws: As any reading.
  public func id() throws(VaultError) -> VaultID { try file.ident().vaultID }

  /// The replica's path.
  public var path: String { file.path.path }

  /// Runs `body` while no other program makes or publishes a vault in the same folder.
  ///
  /// - Throws: ``VaultError/Code/busy`` after the timeout; the errors of `body`.
  @discardableResult
  public func inTurn<R>(
    timeout: Duration, _ body: () throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try FolderLock.with(file.path.folder, timeout: timeout, body)
  }

  /// Gives the whole vault to an arbiter that has nothing of it; it orders all writes from then on.
  ///
  /// - Throws: ``VaultError/Code/vaultExists`` if the arbiter has the vault;
  ///   ``VaultError/Code/damaged``; ``VaultError/Code/locked``; ``VaultError/Code/readOnly`` if the
  ///   vault has machines, and none of them opened it; as ``Arbiter/publish(_:)``.
  public func publish(to arbiter: any Arbiter) throws(VaultError) {
    try noting { () throws(VaultError) in try file.publish(to: arbiter) }
  }

  /// Makes the file one more replica of the vault that an arbiter has, whose state has to continue
  /// the file's.
  ///
  /// - Throws: ``VaultError/Code/rolledBack`` if it is older; ``VaultError/Code/forked`` for one of
  ///   another history; ``VaultError/Code/damaged``; as ``Arbiter/rows(after:)``.
  public func join(_ arbiter: any Arbiter) throws(VaultError) {
    try noting { () throws(VaultError) in try file.join(arbiter) }
  }

  /// Gives an arbiter that was set back what this replica has and it lost.
  ///
  /// - Throws: ``VaultError/Code/forked`` if the file does not continue the arbiter's state; as
  ///   ``Arbiter/begin(after:)`` and ``Arbiter/commit(_:)``.
  public func restore(_ arbiter: any Arbiter) throws(VaultError) {
    try noting { () throws(VaultError) in try file.restore(arbiter) }
  }

  /// Compares the file with an arbiter's state, as getting what is new would, and changes nothing.
  ///
  /// - Returns: The generation of the file.
  /// - Throws: As ``join(_:)``.
  public func compare(with arbiter: any Arbiter) throws(VaultError) -> UInt64 {
    try file.compare(with: arbiter)
  }

  /// Returns the generation that the vault has here.
  ///
  /// - Throws: ``VaultError/Code/locked``; as any reading.
  public func generation() throws(VaultError) -> UInt64 { try file.information().generation }

  private func noting(_ step: () throws(VaultError) -> Void) throws(VaultError) {
    let time = Timestamp.now()
    try step()
    VaultLocation.noteContact(besides: path, at: time)
  }
}

extension VaultReplica {
  /// Makes a replica at a path where there is no vault; a kill at any moment leaves the whole
  /// replica or none.
  ///
  /// - Parameters:
  ///   - path: The path; its folder is made if it is missing.
  ///   - arbiter: Has the vault.
  ///   - id: The vault that it has to be.
  ///   - acceptingAnotherState: Whether an older or other state than the one that was seen at the
  ///     path is taken on purpose.
  ///   - fingerprint: The only admin key that a machine's key believes for this, so that another of
  ///     its admins, together with the arbiter, cannot show a vault of his own; nil for all that it
  ///     was joined to.
  ///   - open: Calls its closure with keys, until one opens the vault.
  ///   - naming: Gets the path without symbolic links, and a closure that gives the replica, which
  ///     is complete, its name there, while no other program makes a vault in the folder.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/authenticationFailed``, ``VaultError/Code/tooNew``;
  ///   ``VaultError/Code/invalidArgument`` for a fingerprint with a key that is no machine's;
  ///   ``VaultError/Code/invalidData`` for one of an unknown admin;
  ///   ``VaultError/Code/rolledBack`` or ``VaultError/Code/forked`` for such a state;
  ///   ``VaultError/Code/busy`` if the vault was rekeyed meanwhile; the errors of the closures; as
  ///   ``Arbiter/opening()`` and ``Arbiter/copy(head:row:)``.
  public static func create(
    at path: String, copying arbiter: any Arbiter, of id: VaultID,
    acceptingAnotherState: Bool = false, admin fingerprint: String? = nil,
    opening open: (_ tryKey: (KeySource) throws(VaultError) -> Void) throws(VaultError) -> Void,
    naming:
      @escaping (_ path: String, _ name: () throws(VaultError) -> Void) throws(VaultError) ->
      Void
  ) throws(VaultError) {
    let time = Timestamp.now()
    let opening = try arbiter.opening()
    try VaultPath.makeFolder(of: path)
    let place = try VaultPath(path)
    try open { (key) throws(VaultError) in
      try VaultFile.create(
        place, copying: arbiter, from: opening, of: id,
        key: believing(key.read(), onlyAdmin: fingerprint),
        recordedIn: VaultLocation.stateFolder(), accepted: acceptingAnotherState
      ) { (name) throws(VaultError) in
        // A publication holds it for as long as it sends, and the whole copy is there.
        try FolderLock.with(place.folder, timeout: .seconds(600)) { () throws(VaultError) in
          try naming(place.path, name)
        }
      }
    }
    VaultLocation.noteContact(besides: place.path, at: time)
  }

  private static func believing(
    _ key: UnlockKey, onlyAdmin fingerprint: String?
  ) throws(VaultError) -> UnlockKey {
    guard let fingerprint else { return key }
    guard case .machine(let machine) = key else {
      throw VaultError(.invalidArgument, "a fingerprint names the admin of a machine's vault")
    }
    return .machine(try machine.believing(onlyAdmin: fingerprint))
  }
}
