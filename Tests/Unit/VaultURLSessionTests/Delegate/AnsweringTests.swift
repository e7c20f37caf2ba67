import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestSupport
import TestTraits
import Testing
import URLSessionTesting
import VaultModel

@testable import VaultURLSession

@Suite("What the delegate answers", .waiting)
struct AnsweringTests {
  private let server: ScriptedServer
  private let vault = Vault.inMemory()

  init() throws {
    server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  }

  private func space(
    realm: String = "Team", _ method: AuthenticationMethod = .basic
  ) throws -> ProtectionSpace {
    try ProtectionSpace(
      host: "127.0.0.1", port: server.port, protocol: .http, realm: realm,
      authenticationMethod: method)
  }

  private func store(
    _ user: String = "ann", _ password: String = "right", in space: ProtectionSpace
  ) throws {
    try vault.set(
      Credential(user: user, secret: Secret(password), persistence: .session), for: space)
  }

  /// Returns the status of a load, or the error's code.
  private func load(
    _ delegate: VaultSessionDelegate, storage: URLCredentialStorage? = nil,
    _ request: URLRequest? = nil
  ) async throws -> Int {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = storage
    let session = URLSession(
      configuration: configuration, delegate: delegate, delegateQueue: nil)
    do {
      let (_, response) = try await session.data(for: request ?? URLRequest(url: server.url()))
      return (response as? HTTPURLResponse)?.statusCode ?? 0
    } catch let error as URLError {
      return error.code.rawValue
    }
  }

  @Test("What is stored without a realm, or for any method, counts, too")
  func lessExact() async throws {
    for space in [try space(realm: ""), try space(.default)] {
      let vault = Vault.inMemory()
      try await vault.set(
        Credential(user: "ann", secret: Secret("right"), persistence: .session), for: space)
      #expect(try await load(VaultSessionDelegate(vault)) == 200)
    }
  }

  /// Adds an item that names a path.
  private func add(_ user: String, _ password: String, path: String) throws {
    var item = Item(
      space: try space(), account: user, secret: Secret(password))
    item.path = path
    try vault.add(item, persistence: .session)
  }

  @Test("Of items that name a path only those that cover the request's are sent, the longest first")
  func paths() async throws {
    try add("ann", "right", path: "private")
    let delegate = VaultSessionDelegate(vault)
    func request(_ path: String) -> URLRequest { URLRequest(url: server.url(path)) }
    for path in ["/", "/other", "/privateer"] {
      #expect(try await load(delegate, request(path)) == URLError.cancelled.rawValue)
    }
    #expect(server.requests.allSatisfy { $0.authorization == nil })
    #expect(try await load(delegate, request("/private/x")) == 200)
    try await vault.set(
      Credential(user: "ann", secret: Secret("wrong"), persistence: .session), for: space(),
      at: .root)
    let before = server.requests.count
    #expect(try await load(delegate, request("/private/x")) == 200)
    #expect(server.requests.count - before == 2)
  }

