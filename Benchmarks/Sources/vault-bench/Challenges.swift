import HTTPAuthentication
import PeerDigest
import SecureMemory
import VaultModel

/// From a `WWW-Authenticate` field to an `Authorization` field, against the same with libcrypto.
///
/// Both read the field, choose, create a client nonce, hash, write the value and wipe everything
/// derived from the password.
struct Challenges {
  let report: Report

  private static let repeats = 2000
  private static let user = "user000042"
  private static let password = "pw-000042-0123456789"
  private static let target = "/team/repository?page=2"

  func run() throws {
    try answer("Basic", #"Basic realm="Team Git", charset="UTF-8""#)
    let digest = #"""
      Digest realm="Team Git", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \#
      opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop="auth", algorithm=
      """#
    try answer("Digest, MD5", digest + "MD5")
    try answer("Digest, SHA-256", digest + "SHA-256")
  }

  private func answer(_ scheme: String, _ field: String) throws {
    let request = RequestHead(url: try RequestURL("https://git.example.com" + Self.target))
    let response = ResponseHead(
      status: 401,
      fields: [
        .init("Date", "Sun, 22 Nov 2026 08:00:00 GMT"), .init("WWW-Authenticate", field),
        .init("Content-Length", "0"),
      ])
    let credential = Credential(
      user: Self.user, secret: Secret(Self.password), persistence: .none)
    let lengths = try (
      ours: Self.length(response, request, credential), peer: Self.peerLength(field)
    )
    guard lengths.ours == lengths.peer else { throw Failure("\(scheme): \(lengths)") }
    let pairs = try alternating(21) {
      try Self.pass { try Self.length(response, request, credential) == lengths.ours }
    } peer: {
      try Self.pass { try Self.peerLength(field) == lengths.peer }
    }
    report.add(
      "challenge to header, \(scheme); against the same by hand over libcrypto, in C", 1,
      pairs)
  }

  private static func pass(_ answer: () throws -> Bool) throws -> Double {
    try seconds {
      for _ in 0..<repeats where try !answer() { throw Failure("another answer") }
    } / Double(repeats)
  }

  private static func length(
    _ response: ResponseHead, _ request: RequestHead, _ credential: Credential
  ) throws -> Int {
    try ChallengeResponder(response, to: request).field(for: credential, of: request).value.count
  }

  private static func peerLength(_ field: String) throws -> Int {
    var length = 0
    // The buffer is as long as is said, and `length` outlives the call.
    let status = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { value in
      unsafe peer_answer(
        field, user, password, "GET", target, value.baseAddress, value.count, &length)
    }
    guard status == 0 else { throw Failure("the C program understands no challenge") }
    return length
  }
}
