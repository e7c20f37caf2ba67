import Foundation
import TestSupport
import VaultModel

@testable import TLSCredentials

/// The certificates and revocation lists of `certificates.py`, made once for all tests.
struct TrustFixture {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let made = Result { try TrustFixture() }

  static var shared: TrustFixture { get throws { try made.get() } }

  private let certificates: [String: Certificate]
  private let lists: [String: RevocationList]

  private init() throws {
    let folder = try TemporaryFolder()
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "certificates.py")
    let process = Process()
    // Debian's own, which has Debian's `cryptography`.
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-W", "ignore", script.path, folder.path]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "certificates.py ended with \(process.terminationStatus)")
    }
    var (certificates, lists): ([String: Certificate], [String: RevocationList]) = ([:], [:])
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let name = String(file.prefix { $0 != "." })
      let bytes = try folder.bytes(folder.file(file))
      if file.hasSuffix(".cer") {
        certificates[name] = try Certificate(der: bytes)
      } else {
        lists[name] = try RevocationList(der: bytes)
      }
    }
    (self.certificates, self.lists) = (certificates, lists)
  }

  func certificate(_ name: some StringProtocol) throws -> Certificate {
    guard let certificate = certificates[String(name)] else {
      throw Failure(description: "no certificate \(name)")
    }
    return certificate
  }

  func list(_ name: some StringProtocol) throws -> RevocationList {
    guard let list = lists[String(name)] else { throw Failure(description: "no list \(name)") }
    return list
  }

  /// Returns the certificates with the names in a text.
  func chain(_ names: String) throws -> [Certificate] {
    try names.split(separator: " ").map { try certificate($0) }
  }
}
