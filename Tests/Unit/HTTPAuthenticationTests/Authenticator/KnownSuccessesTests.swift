import CredentialVault
@testable import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// An authenticator's memory of its successes.
@Suite struct KnownSuccessesTests {
  /// Returns the authentication for a Basic challenge of one URL.
  private func basic(_ url: String, realm: String = "Team") throws -> ChallengeResponder {
    try ChallengeResponder(.challenge("Basic realm=\"\(realm)\""), to: .get(url))
  }

  @Test("the most precise paths count, and of equally precise ones the latest")
  func precision() throws {
    var known = KnownSuccesses()
    known.remember(try basic("https://h/a/b/x"), user: "ann")
    known.remember(try basic("https://h/a/x"), user: "bob")
    func user(_ url: String) throws -> String? {
      try known.covering(.get(url), isProxy: false, user: nil)?.user
    }
    #expect(try user("https://h/a/b/y") == "ann")
    #expect(try user("https://h/a/y") == "bob")
    #expect(try user("https://h/y") == nil)
    known.remember(try basic("https://h/a/b/z"), user: "cat")
    #expect(try user("https://h/a/b/y") == "cat")
  }

  @Test("a user restricts it to that user, whose bytes count")
  func oneUser() throws {
    var known = KnownSuccesses()
    known.remember(try basic("https://h/x"), user: "ann")
    known.remember(try basic("https://h/x"), user: "\u{E9}")
    func found(_ user: String?) throws -> String? {
      try known.covering(.get("https://h/y"), isProxy: false, user: user)?.user
    }
    #expect(try found("ann") == "ann")
    #expect(try found("bob") == nil)
    #expect(try found("e\u{301}") == nil)
    #expect(try found(nil) == "\u{E9}")
  }

  @Test("a server's is never taken for its proxy's, nor the reverse")
  func sides() throws {
    let request = try RequestHead.get(
      "http://h/x", through: Proxy(host: "proxy", port: 3128))
    let proxied = try ChallengeResponder(.proxyChallenge("Basic realm=\"Team\""), to: request)
    var known = KnownSuccesses()
    known.remember(proxied, user: "pat")
    #expect(known.covering(request, isProxy: false, user: nil) == nil)
    #expect(known.covering(request, isProxy: true, user: nil)?.user == "pat")
    known.remember(try basic("http://h/x"), user: "ann")
    #expect(known.covering(request, isProxy: false, user: nil)?.user == "ann")
    #expect(known.covering(request, isProxy: true, user: nil)?.user == "pat")
  }

  @Test("one whose credential is refused is used neither unasked nor for a new challenge")
  func invalid() throws {
    let request = try RequestHead.get("https://h/x")
    let old = try basic("https://h/x")
    let new = try basic("https://h/x")
    let authenticator = Authenticator(vault: .inMemory())
    authenticator.known.withLock { $0.remember(old, user: "ann") }
    #expect(authenticator.shared(new, user: "ann") === old)
    let field = try old.field(for: .of("ann"), of: request)
    #expect(try old.judge(.status(403), to: field, of: request) == .refused)
    #expect(authenticator.shared(new, user: "ann") === new)
    let covering = authenticator.known.withLock {
      $0.covering(request, isProxy: false, user: nil)
    }
    #expect(covering == nil)
  }

  @Test("the user of the last success is who logged in last, whoever was first")
  func lastUser() throws {
    let ann = try basic("https://h/x")
    var known = KnownSuccesses()
    known.remember(ann, user: "ann")
    known.remember(try basic("https://h/x"), user: "bob")
    known.remember(try basic("https://h/x", realm: "Other"), user: "cat")
    #expect(known.user(of: ann.space) == "bob")
    known.remember(ann, user: "ann")
    #expect(known.user(of: ann.space) == "ann")
  }

  @Test("each user of a space has an authentication of their own")
  func ofUser() throws {
    let ann = try basic("https://h/x")
    var known = KnownSuccesses()
    known.remember(ann, user: "ann")
    #expect(known.responder(of: ann.space, user: "bob") == nil)
    let bob = try basic("https://h/x")
    known.remember(bob, user: "bob")
    #expect(known.responder(of: ann.space, user: "ann") === ann)
    #expect(known.responder(of: ann.space, user: "bob") === bob)
  }

  @Test("a new success is in the place of the one before: the paths of that are not kept")
  func replaced() throws {
    var known = KnownSuccesses()
    known.remember(try basic("https://h/a/b/x"), user: "ann")
    known.remember(try basic("https://h/x", realm: "Other"), user: "bob")
    let new = try basic("https://h/a/x")
    known.remember(new, user: "ann")
    let entry = known.covering(
      try .get("https://h/a/b/y"), isProxy: false, user: "ann")
    #expect(entry?.responder === new)
    for _ in 0..<KnownSuccesses.limit {
      known.remember(try basic("https://h/a/x"), user: "ann")
    }
    #expect(try known.user(of: basic("https://h/", realm: "Other").space) == "bob")
  }

  @Test("forgetting one user leaves others there, and that user elsewhere")
  func forget() throws {
    let team = try basic("https://h/x")
    let other = try basic("https://h/x", realm: "Other")
    var known = KnownSuccesses()
    known.remember(team, user: "bob")
    known.remember(other, user: "ann")
    known.remember(try basic("https://h/x"), user: "ann")
    known.forget(team.space, user: "ann")
    #expect(known.responder(of: team.space, user: "ann") == nil)
    #expect(known.user(of: team.space) == "bob")
    #expect(known.user(of: other.space) == "ann")
  }

