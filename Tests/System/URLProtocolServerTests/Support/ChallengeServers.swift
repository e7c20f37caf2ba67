import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import ProgramTesting
import SecureMemory
import TLSCredentials
import Testing
import VaultModel
import VaultTransport
import VaultURLSession

/// Apaches with TLS, of an authority that only these tests trust.
struct ChallengeServers: Sendable {
  let sandbox: Sandbox
  /// It asks nobody for a certificate.
  let plain: HTTPServer
  /// Its certificate is self-signed.
  let selfSigned: HTTPServer
  /// It requires a certificate of the root.
  let strict: HTTPServer

  init() throws {
    let sandbox = try Sandbox()
    let folder = sandbox.folder
    let made = try sandbox.run(["bash", "-euc", Self.script, folder.path])
    guard made.status == 0 else { throw Failure(description: made.errors) }
    func serve(_ name: String, _ certificate: String, _ verify: String) throws -> HTTPServer {
      let root = folder.appending(path: name)
      let pages = root.appending(path: "pages")
      try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
      try Data("a page\n".utf8).write(to: pages.appending(path: "page"))
      for kind in ["pem", "key"] {
        try FileManager.default.copyItem(
          at: folder.appending(path: "\(certificate).\(kind)"),
          to: root.appending(path: "server.\(kind)"))
      }
      return try HTTPServer(
        "identities", in: sandbox, name: name,
        values: [
          "AUTHORITIES": folder.appending(path: "root.pem").path, "VERIFY": verify,
          "ELSEWHERE": "https://127.0.0.1:1",
        ], users: [:])
    }
    plain = try serve("plain", "server", "none")
    selfSigned = try serve("alone", "selfsigned", "none")
    strict = try serve("strict", "server", "require")
    self.sandbox = sandbox
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns the encoding of a certificate by DER.
  func certificate(_ name: String) throws -> Data {
    let file = try Data(contentsOf: sandbox.folder.appending(path: name + ".pem"))
    return Data(try #require(Certificate.all(in: Array(file)).first).der)
  }

  func identityFile() throws -> Data {
    try Data(contentsOf: sandbox.folder.appending(path: "ann.p12"))
  }

  func url(_ server: HTTPServer, _ path: String = "/page/") throws -> URL {
    try #require(URL(string: "https://127.0.0.1:\(server.port)\(path)"))
  }

  /// Returns a session of a transport that trusts the tests' authority, or the system's only.
  func session(
    _ delegate: (any URLSessionDelegate)?, vault: Vault = .inMemory(), trustsRoot: Bool = true
  ) throws -> URLSession {
    var settings = Transport.Configuration()
    settings.proxy = .none
    if trustsRoot {
      let root = try Certificate(der: Array(certificate("root")))
      settings.trustPolicy = TrustPolicy(anchors: TrustAnchors([root]))
    }
    // The class knows the transport; the test's own session takes it at its first task.
    ChallengedProtocol.use(try Transport(vault: vault, configuration: settings))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ChallengedProtocol.self]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  private static let script = """
    cd "$0"
    authority() { # authority NAME [ISSUER]
      openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out $1.key
      printf 'basicConstraints=critical,CA:true\\nkeyUsage=critical,keyCertSign,cRLSign\\n' >$1.ext
      openssl req -new -key $1.key -subj "/CN=$1" -out $1.csr
      if [ $# = 1 ]; then by=(-signkey $1.key); else by=(-CA $2.pem -CAkey $2.key); fi
      openssl x509 -req -in $1.csr "${by[@]}" -set_serial 1$RANDOM -days 30 -extfile $1.ext -out $1.pem
    }
    leaf() { # leaf NAME ISSUER PURPOSE
      openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out $1.key
      printf 'keyUsage=critical,digitalSignature\\nextendedKeyUsage=%s\\nsubjectAltName=IP:127.0.0.1\\n' $3 >$1.ext
      openssl req -new -key $1.key -subj "/CN=$1" -out $1.csr
      if [ $2 = itself ]; then by=(-signkey $1.key); else by=(-CA $2.pem -CAkey $2.key); fi
      openssl x509 -req -in $1.csr "${by[@]}" -set_serial 2$RANDOM -days 30 -extfile $1.ext -out $1.pem
    }
    authority root
    authority other
    authority middle root
    leaf server root serverAuth
    leaf selfsigned itself serverAuth
    leaf ann middle clientAuth
    openssl pkcs12 -export -inkey ann.key -in ann.pem -certfile middle.pem -name ann \\
      -passout pass:secret -out ann.p12
    chmod a+r *.pem *.key
    """

  @TaskLocal private static var running: ChallengeServers?

  /// The servers of the running suite.
  static var shared: ChallengeServers { get throws { try #require(running) } }

  /// Starts them before a suite, and ends them after it.
  struct Scope: SuiteTrait, TestScoping {
    func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await ChallengeServers.$running.withValue(ChallengeServers()) { try await function() }
    }
  }
}

/// A protocol whose transport is that of the last session; its tests run one at a time.
final class ChallengedProtocol: VaultURLProtocol {
  private static let current = Lock<Transport?>(nil)

  override class var transport: Transport? { current.withLock(\.self) }

  static func use(_ transport: Transport) { current.withLock { $0 = transport } }
}
