import CredentialVault
import HTTPAuthentication
import HTTPTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// A field of one scheme meets the challenge of another, and the credential of that one is sent.
@Suite struct OtherSchemeTests {
  /// A case: which scheme's field meets which scheme's challenge, and where.
  struct Row: Sendable, CustomTestStringConvertible {
    let sent: AuthenticationMethod
    let asked: AuthenticationMethod
    /// Whether a challenge of the same exchange had asked for what was sent.
    let isAnswer: Bool
    let isSameRealm: Bool
    let isProxy: Bool
    /// Whether one user and password, stored for any method, are those of both schemes.
    let isShared: Bool

    var realm: String { isSameRealm ? "Team" : "Other" }
    var proxy: Proxy? {
      get throws { isProxy ? try Proxy(host: "proxy", port: 3128, overTLS: true) : nil }
    }

    var testDescription: String {
      [
        "\(sent) \(isAnswer ? "in answer" : "unasked"), then \(asked)",
        isSameRealm ? "same realm" : "other realm", isProxy ? "proxy" : "server",
        isShared ? "one password" : "one each",
      ].joined(separator: ", ")
    }
  }

  static let schemes: [AuthenticationMethod] = [.basic, .digest, .bearer]

  /// Every ordered pair of schemes; one scheme twice only in two realms.
  static let rows: [Row] = {
    let both = [false, true]
    var rows: [Row] = []
    for sent in schemes {
      for asked in schemes {
        for (isAnswer, isSameRealm) in both.flatMap({ first in both.map { (first, $0) } })
        where !isSameRealm || sent != asked {
          let areOnePassword = sent != asked && sent != .bearer && asked != .bearer
          for (isProxy, isShared) in both.flatMap({ first in both.map { (first, $0) } })
          where !isShared || areOnePassword {
            rows.append(
              Row(
                sent: sent, asked: asked, isAnswer: isAnswer, isSameRealm: isSameRealm,
                isProxy: isProxy, isShared: isShared))
          }
        }
      }
    }
    return rows
  }()

  /// A server or proxy in memory that asks for one scheme.
  private enum Party: Sendable {
    case passwords(MemoryServer)
    case tokens(TokenServer)

    func answer(_ request: RequestHead, _ fields: [AuthorizationField]) -> ResponseHead {
      switch self {
      case .passwords(let server): server.answer(request, fields)
      case .tokens(let server): server.answer(request, fields)
      }
    }
  }

  private func user(_ row: Row, _ method: AuthenticationMethod, _ realm: String) -> String {
    row.isShared ? "ann" : "\(method.rawValue) of \(realm)"
  }

  private func party(_ row: Row, _ method: AuthenticationMethod, _ realm: String) -> Party {
    let user = user(row, method, realm)
    guard method == .bearer else {
      return .passwords(
        MemoryServer(users: [user: "right"], offers: [method], isProxy: row.isProxy) { _ in realm })
    }
    return .tokens(TokenServer(["t.\(realm)": []], realm: realm, isProxy: row.isProxy))
  }

  private func store(
    _ row: Row, _ method: AuthenticationMethod, _ realm: String, in vault: Vault
  ) throws {
    let stored = row.isShared ? .default : method
    let space =
      row.isProxy
      ? try ProtectionSpace(
        proxyHost: "proxy", port: 3128, type: .httpsProxy, realm: realm,
        authenticationMethod: stored)
      : try ProtectionSpace(host: "h", realm: realm, authenticationMethod: stored)
    let user = user(row, method, realm)
    try vault.set(
      method == .bearer
        ? Credential(token: Secret("t.\(realm)"), user: user, persistence: .permanent)
        : Credential(user: user, secret: Secret("right"), persistence: .permanent),
      for: space)
  }

