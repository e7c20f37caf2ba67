import AttackSupport
import Foundation
import ProgramTesting

/// Certificates and a file that `openssl` makes: a root, and a leaf for `www.example.com` and for
/// clients, which the file has with its key and the name `a name`.
struct TLSWorld: Sendable {
  static let made = Result { try TLSWorld() }

  static let host = "www.example.com"
  static let passphrase = "secret"

  /// DER.
  let root: [UInt8]
  let leaf: [UInt8]
  /// An authority below the root, which demands a policy and excludes `bar.example.com`.
  let strict: [UInt8]
  /// Leaves of that authority: without a policy, for `*.example.com`; and one of the root's for
  /// `*.co.uk`.
  let plain: [UInt8]
  let covering: [UInt8]
  let registry: [UInt8]
  /// PKCS #12.
  let file: [UInt8]

  private init() throws {
    let sandbox = try Sandbox()
    let folder = sandbox.folder
    let result = try sandbox.run("bash", "-euc", Self.script, folder.path)
    guard result.status == 0 else { throw Failure(description: result.errors) }
    func bytes(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: folder.appending(path: name)))
    }
    (root, leaf, file) = (try bytes("root.cer"), try bytes("leaf.cer"), try bytes("leaf.p12"))
    (strict, plain) = (try bytes("strict.cer"), try bytes("plain.cer"))
    (covering, registry) = (try bytes("covering.cer"), try bytes("registry.cer"))
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let script = """
    cd "$0"
    K='-newkey ec -nodes -pkeyopt ec_paramgen_curve:P-256'
    openssl req -x509 $K -keyout root.key -out root.pem -days 30 -subj /CN=root \\
      -addext keyUsage=critical,keyCertSign
    openssl req $K -keyout leaf.key -out leaf.csr -subj /CN=leaf
    printf 'subjectAltName=DNS:\(host)\\nextendedKeyUsage=serverAuth,clientAuth\\n' >leaf.ext
    openssl x509 -req -in leaf.csr -CA root.pem -CAkey root.key -set_serial 7 -days 20 \\
      -extfile leaf.ext -out leaf.pem
    for name in strict plain covering registry; do
      openssl req $K -keyout $name.key -out $name.csr -subj /CN=$name
    done
    POLICY=certificatePolicies=2.16.840.1.101.3.2.1
    printf 'basicConstraints=critical,CA:true\\nkeyUsage=critical,keyCertSign\\n%s\\n' $POLICY >strict.ext
    printf 'policyConstraints=critical,requireExplicitPolicy:0\\n' >>strict.ext
    printf 'nameConstraints=critical,excluded;DNS:bar.example.com\\n' >>strict.ext
    printf 'subjectAltName=DNS:\(host)\\n' >plain.ext
    printf 'subjectAltName=DNS:*.example.com\\n%s\\n' $POLICY >covering.ext
    printf 'subjectAltName=DNS:*.co.uk\\n' >registry.ext
    for name in strict registry; do
      openssl x509 -req -in $name.csr -CA root.pem -CAkey root.key -set_serial 8 -days 20 \\
        -extfile $name.ext -out $name.pem
    done
    for name in plain covering; do
      openssl x509 -req -in $name.csr -CA strict.pem -CAkey strict.key -set_serial 9 -days 20 \\
        -extfile $name.ext -out $name.pem
    done
    for name in root leaf strict plain covering registry; do
      openssl x509 -in $name.pem -outform DER -out $name.cer
    done
    openssl pkcs12 -export -inkey leaf.key -in leaf.pem -passout pass:\(passphrase) \\
      -name 'a name' -out leaf.p12
    """
}
