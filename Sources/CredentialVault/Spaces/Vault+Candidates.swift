import VaultFile
package import VaultModel
import VaultSession

/// One credential that may answer a challenge.
package struct Candidate: Sendable {
  /// The item, with its secret.
  package let item: InternetPassword
  /// What has to be confirmed once the server has accepted it, or rejected; nil if it is stored already.
  package let pending: PendingCredential?
  /// How well the item's path fits the request, as ``VaultModel/RequestPath`` says; 0 also where no path was asked for.
  package let depth: Int

  /// What is sent.
  package var credential: Credential { item.credential }

  /// Names an item, and what is pending of it.
  package init(item: InternetPassword, pending: PendingCredential?, depth: Int = 0) {
    self.item = item
    self.pending = pending
    self.depth = depth
  }
}

extension Vault {
  /// Everything that matches and has not expired, in the order in which it is tried.
  ///
  /// Neither what says that there is no password, nor a private key.
  ///
  /// The session's before the file's, each best first; but where a request's path is known, those of the longest path that
  /// covers it before all others. Where a session's credential hides a permanent one of the same
  /// user, both are there: the second is tried when the first was refused.
  ///
  /// - Returns: None if nothing matches, or only what has expired.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func candidates(_ query: ItemQuery) throws(VaultError) -> [Candidate] {
    try requireUnlocked()
    let temporary = try session.find(query, secrets: true)
    return try candidates(temporary, try file?.find(query, secrets: true) ?? [], query)
  }

  /// What matches several queries, in their order, and the default users of spaces of one host, by one look at the file.
  ///
  /// It is looked for before every request.
  ///
  /// - Returns: As ``candidates(_:)``; the users of those spaces that have one, in the order of the spaces.
  /// - Throws: As ``candidates(_:)``.
  package func candidates(
    _ queries: [ItemQuery], defaultsOf spaces: [ProtectionSpace], at host: HostName
  ) throws(VaultError) -> (found: [Candidate], defaultUsers: [String]) {
    try requireUnlocked()
    var users: [String?] = []
    for space in spaces { users.append(try session.defaultUser(for: space)) }
    var temporary: [[InternetPassword]] = []
    for query in queries { temporary.append(try session.find(query, secrets: true)) }
    let permanent = try file?.find(queries, defaultsOf: spaces, at: host)
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

  /// The passwords among the session's items, and then the file's, that have not expired; both are what the query found.
  func candidates(
    _ temporary: [InternetPassword], _ permanent: [InternetPassword], _ query: ItemQuery
  ) throws(VaultError) -> [Candidate] {
    var candidates: [Candidate] = []
    // What a store found to be expired it gave without the secret, whatever the clock, read once more, says now.
    for item in valid(temporary) where item.isPassword && item.secret != nil {
      candidates.append(
        Candidate(
          item: item, pending: try pendingCredential(item.id), depth: query.depth(of: item)))
    }
    for item in valid(permanent) where item.isPassword && item.secret != nil {
      candidates.append(Candidate(item: item, pending: nil, depth: query.depth(of: item)))
    }
    // Each store has its longest first; where both are of one length, the session's stay before the file's.
    guard candidates.contains(where: { $0.depth != candidates[0].depth }) else { return candidates }
    return candidates.enumerated().sorted { left, right in
      left.element.depth == right.element.depth
        ? left.offset < right.offset : left.element.depth > right.element.depth
    }.map(\.element)
  }

  /// Nil for one that is stored; or that was confirmed or rejected just now.
  private func pendingCredential(_ id: ItemID) throws(VaultError) -> PendingCredential? {
    do throws(VaultError) {
      guard try session.isPending(id) else { return nil }
      return PendingCredential(id: id, requested: try session.pending(id).requested)
    } catch {
      guard error.code == .itemNotFound else { throw error }
      return nil
    }
  }
}

extension ItemQuery {
  fileprivate func depth(of item: InternetPassword) -> Int {
    requestPath?.depth(of: item.path) ?? 0
  }
}

extension InternetPassword {
  /// Whether its secret is one that is sent as a password.
  var isPassword: Bool { !isNegative && secretKind != .identity }
}
