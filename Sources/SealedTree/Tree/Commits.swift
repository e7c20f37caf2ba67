package import VaultCrypto
package import VaultModel

/// Reading the commits before a head, each proven by the tag that its successor names.
extension TreeReader {
  /// Returns the kept commits before a head.
  ///
  /// - Parameters:
  ///   - head: The head of the file.
  ///   - generation: Commits before it are not read.
  ///   - limit: The highest number of commits to read.
  /// - Returns: The commits, the newest first.
  /// - Throws: ``VaultError/Code/damaged`` if one is missing or is not the one that is named.
  package func commits(
    before head: Head, from generation: UInt64 = 0, limit: Int = .max
  ) throws(VaultError) -> [PastCommit] {
    let kept = PastCommit.keptCount
    let first = max(generation, head.generation > kept ? head.generation - kept : 1)
    var commits: [PastCommit] = []
    var next = head.commit ?? Commit()
    while next.previous >= first, next.previous > 0, commits.count < limit {
      let commit = try PastCommit(
        decoding: open(.commit, NodeID.commit(next.previous), next.tag))
      guard commit.generation == next.previous else {
        throw VaultError(.damaged, "a commit is of another generation than its successor says")
      }
      commits.append(commit)
      next = commit.commit
    }
    return commits
  }

  /// Returns the ids of the rows of the commits before a head.
  package func commitRows(
    of head: Head, from generation: UInt64 = 0
  ) throws(VaultError) -> [UInt64] {
    try commits(before: head, from: generation).map { NodeID.commit($0.generation) }
  }
}

extension RowSource {
  /// Writes the rows of commits anew, the newest first, each of which then names the one before it.
  ///
  /// - Returns: The tag of the newest one; nil without any.
  /// - Throws: As ``put(_:under:)``.
  package func put(_ commits: [PastCommit], _ keys: EpochKeys) throws(VaultError) -> Tag? {
    var tag: Tag?
    for var commit in commits.reversed() {
      if let tag { commit.commit.tag = tag }
      tag = try put(commit, keys)
    }
    return tag
  }

  fileprivate func put(_ commit: PastCommit, _ keys: EpochKeys) throws(VaultError) -> Tag {
    let id = NodeID.commit(commit.generation)
    let sealed = keys.seal(commit.encoded, as: .commit, id: id)
    try put(sealed, under: id)
    return Tag(ofSealed: sealed)
  }
}

extension Head {
  /// Makes the last change of a head that is to be written: in a fleet's vault, links it to the one
  /// before, whose commit gets a row, and signs it if the vault has machines.
  ///
  /// - Parameters:
  ///   - stored: The head in the file.
  ///   - signer: The machine that commits.
  ///   - keys: The keys of the new head's epoch.
  ///   - rows: The rows of the vault.
  /// - Throws: As ``RowSource/put(_:under:)``.
  package mutating func complete(
    after stored: Head, signedBy signer: CommitSigner?, sealing keys: EpochKeys,
    to rows: any RowSource
  ) throws(VaultError) {
    guard keys.ident.isArbitrated else { return }
    var past = PastCommit(of: stored)
    // After a rekey, the rows before it have other tags.
    past.commit = commit ?? Commit()
    let kept = PastCommit.keptCount
    let first = generation > kept ? generation - kept : 1
    // A merge skips generations, whose rows would be those of 4096 before.
    for skipped in max(first, past.generation + 1)..<max(first, past.generation + 1, generation) {
      try rows.remove(NodeID.commit(skipped))
    }
    var new = Commit()
    new.previous = past.generation
    new.link = past.hash(of: keys.ident.vaultID)
    if past.generation >= first { new.tag = try rows.put(past, keys) }
    commit = new
    guard roster != nil, let signer else { return }
    var own = PastCommit(of: self)
    own.sign(of: keys.ident.vaultID, by: signer)
    commit = own.commit
  }
}
