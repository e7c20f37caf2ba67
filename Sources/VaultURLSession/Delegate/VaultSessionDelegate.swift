public import CredentialVault
public import Foundation
public import FoundationNetworking

/// Answers a session's challenges out of a vault, for code that keeps its own session.
public final class VaultSessionDelegate: NSObject, URLSessionDataDelegate {
  /// Where the credentials are.
  public let vault: Vault

  /// Makes a delegate that passes on what it does not answer.
  ///
  /// - Parameters:
  ///   - vault: Where credentials are found; it may be locked.
  ///   - delegate: The app's own delegate; it is told everything, and asked what the vault cannot answer.
  ///   - mostFailures: After so many refused credentials a request's challenge is cancelled.
  public init(
    _ vault: Vault, passingTo delegate: (any URLSessionDelegate)? = nil, mostFailures: Int = 10
  ) {
    self.vault = vault
  }
}
