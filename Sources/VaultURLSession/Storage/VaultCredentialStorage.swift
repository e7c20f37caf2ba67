public import CredentialVault
import Foundation
public import FoundationNetworking
public import VaultModel

/// A vault as Foundation's credential storage.
public final class VaultCredentialStorage: URLCredentialStorage, @unchecked Sendable {
  /// Where the credentials are.
  public let vault: Vault

  /// Opens a storage over a vault, which may be locked, and reads what is there.
  ///
  /// - Parameters:
  ///   - vault: Where the credentials are.
  ///   - onError: Is told what could not be read or written, on any thread.
  public init(_ vault: Vault, onError: @escaping @Sendable (VaultError) -> Void = { _ in }) {
    self.vault = vault
  }

  /// Waits until everything is written that was set or removed so far.
  ///
  /// - Throws: The first error since the last call.
  public func flush() throws(VaultError) {}
}
