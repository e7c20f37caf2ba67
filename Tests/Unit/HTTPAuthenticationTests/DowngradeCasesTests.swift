import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// Basic in clear after Digest, in each case of the table in `Documentation/networking.md`.
@Suite struct DowngradeCasesTests {
  /// A cell of the table.
  struct Case: Sendable, CustomTestStringConvertible {
    /// The credential that the second realm could be answered with.
    enum Source: Sendable { case ofRealm, shared, other, onRequest, none }

    /// The titles of the cell's column and row.
    let testDescription: String
    /// The way in which Digest was tried in the first realm.
    let digest: Digest
    var realm = "Files"
    var source = Source.shared
    var url = "http://h/x"
    /// Whether the second realm accepted the credential before Digest was tried.
    var hadSuccess = false
    /// The schemes of the requests that follow: "none" is one without a field.
    let sent: [String]
    let end: Outcome.Reason?

    init(
      _ description: String, _ digest: Digest, realm: String = "Files", _ source: Source = .shared,
      url: String = "http://h/x", hadSuccess: Bool = false, sent: [String] = [],
      end: Outcome.Reason? = nil
    ) {
      testDescription = description
      self.digest = digest
      self.realm = realm
      self.source = source
      self.url = url
      self.hadSuccess = hadSuccess
      self.sent = sent
      self.end = end
    }
  }

  /// The moment at which Digest was tried: in answer to a challenge of this exchange, before one,
  /// or in an earlier exchange.
  enum Digest: Sendable { case asked, unasked, earlier }

  static let cases = [
    Case("answered in this exchange, the same realm", .asked, realm: "Team", end: .downgraded),
    Case("answered in this exchange, another realm", .asked, .ofRealm, end: .downgraded),
    Case("sent unasked, the same realm", .unasked, realm: "Team", end: .downgraded),
    Case(
      "sent unasked, the same realm, which accepted Basic before", .unasked, realm: "Team",
      .ofRealm,
      hadSuccess: true, sent: ["basic"]),
    Case("sent unasked, a credential of the other realm", .unasked, .ofRealm, sent: ["basic"]),
    Case("sent unasked, an earlier success", .unasked, hadSuccess: true, sent: ["basic"]),
    Case("sent unasked, a shared credential", .unasked, sent: ["none"], end: .downgraded),
    Case("sent unasked, another shared one", .unasked, .other, sent: ["none", "basic"]),
    Case("sent unasked, the request's own", .unasked, .onRequest, sent: ["none"], end: .downgraded),
    Case("sent unasked, no credential", .unasked, .none, sent: ["none"], end: .noCredential),
    Case("in an earlier exchange, the same realm", .earlier, realm: "Team", end: .downgraded),
    Case(
      "in an earlier exchange, the same realm, which accepted Basic before", .earlier,
      realm: "Team", .ofRealm, hadSuccess: true, sent: ["basic"]),
    Case(
      "in an earlier exchange, a credential of the other realm", .earlier, .ofRealm, sent: ["basic"]
    ),
    Case("in an earlier exchange, an earlier success", .earlier, hadSuccess: true, sent: ["basic"]),
    Case("in an earlier exchange, a shared credential", .earlier, end: .downgraded),
    Case("in an earlier exchange, another shared one", .earlier, .other, sent: ["basic"]),
    Case("in an earlier exchange, the request's own", .earlier, .onRequest, end: .downgraded),
    Case("over TLS, same realm", .earlier, realm: "Team", url: "https://h/x", sent: ["basic"]),
    Case("over TLS, a shared credential", .unasked, url: "https://h/x", sent: ["basic"]),
  ]

  @Test("Basic in clear after Digest", arguments: cases)
  func basic(_ row: Case) async throws {
    let fixture = try Fixture()
    func store(_ user: String, _ realm: String) throws {
      try fixture.vault.set(
        Credential(user: user, secret: Secret("right"), persistence: .permanent),
        for: ProtectionSpace(url: row.url, realm: realm))
    }
    var request = try RequestHead.get(row.url)
    switch row.source {
    case .ofRealm:
      try store("ann", "Team")
      try store("ann", "Files")
    case .shared: try store("ann", "")
    case .other:
      try store("ann", "Team")
      try store("bob", "")
    case .onRequest: request.credential = .of("ann")
    case .none: try store("ann", "Team")
    }
    let authenticator = Authenticator(
      vault: fixture.vault,
      settings: .init(beforeChallenge: row.digest == .unasked ? .afterSuccess : .never))
    let digest = ResponseHead.challenge("Digest realm=\"Team\", nonce=\"n\", qop=\"auth\"")
    let basic = ResponseHead.challenge("Basic realm=\"\(row.realm)\"")

    if row.hadSuccess {
      var before = try await authenticator.exchange(for: request)
      #expect(try await before.next(after: basic).schemes == [.basic])
      #expect(try await before.next(after: .status(200)).reason == .done)
    }
    if row.digest != .asked {
      var before = try await authenticator.exchange(for: request)
      #expect(try await before.next(after: digest).schemes == [.digest])
      #expect(try await before.next(after: .status(200)).reason == .done)
    }
    var exchange = try await authenticator.exchange(for: request)
    if row.digest == .asked { #expect(try await exchange.next(after: digest).schemes == [.digest]) }
    if row.digest == .unasked { #expect(exchange.fields.map { $0.digest != nil } == [true]) }
    var sent: [String] = []
    var step = try await exchange.next(after: basic)
    while let fields = step.fields, sent.count < 5 {
      sent.append(fields.isEmpty ? "none" : step.schemes.map(\.rawValue).joined())
      step = try await exchange.next(after: sent.last == "basic" ? .status(200) : basic)
    }
    #expect(sent == row.sent)
    #expect(step.reason == row.end ?? .done)
  }
}
