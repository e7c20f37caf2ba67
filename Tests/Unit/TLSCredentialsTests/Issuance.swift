import Foundation
import SecureMemory
import TestSupport
import VaultModel

@testable import TLSCredentials

/// Keys, certificates and files that the `openssl` program made, once for all tests.
///
/// Nothing of it is kept: a certificate in a repository expires.
final class Issuance: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let made = Result { try Issuance() }

  static var shared: Issuance { get throws { try made.get() } }

  private let folder: TemporaryFolder

  private init() throws {
    folder = try TemporaryFolder()
    try run("bash", "-euc", Self.script)
  }

  /// Runs a program in the folder of the files.
  ///
  /// - Returns: What it writes.
  @discardableResult
  func run(_ words: String...) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = URL(filePath: folder.path)
    let errors = try folder.write([], as: "errors-\(UUID().uuidString)")
    process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = Array(try output.fileHandleForReading.readToEnd() ?? Data())
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let text = String(decoding: try folder.bytes(errors), as: UTF8.self)
      throw Failure(description: "\(words.prefix(3)): \(text.suffix(2000))")
    }
    return bytes
  }

  /// Returns the text that a program writes.
  func text(_ words: String...) throws -> String {
    let script = words.map { "'\($0)'" }.joined(separator: " ")
    return String(decoding: try run("bash", "-c", script), as: UTF8.self)
  }

  func path(_ name: String) -> String { folder.file(name) }

  func bytes(_ name: String) throws -> [UInt8] { try folder.bytes(folder.file(name)) }

  func secret(_ name: String) throws -> Secret { Secret(try bytes(name)) }

  func certificate(_ name: String) throws -> Certificate {
    try Certificate(der: try bytes(name + ".cer"))
  }

  func write(_ content: [UInt8], as name: String) throws { _ = try folder.write(content, as: name) }

  /// The kinds of keys, each with a leaf of its own below the same two authorities.
  static let kinds = ["p256", "p384", "rsa", "pss", "ed25519", "ed448"]

  /// A line `file: options` for each PKCS #12 file of the P-256 identity, with the passphrase
  /// `secret`.
  static let variants: [(name: String, options: String)] = [
    ("default", ""),
    ("sha512", "-macalg sha512"),
    ("aes128", "-certpbe AES-128-CBC -keypbe AES-192-CBC"),
    ("3des", "-certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES -macalg sha1"),
    ("2des", "-certpbe PBE-SHA1-2DES -keypbe PBE-SHA1-2DES -macalg sha1"),
    ("rc2-40", "-legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES -macalg sha1"),
    ("rc2-128", "-legacy -certpbe PBE-SHA1-RC2-128 -keypbe PBE-SHA1-RC2-40 -macalg sha1"),
    ("nomac", "-nomac"),
    ("plain", "-nomac -certpbe NONE -keypbe NONE"),
  ]

  private static var script: String {
    """
    authority() { # authority NAME KEY ISSUER: with an issuer, or signed by itself
      openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out $1.key
      printf 'basicConstraints=critical,CA:true\\nkeyUsage=critical,keyCertSign,cRLSign\\n' >$1.ext
      openssl req -new -key $1.key -subj "/C=DE/O=Example/CN=$1" -out $1.csr
      if [ $# = 1 ]; then by=(-signkey $1.key); else by=(-CA $2.pem -CAkey $2.key); fi
      openssl x509 -req -in $1.csr "${by[@]}" -set_serial 1$RANDOM -days 3000 -extfile $1.ext -out $1.pem
      openssl x509 -in $1.pem -outform DER -out $1.cer
    }
    authority root
    authority middle root
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out p256.key
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out p384.key
    openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.key
    openssl genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:1024 -out pss.key
    openssl genpkey -algorithm ED25519 -out ed25519.key
    openssl genpkey -algorithm ED448 -out ed448.key
    openssl genpkey -algorithm X25519 -out x25519.key
    for kind in \(kinds.joined(separator: " ")); do
      cat >$kind.ext <<END
    basicConstraints=critical,CA:false
    keyUsage=critical,digitalSignature,keyAgreement
    extendedKeyUsage=clientAuth,serverAuth
    subjectAltName=DNS:ann.example.com,DNS:*.ann.example.com,IP:192.0.2.7,IP:2001:db8::7,email:ann@example.com,URI:spiffe://example.com/ann
    END
      sed -i 's/^ *//' $kind.ext
      openssl req -new -utf8 -key $kind.key -subj "/O=Exämple, Inc/CN=ann $kind" -out $kind.csr
      openssl x509 -req -in $kind.csr -CA middle.pem -CAkey middle.key -set_serial 0x00c0ffee01 \\
        -days 300 -extfile $kind.ext -out $kind.pem
      openssl x509 -in $kind.pem -outform DER -out $kind.cer
      openssl pkcs8 -topk8 -nocrypt -in $kind.key -outform DER -out $kind.p8
    done
    cat middle.pem root.pem >chain.pem
    for kind in \(kinds.joined(separator: " ")); do
      openssl pkcs12 -export -inkey $kind.key -in $kind.pem -certfile chain.pem -name "Ann’s $kind" \\
        -passout pass:secret -out $kind.p12
    done
    export12() { # export12 NAME PASSPHRASE OPTION...
      openssl pkcs12 -export -inkey p256.key -in p256.pem -certfile chain.pem -name "Ann’s p256" \\
        -passout "pass:$2" -out "$1.p12" "${@:3}"
    }
    \(variants.map { "export12 \($0.name) secret \($0.options)" }.joined(separator: "\n"))
    export12 empty ''
    export12 unicode 'pässwörd 😀'
    export12 unicode-3des 'pässwörd 😀' -certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES
    export12 rc4 secret -legacy -certpbe PBE-SHA1-RC4-128
    openssl pkcs12 -export -nokeys -in p256.pem -certfile chain.pem -passout pass:secret -out nokeys.p12
    openssl pkcs12 -export -nocerts -inkey p256.key -passout pass:secret -out nocerts.p12
    openssl pkcs8 -topk8 -in p256.key -passout pass:secret -out pbkdf2.key
    openssl pkcs8 -topk8 -in p256.key -passout pass:secret -scrypt -out scrypt.key
    openssl pkcs8 -topk8 -in p256.key -passout pass:secret -v1 PBE-SHA1-3DES -out pbe.key
    openssl rsa -traditional -in rsa.key -out traditional.key
    openssl rsa -traditional -in rsa.key -aes256 -passout pass:secret -out dek-aes.key
    openssl rsa -traditional -in rsa.key -des3 -passout pass:secret -out dek-3des.key
    openssl ecparam -name prime256v1 -out ec.key
    openssl ec -in p256.key >>ec.key
    openssl ec -in p256.key -no_public -outform DER -out no-public.der
    openssl pkcs8 -topk8 -nocrypt -in no-public.der -inform DER -outform DER -out no-public.p8
    openssl x509 -req -in p256.csr -CA middle.pem -CAkey middle.key -set_serial 2 -days 600 \\
      -extfile p256.ext -out renewed.pem
    openssl x509 -in renewed.pem -outform DER -out renewed.cer
    """
  }
}

extension Certificate {
  /// Whether the words of a test's error name it.
  var name: String { subject.summary }
}
