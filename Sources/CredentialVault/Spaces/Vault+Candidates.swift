import VaultStore
package import VaultModel

/// A credential that may answer a challenge.
package struct Candidate: Sendable {
  /// The item, with its secret.
  package let item: Item
  /// The pending credential to confirm or reject after the server's answer; nil if the item is
  /// already stored.
  package let pending: PendingCredential?
  /// The rank of the item's path for the request, as ``VaultModel/RequestPath`` says; 0 also if no
  /// path was asked for.
  package let depth: Int

  /// The credential to send.
  package var credential: Credential { item.credential }

  /// Creates a candidate for an item, with the pending credential if it is one.
  package init(item: Item, pending: PendingCredential?, depth: Int = 0) {
    self.item = item
    self.pending = pending
    self.depth = depth
  }
}

extension Vault {
  /// Returns the matching passwords and tokens that have not expired, in the order in which they
  /// are tried.
  ///
  /// Negative items and private keys are not included.
  ///
  /// The session's items come before the file's, each best first. If the request's path is known,
  /// items of the longest path that covers it come before all others. If a session's credential
  /// hides a permanent one of the same user, both are returned: the second is tried when the first
  /// was refused.
  ///
  /// - Returns: None if nothing matches, or only expired items do.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func candidates(_ query: ItemQuery) throws(VaultError) -> [Candidate] {
    try requireUnlocked()
    let temporary = try session.find(query, withSecrets: true)
    return try candidates(temporary, try file?.find(query, withSecrets: true) ?? [], query)
  }

  /// Returns the matches of several queries, in their order, and the default users of one host's
  /// spaces, with one read of the file.
  ///
  /// This is called before every request.
  ///
  /// - Parameters:
  ///   - queries: The queries.
  ///   - spaces: The spaces whose default users are wanted.
  ///   - host: The host of these spaces.
  ///   - atOnce: Whether it is not to wait for another thread or process, nor read the file.
  /// - Returns: As ``candidates(_:)``; the users of those spaces that have one, in the order of the
  ///   spaces.
  /// - Throws: As ``candidates(_:)``; ``VaultError/Code/busy`` if it would have to wait.
  package func candidates(
    _ queries: [ItemQuery], defaultsOf spaces: [ProtectionSpace], at host: HostName,
    atOnce: Bool = false
  ) throws(VaultError) -> (found: [Candidate], defaultUsers: [String]) {
    if atOnce {
      // A shared session is a file of its own.
      guard session.shared == nil, !isOver else { throw .notAtOnce }
    } else {
      try requireUnlocked()
    }
    var users: [String?] = []
    for space in spaces { users.append(try session.defaultUser(for: space)) }
    var temporary: [[Item]] = []
    for query in queries { temporary.append(try session.find(query, withSecrets: true)) }
    let permanent = try file?.find(queries, defaultsOf: spaces, at: host, atOnce: atOnce)
    var found: [Candidate] = []
    for index in queries.indices {
      found += try candidates(
        temporary[index], permanent?.items[index] ?? [], queries[index])
    }
    for (index, user) in (permanent?.defaultUsers ?? []).enumerated() {
      users[index] = users[index] ?? user
    }
    return (found, users.compactMap(\.self))
  }

  /// Returns the passwords and tokens that have not expired, first among the session's items, then
  /// the file's; both are results of the query.
  func candidates(
    _ temporary: [Item], _ permanent: [Item], _ query: ItemQuery
  ) throws(VaultError) -> [Candidate] {
    var candidates: [Candidate] = []
    // An item that a store found expired has no secret, even if the clock, read again here, says
    // otherwise.
    for item in temporary.valid(at: now) where item.isSent && item.secret != nil {
      candidates.append(
        Candidate(
          item: item, pending: try pendingCredential(item.id), depth: query.depth(of: item)))
    }
    for item in permanent.valid(at: now) where item.isSent && item.secret != nil {
      candidates.append(Candidate(item: item, pending: nil, depth: query.depth(of: item)))
    }
    // Each store has the longest path first; at equal length the session's items stay before the
    // file's.
    guard candidates.contains(where: { $0.depth != candidates[0].depth }) else { return candidates }
    return candidates.enumerated().sorted { left, right in
      left.element.depth == right.element.depth
        ? left.offset < right.offset : left.element.depth > right.element.depth
    }.map(\.element)
  }

  /// Returns the pending credential with an id; nil if it is stored, or was confirmed or rejected
  /// just now.
  private func pendingCredential(_ id: ItemID) throws(VaultError) -> PendingCredential? {
    do throws(VaultError) {
      guard try session.own.isPending(id) else { return nil }
      return PendingCredential(id: id, requested: try session.own.pending(id).requested)
    } catch {
      guard error.code == .itemNotFound else { throw error }
      return nil
    }
  }
}

extension ItemQuery {
  fileprivate func depth(of item: Item) -> Int {
    requestPath?.depth(of: item.path) ?? 0
  }
}

extension Item {
  /// Whether its secret is one that is sent.
  ///
  /// Docker's identity tokens are exchanged for tokens at a registry's token service, and open
  /// nothing themselves.
  package var isSent: Bool {
    !isNegative && hasPassword && !account.hasSameBytes(as: "<token>")
  }
}
