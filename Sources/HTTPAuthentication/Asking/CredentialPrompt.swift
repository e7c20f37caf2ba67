public import CredentialVault

/// Who is asked for a credential that is not in the vault: a person, or a program in their place.
///
/// One question at a time is put in the whole process. A call whose task is cancelled must return soon; its answer is
/// dropped then.
public protocol CredentialPrompt: Sendable {
  /// Answers a challenge.
  func answer(_ question: Question) async -> Answer

  /// Says what to unlock a vault with; nil leaves it locked, and the request fails with ``VaultError/Code/locked``.
  ///
  /// Never asked for a password of a server instead.
  func key(_ question: UnlockQuestion) async -> KeySource?
}

extension CredentialPrompt {
  /// Leaves the vault locked.
  public func key(_ question: UnlockQuestion) async -> KeySource? { nil }
}

/// Asks nobody: what is not in the vault is not there.
public struct NoPrompt: CredentialPrompt {
  /// Makes it.
  public init() {}

  /// Goes on without a credential.
  public func answer(_ question: Question) async -> Answer { .goOnWithout }
}
