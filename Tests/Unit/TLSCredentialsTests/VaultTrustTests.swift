import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

/// Decisions about servers, over the certificates of `certificates.py` in the summer of 2026.
@Suite("Decisions about servers in a vault")
struct VaultTrustTests {
  let fixture: TrustFixture
  let folder: TemporaryFolder
  let clock: TestClock
  let vault: Vault
  let web: ProtectionSpace
  let time: Timestamp
  let policy: TrustPolicy

  var trust: VaultTrust { vault.trust }

  init() throws {
    StateFolder.useOwn()
    fixture = try .shared
    folder = try TemporaryFolder()
    let (path, key) = (folder.file("own/own.vault"), folder.file("key"))
    try KeyFile.create(at: key)
    try Vault.create(path: path, key: .keyFile(key), slotName: "own").close()
    clock = TestClock(.now().adding(.seconds(1)))
    vault = try Vault.open(path: path, key: .keyFile(key), time: clock.source)
    web = try Self.space("www.example.com", port: 8443)
    time = try Timestamp(rfc3339: "2026-06-01T00:00:00Z")
    policy = TrustPolicy(anchors: TrustAnchors(try fixture.chain("root")))
  }

  private static func space(
    _ host: String, port: Int? = nil, protocol: NetworkProtocol = .https, realm: String = ""
  ) throws -> ProtectionSpace {
    try ProtectionSpace(host: host, port: port, protocol: `protocol`, realm: realm)
  }

  private func evaluate(
    _ chain: String, _ space: ProtectionSpace? = nil, _ policy: TrustPolicy? = nil,
    at time: Timestamp? = nil
  ) throws -> TrustEvaluation {
    try trust.evaluate(
      fixture.chain(chain), for: space ?? web, policy ?? self.policy, at: time ?? self.time)
  }

  private func pins(_ names: String) throws -> PinSet {
    PinSet(try fixture.chain(names).map { .publicKey($0.publicKeyHash) })
  }

  // MARK: Exceptions

  @Test(
    "an exception is for its certificate, host and port",
    arguments: [.session, .permanent] as [Persistence])
  func exception(persistence: Persistence) throws {
    let found = try evaluate("self")
    #expect(found.verdict == .recoverable && found.problems == [.selfSigned])
    let stored = try trust.accept(found, for: web, persistence: persistence)
    #expect(stored.item.persistence == persistence)
    let accepted = try evaluate("self")
    #expect(accepted.verdict == .proceed && accepted.problems == [.selfSigned])
    #expect(accepted.decision == stored.item.id)
    let realm = try Self.space("www.example.com", port: 8443, realm: "Team")
    #expect(try evaluate("self", realm).isTrusted)
    #expect(try !evaluate("self", Self.space("www.example.com")).isTrusted)
    #expect(try !evaluate("self", Self.space("a.wild.example.com", port: 8443)).isTrusted)
    #expect(try !evaluate("foreign").isTrusted)
    #expect(try !evaluate("self-expired").isTrusted)
  }

