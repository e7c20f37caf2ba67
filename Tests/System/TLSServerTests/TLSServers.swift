import Foundation
import ProgramTesting
import SecureMemory
import TLSCredentials
import Testing
import VaultModel

/// Apaches that ask for certificates, and identities that `openssl` made for them.
struct TLSServers: Sendable {
  let sandbox: Sandbox
  /// It requires a certificate of the root, and redirects `/away`.
  let strict: HTTPServer
  /// It takes a certificate of the root, or none.
  let open: HTTPServer
  /// It takes a certificate of another root, or none.
  let foreign: HTTPServer

  static let kinds = ["rsa", "p256", "ed25519"]

  init() throws {
    let sandbox = try Sandbox()
    func make(_ words: String...) throws {
      let result = try sandbox.run(words)
      guard result.status == 0 else { throw Failure(description: result.errors) }
    }
    let folder = sandbox.folder.path
    try make("bash", "-euc", Self.script, folder)
    func serve(
      _ name: String, _ verify: String, _ root: String, _ elsewhere: Int
    ) throws
      -> HTTPServer
    {
      try make("mkdir", "-p", "\(folder)/\(name)/pages")
      try make("sh", "-c", "echo a page >\"$0/page\"", "\(folder)/\(name)/pages")
      try make("cp", "\(folder)/server.pem", "\(folder)/server.key", "\(folder)/\(name)/")
      return try HTTPServer(
        "identities", in: sandbox, name: name,
        values: [
          "AUTHORITIES": "\(folder)/\(root).pem", "VERIFY": verify,
          "ELSEWHERE": "https://127.0.0.1:\(elsewhere)",
        ], users: [:])
    }
    open = try serve("open", "optional", "root", 1)
    foreign = try serve("foreign", "optional", "other", 1)
    strict = try serve("strict", "require", "root", open.port)
    self.sandbox = sandbox
    // Before anything loads SoftHSM, which reads it once; setenv copies both strings.
    unsafe setenv("SOFTHSM2_CONF", tokens, 1)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The file of the root of the servers' own certificates.
  var anchors: String { sandbox.folder.appending(path: "root.pem").path }

  /// The configuration of SoftHSM, whose token `servers` has the keys `rsa` and `p256`.
  var tokens: String { sandbox.folder.appending(path: "softhsm2.conf").path }

  func path(_ name: String) -> String { sandbox.folder.appending(path: name).path }

  /// Returns the certificate of a kind of key, and its authority's.
  func certificates(_ kind: String) throws -> [Certificate] {
    try [kind, "middle"].flatMap { name in
      try Certificate.all(
        in: Array(Data(contentsOf: sandbox.folder.appending(path: name + ".pem"))))
    }
  }

  func identity(_ kind: String) throws -> Identity {
    let file = try Data(contentsOf: sandbox.folder.appending(path: kind + ".p12"))
    return try IdentityFile(Secret(copying: Array(file).span), passphrase: Secret("secret"))
      .identities[0]
  }

  func url(_ server: HTTPServer, _ path: String) -> String {
    "https://127.0.0.1:\(server.port)\(path)"
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
    leaf() { # leaf NAME ISSUER PURPOSE OPTION...
      openssl genpkey "${@:4}" -out $1.key
      printf 'keyUsage=critical,digitalSignature\\nextendedKeyUsage=%s\\nsubjectAltName=IP:127.0.0.1\\n' $3 >$1.ext
      openssl req -new -key $1.key -subj "/CN=$1" -out $1.csr
      openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -set_serial 2$RANDOM -days 30 -extfile $1.ext -out $1.pem
    }
    authority root
    authority other
    authority middle root
    leaf server root serverAuth -algorithm EC -pkeyopt ec_paramgen_curve:P-256
    leaf rsa middle clientAuth -algorithm RSA -pkeyopt rsa_keygen_bits:2048
    leaf p256 middle clientAuth -algorithm EC -pkeyopt ec_paramgen_curve:P-256
    leaf ed25519 middle clientAuth -algorithm ED25519
    for kind in \(kinds.joined(separator: " ")); do
      openssl pkcs12 -export -inkey $kind.key -in $kind.pem -certfile middle.pem -name $kind \\
        -passout pass:secret -out $kind.p12
    done
    chmod a+r *.pem server.key
    mkdir tokens
    printf 'directories.tokendir = %s/tokens\\nlog.level = ERROR\\n' "$PWD" >softhsm2.conf
    export SOFTHSM2_CONF=$PWD/softhsm2.conf
    softhsm2-util --init-token --free --label servers --pin 1234 --so-pin 5678
    softhsm2-util --import rsa.key --token servers --label rsa --id 01 --pin 1234
    softhsm2-util --import p256.key --token servers --label p256 --id 02 --pin 1234
    """

  @TaskLocal private static var running: TLSServers?

  /// The servers of the running suite.
  static var shared: TLSServers { get throws { try #require(running) } }

  /// Starts them before a suite, and ends them after it.
  struct Scope: SuiteTrait, TestScoping {
    func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await TLSServers.$running.withValue(TLSServers()) { try await function() }
    }
  }
}
