public import FoundationNetworking
import SecureMemory
public import VaultModel

extension Credential {
  /// Takes a user and a password; a password becomes a secret, of which Foundation's own copy cannot be wiped.
  ///
  /// One that a vault gave is what it was there, with its account domain, and its password is not looked at.
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
