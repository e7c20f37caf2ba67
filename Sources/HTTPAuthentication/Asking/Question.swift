public import VaultModel

/// What a prompt is told of a challenge.
public struct Question: Sendable {
  /// Where the credential is used: host, port, realm, scheme, and whether it is a server or a proxy.
  public let space: ProtectionSpace
  /// What was requested; it shows neither user nor password.
  public let url: RequestURL
  /// Whether the credential would travel in clear.
  public var travelsInClear: Bool { !space.receivesCredentialSecurely }
  /// Whether an account domain is wanted beside user and password.
  public let requiresAccountDomain: Bool
  /// The user that the request is for; nil if any will do.
  public let account: String?
  /// The user that was refused last; nil at first.
  public let failedUser: String?
  /// How often credentials were refused for this request by this server or proxy, over all its schemes.
  public let failures: Int
  /// The users whose credentials are stored and were not refused, where none of them is the default.
  public let storedUsers: [String]

  /// Makes a question of its parts.
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

/// What a prompt is told of a vault that is locked.
public struct UnlockQuestion: Sendable {
  /// The vault's file; nil for one in memory.
  public let path: String?
  /// How many keys were wrong.
  public let failures: Int

  /// Makes a question of its parts.
  public init(path: String?, failures: Int = 0) {
    self.path = path
    self.failures = failures
  }
}