  /// Returns the schemes of the fields, as they are written.
  private func schemes(_ fields: [AuthorizationField]) -> [String] {
    fields.map { field in
      String(decoding: field.value.array.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        .lowercased()
    }
  }

  @Test("a field says nothing of another scheme's or realm's credential", arguments: rows)
  func meets(_ row: Row) async throws {
    let fixture = try Fixture()
    try store(row, row.sent, "Team", in: fixture.vault)
    try store(row, row.asked, row.realm, in: fixture.vault)
    let prompt = ScriptedPrompt()
    let authenticator = Authenticator(vault: fixture.vault, prompt: prompt)
    let (one, two) = (party(row, row.sent, "Team"), party(row, row.asked, row.realm))

    /// Gets a page that answers as `party` says, and returns the schemes that were sent.
    func get(
      _ page: String, _ party: (_ count: Int) -> Party
    ) async throws -> (sent: [[String]], status: Int) {
      let request = try RequestHead.get(
        row.isProxy ? "http://h/\(page)" : "https://h/\(page)", through: row.proxy)
      var sent: [[String]] = []
      let (status, outcome) = try await authenticator.send(request) { fields in
        sent.append(schemes(fields))
        let response = party(sent.count).answer(request, fields)
        return (response, response.status)
      }
      #expect(outcome.reason == .done)
      return (sent, status)
    }

    let (sent, asked) = ([row.sent.rawValue], [row.asked.rawValue])
    if row.isAnswer {
      let visit = try await get("page") { $0 == 1 ? one : two }
      #expect(visit.sent == [[], sent, asked] && visit.status == 200)
    } else {
      #expect(try await get("one") { _ in one }.sent == [[], sent])
      let visit = try await get("two") { _ in two }
      #expect(visit.sent == [sent, asked] && visit.status == 200)
      // What was sent first is still right where it is asked for.
      for page in ["one", "two", "one"] {
        #expect(try await get(page) { _ in page == "one" ? one : two }.status == 200)
      }
    }
    #expect(prompt.questions.isEmpty)
    #expect(try fixture.items().count == 2 - (row.isShared && row.isSameRealm ? 1 : 0))
  }

  // MARK: Stories

  /// The ways in which a password comes to be sent before any challenge.
  enum Source: Sendable, CaseIterable { case storedForBasic, storedForAny, withoutRealm, own }

  @Test(
    "always: what Basic sends unasked answers a server or proxy that takes Digest alone",
    arguments: Source.allCases, [false, true])
  func digestAlone(_ source: Source, _ isProxy: Bool) async throws {
    let fixture = try Fixture()
    var request = try RequestHead.get(
      isProxy ? "http://h/x" : "https://h/x",
      through: isProxy ? Proxy(host: "proxy", port: 3128, overTLS: true) : nil)
    if source == .own {
      request.credential = isProxy ? nil : .of("ann")
      request.proxyCredential = isProxy ? .of("ann") : nil
    } else {
      let (host, type) = isProxy ? ("proxy", NetworkProtocol.httpsProxy) : ("h", .https)
      try await fixture.vault.set(
        Credential(user: "ann", secret: Secret("right"), persistence: .permanent),
        for: ProtectionSpace(
          host: host, port: isProxy ? 3128 : 443, protocol: type,
          realm: source == .withoutRealm ? "" : "Team",
          authenticationMethod: source == .storedForBasic ? .basic : .default))
    }
    let party = MemoryServer(offers: [.digest], isProxy: isProxy)
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .always))
    for _ in 1...2 {
      let (status, outcome) = try await authenticator.send(request) { fields in
        let response = party.answer(request, fields)
        guard isProxy, response.status == 200 else { return (response, response.status) }
        return (.status(200), 200)
      }
      #expect(status == 200 && outcome.reason == .done)
    }
    #expect(party.schemes.prefix(2) == ["basic", "digest"])
    #expect(party.log.last?.user == "ann")
  }

  @Test("always: a wrong password is rejected by the scheme that is asked for, and then asked for")
  func wrong() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "wrong", .permanent, .default)
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(
      vault: fixture.vault, prompt: prompt, settings: .init(beforeChallenge: .always))
    let server = MemoryServer(offers: [.digest])
    #expect(try await authenticator.get("https://h/x", from: server).status == 200)
    #expect(server.schemes == ["basic", "digest", "digest"])
    #expect(prompt.questions.map(\.failures) == [1])
  }

  @Test("one realm for Basic and Digest: a password is typed once, and every page is had, in clear")
  func oneRealm() async throws {
    let prompt = ScriptedPrompt(.use("ann", "right"))
    let authenticator = Authenticator(vault: .inMemory(), prompt: prompt)
    let (basic, digest) = (MemoryServer(offers: [.basic]), MemoryServer(offers: [.digest]))
    for _ in 1...3 {
      #expect(try await authenticator.get("http://h/a/basic", from: basic).status == 200)
      #expect(try await authenticator.get("http://h/a/digest", from: digest).status == 200)
    }
    #expect(try await authenticator.get("http://h/b/basic", from: basic).status == 200)
    #expect(prompt.questions.count == 1)
  }

  @Test("pages that ask for Digest now are asked for it at once, whatever they took before")
  func migrated() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right", .permanent, .default)
    let authenticator = Authenticator(vault: fixture.vault)
    let server = MemoryServer()
    #expect(try await authenticator.get("https://h/a/x", from: server).status == 200)
    server.setOffers([.digest])
    #expect(try await authenticator.get("https://h/a/x", from: server).status == 200)
    #expect(try await authenticator.get("https://h/a/y", from: server).status == 200)
    #expect(server.schemes == [nil, "basic", "basic", "digest", "digest"])
  }

  @Test("a server that asks for the other scheme each time does not get a password without end")
  func endless() async throws {
    let fixture = try Fixture()
    try fixture.store("ann", "right", .permanent, .default)
    let authenticator = Authenticator(
      vault: fixture.vault, settings: .init(beforeChallenge: .always))
    var sent: [String] = []
    let (_, outcome) = try await authenticator.send(.get("https://h/x")) { fields in
      let scheme = schemes(fields).first
      sent.append(scheme ?? "none")
      return (
        .challenge(
          scheme == "basic"
            ? "Digest realm=\"Team\", nonce=\"n\", qop=\"auth\"" : "Basic realm=\"Team\""), 401
      )
    }
    #expect(sent == ["basic", "digest"])
    #expect(outcome.reason != .done)
  }
}
