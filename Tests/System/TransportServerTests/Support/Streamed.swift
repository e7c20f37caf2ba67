import CTLSClient
import CVault
import CredentialVault

@testable import VaultC

/// What a stream of `CFHTTPStream.h` gave to a program in C.
struct Streamed {
  let status: Int
  let state: Int
  let error: [Int]
  let count: Int
  let body: String
  let path: String
  let requests: Int
  let method: String

  /// Requests a URL by streams.
  init(
    _ url: String, user: String? = nil, password: String? = nil, follows: Bool = false,
    body: String? = nil, isStreamed: Bool = false, vault: Vault? = nil, most: Int = 0
  ) {
    // A handle of the C library, whose owner is this function; the vault stays open.
    let handle = unsafe vault.flatMap { unsafe VaultHandle($0).givenOut() }
    defer { unsafe VaultCFRelease(UnsafeRawPointer(handle)) }
    // The texts are C strings for the call.
    var reply = unsafe stream_get(
      url, user, password, follows ? 1 : 0, body, isStreamed ? 1 : 0, UnsafeRawPointer(handle),
      most)
    status = Int(reply.status)
    state = Int(reply.state)
    error = [Int(reply.domain), Int(reply.error)]
    count = Int(reply.count)
    requests = Int(reply.requests)
    // All are C strings within the reply.
    self.body = unsafe withUnsafeBytes(of: &reply.body) { unsafe Self.text($0) }
    path = unsafe withUnsafeBytes(of: &reply.url) { unsafe Self.text($0) }
    method = unsafe withUnsafeBytes(of: &reply.method) { unsafe Self.text($0) }
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  // Apple's numbers of the states.
  static let (atEnd, closed, failed) = (5, 6, 7)
}
