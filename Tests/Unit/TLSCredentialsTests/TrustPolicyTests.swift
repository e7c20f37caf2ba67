import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

@Suite("TrustPolicy")
struct TrustPolicyTests {
  let fixture: TrustFixture
  let host: HostName
  let time: Timestamp

  init() throws {
    fixture = try TrustFixture.shared
    host = try HostName("www.example.com")
    time = try Timestamp(rfc3339: "2026-06-01T00:00:00Z")
  }

  @Test("the path leads from the leaf to the anchor, whatever was sent")
  func path() throws {
    let policy = TrustPolicy(anchors: TrustAnchors(try fixture.chain("root")))
    for sent in ["leaf middle", "leaf root foreign middle other", "leaf middle middle"] {
      let found = try policy.evaluate(fixture.chain(sent), host: host, at: time)
      #expect(found.path == (try fixture.chain("leaf middle root")) && found.isTrusted)
    }
    let incomplete = try policy.evaluate(fixture.chain("leaf other"), host: host, at: time)
    #expect(incomplete.path == (try fixture.chain("leaf")) && !incomplete.isTrusted)
    let pinned = TrustPolicy(
      pinning: .certificate, pins: PinSet([.certificate(try fixture.certificate("middle"))]))
    let short = try pinned.evaluate(fixture.chain("leaf"), host: host, at: time)
    #expect(short.path == (try fixture.chain("leaf middle")) && short.isTrusted)
  }

  @Test("no chain at all is fatal", arguments: TrustPolicy.Pinning.allCases)
  func empty(mode: TrustPolicy.Pinning) throws {
    let policy = TrustPolicy(
      pinning: mode, pins: PinSet([.certificate(try fixture.certificate("leaf"))]),
      allowsInvalidCertificates: true, validatesDomainName: false)
    let evaluation = try policy.evaluate([], host: nil, at: time)
    #expect(evaluation.verdict == .fatal && evaluation.problems.contains(.malformed))
    #expect(evaluation.path.isEmpty)
  }

  @Test("no anchor trusts nobody, and one's own come beside the system's")
  func anchors() throws {
    func verdict(_ anchors: TrustAnchors) throws -> TrustVerdict {
      try TrustPolicy(anchors: anchors).evaluate(
        fixture.chain("leaf middle"), host: host, at: time
      ).verdict
    }
    let root = try fixture.chain("root")
    #expect(try verdict(TrustAnchors([])) == .recoverable)
    #expect(try verdict(.system) == .recoverable)
    #expect(try verdict(TrustAnchors(root)) == .unspecified)
    #expect(try verdict(TrustAnchors(systemAnd: root)) == .unspecified)
    #expect(try verdict(TrustAnchors(root + root)) == .unspecified)
  }

  @Test("the system's authorities are those of Debian's file")
  func system() throws {
    let file = try TemporaryFolder().bytes("/etc/ssl/certs/ca-certificates.crt")
    let blocks = try PEMBlock.read(Secret(file))
    let roots = try blocks.map { try Certificate(der: $0.content.public) }
    let valid = try #require(roots.first { $0.notAfter > time && $0.isSelfIssued })
    let policy = TrustPolicy(anchors: .system, validatesDomainName: false)
    let found = try policy.evaluate([valid], host: nil, at: time)
    #expect(!found.problems.contains(.selfSigned) && !found.problems.contains(.unknownIssuer))
    let own = TrustPolicy(anchors: TrustAnchors(try fixture.chain("root")))
    #expect(try own.evaluate([valid], host: nil, at: time).problems.contains(.selfSigned))
  }

  @Test("pins are read in both text forms, and written in both")
  func pinTexts() throws {
    let keys = try ["leaf", "middle"].map { try fixture.certificate($0).publicKeyHash }
    let base64 = keys.map(\.base64)
    let field =
      "pin-sha256=\"\(base64[0])\"; PIN-SHA256 = \"\(base64[1])\" ;pin-sha1=\"AA==\";"
      + " max-age=60; includeSubDomains; report-uri=\"https://example.com/\""
    let pins = try PinSet(text: field, host: host, receivedAt: time)
    #expect(pins.pins == keys.map { .publicKey($0) })
    #expect(pins.includesSubdomains && pins.host == host)
    #expect(pins.expires == time.adding(.seconds(60)))
    let curl = try PinSet(text: pins.curlText, receivedAt: time)
    #expect(curl.pins == pins.pins && curl.expires == nil && !curl.includesSubdomains)
    #expect(pins.curlText == "sha256//\(base64[0]);sha256//\(base64[1])")
    let again = try PinSet(text: pins.directives, host: host, receivedAt: time)
    #expect(again.pins == pins.pins && again.includesSubdomains)
    let certificates = PinSet(try fixture.chain("leaf middle").map { .certificate($0) })
    #expect(certificates.curlText == pins.curlText)
    let wrong = [
      "", "max-age=60", "sha256//", "sha256//\(base64[0])x", "sha1//AAAA",
      "pin-sha256=\"AAAA\"", "pin-sha256=\(base64[0].dropLast())", "pin-sha256",
      "pin-sha256=\"\(base64[0])\"; max-age=soon", "pin-sha256=\"\(base64[0])\"; max-age=-1",
    ]
    for text in wrong {
      #expect(throws: VaultError(.invalidData, ""), "\(text)") {
        try PinSet(text: text, receivedAt: time)
      }
    }
  }

  @Test("a revocation list is read whole or not at all")
  func lists() throws {
    let list = try fixture.list("middle-has-leaf")
    #expect(list.issuer == (try fixture.certificate("middle").subject))
    for count in 0..<list.der.count {
      #expect(throws: VaultError(.invalidData, "")) {
        try RevocationList(der: Array(list.der.prefix(count)))
      }
    }
    #expect(throws: VaultError(.invalidData, "")) { try RevocationList(der: list.der + [0]) }
  }

  @Test("a policy is evaluated by several threads at once")
  func threads() throws {
    let chain = try fixture.chain("leaf middle")
    let policy = TrustPolicy(anchors: TrustAnchors(try fixture.chain("root")))
    let (host, time) = (host, time)
    inThreads(8) { _ in
      for _ in 0..<20 {
        let isTrusted = try? policy.evaluate(chain, host: host, at: time).isTrusted
        #expect(isTrusted == true)
      }
    }
  }
}
