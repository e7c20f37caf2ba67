import CredentialVault
import Foundation
import HTTPTesting
import ProgramTesting
import SecureMemory
import TLSCredentials
import TestTraits
import Testing
import VaultModel
import VaultTransport

/// All tests of TLS, in one suite so that the servers start once.
@Suite("The transport over TLS", .waiting, TransportServers.Scope()) enum TransportOverTLS {}

extension TransportOverTLS {
  @Suite("Trust in servers")
  struct TrustTests {
    let servers: TransportServers

    init() throws { servers = try TransportServers.shared }

    private func get(_ transport: Transport, _ server: HTTPServer) async throws {
      let visit = try await transport.visit(TransportRequest(servers.url(server, "/x/1")))
      #expect(visit.response.status == 200 && visit.body == Servers.page)
    }

    @Test("a private authority is trusted by the policy, and by no other")
    func authority() async throws {
      try await get(servers.transport(), servers.plain)
      for policy in [TrustPolicy(), try servers.policy("other")] {
        let other = try servers.transport { $0.trustPolicy = policy }
        #expect(try await failure { try await get(other, servers.plain) } == EKEYREJECTED)
      }
    }

    @Test("HTTP/2 is spoken, unless it is not allowed")
    func http2() async throws {
      for isAllowed in [true, false] {
        let transport = try servers.transport { $0.allowsHTTP2 = isAllowed }
        let path = "/version/\(isAllowed)"
        let visit = try await transport.visit(TransportRequest(servers.url(servers.plain, path)))
        let version = isAllowed ? "HTTP/2" : "HTTP/1.1"
        #expect(visit.response.version == version)
        let log = try servers.plain.requests(1, containing: path)
        #expect(log.map { $0.split(separator: " ")[2] } == [isAllowed ? "HTTP/2.0" : "HTTP/1.1"])
      }
    }

    @Test("a pin has to be in the path: of the policy, and of the vault")
    func pins() async throws {
      let right = Pin.publicKey(try servers.certificate("root").publicKeyHash)
      let wrong = Pin.publicKey(try servers.certificate("other").publicKeyHash)
      for (pin, expected) in [(right, nil), (wrong, EKEYREJECTED)] as [(Pin, Int32?)] {
        let byPolicy = try servers.transport {
          ($0.trustPolicy.pinning, $0.trustPolicy.pins) = (.publicKey, PinSet([pin]))
        }
        #expect(try await failure { try await get(byPolicy, servers.plain) } == expected)
        let vault = Vault.inMemory()
        try vault.trust.pin(
          PinSet([pin]), for: servers.space(servers.plain), persistence: .session)
        let byVault = try servers.transport(vault)
        #expect(try await failure { try await get(byVault, servers.plain) } == expected)
      }
    }

    @Test("a pin that is added later counts although a connection is open")
    func laterPin() async throws {
      let vault = Vault.inMemory()
      let transport = try servers.transport(vault)
      try await get(transport, servers.plain)
      try vault.trust.pin(
        PinSet([.publicKey(servers.certificate("other").publicKeyHash)]),
        for: servers.space(servers.plain), persistence: .session)
      // What was read a moment ago may still count.
      var number: Int32?
      let end = ContinuousClock.now + .seconds(120)
      while number == nil, ContinuousClock.now < end {
        number = try await failure { try await get(transport, servers.plain) }
      }
      #expect(number == EKEYREJECTED)
    }

    @Test("a self-signed or expired certificate needs a decision, which covers no other problem")
    func decisions() async throws {
      for (server, name) in [(servers.selfSigned, "selfsigned"), (servers.expired, "expired")] {
        let vault = Vault.inMemory()
        let transport = try servers.transport(vault)
        #expect(try await failure { try await get(transport, server) } == EKEYREJECTED)
        let evaluation = try vault.trust.evaluate(
          [servers.certificate(name)], for: servers.space(server), servers.policy())
        try vault.trust.accept(evaluation, for: servers.space(server), persistence: .session)
        let other = try servers.transport(vault)
        try await get(other, server)
        // For this server alone.
        let second = server === servers.expired ? servers.selfSigned : servers.expired
        #expect(try await failure { try await get(other, second) } == EKEYREJECTED)
      }
    }

    @Test("the prompt is asked once for all that wait, with the fingerprint, and kept in the vault")
    func prompt() async throws {
      let asked = Lock<[TrustQuestion]>([])
      let vault = Vault.inMemory()
      let transport = try servers.transport(vault) { configuration in
        configuration.trustPrompt = { question in
          asked.withLock { $0.append(question) }
          return .remember(.session)
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { try await get(transport, servers.selfSigned) } }
        try await group.waitForAll()
      }
      let question = try #require(asked.withLock(\.self).first)
      #expect(asked.withLock(\.count) == 1)
      #expect(question.evaluation.problems == [.selfSigned])
      #expect(
        question.chain.map(\.fingerprint) == [try servers.certificate("selfsigned").fingerprint])
      let later = try servers.transport(vault)
      try await get(later, servers.selfSigned)
    }

    @Test("a changed key is shown with the one that was known, and replaced if the prompt says so")
    func changedKey() async throws {
      let vault = Vault.inMemory()
      let space = try servers.space(servers.selfSigned)
      let old = try servers.certificate("changed")
      try vault.trust.recordFirstUse(
        vault.trust.evaluate([old], for: space, servers.policy()), for: space,
        persistence: .session)
      let silent = try servers.transport(vault)
      #expect(
        try await failure { try await get(silent, servers.selfSigned) } == EKEYREJECTED)
      let known = Lock<Fingerprint?>(nil)
      let transport = try servers.transport(vault) { configuration in
        configuration.trustPrompt = { question in
          known.withLock { $0 = question.evaluation.knownKey }
          return .remember(.session)
        }
      }
      try await get(transport, servers.selfSigned)
      #expect(known.withLock(\.self) == old.publicKeyHash)
      try await get(servers.transport(vault), servers.selfSigned)
    }

    @Test("an answer for the life of the transport is not kept, and cancelling ends the request")
    func answers() async throws {
      let vault = Vault.inMemory()
      let trusting = try servers.transport(vault) { $0.trustPrompt = { _ in .trust } }
      try await get(trusting, servers.expired)
      #expect(try vault.trust.findAll().isEmpty)
      let refusing = try servers.transport(vault) { $0.trustPrompt = { _ in .refuse } }
      #expect(try await failure { try await get(refusing, servers.expired) } == EKEYREJECTED)
      let cancelling = try servers.transport(vault) { $0.trustPrompt = { _ in .cancel } }
      await #expect(throws: VaultError(.interrupted, "")) {
        try await get(cancelling, servers.expired)
      }
      let doubting = try servers.transport(vault) {
        $0.asksAboutTrustedServers = true
        $0.trustPrompt = { _ in .refuse }
      }
      #expect(try await failure { try await get(doubting, servers.plain) } == EKEYREJECTED)
    }
  }
}
