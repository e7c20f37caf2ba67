public import CredentialVault
public import SecureMemory

/// Several prompts in order, such as an app's own and then the terminal's.
///
/// A prompt that has no answer continues without a credential (``Answer/goOnWithout``), or returns
/// no key, and the next one is asked. Every other answer is final.
public struct PromptChain: CredentialPrompt {
  /// The prompts in the order in which they are asked.
  public let prompts: [any CredentialPrompt]

  /// Creates a chain; an empty one never asks.
  public init(_ prompts: any CredentialPrompt...) {
    self.prompts = prompts
  }

  /// Returns the first answer that is not to continue without a credential.
  public func answer(_ question: Question) async -> Answer {
    for prompt in prompts where !Task.isCancelled {
      let answer = await prompt.answer(question)
      if case .goOnWithout = answer { continue }
      return answer
    }
    return .goOnWithout
  }

  /// Returns the first key.
  public func key(_ question: UnlockQuestion) async -> KeySource? {
    for prompt in prompts where !Task.isCancelled {
      if let key = await prompt.key(question) { return key }
    }
    return nil
  }

  /// Returns the first PIN.
  public func pin(_ question: PINQuestion) async -> Secret? {
    for prompt in prompts where !Task.isCancelled {
      if let pin = await prompt.pin(question) { return pin }
    }
    return nil
  }
}
