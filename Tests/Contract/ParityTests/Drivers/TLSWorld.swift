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
    for name in root leaf; do openssl x509 -in $name.pem -outform DER -out $name.cer; done
    openssl pkcs12 -export -inkey leaf.key -in leaf.pem -passout pass:\(passphrase) \\
      -name 'a name' -out leaf.p12
    """
}
