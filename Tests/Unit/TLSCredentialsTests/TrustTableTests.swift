import Testing
import VaultModel

@testable import TLSCredentials

/// The verdict on a chain in each pinning mode.
///
/// In the columns of the modes: `U`nspecified, `P`roceed, `D`eny, `R`ecoverable, `F`atal, and the
/// problems. A name among the pins is a certificate, with `key:` the hash of its key.
@Suite("the table of trust")
struct TrustTableTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let chain: String
    var host: String? = "www.example.com"
    var pins = "leaf"
    /// `invalid`, `unnamed`, `common-name`, `lists`, `report`, `subdomains`; `for:HOST`;
    /// `crl:NAME`.
    var options = ""
    var anchors = "root"
    var time = "2026-06-01T00:00:00Z"
    let none: String
    let publicKey: String
    let certificate: String

    var testDescription: String {
      "\(chain) for \(host ?? "-"), \(pins) | \(anchors); \(options) \(time)"
    }
  }

  static func evaluate(_ row: Case, _ mode: TrustPolicy.Pinning) throws -> TrustEvaluation {
    let fixture = try TrustFixture.shared
    let options = row.options.split(separator: " ")
    func values(_ name: String) -> [Substring] {
      options.filter { $0.hasPrefix(name) }.map { $0.dropFirst(name.count) }
    }
    var pins = PinSet(
      try row.pins.split(separator: " ").map { name in
        name.hasPrefix("key:")
          ? .publicKey(try fixture.certificate(name.dropFirst(4)).publicKeyHash)
          : .certificate(try fixture.certificate(name))
      })
    pins.isReportOnly = options.contains("report")
    pins.includesSubdomains = options.contains("subdomains")
    if let host = values("for:").first { pins.host = try HostName(String(host)) }
    if let time = values("until:").first { pins.expires = try Timestamp(rfc3339: String(time)) }
    let policy = TrustPolicy(
      pinning: mode, pins: pins, anchors: TrustAnchors(try fixture.chain(row.anchors)),
      allowsInvalidCertificates: options.contains("invalid"),
      validatesDomainName: !options.contains("unnamed"),
      allowsCommonName: options.contains("common-name"),
      revocationLists: try values("crl:").map(fixture.list),
      requiresRevocationLists: options.contains("lists"))
    return try policy.evaluate(
      fixture.chain(row.chain), host: try row.host.map { try HostName($0) },
      at: try Timestamp(rfc3339: row.time))
  }

  static func text(_ evaluation: TrustEvaluation) -> String {
    let letter = evaluation.verdict.rawValue.prefix(1).uppercased()
    let problems = evaluation.problems.map(\.rawValue).sorted()
    return ([letter] + problems + (evaluation.isReported ? ["reported"] : []))
      .joined(separator: " ")
  }

  @Test("each chain has its verdict in all three modes", arguments: cases)
  func table(row: Case) throws {
    #expect(Self.text(try Self.evaluate(row, .none)) == row.none)
    #expect(Self.text(try Self.evaluate(row, .publicKey)) == row.publicKey)
    #expect(Self.text(try Self.evaluate(row, .certificate)) == row.certificate)
  }

  @Test("the table has sixty cases and more, and every problem and verdict occurs in it")
  func whole() throws {
    #expect(Self.cases.count >= 60)
    #expect(Set(Self.cases.map(\.testDescription)).count == Self.cases.count)
    let texts = Self.cases.flatMap { [$0.none, $0.publicKey, $0.certificate] }
    for problem in TrustProblem.allCases {
      let isThere = texts.contains { $0.split(separator: " ").contains { $0 == problem.rawValue } }
      // The first needs no chain, the second a vault.
      #expect(isThere || [.malformed, .changedKey, .invalidPolicy].contains(problem), "\(problem)")
    }
    #expect(Set(texts.map { $0.prefix(1) }) == ["U", "P", "D", "R", "F"])
  }
}
