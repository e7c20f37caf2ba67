import CredentialVault
import SecureMemory
import VaultModel

/// Histories that come from elsewhere.
extension Vault.Writer {
  /// Adds previous secrets to an item, and returns those that the vault does not keep.
  func addAll(
    _ previous: [PreviousSecret], to item: Item
  ) throws(VaultError) -> [PreviousSecret] {
    guard !previous.isEmpty else { return [] }
    try addHistory(previous, to: item)
    // Of two that were replaced at the same time, a history takes one.
    let missing = try missing(previous, in: item)
    guard !missing.isEmpty else { return [] }
    try addHistory(missing.map(\.earlier), to: item)
    return try self.missing(missing, in: item)
  }

  /// Returns those of some previous secrets that an item does not have.
  func missing(
    _ previous: [PreviousSecret], in item: Item
  ) throws(VaultError) -> [PreviousSecret] {
    guard !previous.isEmpty else { return [] }
    let known = try history(of: item, withSecrets: true).compactMap(\.secret)
    return previous.filter { previous in
      guard let secret = previous.secret, secret.count > 0 else { return false }
      return item.secret?.isEqual(to: secret) != true
        && !known.contains { $0.isEqual(to: secret) }
    }
  }
}

extension PreviousSecret {
  /// The same, set and replaced a millisecond before.
  fileprivate var earlier: PreviousSecret {
    PreviousSecret(
      id: ID(item: id.item, replaced: replaced.adding(milliseconds: -1)), kind: kind,
      set: set.adding(milliseconds: -1), expires: expires, keptUntil: keptUntil,
      certificates: certificates, secret: secret)
  }
}
