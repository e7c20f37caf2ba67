import CredentialVault
import Testing
import VaultModel

@testable import HTTPAuthentication

/// The credentials that one side of an exchange sends, and those that it does not send again.
@Suite struct ChallengeSideTests {
  private func responder(
    _ realm: String = "Team", _ scheme: String = "Basic"
  ) throws -> ChallengeResponder {
    try ChallengeResponder(
      .challenge("\(scheme) realm=\"\(realm)\", nonce=\"n\", qop=\"auth\""),
      to: .get("https://h/x"))
  }

  private func side(
    _ own: Credential..., user: String? = nil, isProxy: Bool = false
  ) throws -> ChallengeSide {
    ChallengeSide(
      isProxy: isProxy, own: own, user: user, of: try .get("https://h/x"),
      Authenticator(vault: .inMemory()))
  }

  @Test("what was rejected is not sent to the same realm by any scheme, and to another one it is")
  func rejected() throws {
    var side = try side()
    let ann = Credential.of("ann", "wrong")
    #expect(!side.wasRejected(ann, by: try responder().space))
    side.reject(ann, by: try responder())
    #expect(side.wasRejected(ann, by: try responder().space))
    #expect(side.wasRejected(ann, by: try responder("Team", "Digest").space))
    #expect(!side.wasRejected(ann, by: try responder("Other").space))
  }

  @Test("what was rejected is this user with this password, and their bytes count")
  func credential() throws {
    var side = try side()
    let space = try responder().space
    side.reject(.of("\u{E9}", "wrong"), by: try responder())
    #expect(side.wasRejected(.of("\u{E9}", "wrong"), by: space))
    #expect(!side.wasRejected(.of("e\u{301}", "wrong"), by: space))
    #expect(!side.wasRejected(.of("\u{E9}", "right"), by: space))
    #expect(!side.wasRejected(.of("ann", "wrong"), by: space))
  }

  @Test("what was rejected before any challenge was meant for all realms, the empty one is one")
  func withoutRealm() throws {
    var side = try side()
    side.reject(.of("ann"), by: try responder(""))
    #expect(!side.wasRejected(.of("ann"), by: try responder().space))
    side.reject(.of("ann"), by: try responder(""), isForAnyRealm: true)
    #expect(side.wasRejected(.of("ann"), by: try responder().space))
    #expect(side.wasRejected(.of("ann"), by: try responder("Other", "Digest").space))
  }

  @Test("what one scheme cannot carry, another one may: that was no rejection")
  func ofScheme() throws {
    var side = try side()
    side.skip(.of("a:b"), for: try responder())
    #expect(side.wasRejected(.of("a:b"), by: try responder().space))
    #expect(!side.wasRejected(.of("a:b"), by: try responder("Team", "Digest").space))
    #expect(!side.wasRejected(.of("a:b"), by: try responder("Other").space))
    #expect(side.failures == 0)
    #expect(side.meantUser == nil)
  }

  @Test("what two other realms did not want is sent to none")
  func undecided() throws {
    var side = try side()
    side.leaveUndecided(.of("ann", "wrong"))
    side.leaveUndecided(.of("bob", "wrong"))
    side.leaveUndecided(.of("ann", "right"))
    let space = try responder("Third").space
    for user in ["ann", "bob"] { #expect(!side.wasRejected(.of(user, "wrong"), by: space)) }
    side.leaveUndecided(.of("ann", "wrong"))
    #expect(side.wasRejected(.of("ann", "wrong"), by: space))
    #expect(!side.wasRejected(.of("ann", "right"), by: space))
    #expect(!side.wasRejected(.of("bob", "wrong"), by: space))
    #expect(side.failures == 0)
  }

  @Test("what was sent is out of the way once it is rejected or undecided")
  func attempt() throws {
    let digest = try responder("Team", "Digest")
    let attempt = try Attempt(
      digest, answering: digest, .of("ann"), for: .get("https://h/x"))
    var side = try side()
    #expect(!side.hasTriedDigest)
    side.attempt = attempt
    #expect(side.hasTriedDigest)
    side.leaveUndecided(.of("ann"))
    #expect(side.attempt == nil)
    side.attempt = attempt
    side.reject(.of("ann"), by: digest)
    #expect(side.attempt == nil)
    #expect(side.hasTriedDigest)
  }

  @Test("all of the caller's credentials are of one user: who is wanted, else the first one's")
  func own() throws {
    let ann = Credential.of("ann")
    let bob = Credential.of("bob")
    func users(_ side: ChallengeSide) -> [String] { side.own.map(\.user) }
    #expect(users(try side(ann, bob)) == ["ann"])
    #expect(users(try side(ann, bob, .of("ann", "other"))) == ["ann", "ann"])
    #expect(users(try side(ann, bob, user: "bob")) == ["bob"])
    #expect(users(try side(ann, bob, user: "cat")) == [])
    #expect(try side(ann, bob).user == "ann")
    #expect(try side(ann, bob, user: "cat").user == "cat")
    #expect(try side().user == nil)
  }

  @Test("meant is whom the prompt chose, else who is wanted, else who was rejected last")
  func meantUser() throws {
    var anybody = try side()
    #expect(anybody.meantUser == nil)
    for user in ["ann", "bob"] { anybody.reject(.of(user), by: try responder()) }
    #expect(anybody.meantUser == "bob")
    #expect(anybody.failures == 2)
    anybody.chosenUser = "cat"
    #expect(anybody.meantUser == "cat")

    var ann = try side(user: "ann")
    ann.reject(.of("bob"), by: try responder())
    #expect(ann.meantUser == "ann")
    ann.chosenUser = "cat"
    #expect(ann.meantUser == "cat")
  }

  @Test("a 401 is the server's side's, a 407 the proxy's")
  func challenged() throws {
    let server = try side()
    let proxy = try side(isProxy: true)
    #expect(server.isChallenged(by: .status(401)) && !server.isChallenged(by: .status(407)))
    #expect(proxy.isChallenged(by: .status(407)) && !proxy.isChallenged(by: .status(401)))
  }
}
