import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import VaultModel

/// A credential of a vault as Foundation wants one: its password becomes a `String` when it is asked for, and not before.
///
/// Immutable, as every `URLCredential` is. Equal to one of the same user, password and persistence; but a credential of
/// Foundation's own, if that is the one that is asked, compares what it keeps itself, and says no.
// Proof: everything is `let`, of Sendable types; Foundation's own fields are set once.
final class VaultURLCredential: URLCredential, @unchecked Sendable {
  let credential: Credential
  /// The vault that it is of.
  let vault: Vault
  /// The space that it was found for.
  let space: ProtectionSpace
  /// The path that the item names, or none.
  let path: String
  /// What has to be confirmed once a server has accepted it; nil if it is stored.
  let pending: PendingCredential?
  /// Whether it was listed in the background, where nobody but `URLSession.reset()` is expected to list.
  let isListedInBackground: Bool

  /// - Parameters:
  ///   - candidate: What was found, with its secret.
  ///   - space: The space that it was found for.
  ///   - vault: Where it was found.
  ///   - persistence: What a storage is to make of it; nil for what it is.
  ///   - isListedInBackground: Whether it is one of a list that was asked for on Dispatch's background queue.
  init(
    _ candidate: Candidate, for space: ProtectionSpace, in vault: Vault,
    persistence: URLCredential.Persistence? = nil, isListedInBackground: Bool = false
  ) {
    credential = candidate.credential
    pending = candidate.pending
    path = candidate.item.path
    self.space = space
    self.vault = vault
    self.isListedInBackground = isListedInBackground
    super.init(
      user: candidate.credential.user, password: "",
      persistence: persistence ?? URLCredential.Persistence(candidate.credential.persistence))
  }

  /// Nil: an archive of one holds nothing that it could be made of.
  required init?(coder: NSCoder) { nil }

  override var password: String? { credential.secret.text }
  override var hasPassword: Bool { true }

  /// Writes nothing: Foundation's own writes the password in clear, and one without it would be another credential.
  override func encode(with coder: NSCoder) {}

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLCredential else { return false }
    if other === self { return true }
    guard let user = other.user, user.utf8.elementsEqual(credential.user.utf8),
      other.persistence == persistence
    else { return false }
    if let other = other as? VaultURLCredential {
      return other.credential.secret.isEqual(to: credential.secret)
    }
    return other.password.map { Secret($0).isEqual(to: credential.secret) } ?? false
  }

  /// Of user and persistence alone, so that it says nothing of the password.
  override var hash: Int {
    var hasher = Hasher()
    hasher.combine(Array(credential.user.utf8))
    hasher.combine(credential.persistence)
    return hasher.finalize()
  }
}

extension VaultURLCredential: CustomReflectable {
  /// A mirror without children: that of Foundation's class shows what it keeps.
  var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

extension Secret {
  /// The text that the bytes are in UTF-8; nil if they are none.
  var text: String? {
    withRawBytes { bytes in
      // The bytes are read within the call only.
      unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }
  }
}