  @Test("a success counts for its host, port and protocol, whatever the realm and path")
  func success() throws {
    var known = KnownSuccesses()
    known.remember(try basic("https://h/a/x"), user: "ann")
    #expect(known.hasSuccess(at: try basic("https://h/", realm: "Other").space))
    for url in ["https://i/a/x", "https://h:444/a/x", "http://h:443/a/x"] {
      #expect(!known.hasSuccess(at: try basic(url).space), "\(url)")
    }
  }
}

/// The limit on what servers with ever new realms can make an authenticator remember.
@Suite struct MemoryLimitTests {
  private func responder(
    _ realm: Int, _ scheme: String = "Basic"
  ) throws -> ChallengeResponder {
    try ChallengeResponder(
      .challenge("\(scheme) realm=\"\(realm)\", nonce=\"n\", qop=\"auth\""),
      to: .get("https://h/x"))
  }

  @Test("256 successes are remembered, and for one more the oldest is forgotten")
  func successes() throws {
    var known = KnownSuccesses()
    let all = try (0...256).map { try responder($0) }
    for responder in all.dropLast() { known.remember(responder, user: "ann") }
    #expect(all.dropLast().allSatisfy { known.user(of: $0.space) == "ann" })
    known.remember(all[256], user: "ann")
    #expect(known.user(of: all[0].space) == nil)
    #expect(all.dropFirst().allSatisfy { known.user(of: $0.space) == "ann" })
  }

  @Test("that Digest was tried is remembered of a realm, whichever scheme it offers next")
  func digest() throws {
    var known = KnownSuccesses()
    known.noteDigest(in: try responder(1, "Digest").space, with: nil)
    #expect(known.hasTriedDigest(in: try responder(1, "Digest").space))
    #expect(known.hasTriedDigest(in: try responder(1, "Basic").space))
    #expect(!known.hasTriedDigest(in: try responder(2, "Digest").space))
  }

  @Test("only Digest is noted, and by every request of the authenticator")
  func noted() throws {
    let authenticator = Authenticator(vault: .inMemory())
    let basic = try responder(1)
    func note(_ responder: ChallengeResponder) throws {
      authenticator.noteDigest(
        try Attempt(responder, answering: nil, .of("zo\u{EB}"), for: .get("https://h/x")))
    }
    try note(basic)
    #expect(!authenticator.hasTriedDigest(in: basic.space))
    try note(try responder(1, "Digest"))
    #expect(authenticator.hasTriedDigest(in: basic.space))
    // In another realm it is the same credential, in whichever normal form; elsewhere, of another
    // user or password it is not.
    func isUsed(_ user: String, _ password: String, _ url: String) throws -> Bool {
      let hash = try #require(authenticator.hash(of: .of(user, password)))
      return authenticator.hasUsedForDigest(hash, at: try ProtectionSpace(url: url, realm: "2"))
    }
    #expect(try isUsed("zo\u{EB}", "right", "https://h/"))
    #expect(try isUsed("zoe\u{308}", "right", "https://h/"))
    #expect(try !isUsed("zo\u{EB}", "wrong", "https://h/"))
    #expect(try !isUsed("zoe", "right", "https://h/"))
    #expect(try !isUsed("zo\u{EB}", "right", "https://other/"))
    // Basic never sends such a user.
    #expect(authenticator.hash(of: .of("a:b")) == nil)
  }

  @Test("of 256 realms and credentials those in use stay, of one server whichever its realms")
  func digestsInUse() throws {
    let hasher = SecretHasher()
    var known = KnownSuccesses()
    let spaces = try (0...256).map { try responder($0, "Digest").space }
    let hashes = (0...256).map { hasher.hash(of: Secret("\($0)")) }
    for index in 0..<256 { known.noteDigest(in: spaces[index], with: hashes[index]) }
    // The first is used again, in a realm that is also known: the second is now the oldest.
    known.noteDigest(in: spaces[0], with: hashes[0])
    known.noteDigest(in: spaces[256], with: hashes[256])
    #expect(known.hasTriedDigest(in: spaces[0]) && !known.hasTriedDigest(in: spaces[1]))
    #expect(known.hasUsedForDigest(hashes[0], at: spaces[9]))
    #expect(!known.hasUsedForDigest(hashes[1], at: spaces[9]))
    for space in spaces { known.noteDigest(in: space, with: hashes[256]) }
    #expect(known.hasUsedForDigest(hashes[2], at: spaces[9]))
  }

  @Test("Digest is remembered of 256 realms, each once")
  func digests() throws {
    var known = KnownSuccesses()
    let spaces = try (0...256).map { try responder($0, "Digest").space }
    for space in spaces.dropLast() { known.noteDigest(in: space, with: nil) }
    known.noteDigest(in: spaces[1], with: nil)
    #expect(spaces.dropLast().allSatisfy { known.hasTriedDigest(in: $0) })
    known.noteDigest(in: spaces[256], with: nil)
    #expect(!known.hasTriedDigest(in: spaces[0]))
    #expect(spaces.dropFirst().allSatisfy { known.hasTriedDigest(in: $0) })
  }
}
