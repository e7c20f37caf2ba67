import SecureMemory
public import VaultModel
import VaultStorage

/// Between the session and the file.
extension Vault {
  /// Moves a user's credential to another persistence; the only thing that deletes at the stronger place.
  ///
  /// Moving to `none` forgets it. A default stays a default, since it names the user.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``, and what storing and removing throw.
  public func move(
    user: String, in space: ProtectionSpace, to persistence: Persistence
  ) throws(VaultError) {
    let all = try items(for: space, secrets: true)
    let own = all.filter { $0.account.utf8.elementsEqual(user.utf8) }
    guard let current = own.first(where: { $0.persistence == .session }) ?? own.first else {
      throw VaultError(.itemNotFound, "\(space) has no credential of this user")
    }
    switch persistence {
    case .none: try remove(user: user, for: space)
    case .session: try moveToSession(current, own)
    case .permanent: try moveToFile(current, own)
    }
  }

  private func moveToSession(
    _ current: InternetPassword, _ own: [InternetPassword]
  ) throws(VaultError) {
    if current.persistence == .permanent { try add(current, persistence: .session) }
    let permanent = own.filter { $0.persistence == .permanent }
    guard !permanent.isEmpty else { return }
    try requireFile().write { (transaction) throws(VaultError) in
      for item in permanent { try transaction.delete(item.id, hint: item.key) }
    }
  }

  private func moveToFile(
    _ current: InternetPassword, _ own: [InternetPassword]
  ) throws(VaultError) {
    guard current.persistence == .session else { return }
    try requireFile().write { (transaction) throws(VaultError) in
      guard let stored = own.first(where: { $0.persistence == .permanent }) else {
        _ = try transaction.add(current)
        return
      }
      _ = try transaction.modify(
        stored.id, hint: stored.key,
        [
          .secret(current.secret ?? Secret("")), .secretKind(current.secretKind),
          .refreshToken(current.refreshToken), .expires(current.expires),
          .accountDomain(current.accountDomain),
        ])
    }
    for item in own where item.persistence == .session { try delete(item) }
  }
}
