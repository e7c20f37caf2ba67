import CredentialVault
import Testing
import VaultModel

@testable import HTTPAuthentication

/// The limit on what servers with ever new realms can make an authenticator remember.
@Suite struct MemoryLimitTests {
  private func authentication(
    _ realm: Int, _ scheme: String = "Basic"
  ) throws -> Authentication {
    try Authentication(
      .challenge("\(scheme) realm=\"\(realm)\", nonce=\"n\", qop=\"auth\""),
      to: .get("https://h/x"))
  }

  @Test("256 successes are remembered, and for one more the oldest is forgotten")
  func successes() throws {
    var known = KnownAuthentications()
    let all = try (0...256).map { try authentication($0) }
    for authentication in all.dropLast() { known.remember(authentication, user: "ann") }
    #expect(all.dropLast().allSatisfy { known.user(of: $0.space) == "ann" })
    known.remember(all[256], user: "ann")
    #expect(known.user(of: all[0].space) == nil)
    #expect(all.dropFirst().allSatisfy { known.user(of: $0.space) == "ann" })
  }

  @Test("that Digest was tried is remembered of a realm, whichever scheme it offers next")
  func digest() throws {
    var known = KnownAuthentications()
    known.noteDigest(in: try authentication(1, "Digest").space)
    #expect(known.hasTriedDigest(in: try authentication(1, "Digest").space))
    #expect(known.hasTriedDigest(in: try authentication(1, "Basic").space))
    #expect(!known.hasTriedDigest(in: try authentication(2, "Digest").space))
  }

  @Test("only Digest is noted, and by every request of the authenticator")
  func noted() throws {
    let authenticator = Authenticator(vault: .inMemory())
    let basic = try authentication(1)
    authenticator.noteDigest(basic)
    #expect(!authenticator.hasTriedDigest(in: basic.space))
    authenticator.noteDigest(try authentication(1, "Digest"))
    #expect(authenticator.hasTriedDigest(in: basic.space))
  }

  @Test("Digest is remembered of 256 realms, each once")
  func digests() throws {
    var known = KnownAuthentications()
    let spaces = try (0...256).map { try authentication($0, "Digest").space }
    for space in spaces.dropLast() { known.noteDigest(in: space) }
    known.noteDigest(in: spaces[1])
    #expect(spaces.dropLast().allSatisfy { known.hasTriedDigest(in: $0) })
    known.noteDigest(in: spaces[256])
    #expect(!known.hasTriedDigest(in: spaces[0]))
    #expect(spaces.dropFirst().allSatisfy { known.hasTriedDigest(in: $0) })
  }
}
