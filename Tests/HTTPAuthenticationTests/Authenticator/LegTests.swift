import Testing
import VaultModel

@testable import HTTPAuthentication

/// What one side of an exchange does not send again, and whose credentials it sends.
@Suite struct LegTests {
  private func authentication(
    _ realm: String = "Team", _ scheme: String = "Basic"
  ) throws -> Authentication {
    try Authentication(
      .challenge("\(scheme) realm=\"\(realm)\", nonce=\"n\", qop=\"auth\""),
      to: .get("https://h/x"))
  }

  private func leg(_ own: Credential..., account: String? = nil) -> Leg {
    Leg(isProxy: false, own: own, account: account)
  }

  @Test("what was rejected is not sent to the same realm by any scheme, and to another one it is")
  func rejected() throws {
    var leg = leg()
    let ann = Credential.of("ann", "wrong")
    #expect(!leg.wasRejected(ann, by: try authentication().space))
    leg.reject(ann, by: try authentication())
    #expect(leg.wasRejected(ann, by: try authentication().space))
    #expect(leg.wasRejected(ann, by: try authentication("Team", "Digest").space))
    #expect(!leg.wasRejected(ann, by: try authentication("Other").space))
  }

  @Test("what was rejected is this user with this password, and their bytes count")
  func credential() throws {
    var leg = leg()
    let space = try authentication().space
    leg.reject(.of("\u{E9}", "wrong"), by: try authentication())
    #expect(leg.wasRejected(.of("\u{E9}", "wrong"), by: space))
    #expect(!leg.wasRejected(.of("e\u{301}", "wrong"), by: space))
    #expect(!leg.wasRejected(.of("\u{E9}", "right"), by: space))
    #expect(!leg.wasRejected(.of("ann", "wrong"), by: space))
  }

  @Test("what was rejected for no realm was meant for all of them")
  func withoutRealm() throws {
    var leg = leg()
    leg.reject(.of("ann"), by: try authentication(""))
    #expect(leg.wasRejected(.of("ann"), by: try authentication().space))
    #expect(leg.wasRejected(.of("ann"), by: try authentication("Other", "Digest").space))
  }

  @Test("what one scheme cannot carry, another one may: that was no rejection")
  func ofScheme() throws {
    var leg = leg()
    leg.skip(.of("a:b"), for: try authentication())
    #expect(leg.wasRejected(.of("a:b"), by: try authentication().space))
    #expect(!leg.wasRejected(.of("a:b"), by: try authentication("Team", "Digest").space))
    #expect(!leg.wasRejected(.of("a:b"), by: try authentication("Other").space))
    #expect(leg.failures == 0)
    #expect(leg.meantUser == nil)
  }

  @Test("what two other realms did not want is sent to none")
  func undecided() throws {
    var leg = leg()
    leg.leaveUndecided(.of("ann", "wrong"))
    leg.leaveUndecided(.of("bob", "wrong"))
    leg.leaveUndecided(.of("ann", "right"))
    let space = try authentication("Third").space
    for user in ["ann", "bob"] { #expect(!leg.wasRejected(.of(user, "wrong"), by: space)) }
    leg.leaveUndecided(.of("ann", "wrong"))
    #expect(leg.wasRejected(.of("ann", "wrong"), by: space))
    #expect(!leg.wasRejected(.of("ann", "right"), by: space))
    #expect(!leg.wasRejected(.of("bob", "wrong"), by: space))
    #expect(leg.failures == 0)
  }

  @Test("what was sent is out of the way once it is rejected or undecided")
  func attempt() throws {
    let digest = try authentication("Team", "Digest")
    let attempt = try Attempt(digest, answering: digest, .of("ann"), for: .get("https://h/x"))
    var leg = leg()
    #expect(!leg.hasTriedDigest)
    leg.attempt = attempt
    #expect(leg.hasTriedDigest)
    leg.leaveUndecided(.of("ann"))
    #expect(leg.attempt == nil)
    leg.attempt = attempt
    leg.reject(.of("ann"), by: digest)
    #expect(leg.attempt == nil)
    #expect(leg.hasTriedDigest)
  }

  @Test("all of the caller's credentials are of one user: the account, else the first one's")
  func own() throws {
    let ann = Credential.of("ann")
    let bob = Credential.of("bob")
    func users(_ leg: Leg) -> [String] { leg.own.map(\.user) }
    #expect(users(leg(ann, bob)) == ["ann"])
    #expect(users(leg(ann, bob, .of("ann", "other"))) == ["ann", "ann"])
    #expect(users(leg(ann, bob, account: "bob")) == ["bob"])
    #expect(users(leg(ann, bob, account: "cat")) == [])
    #expect(leg(ann, bob).account == "ann")
    #expect(leg(ann, bob, account: "cat").account == "cat")
    #expect(leg().account == nil)
  }

  @Test("meant is whom the asker chose, else the account, else who was rejected last")
  func meantUser() throws {
    var anybody = leg()
    #expect(anybody.meantUser == nil)
    for user in ["ann", "bob"] { anybody.reject(.of(user), by: try authentication()) }
    #expect(anybody.meantUser == "bob")
    #expect(anybody.failures == 2)
    anybody.chosenUser = "cat"
    #expect(anybody.meantUser == "cat")

    var ann = leg(account: "ann")
    ann.reject(.of("bob"), by: try authentication())
    #expect(ann.meantUser == "ann")
    ann.chosenUser = "cat"
    #expect(ann.meantUser == "cat")
  }

  @Test("a 401 is the server's side's, a 407 the proxy's")
  func challenged() {
    let server = leg()
    let proxy = Leg(isProxy: true, own: [], account: nil)
    #expect(server.isChallenged(by: .status(401)) && !server.isChallenged(by: .status(407)))
    #expect(proxy.isChallenged(by: .status(407)) && !proxy.isChallenged(by: .status(401)))
  }
}
