import CredentialVault
import Foundation
import FoundationNetworking
import ProgramTesting
import SecureMemory
import TLSCredentials
import TestTraits
import Testing
import URLSessionSecurity
import VaultModel

/// Challenges of TLS, which Foundation on Linux never puts, in code for Apple's systems.
@Suite("Challenges of TLS", .waiting, .serialized, ChallengeServers.Scope())
struct PinningTests {
  let servers: ChallengeServers

  init() throws { servers = try ChallengeServers.shared }

  /// The status of a page, or the code of the error.
  private func get(
    _ server: HTTPServer, _ delegate: (any URLSessionDelegate)?, vault: Vault = .inMemory(),
    trustsRoot: Bool = true, path: String = "/page/"
  ) async throws -> Int {
    let session = try servers.session(delegate, vault: vault, trustsRoot: trustsRoot)
    do {
      let (_, response) = try await session.data(from: servers.url(server, path))
      return (response as? HTTPURLResponse)?.statusCode ?? 0
    } catch let error as URLError {
      return error.code.rawValue
    }
  }

  private func pin(_ name: String) throws -> SecCertificate {
    try #require(SecCertificateCreateWithData(nil, servers.certificate(name) as CFData))
  }

  private let cancelled = URLError.Code.cancelled.rawValue
  private let untrusted = URLError.Code.serverCertificateUntrusted.rawValue

