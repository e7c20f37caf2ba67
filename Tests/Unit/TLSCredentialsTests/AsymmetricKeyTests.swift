import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import TLSCredentials

/// Keys as objects, against what `openssl` makes, signs and encrypts.
@Suite("AsymmetricKey")
struct AsymmetricKeyTests {
  private static let made = Result { try Made() }

  /// Keys in the forms of Apple's, and what `openssl` does with them.
  private struct Made {
    let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      try Self.run(
        """
        printf 'a message' >message; openssl dgst -sha256 -binary message >hash
        openssl genrsa -out rsa.key 2048
        for curve in 256 384 521; do
          openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-$curve -out ec$curve.key
        done
        openssl genpkey -algorithm ED25519 -out ed25519.key
        for name in rsa ec256 ec384 ec521 ed25519; do
          openssl pkcs8 -topk8 -nocrypt -in $name.key -outform DER -out $name.pkcs8
          openssl pkey -in $name.key -pubout -outform DER -out $name.spki
          openssl pkey -in $name.key -pubout -out $name.pub
        done
        openssl rsa -in rsa.key -RSAPublicKey_out -outform DER -out rsa.pkcs1
        openssl dgst -sha256 -sign rsa.key -out rsa.pkcs1.sig message
        openssl dgst -sha256 -sign rsa.key -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 \\
          -out rsa.pss.sig message
        openssl dgst -sha256 -sign ec256.key -out ec256.sig message
        openssl pkeyutl -sign -rawin -inkey ed25519.key -in message -out ed25519.sig
        openssl pkeyutl -encrypt -pubin -inkey rsa.pub -in message -out rsa.oaep \\
          -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256
        openssl pkeyutl -encrypt -pubin -inkey rsa.pub -in message -out rsa.pkcs1.enc
        """, in: folder)
    }

