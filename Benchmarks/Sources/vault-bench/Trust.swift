import PeerTrust
import TLSCredentials

/// A server's chain of three certificates, validated for its host, against the same with libcrypto.
struct Trust {
  let report: Report

  private static let repeats = 200

  func run() throws {
    guard peer_trust_make() == 0 else { throw Failure("libcrypto makes no chain") }
    let certificates = try (0..<3).map { try Self.certificate($0) }
    let encodings = certificates.map(\.der)
    let sent = Array(certificates.prefix(2))
    let policy = TrustPolicy(anchors: TrustAnchors(Array(certificates.suffix(1))))
    let host = try HostName("www.example.com")
    try measure("a chain of three evaluated; against bare libcrypto", parses: false, .ratio(1.2)) {
      let evaluation = try policy.evaluate(sent, host: host)
      return evaluation.verdict == .unspecified && evaluation.path.count == 3
    }
    try measure("a chain of three read and evaluated; against bare libcrypto", parses: true) {
      let read = try encodings.prefix(2).map { try Certificate(der: $0) }
      return try policy.evaluate(read, host: host).verdict == .unspecified
    }
  }

  private func measure(
    _ title: String, parses: Bool, _ target: Target? = nil, _ evaluate: () throws -> Bool
  ) throws {
    let pairs = try alternating(21) {
      try Self.pass(evaluate)
    } peer: {
      try Self.pass { peer_trust_evaluate(parses ? 1 : 0) == 0 }
    }
    report.add(title, 1, pairs, target)
  }

  private static func pass(_ evaluate: () throws -> Bool) throws -> Double {
    try seconds {
      for _ in 0..<repeats where try !evaluate() { throw Failure("another verdict") }
    } / Double(repeats)
  }

  /// Returns one of the three certificates, the leaf first.
  static func certificate(_ index: Int) throws -> Certificate {
    try Certificate(der: PeerTrustBytes.copied { unsafe peer_trust_copy(Int32(index), $0, $1) })
  }
}

/// The bytes that the C side copies out.
enum PeerTrustBytes {
  @safe static func copied(_ copy: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8] {
    // The buffer is as long as is said, and initialized as far as is counted.
    unsafe [UInt8](unsafeUninitializedCapacity: 4096) { bytes, count in
      unsafe count = copy(bytes.baseAddress, bytes.count)
    }
  }
}
