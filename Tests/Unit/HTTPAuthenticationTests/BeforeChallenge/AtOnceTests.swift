import CredentialVault
import Foundation
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import HTTPAuthentication

/// Lookups before a request that take no wait, and say what the vault says now.
@Suite("A lookup at once", .timeLimit(.minutes(5))) struct AtOnceTests {
  private let server = MemoryServer(users: ["ann": "right"])
  private let url = "https://h/docs/a"

  /// Returns an authenticator that knows of ann's success.
  private func loggedIn(_ vault: Vault) async throws -> Authenticator {
    let authenticator = Authenticator(vault: vault)
    #expect(try await authenticator.get(url, from: server).status == 200)
    return authenticator
  }

  /// Whether the fields are one that logs ann in with a password.
  private func logsIn(_ password: String, _ fields: [AuthorizationField]) throws -> Bool {
    let value = try BasicResponse.value(
      Credential(user: "ann", secret: Secret(password), persistence: .none))
    return fields.count == 1 && fields[0].value.isEqual(to: value)
  }

  /// Waits until a lookup takes no wait: once in a second, the file is looked at.
  private func warm(_ authenticator: Authenticator) throws {
    let limit = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < limit {
      _ = try authenticator.exchange(for: .get(url))
      var exchange = Exchange(try .get(url), authenticator)
      if exchange.attemptAtOnce() { return }
    }
    Issue.record("no lookup was made at once")
  }

  @Test("needs not the vault's thread")
  func thread() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = try await loggedIn(fixture.vault)
    let (isHeld, isOver) = (Lock(false), Lock(false))
    let holding = Task {
      try await fixture.vault.perform { _ in
        isHeld.withLock { $0 = true }
        while !isOver.withLock(\.self) { usleep(500) }
      }
    }
    while !isHeld.withLock(\.self) { await Task.yield() }
    // It is one of several lookups: any may meet the second's end, and waits for the thread then.
    let isFound = Lock(false)
    let limit = ContinuousClock.now + .seconds(120)
    var lookups: [Task<Void, any Error>] = []
    while !isFound.withLock(\.self), ContinuousClock.now < limit {
      try warm(authenticator)
      lookups.append(
        Task {
          let fields = try await authenticator.exchange(for: .get(url)).fields
          let isRight = try logsIn("right", fields)
          isFound.withLock { $0 = isRight }
        })
      for _ in 0..<100 where !isFound.withLock(\.self) {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    let wasFound = isFound.withLock(\.self)
    #expect(wasFound)
    isOver.withLock { $0 = true }
    try await holding.value
    for lookup in lookups { try await lookup.value }
  }

  /// A change of a vault, and the password that is sent after it; nil for none.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let password: String?
    let make: @Sendable (Vault, Sandbox) throws -> Void

    init(
      _ name: String, _ password: String?,
      _ make: @escaping @Sendable (Vault, Sandbox) throws -> Void
    ) {
      (testDescription, self.password, self.make) = (name, password, make)
    }

    static func space() throws -> ProtectionSpace {
      try ProtectionSpace(host: "h", realm: "Team", authenticationMethod: .basic)
    }

    private static func run(_ sandbox: Sandbox, _ words: [String], _ input: String = "") throws {
      let end = try sandbox.run(["vaultctl"] + words, input: input)
      guard end.status == 0 else { throw VaultError(.internalError, end.errors) }
    }

    private static let item = ["-s", "h", "-d", "Team", "-a", "ann"]

    static let all = [
      Change("changed by another process", "new") { _, sandbox in
        try run(sandbox, ["modify", "-q", "--password-stdin"] + item, "new")
      },
      Change("removed by another process", nil) { _, sandbox in
        try run(sandbox, ["rm", "-q"] + item)
      },
      Change("rekeyed by another process", "right") { _, sandbox in
        try run(sandbox, ["rekey", "-q"])
      },
      Change("changed", "new") { vault, _ in
        try vault.set(
          Credential(user: "ann", secret: Secret("new"), persistence: .permanent), for: space())
      },
      Change("changed for the session", "new") { vault, _ in
        try vault.set(
          Credential(user: "ann", secret: Secret("new"), persistence: .session), for: space())
      },
      Change("removed", nil) { vault, _ in try vault.remove(user: "ann", for: space()) },
      Change("locked", nil) { vault, _ in try vault.lock() },
    ]
  }

  /// Returns the sandbox's vault, with ann's password.
  private static func open(_ sandbox: Sandbox) throws -> Vault {
    let vault = try Vault.open(
      path: sandbox.home.appending(path: "test.vault").path,
      key: .keyFile(sandbox.home.appending(path: "test.key").path))
    try vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .permanent),
      for: Change.space())
    return vault
  }

  @Test("answers nothing from a memory", arguments: Change.all)
  func memory(_ change: Change) async throws {
    StateFolder.useOwn()
    let sandbox = try Sandbox()
    #expect(try sandbox.makeVault().status == 0)
    let vault = try Self.open(sandbox)
    let authenticator = try await loggedIn(vault)
    try warm(authenticator)
    try change.make(vault, sandbox)
    var exchange = Exchange(try .get(url), authenticator)
    // It may not be known at once; but what is, is right.
    if exchange.attemptAtOnce() {
      let isRight = try change.password.map { try logsIn($0, exchange.fields) }
      #expect(isRight == true)
    }
    let fields = try await authenticator.exchange(for: .get(url)).fields
    let isRight = try change.password.map { try logsIn($0, fields) }
    #expect(isRight ?? fields.isEmpty)
  }

  @Test("is left to the vault's thread while somebody uses the file, and in a closed vault")
  func inUse() async throws {
    let fixture = try Fixture()
    try fixture.store()
    let authenticator = try await loggedIn(fixture.vault)
    try warm(authenticator)
    try await fixture.vault.whileHeld {
      var exchange = Exchange(try .get(url), authenticator)
      #expect(!exchange.attemptAtOnce() && exchange.fields.isEmpty)
    }
    try await fixture.vault.close()
    var exchange = Exchange(try .get(url), authenticator)
    #expect(!exchange.attemptAtOnce() && exchange.fields.isEmpty)
    await #expect(throws: VaultError(.closed, "")) {
      _ = try await authenticator.exchange(for: .get(url))
    }
  }
}