  @Test("a decision for one problem covers no other")
  func problems() throws {
    try trust.accept(evaluate("self"), for: web)
    let late = try Timestamp(rfc3339: "2027-06-01T00:00:00Z")
    let expired = try evaluate("self", at: late)
    #expect(expired.verdict == .recoverable && expired.problems == [.selfSigned, .expired])
    try trust.accept(expired, for: web)
    #expect(try evaluate("self", at: late).verdict == .proceed)
    #expect(try evaluate("self").verdict == .proceed)
    let decision = try #require(try trust.findAll(for: web).first)
    let leaf = try fixture.certificate("self").fingerprint
    #expect(decision.content == .exception(certificate: leaf, problems: [.selfSigned, .expired]))
    #expect(
      try trust.history(of: decision) == [.exception(certificate: leaf, problems: [.selfSigned])])
  }

  @Test("nothing is accepted that is trusted, denied or fatal")
  func unacceptable() throws {
    let denied = TrustPolicy(pinning: .publicKey, pins: try pins("other"), anchors: policy.anchors)
    for found in [
      try evaluate("leaf middle"), try evaluate("changed middle"),
      try evaluate("leaf middle", web, denied),
    ] {
      #expect(throws: VaultError(.invalidArgument, "")) { try trust.accept(found, for: web) }
    }
    for found in [try evaluate("changed middle"), try evaluate("leaf middle", web, denied)] {
      #expect(throws: VaultError(.invalidArgument, "")) {
        try trust.recordFirstUse(found, for: web)
      }
    }
    #expect(try trust.findAll().isEmpty)
  }

  @Test("a decision ends when it says, and can be made again")
  func end() throws {
    let end = clock.now.adding(.seconds(60))
    try trust.accept(evaluate("self"), for: web, until: end)
    #expect(try evaluate("self").isTrusted)
    clock.pass(.seconds(60))
    #expect(try !evaluate("self").isTrusted)
    #expect(try trust.findAll().isEmpty)
    try trust.accept(evaluate("self"), for: web)
    #expect(try evaluate("self").isTrusted)
    #expect(try trust.findAll().map(\.expires) == [nil])
  }

  @Test("the vault's policy says how strongly and how long a decision is kept")
  func gate() throws {
    var rule = PersistencePolicy.Rule(name: "trust")
    rule.lifetime = .seconds(60)
    rule.persistOnlyAfterAcceptance = true
    try vault.policy.update { [rule] in $0 = [rule] }
    let stored = try trust.accept(evaluate("self"), for: web)
    #expect(stored.decision.rule?.name == "trust" && stored.pending == nil)
    #expect(try evaluate("self").isTrusted)
    clock.pass(.seconds(61))
    #expect(try !evaluate("self").isTrusted)
  }

  @Test("a removed decision is in the trash, and comes back")
  func removal() throws {
    try trust.accept(evaluate("self"), for: web)
    let decision = try #require(try trust.findAll().first)
    #expect(try trust.decision(decision.id).content == decision.content)
    try trust.remove(decision)
    #expect(try !evaluate("self").isTrusted)
    #expect(throws: VaultError(.itemNotFound, "")) { try trust.decision(decision.id) }
    try vault.trash.restore(try #require(try vault.trash.items().first))
    #expect(try evaluate("self").isTrusted)
  }

  // MARK: First use

  @Test("a key is unknown, then known, and another one is a change that names both")
  func firstUse() throws {
    let (own, other) = (try fixture.certificate("self"), try fixture.certificate("foreign"))
    #expect(try trust.firstUse(of: own, for: web) == .unknown)
    let first = try evaluate("self")
    #expect(first.knownKey == nil)
    try trust.recordFirstUse(first, for: web)
    #expect(try trust.firstUse(of: own, for: web) == .known)
    let known = try evaluate("self")
    #expect(known.verdict == .proceed && known.knownKey == own.publicKeyHash)
    #expect(try trust.firstUse(of: other, for: web) == .changed(from: own.publicKeyHash))
    let changed = try evaluate("foreign")
    #expect(changed.verdict == .deny && changed.problems == [.unknownIssuer, .changedKey])
    #expect(
      changed.description == "deny: changedKey, unknownIssuer (known "
        + "sha256//\(own.publicKeyHash.base64), now sha256//\(other.publicKeyHash.base64))")
    #expect(try trust.firstUse(of: own, for: Self.space("www.example.com")) == .unknown)
  }

  @Test("a changed key is denied even if its chain is valid or its certificate was accepted")
  func changed() throws {
    try trust.accept(evaluate("foreign"), for: web)
    try trust.recordFirstUse(evaluate("self"), for: web)
    #expect(try evaluate("foreign").verdict == .deny)
    let valid = try evaluate("leaf middle")
    #expect(valid.verdict == .deny && valid.problems == [.changedKey])
    #expect(throws: VaultError(.invalidArgument, "")) { try trust.accept(valid, for: web) }
    #expect(try evaluate("changed middle").verdict == .fatal)
  }

  @Test("another certificate with the known key is trusted, but not for other problems")
  func renewed() throws {
    try trust.recordFirstUse(evaluate("leaf middle"), for: web)
    #expect(try evaluate("renewed middle").verdict == .unspecified)
    let unsigned = try evaluate("renewed")
    #expect(unsigned.verdict == .recoverable && unsigned.problems == [.unknownIssuer])
    #expect(unsigned.knownKey == (try fixture.certificate("leaf").publicKeyHash))
  }

  @Test("a known key is replaced only by naming it")
  func replacing() throws {
    let key = try fixture.certificate("self").publicKeyHash
    #expect(throws: VaultError(.conflict, "")) {
      try trust.recordFirstUse(evaluate("self"), for: web, replacing: key)
    }
    try trust.recordFirstUse(evaluate("self"), for: web)
    let changed = try evaluate("foreign")
    do throws(VaultError) {
      try trust.recordFirstUse(changed, for: web)
      Issue.record("the known key was replaced")
    } catch {
      let new = try fixture.certificate("foreign").publicKeyHash
      #expect(error.code == .conflict)
      #expect(error.context.contains(key.base64) && error.context.contains(new.base64))
    }
    #expect(try evaluate("self").isTrusted)
    try trust.recordFirstUse(changed, for: web, replacing: changed.knownKey)
    #expect(try evaluate("foreign").verdict == .proceed)
    #expect(try evaluate("self").problems.contains(.changedKey))
    let decision = try #require(try trust.findAll(for: web).first)
    #expect(try trust.history(of: decision) == [.knownKey(key, problems: [.selfSigned])])
  }

  @Test("a key recorded for the session hides the file's, and is gone with it")
  func session() throws {
    try trust.recordFirstUse(evaluate("self"), for: web)
    let old = try fixture.certificate("self").publicKeyHash
    try trust.recordFirstUse(evaluate("foreign"), for: web, replacing: old, persistence: .session)
    #expect(try evaluate("foreign").isTrusted && !evaluate("self").isTrusted)
    let new = try fixture.certificate("foreign").publicKeyHash
    try trust.recordFirstUse(evaluate("leaf middle"), for: web, replacing: new)
    #expect(try trust.findAll(for: web).map(\.persistence) == [.session])
    try trust.remove(try #require(try trust.findAll(for: web).first))
    #expect(try evaluate("leaf middle").isTrusted && !evaluate("foreign").isTrusted)
  }

  // MARK: Pins

  @Test("pins of the vault are required in addition to the policy")
  func pinning() throws {
    try trust.pin(pins("middle other"), for: web)
    #expect(try evaluate("leaf middle").verdict == .unspecified)
    #expect(try evaluate("leaf middle", Self.space("a.wild.example.com", port: 8443)).isTrusted)
    try trust.pin(pins("other"), for: web)
    let refused = try evaluate("leaf middle")
    #expect(refused.verdict == .deny && refused.problems == [.pinMismatch])
    let own = TrustPolicy(
      pinning: .certificate, pins: PinSet(try fixture.chain("leaf").map { .certificate($0) }))
    #expect(try evaluate("leaf", web, own).problems == [.pinMismatch])
    #expect(try own.evaluate(fixture.chain("leaf"), host: web.host, at: time).isTrusted)
    #expect(throws: VaultError(.invalidArgument, "")) { try trust.pin(PinSet([]), for: web) }
    #expect(try trust.pins(for: web)?.curlText == pins("other").curlText)
    #expect(try trust.pins(for: Self.space("www.example.com")) == nil)
  }

  @Test("pins that only report refuse nothing, and those that expired are none")
  func reporting() throws {
    var pins = try pins("other")
    pins.isReportOnly = true
    try trust.pin(pins, for: web)
    let reported = try evaluate("leaf middle")
    #expect(reported.isTrusted && reported.isReported)
    let own = TrustPolicy(
      pinning: .publicKey, pins: try self.pins("leaf"), anchors: policy.anchors)
    #expect(try evaluate("leaf middle", web, own).isReported)
    pins.isReportOnly = false
    pins.expires = clock.now.adding(.seconds(60))
    try trust.pin(pins, for: web)
    #expect(try !evaluate("leaf middle").isTrusted)
    clock.pass(.seconds(60))
    #expect(try evaluate("leaf middle").verdict == .unspecified)
  }

  @Test("pins with subdomains count for the names below, and the nearest ones alone")
  func subdomains() throws {
    let (domain, host) = (
      try Self.space("example.com", port: 8443),
      try Self.space("a.wild.example.com", port: 8443)
    )
    var pins = try pins("other")
    try trust.pin(pins, for: domain)
    #expect(try evaluate("leaf middle", host).isTrusted)
    pins.includesSubdomains = true
    try trust.pin(pins, for: domain)
    #expect(try evaluate("leaf middle", host).problems == [.pinMismatch])
    #expect(try evaluate("leaf middle", Self.space("a.wild.example.com")).isTrusted)
    #expect(try trust.pins(for: host)?.host == domain.host)
    // Nearer ones that are for their own host alone do not stand before those.
    try trust.pin(self.pins("leaf"), for: Self.space("wild.example.com", port: 8443))
    #expect(try evaluate("leaf middle", host).problems == [.pinMismatch])
    #expect(try trust.pins(for: host)?.host == domain.host)
    try trust.pin(self.pins("leaf"), for: host)
    #expect(try evaluate("leaf middle", host).isTrusted)
    #expect(try !evaluate("leaf middle").isTrusted)
  }

  @Test("pins with subdomains of a name below which anybody has names count for that name alone")
  func publicSuffix() throws {
    let (top, host) = (
      try Self.space("example", port: 8443), try Self.space("a.example", port: 8443)
    )
    var pins = try pins("other")
    pins.includesSubdomains = true
    try trust.pin(pins, for: top)
    #expect(try trust.pins(for: top) != nil)
    #expect(try trust.pins(for: host) == nil)
  }

  // MARK: The items

  @Test("a space without a port has no decision")
  func port() throws {
    let space = try ProtectionSpace(host: "www.example.com", protocol: .unset)
    #expect(throws: VaultError(.invalidArgument, "")) { try evaluate("self", space) }
    #expect(throws: VaultError(.invalidArgument, "")) { try trust.pin(pins("leaf"), for: space) }
  }

  @Test("items of the method that are no decisions count for nothing, and malformed ones fail")
  func strangers() throws {
    func add(_ account: String, _ secret: String) throws -> Item {
      let space = try ProtectionSpace(
        host: "www.example.com", port: 8443, protocol: .https,
        authenticationMethod: .serverTrust)
      return try vault.add(
        Item(space: space, account: account, secret: Secret(secret))
      ).item
    }
    _ = try add("ann", "secret")
    #expect(try trust.findAll().isEmpty && !evaluate("self").isTrusted)
    let hash = try fixture.certificate("self").fingerprint
    for (account, text) in [
      ("pins", ""), ("pins", "pin-sha256=\"AAAA\""), ("known key", "secret"),
      ("known key", "certificate-sha256=\"\(hash.base64)\""),
      ("exception AA", "certificate-sha256=\"\(hash.base64)\"; problems=\"selfSigned\""),
    ] {
      let item = try add(account, text)
      #expect(throws: VaultError(.invalidData, ""), "\(account): \(text)") { try evaluate("self") }
      try vault.remove(item, removal: .permanent)
    }
    let item = try add(
      "exception \(hash)", "certificate-sha256=\"\(hash.base64)\"; problems=\"selfSigned newer\"")
    #expect(try evaluate("self").verdict == .proceed)
    #expect(try trust.findAll().map(\.id) == [item.id])
  }

  @Test("a decision is never sent as a password")
  func passwords() throws {
    try trust.pin(pins("leaf"), for: web)
    #expect(try vault.findAll(ItemQuery(server: web.host)).allSatisfy { !$0.isSent })
    #expect(try vault.credentials(for: web).isEmpty)
    #expect(try vault.candidates(ItemQuery(server: web.host)).isEmpty)
  }
}
