import SecureMemory
public import VaultModel
import VaultStorage

/// Between the session and the file.
extension Vault {
  /// Moves a user's credentials to another persistence; the only thing that deletes at the stronger place.
  ///
  /// A space ignores paths, so all of the user's items there move, each on its own. Moving to `none`
  /// forgets them. A default stays a default, since it names the user.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``, and what storing and removing throw.
  public func move(
    user: String, in space: ProtectionSpace, to persistence: Persistence
  ) throws(VaultError) {
    let own = try items(for: space, secrets: true)
      .filter { $0.account.utf8.elementsEqual(user.utf8) }
    guard !own.isEmpty else {
      throw VaultError(.itemNotFound, "\(space) has no credential of this user")
    }
    let temporary = own.filter { $0.persistence == .session }
    let permanent = own.filter { $0.persistence == .permanent }
    switch persistence {
    case .none: try remove(user: user, for: space)
    case .session: try moveToSession(permanent, beside: temporary)
    case .permanent: try moveToFile(temporary, beside: permanent)
    }
  }

  private func moveToSession(
    _ permanent: [InternetPassword], beside temporary: [InternetPassword]
  ) throws(VaultError) {
    guard !permanent.isEmpty else { return }
    // What the session has already hides the file's, and stays.
    for item in permanent where Self.twin(of: item, in: temporary) == nil {
      _ = try session.add(Self.moved(item))
    }
    try requireFile().write { (transaction) throws(VaultError) in
      for item in permanent { try transaction.delete(item.id, hint: item.key) }
    }
  }

  private func moveToFile(
    _ temporary: [InternetPassword], beside permanent: [InternetPassword]
  ) throws(VaultError) {
    guard !temporary.isEmpty else { return }
    try requireFile().write { (transaction) throws(VaultError) in
      for item in temporary {
        guard let stored = Self.twin(of: item, in: permanent) else {
          _ = try transaction.add(Self.moved(item))
          continue
        }
        _ = try transaction.modify(
          stored.id, hint: stored.key,
          [
            .secret(item.secret ?? Secret("")), .secretKind(item.secretKind),
            .refreshToken(item.refreshToken), .expires(item.expires),
            .accountDomain(item.accountDomain),
          ])
      }
    }
    for item in temporary { try delete(item) }
  }

  /// The item as it is added to the other store; one with a revision would be a copy, with an id of its own.
  private static func moved(_ item: InternetPassword) -> InternetPassword {
    var item = item
    item.revision = 0
    return item
  }

  /// The item that stands for the same credential in the other store: the same key, else the same path.
  private static func twin(
    of item: InternetPassword, in others: [InternetPassword]
  ) -> InternetPassword? {
    others.first { $0.key == item.key }
      ?? others.first { $0.path.utf8.elementsEqual(item.path.utf8) }
  }
}
