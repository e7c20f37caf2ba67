import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import VaultModel

/// A vault's credential in Foundation's form; its password becomes a `String` only when it is read.
///
/// It is immutable, like every `URLCredential`. It equals one with the same user, password and
/// persistence. If one of Foundation's own credentials is the receiver, that compares a field of
/// its class that holds no password here, and the result is always false.
// Proof: everything is `let`, of Sendable types; Foundation's own fields are set once.
final class VaultURLCredential: URLCredential, @unchecked Sendable {
  let credential: Credential
  /// The vault of the credential.
  let vault: Vault
  /// The space of the lookup.
  let space: ProtectionSpace
  /// The item's path; empty if it has none.
  let path: String
  /// The pending credential to confirm once a server has accepted it; nil if it is stored.
  let pending: PendingCredential?
  /// Whether it was listed in the background, where only `URLSession.reset()` is expected to list.
  let isListedInBackground: Bool

  /// The text in place of a password in the field that Foundation compares: no password equals it.
  private static let unequal = UUID().uuidString

  /// Creates a credential from a candidate.
  ///
  /// - Parameters:
  ///   - candidate: The candidate, with its secret.
  ///   - space: The space of the lookup.
  ///   - vault: The vault of the lookup.
  ///   - persistence: The persistence for a storage; nil for the candidate's own.
  ///   - isListedInBackground: Whether it is from a list made on Dispatch's background queue.
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
      user: candidate.credential.user, password: Self.unequal,
      persistence: persistence ?? URLCredential.Persistence(candidate.credential.persistence))
  }

  /// Returns nil: an archive has no data to decode it from.
  required init?(coder: NSCoder) { nil }

  override var password: String? { credential.secret.text }
  override var hasPassword: Bool { true }

  /// Writes nothing: Foundation's own method writes the password in clear, and without it the
  /// credential would be another.
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

  /// The hash of user and persistence alone, so that it reveals nothing of the password.
  override var hash: Int {
    var hasher = Hasher()
    hasher.combine(Array(credential.user.utf8))
    hasher.combine(credential.persistence)
    return hasher.finalize()
  }
}

extension VaultURLCredential: CustomReflectable {
  /// A mirror without children: that of Foundation's class shows its fields.
  var customMirror: Mirror { Mirror(self, children: [], ancestorRepresentation: .suppressed) }
}

extension Secret {
  /// The bytes as UTF-8 text; nil if they are not valid.
  var text: String? {
    withRawBytes { bytes in
      // The bytes are read within the call only.
      unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }
  }
}
