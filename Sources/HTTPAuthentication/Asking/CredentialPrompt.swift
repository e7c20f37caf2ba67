public import CredentialVault
public import SecureMemory
public import VaultModel

/// A prompt for a credential that is not in the vault, answered by a person or a program.
///
/// The process asks one question at a time. A call whose task is cancelled must return soon; its
/// answer is then dropped. A prompt cannot throw: its answer is for all requests that wait for it,
/// so one that fails answers ``Answer/goOnWithout`` or ``Answer/cancel(_:)``.
public protocol CredentialPrompt: Sendable {
  /// Answers a challenge.
  func answer(_ question: Question) async -> Answer

  /// Returns the key for a locked vault.
  ///
  /// With nil the vault stays locked, and the request fails with ``VaultError/Code/locked``. This
  /// is never called for the password of a server.
  func key(_ question: UnlockQuestion) async -> KeySource?

  /// Returns the PIN of a stored credential that needs one.
  ///
  /// With nil the credential is not used, and ``answer(_:)`` is asked for another.
  func pin(_ question: PINQuestion) async -> Secret?
}

extension CredentialPrompt {
  /// Leaves the vault locked.
  public func key(_ question: UnlockQuestion) async -> KeySource? { nil }

  /// Uses no credential that needs a PIN.
  public func pin(_ question: PINQuestion) async -> Secret? { nil }
}

/// A prompt that never asks: a credential that is not in the vault is not available.
public struct NoPrompt: CredentialPrompt {
  /// Creates a prompt that never asks.
  public init() {}

  /// Continues without a credential.
  public func answer(_ question: Question) async -> Answer { .goOnWithout }
}

/// The description of a challenge for a prompt.
public struct Question: Sendable {
  /// The space of the credential: host, port, realm, scheme, and whether it is a server or a proxy.
  public let space: ProtectionSpace
  /// The requested URL; it shows neither user nor password.
  public let url: RequestURL
  /// Whether the credential would be sent in clear.
  public var travelsInClear: Bool { !space.receivesCredentialSecurely }
  /// Whether a token is asked for: the answer's secret is one, and its user is not sent.
  public var requiresToken: Bool { space.authenticationMethod.isToken }
  /// Whether an account domain is needed as well as user and password.
  public let requiresAccountDomain: Bool
  /// The user that the request is for; nil for any.
  public let user: String?
  /// The last user that was refused; nil at first.
  public let failedUser: String?
  /// The number of refusals for this request by this server or proxy, over all its schemes.
  public let failures: Int
  /// The stored users that were not refused, if none of them is the default.
  public let storedUsers: [String]

  /// Creates a question from its parts.
  public init(
    space: ProtectionSpace, url: RequestURL, requiresAccountDomain: Bool = false,
    user: String? = nil, failedUser: String? = nil, failures: Int = 0, storedUsers: [String] = []
  ) {
    self.space = space
    self.url = url
    self.requiresAccountDomain = requiresAccountDomain
    self.user = user
    self.failedUser = failedUser
    self.failures = failures
    self.storedUsers = storedUsers
  }
}

/// The description of a stored credential that needs a PIN, for a prompt.
public struct PINQuestion: Sendable {
  /// The space in which the credential is used.
  public let space: ProtectionSpace
  /// Its item, without the secret.
  public let item: Item
  /// The number of wrong PINs so far.
  public let failures: Int

  /// Creates a question from its parts.
  public init(space: ProtectionSpace, item: Item, failures: Int = 0) {
    self.space = space
    self.item = item
    self.failures = failures
  }
}

/// The description of a locked vault for a prompt.
public struct UnlockQuestion: Sendable {
  /// The vault's file; nil for one in memory.
  public let path: String?
  /// The number of wrong keys so far.
  public let failures: Int

  /// Creates a question from its parts.
  public init(path: String?, failures: Int = 0) {
    self.path = path
    self.failures = failures
  }
}

/// The answer of a prompt.
public enum Answer: Sendable {
  /// Use this credential; an empty user or password is valid.
  ///
  /// Its persistence says how strongly it is remembered once the server has accepted it.
  case use(Credential)
  /// Use the stored credential of this user.
  case useStored(user: String)
  /// Leave the response as it is: the caller gets the 401 or 407.
  case goOnWithout
  /// Do not use this scheme; the next one that the server offers is tried.
  case declineScheme
  /// Give up, and cancel the requests that the case names.
  case cancel(Cancellation)
}

/// The requests that end without an answer.
public enum Cancellation: Sendable, Hashable {
  /// The request that prompted; others that wait for the same space prompt again.
  case request
  /// All requests that wait for the same space.
  case space
  /// All requests in this process that wait for any answer.
  case all
}

/// Several prompts in order, such as an app's own and then the terminal's.
///
/// A prompt that has no answer continues without a credential (``Answer/goOnWithout``), or returns
/// no key or no PIN, and the next one is asked. Every other answer is final.
public struct PromptChain: CredentialPrompt {
  /// The prompts in the order in which they are asked.
  private let prompts: [any CredentialPrompt]

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