  @Test("A storage's proposal of another path than is requested is not sent")
  func proposalOfPath() async throws {
    try add("ann", "right", path: "private")
    let storage = VaultCredentialStorage(vault)
    let delegate = VaultSessionDelegate(vault, passingTo: DefaultHandling())
    #expect(
      try await load(delegate, storage: storage, URLRequest(url: server.url("/other")))
        == URLError.cancelled.rawValue)
    #expect(server.requests.allSatisfy { $0.authorization == nil })
    #expect(
      try await load(delegate, storage: storage, URLRequest(url: server.url("/private"))) == 200)
  }

  @Test("A realm that Foundation cuts is looked up whole")
  func unquotedRealm() async throws {
    let server = try ScriptedServer { request in
      ScriptedLogin.basicUser(of: request.authorization, ["ann": "right"]) == nil
        ? .challenge("Basic realm=\"Team, \\\"A\\\"\"") : .text("in")
    }
    try await vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .session),
      for: ProtectionSpace(
        host: "127.0.0.1", port: server.port, protocol: .http, realm: "Team, \"A\"",
        authenticationMethod: .basic))
    let delegate = VaultSessionDelegate(vault)
    #expect(try await load(delegate, URLRequest(url: server.url())) == 200)
  }

  @Test("A request with a field of its own logs in alone")
  func ownField() async throws {
    try store(in: space())
    var request = URLRequest(url: server.url())
    request.setValue("Basic bWlhOndyb25n", forHTTPHeaderField: "Authorization")
    #expect(try await load(VaultSessionDelegate(vault), request) == URLError.cancelled.rawValue)
    #expect(server.requests.map(\.authorization) == ["Basic bWlhOndyb25n"])
  }

  @Test("A locked vault is as one without credentials, and the app is told")
  func locked() async throws {
    StateFolder.useOwn()
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let vault = try Vault.create(
      path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
    try await vault.lock()
    let codes = Lock<[VaultError.Code]>([])
    let delegate = VaultSessionDelegate(vault) { error in
      codes.withLock { $0.append(error.code) }
    }
    #expect(try await load(delegate) == URLError.cancelled.rawValue)
    #expect(codes.withLock { $0 } == [.locked])
    #expect(server.requests.count == 1)
  }

  @Test("What Basic cannot carry is passed over")
  func notCarried() async throws {
    try store("a:b", in: space())
    try store("aaa", "line\nbreak", in: space())
    try store(in: space())
    #expect(try await load(VaultSessionDelegate(vault)) == 200)
    #expect(server.requests.count == 2)
  }

  @Test("A token is not sent as a password, from the vault or from its storage")
  func token() async throws {
    var token = Item(space: try space(), account: "ann", secret: Secret("right"))
    token.secretKind = .token
    try await vault.add(token, persistence: .session)
    let storage = VaultCredentialStorage(vault)
    for delegate in [
      VaultSessionDelegate(vault), VaultSessionDelegate(vault, passingTo: DefaultHandling()),
    ] {
      #expect(try await load(delegate, storage: storage) == URLError.cancelled.rawValue)
    }
    #expect(server.requests.allSatisfy { $0.authorization == nil })
  }

  @Test("A storage's proposal is what default handling takes, once")
  func proposal() async throws {
    let app = DefaultHandling()
    let delegate = VaultSessionDelegate(vault, passingTo: app)
    #expect(try await load(delegate, storage: Proposing("right")) == 200)
    let wrong = VaultSessionDelegate(vault, passingTo: app)
    let before = server.requests.count
    #expect(try await load(wrong, storage: Proposing("wrong")) == URLError.cancelled.rawValue)
    #expect(server.requests.count - before == 2)
  }

  @Test("The vault's own storage confirms what was pending, and keeps what was not")
  func pending() async throws {
    let pending = try #require(
      vault.pending.set(
        Credential(user: "ann", secret: Secret("right"), persistence: .session), for: space()
      ).pending)
    let storage = VaultCredentialStorage(vault)
    #expect(try await load(VaultSessionDelegate(vault), storage: storage) == 200)
    try await Vault.perform { try storage.flush() }
    #expect(throws: VaultError.self) { try vault.pending.confirm(pending) }
    #expect(try await vault.credentials(for: space()).map(\.user) == ["ann"])
  }

  @Test("Nothing is remembered of a task that is gone")
  func forgets() async throws {
    try store(in: space())
    let delegate = VaultSessionDelegate(vault)
    for _ in 1...20 { #expect(try await load(delegate) == 200) }
    #expect(delegate.answers.count < 20)
  }
}

/// An app's delegate without a method for challenges.
private final class DefaultHandling: NSObject, URLSessionTaskDelegate {}

/// A storage that proposes one credential for everything.
// Proof: the password is `let`.
private final class Proposing: URLCredentialStorage, @unchecked Sendable {
  private let password: String

  init(_ password: String) {
    self.password = password
    super.init()
  }

  override func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    ["ann": URLCredential(user: "ann", password: password, persistence: .none)]
  }
}
