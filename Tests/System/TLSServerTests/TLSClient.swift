import CTLSClient
import CVault
import SecureMemory
import TLSCredentials
import VaultModel

@testable import VaultC

/// A vault with identities, and clients in C that present them.
///
/// Safe: the pointers are this object's own, used by one test, and freed in its `deinit`.
@safe final class TLSClient {
  enum Library: CaseIterable, Sendable { case libcurl, transport, openssl }

  struct Reply {
    let status: Int
    let vault: vault_status_t
    let connections: Int
    let location: String
    let error: String

    init(_ reply: tls_reply_t) {
      var reply = reply
      status = Int(reply.status)
      vault = vault_status_t(UInt32(bitPattern: reply.vault_status))
      connections = Int(reply.connections)
      // Both are C strings within the reply.
      location = unsafe withUnsafeBytes(of: &reply.location) { unsafe Self.text($0) }
      error = unsafe withUnsafeBytes(of: &reply.error) { unsafe Self.text($0) }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  let servers: TLSServers
  let vault: Vault
  private let handle: OpaquePointer?
  private let curl: UnsafeMutableRawPointer?

  init() throws {
    servers = try TLSServers.shared
    vault = Vault.inMemory()
    // A handle of the C library, ended in `deinit`.
    unsafe handle = VaultHandle(vault).givenOut()
    unsafe curl = tls_curl_create(servers.anchors)
  }

  deinit {
    // As above; nobody else has them.
    unsafe tls_curl_free(curl)
    _ = unsafe vault_close(handle)
  }

  @discardableResult
  func add(_ kind: String, for url: String?) throws -> StoredIdentity {
    try vault.identities.add(
      servers.identity(kind), for: url.map { (url) throws in try ProtectionSpace(url: url) },
      persistence: .session
    ).identity
  }

  /// Adds an identity whose key is in the token.
  func addReference(_ kind: String, to object: String, for url: String) throws {
    let key = try KeyReference(
      uri: "pkcs11:token=servers;object=\(object);type=private", pin: Secret("1234"))
    try vault.identities.add(
      servers.certificates(kind), key: key, for: ProtectionSpace(url: url), persistence: .session)
  }

  /// Sends a request; with libcurl all of them by one handle.
  func get(_ url: String, by library: Library, version: Int = 13) throws -> Reply {
    let reference = try URLReference(url)
    let authority = "\(reference.host.urlText):\(reference.port ?? 443)"
    // The texts are C strings for the call, and the handles this object's own.
    return switch library {
    case .libcurl:
      unsafe Reply(tls_curl_get(curl, UnsafeRawPointer(handle), url, Int32(version)))
    case .transport:
      unsafe Reply(
        tls_transport_get(servers.anchors, UnsafeRawPointer(handle), url, Int32(version), 0))
    case .openssl:
      unsafe Reply(
        tls_openssl_get(
          servers.anchors, UnsafeRawPointer(handle), url, authority, "/" + reference.path,
          Int32(version)))
    }
  }

  /// Sends a request, and follows its redirects.
  func follow(_ url: String) -> Reply {
    // As above.
    unsafe Reply(tls_transport_get(servers.anchors, UnsafeRawPointer(handle), url, 13, 5))
  }
}
