/// The driver's uses of URLSession and their expected observations: each is one of Foundation's
/// hangs, deadlocks, crashes or leaks, on a way that does not have it.
package enum Scenario: String, CaseIterable, Sendable {
  // MARK: Through an AuthenticatedSession

  case nobodyAnswers = "nobody-answers"
  case storageWithoutDelegate = "storage-without-delegate"
  case wrongPassword = "wrong-password"
  case defaultUser = "default-user"
  case manyAtOnce = "many-at-once"
  case secondRequest = "second-request"
  case userInURL = "user-in-url"
  case ownField = "own-field"
  case redirectAfterChallenge = "redirect-after-challenge"
  case digest
  case digestAndBasic = "digest-and-basic"
  case otherSchemes = "other-schemes"
  case proxyStatus = "proxy-status"
  case timeout
  case cancelledTasks = "cancelled-tasks"
  case cancelledHandlers = "cancelled-handlers"

  // MARK: With a session of the app's own

  case delegateNobodyAnswers = "delegate-nobody-answers"
  case delegateWrongPassword = "delegate-wrong-password"
  case delegateSeveralUsers = "delegate-several-users"
  case delegateDefaultUser = "delegate-default-user"
  case delegateAppAnswers = "delegate-app-answers"
  case delegateAppMisbehaves = "delegate-app-misbehaves"
  case delegateSessionLevel = "delegate-session-level"
  case delegateSender = "delegate-sender"
  case delegateChallenge = "delegate-challenge"
  case delegateRedirect = "delegate-redirect"
  case delegateOtherOrigin = "delegate-other-origin"
  case delegateDigestAndBasic = "delegate-digest-and-basic"
  case delegateStorage = "delegate-storage"
  case delegateManyAtOnce = "delegate-many-at-once"
  case sessionOfVault = "session-of-vault"
  case blockedVault = "blocked-vault"
  case credentialValues = "credential-values"
  case defaultInStorage = "default-in-storage"

  /// The scenarios that run over each engine.
  package static var ofBothEngines: [Scenario] {
    Array(allCases.prefix { $0 != .delegateNobodyAnswers })
  }

  /// The driver's output over an engine, line by line.
  package func facts(over engine: Engine) -> [String] {
    // Foundation discards the body of a 401 that offers Basic.
    engine == .foundation ? facts : facts.map { $0.replacing("401,", with: "401 unauthorized,") }
  }

  /// The driver's output, line by line.
  package var facts: [String] {
    switch self {
    case .nobodyAnswers: ["401, 1 sent", "download 401, 1 sent", "unrelated 200"]
    case .storageWithoutDelegate: ["200 OK ann, 2 sent", "unrelated 200"]
    case .wrongPassword: ["401, 2 sent", "unrelated 200"]
    case .defaultUser: ["200 OK mia, 2 sent"]
    case .manyAtOnce: ["5 of 5, asked once", "50 of 50, asked once"]
    case .secondRequest: ["200 OK ann", "200 OK ann", "fields: none basic basic"]
    case .userInURL: ["200 OK ann", "fields: none digest"]
    case .ownField:
      ["401, fields: basic", "redirected 200, fields: basic", "elsewhere, fields: none"]
    case .redirectAfterChallenge: ["200 end, fields: none basic basic"]
    case .digest: ["200 OK ann, fields: none digest"]
    case .digestAndBasic:
      ["200 OK ann, fields: none digest", "wrong password 401, fields: none digest"]
    case .otherSchemes:
      ["NTLM 401 unauthorized", "Negotiate 401 unauthorized", "Bearer 401 unauthorized", "3 sent"]
    case .proxyStatus: ["407 proxy, fields: none"]
    case .timeout: ["error -1001", "unrelated 200"]
    case .cancelledTasks, .cancelledHandlers: ["all ended", "unrelated 200"]
    case .delegateNobodyAnswers: ["error -999, 1 sent, response 401", "unrelated 200"]
    case .delegateWrongPassword: ["error -999, 2 sent", "unrelated 200"]
    case .delegateSeveralUsers: ["200 OK zoe, tried ann mia zoe"]
    case .delegateDefaultUser: ["200 OK mia, tried mia"]
    case .delegateAppAnswers: ["200 OK app, tried ann app", "capped after 3: error -999"]
    case .delegateAppMisbehaves:
      [
        "nil: error -999", "default: error -999", "cancel: error -999", "reject: error -999",
        "twice: 200 OK app, 2 sent", "unrelated 200",
      ]
    case .delegateSessionLevel: ["200 OK app", "200 OK app", "4 sent"]
    case .delegateSender:
      [
        "use 200 OK app", "without error -999", "cancel error -999", "default error -999",
        "reject error -999", "unrelated 200",
      ]
    case .delegateChallenge:
      [
        "401, 1 failures, error -1013, proposed ann", "401, 2 failures, error -1013, proposed app",
        "200 OK app",
      ]
    case .delegateRedirect: ["302, fields: none basic, app told"]
    case .delegateOtherOrigin: ["error -999", "first, fields: none", "second, fields: none"]
    case .delegateDigestAndBasic: ["error -999, fields: none"]
    case .delegateStorage: ["20 of 20", "spaces in a stock storage: 0", "spaces of the vault: 1"]
    case .delegateManyAtOnce: ["50 of 50"]
    case .sessionOfVault: ["200 OK ann, 2 sent", "download 200 OK ann", "unrelated 200"]
    case .blockedVault:
      ["same session 200", "unrelated 200 while the vault is blocked", "200 OK ann"]
    case .credentialValues: ["equal", "one in a set", "nothing in a dump"]
    case .defaultInStorage:
      ["default has the new password", "deleted, no default", "none stores nothing"]
    }
  }
}

/// The driver's uses of Foundation alone, which show that a fault exists.
package enum StockScenario: String, CaseIterable, Sendable {
  case nobodyAnswers = "stock-nobody-answers"
  case storageWithoutDelegate = "stock-storage-without-delegate"
  case nilCredential = "stock-nil-credential"
  case redirect = "stock-redirect"
  case otherOrigin = "stock-other-origin"
  case storage = "stock-storage"
  case location = "stock-location"
  case cancelled = "stock-cancelled"
}
