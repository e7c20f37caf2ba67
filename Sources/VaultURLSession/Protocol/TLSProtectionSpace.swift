public import Foundation
public import FoundationNetworking
import SecureMemory
package import TLSCredentials
import VaultModel

/// The protection space of a challenge of TLS: a server to be trusted, or one that asks who one is.
// Proof: Foundation's space does not change, and what is added is constant or has a lock.
package final class TLSProtectionSpace: URLProtectionSpace, @unchecked Sendable {
  /// The certificates that the server sent, its own first; empty if it is not to be judged.
  package let chain: [Certificate]
  /// The authorities by which the transport judges servers.
  package let anchors: TrustAnchors
  /// The identities that the server accepts; nil if it asks for none.
  package let identityRequest: IdentityRequest?
  private let trust = Lock<(any Sendable)?>(nil)

  /// Creates the space of a server or proxy that has to be trusted or asks for an identity.
  init(
    _ space: ProtectionSpace, chain: [Certificate] = [], anchors: TrustAnchors = .system,
    identityRequest: IdentityRequest? = nil
  ) {
    self.chain = chain
    self.anchors = anchors
    self.identityRequest = identityRequest
    let method = FoundationNames.constant(
      for: identityRequest == nil ? .serverTrust : .clientCertificate)
    if space.isProxy {
      super.init(
        proxyHost: space.host.name, port: Int(space.port),
        type: FoundationNames.constant(for: space.protocol), realm: nil,
        authenticationMethod: method)
    } else {
      super.init(
        host: space.host.name, port: Int(space.port), protocol: space.protocol.rawValue,
        realm: nil, authenticationMethod: method)
    }
  }

  /// Returns the one object by which others know the chain, made when it is first wanted.
  ///
  /// It is always the same, because delegates set its policies and then ask for it again.
  package func trust<Trust: Sendable>(_ make: () -> Trust?) -> Trust? {
    trust.withLock { trust in
      if let made = trust as? Trust { return made }
      let made = make()
      trust = made
      return made
    }
  }
}

extension URLProtectionSpace {
  /// The names of the authorities whose certificates a server accepts, encoded by DER; nil if it
  /// asks for no certificate, and empty for any.
  ///
  /// On Apple's systems this is `distinguishedNames`, which is always nil on Linux and cannot be
  /// replaced.
  public var acceptableIssuers: [Data]? {
    (self as? TLSProtectionSpace)?.identityRequest?.acceptableIssuers.map { Data($0.der) }
  }
}
