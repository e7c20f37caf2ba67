import CredentialVault
import HTTPAuthentication
import HTTPChallenge
import SecureMemory
import Testing
import VaultModel

/// The challenges that are answered if not all are.
@Suite struct ExpectedSpaceTests {
  /// A space that differs in something from `https://h "Team" basic`.
  struct Space: Sendable, CustomTestStringConvertible {
    var host = "h"
    var port = 443
    var `protocol` = NetworkProtocol.https
    var realm = "Team"
    var method = AuthenticationMethod.basic

    var testDescription: String { "\(`protocol`)://\(host):\(port) \(realm) \(method)" }

    var space: ProtectionSpace {
      get throws {
        try ProtectionSpace(
          host: host, port: port, protocol: `protocol`, realm: realm, authenticationMethod: method)
      }
    }
  }

  static let otherServers = [
    Space(host: "i"), Space(host: "sub.h"), Space(port: 444), Space(protocol: .http),
    Space(protocol: .httpsProxy), Space(protocol: .httpProxy),
  ]
  static let otherRealms = [Space(realm: "team"), Space(realm: "")]
  static let passwords = [
    Space(method: .digest), Space(method: .ntlm), Space(method: .negotiate),
    Space(method: .default),
  ]
  static let others = [
    Space(method: .bearer), Space(method: .clientCertificate), Space(method: .serverTrust),
  ]

  @Test(
    "a space covers itself and no other realm, method or server",
    arguments: otherServers + otherRealms + passwords + others)
  func space(_ other: Space) throws {
    let expected = ExpectedSpace.space(try Space().space)
    #expect(expected.covers(try Space().space))
    #expect(!expected.covers(try other.space))
  }

  @Test("the method default stands for every password method", arguments: [Space()] + passwords)
  func anyPassword(_ space: Space) throws {
    #expect(try ExpectedSpace.space(Space(method: .default).space).covers(space.space))
  }

  @Test(
    "the method default stands for no other method, and in no other realm or server",
    arguments: otherServers + otherRealms + others)
  func noPassword(_ space: Space) throws {
    #expect(try !ExpectedSpace.space(Space(method: .default).space).covers(space.space))
  }

  @Test("a server covers all its realms and methods", arguments: otherRealms + passwords + others)
  func server(_ space: Space) throws {
    let expected = ExpectedSpace.server(host: try HostName("h"), port: 443, protocol: .https)
    #expect(expected.covers(try space.space))
  }

  @Test("a server covers no other server or proxy", arguments: otherServers)
  func otherServer(_ space: Space) throws {
    let expected = ExpectedSpace.server(host: try HostName("h"), port: 443, protocol: .https)
    #expect(!expected.covers(try space.space))
  }

  /// Returns the number of fields that a request begins with.
  private func count(
    _ vault: Vault, _ expected: [ExpectedSpace], _ url: String
  ) throws -> Int {
    try Authenticator(vault: vault, settings: .init(beforeChallenge: .always, expected: expected))
      .exchange(for: .get(url)).fields.count
  }

  @Test("what is sent unasked goes to expected spaces only")
  func unasked() throws {
    let fixture = try Fixture()
    try fixture.store()
    let server = ExpectedSpace.server(host: try HostName("h"), port: 443, protocol: .https)
    let team = ExpectedSpace.space(try Space().space)
    let other = ExpectedSpace.space(try Space(realm: "Other").space)
    let vault = fixture.vault
    #expect(try count(vault, [team], "https://h/x") == 1)
    #expect(try count(vault, [.space(Space(method: .default).space)], "https://h/x") == 1)
    #expect(try count(vault, [other, server], "https://h/x") == 1)
    #expect(try count(vault, [other], "https://h/x") == 0)
    #expect(try count(vault, [], "https://h/x") == 0)
    #expect(try count(vault, [server], "https://ann:right@h/x") == 1)
    #expect(try count(vault, [server], "https://ann:right@i/x") == 0)
    // The realm that it is for is still unknown.
    #expect(try count(vault, [team], "https://ann:right@h/x") == 0)
  }

  @Test("an unexpected challenge beside an expected one is reported once, and not answered")
  func beside() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "wrong")
    try fixture.store("bob", "right", realm: "Phish")
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(expected: [.space(try Space().space)]))
    let challenge = ResponseHead.challenge("Basic realm=\"Phish\"", "Basic realm=\"Team\"")
    var exchange = try await authenticator.exchange(for: .get("https://h/x"))
    guard case .send(let fields) = try await exchange.next(after: challenge)
    else { return #expect(Bool(false), "nothing to send") }
    let ann = try BasicResponse.value(.of("ann", "wrong"))
    #expect(fields.count == 1 && fields[0].value.isEqual(to: ann))
    guard case .finish(let outcome) = try await exchange.next(after: challenge)
    else { return #expect(Bool(false), "no end") }
    #expect(outcome.reason == .rejected)
    #expect(outcome.unexpected == [try Space(realm: "Phish").space])
  }

  @Test("a challenge that cannot be read is reported beside one that can")
  func skipped() async throws {
    var exchange = try await Authenticator(vault: .inMemory()).exchange(for: .get("https://h/x"))
    let step = try await exchange.next(
      after: .challenge("Digest realm=\"Team", "Basic realm=\"Team\""))
    guard case .finish(let outcome) = step else { return #expect(Bool(false), "no end") }
    #expect(outcome.reason == .noCredential)
    #expect(outcome.skipped.map(\.scheme) == ["Digest"])
    #expect(outcome.unexpected.isEmpty)
  }
}
