public import CredentialVault
public import Foundation
public import FoundationNetworking
public import VaultModel

extension URLSession {
  /// Creates a session of the app's own that takes its credentials from a vault.
  ///
  /// Its storage is a ``VaultCredentialStorage``, and its delegate a ``VaultSessionDelegate``
  /// around the app's. Either one without the other would, on Linux, hang all sessions of the
  /// process at the first challenge.
  ///
  /// It may wait for the vault's file.
  ///
  /// - Parameters:
  ///   - configuration: The configuration; it is copied, and the copy's credential storage
  ///     replaced.
  ///   - vault: The vault in which credentials are found and stored; it may be locked.
  ///   - delegate: The app's own delegate; the session's `delegate` is the one around it.
  ///   - delegateQueue: As for Foundation's own initializer.
  ///   - onError: Called with errors of reading or writing the vault, on any thread.
  public convenience init(
    configuration: URLSessionConfiguration, vault: Vault, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue: OperationQueue? = nil,
    onError: @escaping @Sendable (VaultError) -> Void = { _ in }
  ) {
    // A copy always has the same class.
    let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    own.urlCredentialStorage = VaultCredentialStorage(vault, onError: onError)
    self.init(
      configuration: own,
      delegate: VaultSessionDelegate(vault, passingTo: delegate, onError: onError),
      delegateQueue: delegateQueue)
  }
}
