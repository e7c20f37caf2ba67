public import CredentialVault

/// A prompt for a credential that is not in the vault, answered by a person or a program.
///
/// The process asks one question at a time. A call whose task is cancelled must return soon; its
/// answer is then dropped.
public protocol CredentialPrompt: Sendable {
  /// Answers a challenge.
  func answer(_ question: Question) async -> Answer

  /// Returns the key for a locked vault.
  ///
  /// With nil the vault stays locked, and the request fails with ``VaultError/Code/locked``. This
  /// is never called for the password of a server.
  func key(_ question: UnlockQuestion) async -> KeySource?
}

extension CredentialPrompt {
  /// Leaves the vault locked.
  public func key(_ question: UnlockQuestion) async -> KeySource? { nil }
}

/// A prompt that never asks: a credential that is not in the vault is not available.
public struct NoPrompt: CredentialPrompt {
  /// Creates a prompt that never asks.
  public init() {}

  /// Continues without a credential.
  public func answer(_ question: Question) async -> Answer { .goOnWithout }
}
