public import FoundationNetworking
import SecureMemory
public import VaultModel

extension Credential {
  /// Creates a credential from Foundation's; its password becomes a secret, but Foundation's own
  /// copy cannot be wiped.
  ///
  /// A credential from a vault is returned unchanged, with its account domain, and its password is
  /// not read.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if it has no user, or no password.
  public init(_ credential: URLCredential) throws(VaultError) {
    if let own = credential as? VaultURLCredential {
      self = own.credential
      return
    }
    guard let user = credential.user else {
      throw VaultError(.invalidArgument, "the credential has no user")
    }
    guard let password = credential.password else {
      throw VaultError(.invalidArgument, "the credential has no password")
    }
    self.init(
      user: user, secret: Secret(password), persistence: Persistence(credential.persistence))
  }
}
