import SealedTree
import SecureMemory
import VaultCrypto
package import VaultModel

/// Replicas of a fleet's vault.
///
/// While the arbiter is asked, the store's lock is free, so that lookups of other threads do not
/// wait for the network. Its own commit is the exception: it is under way in the file's
/// transaction.
extension FileStore {
  /// Gives the whole vault to an arbiter, which decides about its writes from then on.
  ///
  /// - Throws: As ``VaultFile/publish(to:)``.
  package func publish(to arbiter: any Arbiter) throws(VaultError) {
    try locked { (file) throws(VaultError) in try file.publish(to: arbiter) }
  }

  /// Makes the file one more replica of the vault that an arbiter has, if that continues it.
  ///
  /// - Throws: As ``VaultFile/sync(_:after:)``.
  package func join(_ arbiter: any Arbiter) throws(VaultError) {
    try asking { () throws(VaultError) in
      // The arbiter has no trace of rows that were removed before the vault was published.
      _ = try pull(from: arbiter, isWhole: true)
      try locked { file in file.arbiter = arbiter }
    }
  }

  /// Makes the file one more replica of the vault that an arbiter has, and gives the arbiter what
  /// this replica has and it lost.
  ///
  /// - Throws: ``VaultError/Code/forked`` if the file does not continue the arbiter's state; as
  ///   ``Arbiter/begin(after:)`` and ``Arbiter/commit(_:)``.
  package func restore(_ arbiter: any Arbiter) throws(VaultError) {
    try asking { () throws(VaultError) in
      let old = try arbiter.begin(after: 0)
      // It ends nothing after a commit.
      defer { arbiter.abandon() }
      let new = try locked { (file) throws(VaultError) in try file.rows(succeeding: old) }
      try arbiter.commit(new)
      try locked { file in file.arbiter = arbiter }
    }
  }

  /// Compares the file with an arbiter's state, as getting that would, and changes nothing.
  ///
  /// - Returns: The generation of the file.
  /// - Throws: As ``VaultFile/sync(_:after:)``.
  package func compare(with arbiter: any Arbiter) throws(VaultError) -> UInt64 {
    try asking { () throws(VaultError) in try pull(from: arbiter, isTrial: true).before }
  }

  /// Brings the file up to the arbiter's state.
  ///
  /// - Returns: The generation before and after.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the vault is not part of a fleet; as
  ///   ``VaultFile/sync(_:after:)``.
  package func sync() throws(VaultError) -> (before: UInt64, after: UInt64) {
    let arbiter = try locked { (file) throws(VaultError) in
      _ = try file.generation()
      guard try file.requireUnlocked().keys.ident.isArbitrated else {
        throw VaultError(.invalidArgument, "\(path.path) is not a fleet's vault")
      }
      return try file.requireArbiter()
    }
    return try asking { () throws(VaultError) in try pull(from: arbiter) }
  }

  /// Gets what the arbiter has and the file lacks.
  ///
  /// - Parameters:
  ///   - arbiter: The arbiter.
  ///   - isWhole: Whether to get all rows, and remove the others.
  ///   - isTrial: Whether the file stays as it is.
  /// - Returns: The generation before and after.
  /// - Throws: As ``VaultFile/sync(_:after:)``.
  private func pull(
    from arbiter: any Arbiter, isWhole: Bool = false, isTrial: Bool = false
  ) throws(VaultError) -> (before: UInt64, after: UInt64) {
    let known = try locked { (file) throws(VaultError) in try file.generation() }
    var delta = try arbiter.rows(after: isWhole ? 0 : known)
    delta.isWhole = isWhole
    return try locked { (file) throws(VaultError) in
      guard try file.generation() >= known else {
        throw VaultError(.busy, "\(path.path) was replaced while the fleet's server was asked")
      }
      _ = try file.sync(delta, after: known, isTrial: isTrial)
      return (known, try file.generation())
    }
  }

  /// Runs `body`, which writes to the file, as ``locked(_:)`` does.
  ///
  /// For a replica, the arbiter's lock is taken before the store's.
  ///
  /// - Throws: The errors of `body`; as ``Arbiter/begin(after:)``.
  package func writing<R>(_ body: (VaultFile) throws(VaultError) -> R) throws(VaultError) -> R {
    var result: R?
    let arbiter = try locked { (file) throws(VaultError) -> (any Arbiter)? in
      let arbiter = try file.arbiterToAsk()
      if arbiter == nil { result = try body(file) }
      return arbiter
    }
    if let result { return result }
    guard let arbiter else { throw VaultError(.internalError, "nothing was written") }
    return try asking { () throws(VaultError) in try writing(with: arbiter, body) }
  }

