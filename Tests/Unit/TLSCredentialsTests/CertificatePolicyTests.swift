import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

/// Certificate policies (RFC 5280 §6.1) count where an authority demands one, and nowhere else.
@Suite("certificate policies")
struct CertificatePolicyTests {
  /// A path, by the names of `certificates.py`, and whether its policies are valid.
  struct Path: Sendable, CustomTestStringConvertible {
    let issuers: String
    let policy: String
    let isValid: Bool

    var testDescription: String { "\(issuers): \(policy)" }
  }

  private static func paths(_ issuers: String, valid: Set<String>) -> [Path] {
    ["none", "one", "two", "any"].map {
      Path(issuers: issuers, policy: $0, isValid: valid.contains($0))
    }
  }

  static let all =
    // Nobody demands a policy.
    paths("middle", valid: ["none", "one", "two", "any"])
    + paths("strict", valid: ["one", "any"])
    + paths("lenient", valid: ["one", "two", "any"])
    // The second is what the first is called below.
    + paths("strict-mapping", valid: ["two", "any"])
    // A mapping that an authority above forbids ends its policy.
    + paths("mapping strict-plain", valid: [])
    // No policy of any name any more.
    + paths("strict-named", valid: ["one", "two"])

  @Test("a path is valid with a policy that all of it has", arguments: all)
  func path(_ path: Path) throws {
    let fixture = try TrustFixture.shared
    let issuer = try #require(path.issuers.split(separator: " ").first)
    let policy = TrustPolicy(anchors: TrustAnchors(try fixture.chain("root")))
    let found = try policy.evaluate(
      fixture.chain("\(issuer)-\(path.policy) \(path.issuers)"),
      host: HostName("www.example.com"), at: Timestamp(rfc3339: "2026-06-01T00:00:00Z"))
    #expect(found.problems == (path.isValid ? [] : [.invalidPolicy]))
    #expect(found.verdict == (path.isValid ? .unspecified : .recoverable))
  }
}
