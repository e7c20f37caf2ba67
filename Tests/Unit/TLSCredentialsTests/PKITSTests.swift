import Foundation
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

/// NIST's suite of certification paths (PKITS 1.0.1), those of its tests that begin with the
/// default inputs: any policy is wanted, and none is required.
///
/// `PKITS/paths.txt` has each test's path and lists, and what is right. The folder has the files of
/// nine tests; `VAULT_PKITS` names one with all, which PyPI's `cryptography-vectors` has as
/// `x509/PKITS_data`.
@Suite("PKITS")
struct PKITSTests {
  struct Path: Sendable, CustomTestStringConvertible {
    let number: String
    let isValid: Bool
    let certificates: [String]
    let lists: [String]

    var testDescription: String { number }

    init?(_ line: Substring) {
      let parts = line.split(separator: "|")
      guard let words = parts.first?.split(separator: " ").map(String.init), parts.count == 2
      else { return nil }
      (number, isValid, certificates) = (words[0], words[1] == "+", Array(words.dropFirst(2)))
      lists = parts[1].split(separator: " ").map(String.init)
    }
  }

  /// Valid paths that are refused: two have keys of DSA with 1024 bits, and in one the issuer of
  /// the list has a path of its own, with a list that libcrypto does not find.
  static let refused: Set<String> = ["4.1.4", "4.1.5", "4.14.30"]

  private static let own = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "PKITS")
  private static let folder =
    ProcessInfo.processInfo.environment["VAULT_PKITS"].map { URL(filePath: $0) } ?? own

  static let all: [Path] = {
    let text = (try? String(contentsOf: own.appending(path: "paths.txt"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap(Path.init)
  }()

  static let present = all.filter { path in
    path.certificates.allSatisfy { name in
      FileManager.default.fileExists(
        atPath: folder.appending(path: "certs/\(name).crt").path)
    }
  }

  @Test("the table has all, and the folder some")
  func table() {
    #expect(Self.all.count == 214)
    #expect(Self.present.count == (Self.folder == Self.own ? 9 : 214))
  }

  @Test("a path is valid if NIST says so", arguments: present)
  func path(_ path: Path) throws {
    func read(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: Self.folder.appending(path: name)))
    }
    func certificate(_ name: String) throws -> Certificate {
      try Certificate(der: read("certs/\(name).crt"))
    }
    var policy = TrustPolicy(
      anchors: TrustAnchors([try certificate("TrustAnchorRootCertificate")]), purpose: .any,
      requiresRevocationLists: true)
    policy.revocationLists = try path.lists.map { try RevocationList(der: read("crls/\($0).crl")) }
    // The leaf is first.
    let chain = try path.certificates.reversed().map(certificate)
    let found = try policy.evaluate(
      chain, host: nil, at: Timestamp(rfc3339: "2011-04-15T00:00:00Z"))
    let isAccepted = found.problems.isEmpty
    #expect(
      isAccepted == (path.isValid && !Self.refused.contains(path.number)), "\(found.problems)")
  }
}
