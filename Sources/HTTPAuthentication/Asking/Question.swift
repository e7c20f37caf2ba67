public import VaultModel

/// The description of a challenge for a prompt.
public struct Question: Sendable {
  /// The space of the credential: host, port, realm, scheme, and whether it is a server or a proxy.
  public let space: ProtectionSpace
  /// The requested URL; it shows neither user nor password.
  public let url: RequestURL
  /// Whether the credential would be sent in clear.
  public var travelsInClear: Bool { !space.receivesCredentialSecurely }
  /// Whether an account domain is needed as well as user and password.
  public let requiresAccountDomain: Bool
  /// The user that the request is for; nil for any.
  public let account: String?
  /// The last user that was refused; nil at first.
  public let failedUser: String?
  /// The number of refusals for this request by this server or proxy, over all its schemes.
  public let failures: Int
  /// The stored users that were not refused, if none of them is the default.
  public let storedUsers: [String]

  /// Creates a question from its parts.
  public init(
    space: ProtectionSpace, url: RequestURL, requiresAccountDomain: Bool = false,
    account: String? = nil, failedUser: String? = nil, failures: Int = 0, storedUsers: [String] = []
  ) {
    self.space = space
    self.url = url
    self.requiresAccountDomain = requiresAccountDomain
    self.account = account
    self.failedUser = failedUser
    self.failures = failures
    self.storedUsers = storedUsers
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