    static func run(_ script: String, in folder: TemporaryFolder) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.currentDirectoryURL = URL(filePath: folder.path)
      process.arguments = ["-ec", script]
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
    }
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    let folder = try Self.made.get().folder
    return try folder.bytes(folder.file(name))
  }

  /// Returns a private key, as an identity has it.
  private func key(_ name: String) throws -> AsymmetricKey {
    try AsymmetricKey(PrivateKey(pkcs8: Secret(bytes("\(name).pkcs8"))))
  }

  static let names = ["rsa", "ec256", "ec384", "ec521", "ed25519"]

  @Test("a key reads back as it was written, private and public", arguments: names)
  func external(_ name: String) throws {
    let key = try key(name)
    let again = try AsymmetricKey(reading: key.external(), key.kind, isPrivate: true)
    #expect(again == key && again.hashValue == key.hashValue)
    #expect(try again.external().isEqual(to: key.external()))
    let publicKey = try key.publicKey
    #expect(publicKey != key && !publicKey.isPrivate)
    let bits = try publicKey.external()
    #expect(try AsymmetricKey(reading: bits, key.kind, isPrivate: false) == publicKey)
    #expect(try publicKey.publicKeyInfo == bytes("\(name).spki"))
    // What each has of another kind, class or length is no key.
    for kind in [AsymmetricKey.Kind.rsa, .ec, .ed25519] where kind != key.kind {
      for isPrivate in [true, false] {
        #expect(throws: VaultError(.invalidData, "")) {
          _ = try AsymmetricKey(reading: bits, kind, isPrivate: isPrivate)
        }
      }
    }
    if key.kind != .ed25519 {
      #expect(throws: VaultError(.invalidData, "")) {
        _ = try AsymmetricKey(reading: bits, key.kind, isPrivate: true)
      }
    }
    for count in [0, 1, bits.count - 1] {
      #expect(throws: VaultError(.invalidData, "")) {
        _ = try AsymmetricKey(reading: bits.prefix(count), key.kind, isPrivate: false)
      }
    }
  }

  @Test("RSA is PKCS #1, which openssl writes, and a key with its algorithm is read, too")
  func pkcs1() throws {
    let key = try key("rsa").publicKey
    #expect(try key.external().array == bytes("rsa.pkcs1"))
    #expect(
      try AsymmetricKey(reading: Secret(bytes("rsa.spki")), .rsa, isPrivate: false) == key)
    #expect(key.bits == 2048 && key.blockCount == 256)
  }

  @Test("a private number and a point that do not belong together are no key")
  func inconsistent() throws {
    let key = try key("ec256")
    #expect(key.blockCount == 32 && key.publicBits.count == 65)
    var bytes = try key.external().array
    bytes[96] ^= 1
    #expect(throws: VaultError(.invalidData, "")) {
      _ = try AsymmetricKey(reading: Secret(bytes), .ec, isPrivate: true)
    }
    // A point that is not on the curve.
    var point = key.publicBits
    point[64] ^= 1
    #expect(throws: VaultError(.invalidData, "")) {
      _ = try AsymmetricKey(reading: Secret(point), .ec, isPrivate: false)
    }
  }

  @Test("what openssl signs is verified, and nothing else is")
  func verifying() throws {
    let (message, hash) = (try bytes("message"), try bytes("hash"))
    let cases: [(String, String, SignatureScheme, [UInt8])] = [
      ("rsa", "rsa.pkcs1.sig", .rsaPKCS1(.sha256), hash),
      ("rsa", "rsa.pss.sig", .rsaPSS(.sha256), hash),
      ("ec256", "ec256.sig", .ecdsa(isDER: true), hash),
      ("ed25519", "ed25519.sig", .ed25519, message),
    ]
    for (name, file, scheme, input) in cases {
      let key = try key(name).publicKey
      let signature = try bytes(file)
      #expect(try key.verify(signature, of: input, scheme))
      var other = input
      other[3] ^= 1
      #expect(try !key.verify(signature, of: other, scheme))
      #expect(try !key.verify(Array(signature.dropLast()), of: input, scheme))
      #expect(try !key.verify([], of: input, scheme))
      for scheme in [SignatureScheme.rsaPSS(.sha256), .ecdsa(isDER: true), .ed25519]
      where scheme.kind != key.kind {
        #expect(throws: VaultError(.invalidArgument, "")) {
          _ = try key.verify(signature, of: input, scheme)
        }
      }
      // Only a private key signs.
      #expect(throws: VaultError(.invalidArgument, "")) { _ = try key.sign(input, scheme) }
    }
  }

  @Test("what a key signs, openssl verifies")
  func signing() throws {
    let folder = try Self.made.get().folder
    let (message, hash) = (try bytes("message"), try bytes("hash"))
    func check(_ signature: [UInt8], _ command: String) throws {
      try Data(signature).write(to: URL(filePath: folder.file("own.sig")))
      try Made.run(command, in: folder)
    }
    try check(
      key("rsa").sign(hash, .rsaPKCS1(.sha256)),
      "openssl dgst -sha256 -verify rsa.pub -signature own.sig message")
    try check(
      key("rsa").sign(hash, .rsaPSS(.sha256)),
      "openssl dgst -sha256 -verify rsa.pub -sigopt rsa_padding_mode:pss"
        + " -sigopt rsa_pss_saltlen:32 -signature own.sig message")
    for curve in ["ec256", "ec384", "ec521"] {
      try check(
        key(curve).sign(hash, .ecdsa(isDER: true)),
        "openssl dgst -sha256 -verify \(curve).pub -signature own.sig message")
    }
    try check(
      key("ed25519").sign(message, .ed25519),
      "openssl pkeyutl -verify -rawin -pubin -inkey ed25519.pub -in message -sigfile own.sig")
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try key("rsa").sign(Array(hash.dropLast()), .rsaPKCS1(.sha256))
    }
  }

  @Test(
    "the two numbers of a signature have the curve's length, whatever zeros they begin with",
    arguments: ["ec256", "ec521"])
  func halves(_ name: String) throws {
    let key = try key(name)
    // One of 256 numbers is shorter, and half of them have the sign's bit.
    for number in 0..<300 {
      let hash = Array(repeating: UInt8(number & 0xFF), count: 32)
      let signature = try key.sign(hash, .ecdsa(isDER: false))
      #expect(signature.count == 2 * key.blockCount)
      #expect(try key.publicKey.verify(signature, of: hash, .ecdsa(isDER: false)))
    }
    #expect(try !key.publicKey.verify([1], of: [1], .ecdsa(isDER: false)))
    let zeros = [UInt8](repeating: 0, count: 2 * key.blockCount)
    #expect(try !key.publicKey.verify(zeros, of: [1], .ecdsa(isDER: false)))
  }

  @Test("what openssl encrypts is decrypted, and the reverse")
  func encryption() throws {
    let key = try key("rsa")
    let message = try bytes("message")
    #expect(try key.decrypt(bytes("rsa.oaep"), .rsaOAEP(.sha256)).array == message)
    #expect(try key.decrypt(bytes("rsa.pkcs1.enc"), .rsaPKCS1).array == message)
    for scheme in [EncryptionScheme.rsaOAEP(.sha1), .rsaOAEP(.sha512), .rsaPKCS1] {
      let most = key.blockCount - scheme.overhead
      let longest = Secret([UInt8](repeating: 9, count: most))
      let encrypted = try key.publicKey.encrypt(longest, scheme)
      #expect(try key.decrypt(encrypted, scheme).isEqual(to: longest))
      #expect(throws: VaultError(.invalidArgument, "")) {
        let longer = Secret([UInt8](repeating: 9, count: most + 1))
        _ = try key.publicKey.encrypt(longer, scheme)
      }
    }
    let raw = Secret([UInt8](repeating: 1, count: 256))
    #expect(try key.decrypt(key.publicKey.encrypt(raw, .rsaRaw), .rsaRaw).isEqual(to: raw))
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try key.decrypt(bytes("rsa.oaep"), .rsaOAEP(.sha1))
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try key.publicKey.decrypt(bytes("rsa.oaep"), .rsaOAEP(.sha256))
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try self.key("ec256").publicKey.encrypt(raw, .rsaPKCS1)
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try key.publicKey.encrypt(raw, .ecies(.sha256))
    }
  }

  /// ECIES by Python's `cryptography`: decrypts `own.ecies`, and encrypts to `their.ecies`.
  private static let python = """
    import sys
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF
    key = serialization.load_pem_private_key(open(sys.argv[1], "rb").read(), None)
    size = 16 if key.curve.key_size <= 256 else 32
    count = 1 + 2 * ((key.curve.key_size + 7) // 8)
    def keys(one, other, point):
        secret = one.exchange(ec.ECDH(), other)
        both = X963KDF(hashes.SHA256(), size + 16, point).derive(secret)
        return AESGCM(both[:size]), both[size:]
    data = open("own.ecies", "rb").read()
    sender = ec.EllipticCurvePublicKey.from_encoded_point(key.curve, data[:count])
    cipher, vector = keys(key, sender, data[:count])
    assert cipher.decrypt(vector, data[count:], None) == b"a message"
    new = ec.generate_private_key(key.curve)
    point = new.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    cipher, vector = keys(new, key.public_key(), point)
    open("their.ecies", "wb").write(point + cipher.encrypt(vector, b"another message", None))
    """

  @Test("ECIES is that of another implementation", arguments: ["ec256", "ec384", "ec521"])
  func ecies(_ name: String) throws {
    let folder = try TemporaryFolder()
    let key = try key(name)
    let scheme = EncryptionScheme.ecies(.sha256)
    let sealed = try key.publicKey.encrypt(Secret("a message"), scheme)
    #expect(try key.publicKey.encrypt(Secret("a message"), scheme) != sealed)
    try Data(sealed).write(to: URL(filePath: folder.file("own.ecies")))
    try Data(Self.python.utf8).write(to: URL(filePath: folder.file("ecies.py")))
    let made = try Self.made.get().folder.file("\(name).key")
    try Made.run("/usr/bin/python3 -W ignore ecies.py '\(made)'", in: folder)
    let theirs = try folder.bytes(folder.file("their.ecies"))
    #expect(try key.decrypt(theirs, scheme).isEqual(to: Secret("another message")))
    #expect(try key.decrypt(sealed, scheme).isEqual(to: Secret("a message")))
    let nothing = try key.publicKey.encrypt(Secret(""), scheme)
    #expect(try key.decrypt(nothing, scheme).count == 0)
    // Each part counts, and the hash; nothing that is too short is read.
    for index in [0, 1, sealed.count - 20, sealed.count - 1] {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: VaultError(.invalidArgument, "")) { _ = try key.decrypt(changed, scheme) }
    }
    for count in [0, 16, sealed.count - 1] {
      #expect(throws: VaultError(.invalidArgument, "")) {
        _ = try key.decrypt(Array(sealed.prefix(count)), scheme)
      }
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try key.decrypt(sealed, .ecies(.sha512))
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      _ = try key.publicKey.decrypt(sealed, scheme)
    }
  }

  @Test("a key shows its algorithm and nothing else")
  func reflection() throws {
    var text = ""
    dump(try key("ec256"), to: &text)
    #expect(text.contains("ec") && !text.contains("privateKey"))
  }
}
