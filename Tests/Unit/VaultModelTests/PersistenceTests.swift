import Testing

@testable import VaultModel

@Suite("Persistence")
struct PersistenceTests {
  @Test("persistences are ordered by duration, with fixed raw values")
  func order() {
    #expect(Persistence.allCases == [.none, .session, .permanent])
    #expect(Persistence.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(Persistence.none < .session)
    #expect(Persistence.session < .permanent)
    #expect(min(Persistence.permanent, .session) == .session)
  }

  @Test("kinds of secrets have fixed raw values, and unknown ones are kept")
  func secretKinds() {
    #expect([SecretKind.password, .token, .identity].map(\.rawValue) == [0, 1, 2])
    #expect(SecretKind(rawValue: 77).rawValue == 77)
  }
}
