public import CredentialVault
public import Foundation
public import FoundationNetworking
public import VaultModel

extension URLSession {
  /// Makes a session of the app's own that takes its credentials out of a vault.
  ///
  /// Its storage is a ``VaultCredentialStorage``, and its delegate a ``VaultSessionDelegate`` around the app's: the one
  /// without the other would, on Linux, end all sessions of the process with the first challenge.
  ///
  /// May wait for the vault's file.
  ///
  /// - Parameters:
  ///   - configuration: What else the session is; it is copied, and its credential storage replaced in the copy.
  ///   - vault: Where credentials are found and kept; it may be locked.
  ///   - delegate: The app's own delegate; the session's `delegate` is the one around it.
  ///   - delegateQueue: As for Foundation's own initializer.
  ///   - onError: Is told what could not be read or written in the vault, on any thread.
  public convenience init(
    configuration: URLSessionConfiguration, vault: Vault, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue: OperationQueue? = nil,
    onError: @escaping @Sendable (VaultError) -> Void = { _ in }
  ) {
    // A copy is always one of the same class.
    let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    own.urlCredentialStorage = VaultCredentialStorage(vault, onError: onError)
    self.init(
      configuration: own,
      delegate: VaultSessionDelegate(vault, passingTo: delegate, onError: onError),
      delegateQueue: delegateQueue)
  }
}
