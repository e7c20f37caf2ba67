import URLSessionTesting

/// Runs a scenario, and returns the observations.
func play(_ scenario: Scenario) async throws -> [String] {
  switch scenario {
  case .nobodyAnswers: try await nobodyAnswers()
  case .storageWithoutDelegate: try await storageWithoutDelegate()
  case .wrongPassword: try await wrongPassword()
  case .defaultUser: try await defaultUser()
  case .manyAtOnce: try await manyAtOnce()
  case .secondRequest: try await secondRequest()
  case .userInURL: try await userInURL()
  case .ownField: try await ownField()
  case .redirectAfterChallenge: try await redirectAfterChallenge()
  case .digest: try await digest()
  case .digestAndBasic: try await digestAndBasic()
  case .otherSchemes: try await otherSchemes()
  case .proxyStatus: try await proxyStatus()
  case .timeout: try await timeout()
  case .cancelledTasks: try await cancelledTasks()
  case .cancelledHandlers: try await cancelledHandlers()
  case .delegateNobodyAnswers: try await delegateNobodyAnswers()
  case .delegateWrongPassword: try await delegateWrongPassword()
  case .delegateSeveralUsers: try await delegateSeveralUsers()
  case .delegateDefaultUser: try await delegateDefaultUser()
  case .delegateAppAnswers: try await delegateAppAnswers()
  case .delegateAppMisbehaves: try await delegateAppMisbehaves()
  case .delegateRedirect: try await delegateRedirect()
  case .delegateOtherOrigin: try await delegateOtherOrigin()
  case .delegateDigestAndBasic: try await delegateDigestAndBasic()
  case .delegateStorage: try await delegateStorage()
  case .delegateManyAtOnce: try await delegateManyAtOnce()
  case .sessionOfVault: try await sessionOfVault()
  case .blockedVault: try await blockedVault()
  case .credentialValues: try credentialValues()
  case .defaultInStorage: try defaultInStorage()
  }
}