  @Test("a policy like AFNetworking's lets the right certificate in, and no other")
  func afNetworking() async throws {
    let right = try servers.certificate("root")
    let wrong = try servers.certificate("other")
    let leaf = try servers.certificate("selfsigned")
    func get(_ server: HTTPServer, _ policy: AFNetworkingLikeDelegate) async throws -> Int {
      try await self.get(server, policy)
    }
    #expect(try await get(servers.plain, .init(.certificate, [right])) == 200)
    #expect(try await get(servers.plain, .init(.certificate, [right, wrong])) == 200)
    #expect(try await get(servers.plain, .init(.certificate, [wrong])) == cancelled)
    #expect(try await get(servers.plain, .init(.certificate)) == cancelled)
    #expect(try await get(servers.plain, .init(.none)) == 200)
    #expect(try await get(servers.selfSigned, .init(.none)) == cancelled)
    #expect(
      try await get(servers.selfSigned, .init(.none, allowInvalidCertificates: true)) == cancelled)
    #expect(
      try await get(
        servers.selfSigned,
        .init(.none, allowInvalidCertificates: true, validatesDomainName: false)) == 200)
    #expect(
      try await get(
        servers.selfSigned, .init(.certificate, [leaf], allowInvalidCertificates: true)) == 200)
    #expect(
      try await get(
        servers.selfSigned, .init(.certificate, [wrong], allowInvalidCertificates: true))
        == cancelled)
  }

  @Test("a manager like Alamofire's evaluates each host, and shows why it refused")
  func alamofire() async throws {
    func delegate(
      _ evaluator: any ServerTrustEvaluating, host: String = "127.0.0.1", all: Bool = true
    ) -> AlamofireLikeDelegate {
      AlamofireLikeDelegate(allHostsMustBeEvaluated: all, [host: evaluator])
    }
    let right = delegate(PinnedCertificatesTrustEvaluator(certificates: [try pin("server")]))
    #expect(try await get(servers.plain, right) == 200)
    let wrong = delegate(PinnedCertificatesTrustEvaluator(certificates: [try pin("other")]))
    #expect(try await get(servers.plain, wrong) == cancelled)
    guard case ServerTrustFailure.certificatePinningFailed? = wrong.error as? ServerTrustFailure
    else {
      Issue.record("\(String(describing: wrong.error))")
      return
    }
    #expect(try await get(servers.plain, delegate(DefaultTrustEvaluator())) == 200)
    #expect(try await get(servers.selfSigned, delegate(DefaultTrustEvaluator())) == cancelled)
    let own = PinnedCertificatesTrustEvaluator(
      certificates: [try pin("selfsigned")], acceptSelfSignedCertificates: true)
    #expect(try await get(servers.selfSigned, delegate(own)) == 200)
    #expect(
      try await get(servers.plain, delegate(DefaultTrustEvaluator(), host: "elsewhere"))
        == cancelled)
    #expect(
      try await get(servers.plain, delegate(DefaultTrustEvaluator(), host: "elsewhere", all: false))
        == 200)
  }

  @Test("pins of public keys let in whoever has the key, and a key of any certificate of the path")
  func publicKeys() async throws {
    let cases: [(server: HTTPServer, pins: [String], failure: ServerTrustFailure?)] = [
      (servers.plain, ["server"], nil), (servers.plain, ["other", "root"], nil),
      (servers.plain, ["other"], .publicKeyPinningFailed), (servers.plain, [], .noPublicKeysFound),
      (servers.selfSigned, ["selfsigned"], .evaluationFailed),
    ]
    for (server, pins, failure) in cases {
      let keys = try pins.map { try #require(publicKey(of: pin($0))) }
      let delegate = AlamofireLikeDelegate(["127.0.0.1": PublicKeysTrustEvaluator(keys: keys)])
      #expect(try await get(server, delegate) == (failure == nil ? 200 : cancelled), "\(pins)")
      #expect(delegate.error as? ServerTrustFailure == failure, "\(pins)")
    }
  }

  @Test("a person accepts a self-signed server, by the handler or by the sender")
  func accepted() async throws {
    for isBySender in [false, true] {
      let delegate = DecidingDelegate { challenge in
        guard let trust = challenge.protectionSpace.serverTrust else { return nil }
        // Always the same object, so that what is set stays set.
        precondition(trust === challenge.protectionSpace.serverTrust)
        precondition(!SecTrustEvaluateWithError(trust, nil))
        let credential = URLCredential(trust: trust)
        guard isBySender else { return (.useCredential, credential) }
        challenge.sender?.use(credential, for: challenge)
        return nil
      }
      #expect(try await get(servers.selfSigned, delegate) == 200)
      #expect(delegate.asked == [NSURLAuthenticationMethodServerTrust])
    }
  }

  @Test("each disposition does what it says, and default handling is the transport's")
  func dispositions() async throws {
    func answer(
      _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential? = nil
    ) -> DecidingDelegate {
      DecidingDelegate { _ in (disposition, credential) }
    }
    #expect(try await get(servers.plain, answer(.performDefaultHandling)) == 200)
    #expect(
      try await get(servers.plain, answer(.performDefaultHandling), trustsRoot: false)
        == untrusted)
    #expect(try await get(servers.plain, answer(.rejectProtectionSpace)) == untrusted)
    #expect(try await get(servers.plain, answer(.cancelAuthenticationChallenge)) == cancelled)
    // A credential of another kind says nothing about the server.
    let password = URLCredential(user: "ann", password: "secret", persistence: .none)
    #expect(try await get(servers.plain, answer(.useCredential, password)) == untrusted)
    #expect(try await get(servers.plain, answer(.useCredential)) == untrusted)
    // Without a delegate the transport decides.
    #expect(try await get(servers.plain, nil) == 200)
    #expect(try await get(servers.selfSigned, nil) == untrusted)
  }

  @Test("a server that asks gets the identity of the delegate, or the vault's by default handling")
  func identity() async throws {
    var items: CFArray?
    let status = unsafe SecPKCS12Import(
      try servers.identityFile() as CFData,
      [kSecImportExportPassphrase as String: "secret"] as CFDictionary, &items)
    try #require(status == errSecSuccess)
    let item = try #require((items as? [[String: Any]])?.first)
    let identity = try #require(item[kSecImportItemIdentity as String] as? SecIdentity)
    let chain = item[kSecImportItemCertChain as String] as? [SecCertificate]
    let own = URLCredential(identity: identity, certificates: chain, persistence: .forSession)
    #expect(own.identity === identity && own.certificates.count == chain?.count)
    #expect(own.user == nil && own.password == nil && !own.hasPassword)
    let issuers = Lock<[Data]?>(nil)
    func delegate(
      _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
    ) -> DecidingDelegate {
      DecidingDelegate { challenge in
        let space = challenge.protectionSpace
        guard space.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
          return (.performDefaultHandling, nil)
        }
        issuers.withLock { $0 = space.acceptableIssuers }
        return (disposition, credential)
      }
    }
    let asked = delegate(.useCredential, own)
    #expect(try await get(servers.strict, asked, path: "/delegate/") == 200)
    #expect(asked.asked.contains(NSURLAuthenticationMethodClientCertificate))
    let root = try Certificate(der: Array(servers.certificate("root")))
    #expect(issuers.withLock(\.self) == [Data(root.subject.der)])
    let vault = Vault.inMemory()
    let byDefault = delegate(.performDefaultHandling, nil)
    let required = URLError.Code.clientCertificateRequired.rawValue
    #expect(try await get(servers.strict, byDefault, vault: vault, path: "/none/") == required)
    let file = IdentityFileOf(try servers.identityFile())
    try vault.identities.add(
      file.identity(),
      for: ProtectionSpace(url: servers.url(servers.strict).absoluteString), persistence: .session)
    #expect(try await get(servers.strict, byDefault, vault: vault, path: "/vault/") == 200)
    #expect(
      try await get(servers.strict, delegate(.cancelAuthenticationChallenge, nil), vault: vault)
        == cancelled)
    #expect(
      try await get(
        servers.strict, delegate(.rejectProtectionSpace, nil), vault: vault, path: "/none/")
        == required)
    let log = try servers.strict.requests(2).filter { $0.hasSuffix("200") }
    #expect(log.map { String($0.prefix { $0 != " " }) } == ["ann", "ann"])
  }

  @Test("the method for one task is asked before that of the session")
  func order() async throws {
    // The task's method refuses; the session's would trust.
    let delegate = AlamofireLikeDelegate([:])
    #expect(try await get(servers.plain, delegate) == cancelled)
    // It has no task's method.
    #expect(try await get(servers.plain, AFNetworkingLikeDelegate(.none)) == 200)
  }
}

/// The identity of a file of PKCS #12, in the vault's words.
private struct IdentityFileOf {
  let file: Data

  init(_ file: Data) {
    self.file = file
  }

  func identity() throws -> Identity {
    try IdentityFile(Secret(copying: Array(file).span), passphrase: Secret("secret")).identities[0]
  }
}