  private func writing<R>(
    with arbiter: any Arbiter, _ body: (VaultFile) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    let known = try locked { (file) throws(VaultError) in try file.generation() }
    let delta = try arbiter.begin(after: known)
    var begun: BegunWrite? = BegunWrite(arbiter: arbiter, known: known, delta: delta)
    // It ends nothing after a commit.
    defer { arbiter.abandon() }
    return try locked { (file) throws(VaultError) in
      // A second attempt, on the file that replaced this one, takes the lock anew.
      if begun == nil { arbiter.abandon() }
      file.begun = begun
      begun = nil
      defer { file.begun = nil }
      return try body(file)
    }
  }

  /// Runs `body`, which asks the arbiter, while no other thread does: they have one connection.
  ///
  /// This lock comes before the arbiter's, and that one before the store's.
  private func asking<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    let result = try EventDelivery.after { (_) throws(VaultError) in
      try arbitration.withLockUnlessHeld { () throws(VaultError) in
        if Task.isCancelled { throw .cancelled }
      } _: { (_) throws(VaultError) in
        try body()
      }
    }
    guard let result else {
      throw VaultError(.invalidArgument, "the vault was called from within its own transaction")
    }
    return result
  }
}

/// An arbiter's lock that was taken for the next write.
struct BegunWrite {
  let arbiter: any Arbiter
  /// The generation of the file at that time.
  let known: UInt64
  /// The rows that the arbiter has after it.
  let delta: RowDelta
  private let time = ContinuousClock.now

  /// Whether the arbiter surely still waits for the write.
  var isYoung: Bool { ContinuousClock.now - time < .seconds(2) }

  init(arbiter: any Arbiter, known: UInt64, delta: RowDelta) {
    (self.arbiter, self.known, self.delta) = (arbiter, known, delta)
  }
}

/// The commits of a fleet's vault.
extension FileStore {
  /// Returns the vault's kept commits.
  ///
  /// - Parameter limit: The highest number to return.
  /// - Returns: The commits, the newest first; none of a vault of one machine alone.
  /// - Throws: ``VaultError/Code/damaged`` if a commit's row is lost; ``VaultError/Code/locked``;
  ///   as ``VaultFile/read(_:)``.
  package func commits(limit: Int = .max) throws(VaultError) -> [FleetCommit] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        let now = try file.requireUnlocked()
        guard now.head.commit != nil, limit > 0 else { return [] }
        // One more, to which the last one is linked.
        let older = try reader.commits(before: now.head, limit: limit)
        let commits = [PastCommit(of: now.head)] + older
        let machines = try VaultFile.names(ofMachinesOf: commits, among: file.slotRows())
        let vault = now.keys.ident.vaultID
        return commits.indices.prefix(limit).map { index in
          let commit = commits[index]
          let isLinked =
            index + 1 == commits.count || commits[index + 1].hash(of: vault) == commit.commit.link
          return FleetCommit(commit, of: vault, isLinked: isLinked, machines)
        }
      }
    }
  }

  /// Returns the generation of the vault's head, and a hash of it and of all commits before: two
  /// replicas that have the same one have the same history.
  ///
  /// - Returns: The generation, and 32 bytes.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the vault is not part of a fleet; as
  ///   ``commits(limit:)``.
  package func headHash() throws(VaultError) -> (generation: UInt64, hash: [UInt8]) {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        let now = try file.requireUnlocked()
        guard now.head.commit != nil else {
          throw VaultError(.invalidArgument, "\(path.path) is not a fleet's vault")
        }
        let hash = PastCommit(of: now.head).hash(of: now.keys.ident.vaultID)
        return (now.head.generation, hash)
      }
    }
  }
}

extension FleetCommit {
  fileprivate init(
    _ commit: PastCommit, of vault: VaultID, isLinked: Bool, _ machines: [MachinePublicKey: String]
  ) {
    let machine = commit.commit.machine
    let member = machine.flatMap { machines[$0] }
    let name = member ?? commit.commit.name
    self.init(
      generation: commit.generation, time: commit.time, machine: machine.map { _ in name },
      fingerprint: machine.map { MachineText.fingerprint(of: $0, name: name) },
      isMember: member != nil,
      isValid: isLinked && (machine == nil || commit.isSigned(of: vault)))
  }
}
