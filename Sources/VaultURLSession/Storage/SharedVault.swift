public import CredentialVault
public import FoundationNetworking
import SecureMemory
public import VaultModel

/// The vault and session that the process shares, as `URLCredentialStorage.shared` and
/// `URLSession.shared` are shared.
enum SharedVault {
  static let current = Lock<(storage: VaultCredentialStorage, session: URLSession)?>(nil)
}

extension VaultCredentialStorage {
  /// Makes a vault the one of ``shared`` and of `URLSession.vaultShared`; call it at the start of a
  /// program.
  ///
  /// Foundation's own `shared` cannot be replaced on Linux. In a module with
  /// `typealias URLCredentialStorage = VaultCredentialStorage`, code that uses
  /// `URLCredentialStorage.shared` uses the vault.
  ///
  /// It may wait for the vault's file. There is no asynchronous form, because a program begins with
  /// it, and not within a task.
  ///
  /// - Parameters:
  ///   - vault: The vault, which may be locked.
  ///   - onError: Called with errors of reading or writing the vault, on any thread.
  public static func share(
    _ vault: Vault, onError: @escaping @Sendable (VaultError) -> Void = { _ in }
  ) {
    let storage = VaultCredentialStorage(vault, onError: onError)
    let session = URLSession(
      configuration: .default, storage: storage, delegate: nil, delegateQueue: nil,
      order: .vaultFirst, onError: onError)
    SharedVault.current.withLock { $0 = (storage, session) }
  }
}

extension URLSession {
  /// A session like `shared`, with the vault of
  /// ``VaultURLSession/VaultCredentialStorage/share(_:onError:)``; `shared` itself before that.
  ///
  /// It is for code that uses `URLCredentialStorage.shared`; other code takes `authenticated(by:)`.
  public static var vaultShared: URLSession {
    SharedVault.current.withLock { $0?.session } ?? .shared
  }
}
