import Foundation
import Security
import TLSCredentials
import TestSupport
import Testing

@testable import KeychainShapes

/// Keys as objects, in Apple's words.
extension SecurityTests {
  @Suite("keys")
  struct Keys {
    private static let made = Result { try Made() }

    /// A chain of an RSA root and a leaf of the curve P-256, a self-signed certificate of Ed25519,
    /// and another key.
    private struct Made {
      let folder: TemporaryFolder

      init() throws {
        folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.arguments = ["-ec", Self.script]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
      }

      private static let script = """
        openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 30 \\
          -subj '/CN=root' -addext keyUsage=critical,keyCertSign
        for name in leaf other; do
          openssl req -newkey ec -nodes -pkeyopt ec_paramgen_curve:P-256 -keyout $name.key \\
            -out $name.csr -subj "/CN=$name"
          printf 'subjectAltName=DNS:www.example.com\\n' >leaf.ext
          openssl x509 -req -in $name.csr -CA root.pem -CAkey root.key -set_serial 7 -days 20 \\
            -extfile leaf.ext -out $name.pem
        done
        openssl req -x509 -newkey ed25519 -nodes -keyout ed.key -out ed.pem -days 30 -subj '/CN=ed'
        for name in root leaf other ed; do
          openssl x509 -in $name.pem -outform DER -out $name.cer
        done
        for name in leaf root; do
          openssl pkcs12 -export -inkey $name.key -in $name.pem -passout pass:secret -out $name.p12
        done
        """
    }

    private func data(_ name: String) throws -> Data {
      let folder = try Self.made.get().folder
      return Data(try folder.bytes(folder.file(name)))
    }

    private func certificate(_ name: String) throws -> SecCertificate {
      try #require(SecCertificateCreateWithData(nil, data("\(name).cer") as CFData))
    }

    private func trust() throws -> SecTrust {
      var trust: SecTrust?
      #expect(
        try unsafe SecTrustCreateWithCertificates(
          [certificate("leaf")] as CFArray, SecPolicyCreateSSL(true, "www.example.com"), &trust)
          == errSecSuccess)
      let made = try #require(trust)
      SecTrustSetAnchorCertificates(made, [try certificate("root")])
      return made
    }

    /// Returns the private key of the identity in a file.
    private func privateKey(_ name: String = "leaf") throws -> SecKey {
      var items: CFArray?
      let options: CFDictionary = [kSecImportExportPassphrase: "secret"]
      #expect(try unsafe SecPKCS12Import(data("\(name).p12") as CFData, options, &items) == 0)
      let entry = try #require((items as? [[String: Any]])?.first)
      let identity = try #require(entry[kSecImportItemIdentity] as? SecIdentity)
      var key: SecKey?
      #expect(unsafe SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
      return try #require(key)
    }

    private func external(_ key: SecKey) -> CFData? {
      SecKeyCopyExternalRepresentation(key, nil)
    }

    @Test("a key is one, whether it is a certificate's, a chain's, an identity's or was read")
    func sources() throws {
      let key = try #require(SecCertificateCopyKey(certificate("leaf")))
      let own = try privateKey()
      #expect(try SecTrustCopyKey(trust()) == key && SecTrustCopyPublicKey(trust()) == key)
      #expect(SecKeyCopyPublicKey(own) == key && own != key)
      #expect(try SecCertificateCopyKey(certificate("other")) != key)
      #expect(Set([key, own, try #require(SecKeyCopyPublicKey(own))]).count == 2)
      for name in ["root", "leaf", "ed"] {
        let key = try #require(SecCertificateCopyKey(certificate(name)))
        let data = try #require(external(key))
        let attributes = try #require(SecKeyCopyAttributes(key))
        #expect(SecKeyCreateWithData(data, attributes, nil) == key)
      }
      let data = try #require(external(own))
      let attributes = try #require(SecKeyCopyAttributes(own))
      #expect(SecKeyCreateWithData(data, attributes, nil) == own)
      #expect(data.count == 97)
    }

    @Test("attributes say what a key is and can do, and never what it is made of")
    func attributes() throws {
      let cases = [
        ("root", kSecAttrKeyTypeRSA, 2048), ("leaf", kSecAttrKeyTypeEC, 256),
        ("ed", kSecAttrKeyTypeEd25519, 256),
      ]
      for (name, type, bits) in cases {
        let key = try #require(SecCertificateCopyKey(certificate(name)))
        let found = try #require(SecKeyCopyAttributes(key))
        #expect(found[kSecAttrKeyType] as? String == type)
        #expect(found[kSecAttrKeySizeInBits] as? Int == bits)
        #expect(found[kSecAttrKeyClass] as? String == kSecAttrKeyClassPublic)
        #expect((found[kSecAttrApplicationLabel] as? Data)?.count == 20)
        #expect(
          found[kSecAttrCanVerify] as? Bool == true && found[kSecAttrCanSign] as? Bool == false)
        #expect(found[kSecAttrCanEncrypt] as? Bool == (name != "ed"))
        #expect(found[kSecValueData] == nil)
        #expect(SecKeyGetBlockSize(key) == bits / 8)
      }
      let own = try #require(try SecKeyCopyAttributes(privateKey()))
      #expect(own[kSecAttrKeyClass] as? String == kSecAttrKeyClassPrivate)
      #expect(own[kSecAttrCanSign] as? Bool == true && own[kSecValueData] == nil)
    }

    @Test("each algorithm is supported by the keys that it is for, and no other")
    func algorithms() throws {
      let key = try #require(SecCertificateCopyKey(certificate("leaf")))
      let rsa = try #require(SecCertificateCopyKey(certificate("root")))
      let ed = try #require(SecCertificateCopyKey(certificate("ed")))
      let own = try privateKey()
      let ecdsa = SecKeyAlgorithm.ecdsaSignatureDigestX962SHA384
      #expect(SecKeyIsAlgorithmSupported(own, .sign, ecdsa))
      #expect(!SecKeyIsAlgorithmSupported(own, .verify, ecdsa))
      #expect(SecKeyIsAlgorithmSupported(key, .verify, ecdsa))
      #expect(!SecKeyIsAlgorithmSupported(key, .sign, ecdsa))
      for algorithm in [
        SecKeyAlgorithm.rsaSignatureMessagePSSSHA512, .rsaSignatureDigestPKCS1v15Raw,
        .rsaSignatureRaw,
      ] {
        #expect(SecKeyIsAlgorithmSupported(rsa, .verify, algorithm))
        #expect(!SecKeyIsAlgorithmSupported(key, .verify, algorithm))
      }
      for algorithm in [SecKeyAlgorithm.rsaEncryptionOAEPSHA256, .rsaEncryptionPKCS1] {
        #expect(SecKeyIsAlgorithmSupported(rsa, .encrypt, algorithm))
        #expect(!SecKeyIsAlgorithmSupported(rsa, .decrypt, algorithm))
        #expect(!SecKeyIsAlgorithmSupported(key, .encrypt, algorithm))
      }
      #expect(
        SecKeyIsAlgorithmSupported(ed, .verify, .eddsaSignatureMessageCurve25519SHA512))
      for name in [
        "", "algid", "algid:sign:RSA", "algid:sign:RSA:digest-PKCS1v15:MD5",
        "algid:sign:RSA:message-PKCS1v15", "algid:sign:RSA:PSS", "algid:sign:DSA:raw",
        "algid:encrypt:RSA:OAEP:SHA256:AESGCM", "algid:sign:RSA:raw:SHA256",
        "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM",
      ] {
        for operation in [SecKeyOperationType.verify, .encrypt, .keyExchange] {
          #expect(
            !SecKeyIsAlgorithmSupported(rsa, operation, SecKeyAlgorithm(rawValue: name)), "\(name)")
        }
      }
    }

    @Test("an algorithm that no key supports has a name")
    func unsupported() throws {
      let keys = try [certificate("leaf"), certificate("root")].map {
        try #require(SecCertificateCopyKey($0))
      }
      for algorithm in [
        SecKeyAlgorithm.eciesEncryptionCofactorX963SHA256AESGCM, .rsaEncryptionOAEPSHA256AESGCM,
        .eciesEncryptionStandardX963SHA256AESGCM, .ecdhKeyExchangeStandard,
        .ecdhKeyExchangeCofactorX963SHA256,
      ] {
        for key in keys {
          #expect(!SecKeyIsAlgorithmSupported(key, .encrypt, algorithm))
          #expect(!SecKeyIsAlgorithmSupported(key, .keyExchange, algorithm))
        }
      }
    }

    @Test("a signature is the key's alone; errors have Apple's numbers")
    func signatures() throws {
      let own = try privateKey()
      let key = try #require(SecKeyCopyPublicKey(own))
      let message = Data("a message".utf8)
      let digest = Data(try DigestFunction.sha256(Array(message)))
      var error: Unmanaged<CFError>?
      func code() -> CFIndex? {
        defer { unsafe error = nil }
        return unsafe error.map { unsafe CFErrorGetCode($0.takeRetainedValue()) }
      }
      let pairs: [(SecKeyAlgorithm, SecKeyAlgorithm)] = [
        (.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureDigestX962SHA256),
        (.ecdsaSignatureMessageRFC4754SHA256, .ecdsaSignatureDigestRFC4754SHA256),
        (.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureDigestX962),
        (.ecdsaSignatureMessageRFC4754SHA256, .ecdsaSignatureRFC4754),
      ]
      for (ofMessage, ofDigest) in pairs {
        let signature = try #require(unsafe SecKeyCreateSignature(own, ofMessage, message, &error))
        #expect(unsafe SecKeyVerifySignature(key, ofDigest, digest, signature, &error))
        #expect(unsafe SecKeyVerifySignature(key, ofMessage, message, signature, &error))
        #expect(code() == nil)
        #expect(!(unsafe SecKeyVerifySignature(key, ofMessage, digest, signature, &error)))
        #expect(code() == CFIndex(errSecVerifyFailed))
      }
      // Neither a public key, nor a hash of another length, signs anything.
      #expect(unsafe SecKeyCreateSignature(key, pairs[0].0, message, &error) == nil)
      #expect(code() == CFIndex(errSecParam))
      #expect(unsafe SecKeyCreateSignature(own, pairs[0].1, message, &error) == nil)
      #expect(code() == CFIndex(errSecParam))
      #expect(SecKeyCreateSignature(own, pairs[0].1, message, nil) == nil)
      let ecies = SecKeyAlgorithm.eciesEncryptionStandardVariableIVX963SHA256AESGCM
      let sealed = try #require(unsafe SecKeyCreateEncryptedData(key, ecies, message, &error))
      #expect(unsafe SecKeyCreateDecryptedData(own, ecies, sealed, &error) == message)
      #expect(unsafe SecKeyCreateDecryptedData(own, ecies, message, &error) == nil)
      #expect(code() == CFIndex(errSecParam))
      let rsa = try #require(SecCertificateCopyKey(certificate("root")))
      let encrypted = try #require(
        unsafe SecKeyCreateEncryptedData(rsa, .rsaEncryptionOAEPSHA256, message, &error))
      #expect(encrypted.count == 256)
      #expect(unsafe SecKeyCreateDecryptedData(rsa, .rsaEncryptionRaw, encrypted, &error) == nil)
      #expect(code() == CFIndex(errSecParam))
      for attributes in [[:], [kSecAttrKeyType: "1", kSecAttrKeyClass: "1"]] as [CFDictionary] {
        #expect(unsafe SecKeyCreateWithData(message, attributes, &error) == nil)
        #expect(code() == CFIndex(errSecParam))
      }
    }

    @Test("a private key of RSA signs and decrypts, for its public key alone")
    func rsa() throws {
      let own = try privateKey("root")
      let key = try #require(SecKeyCopyPublicKey(own))
      #expect(try SecCertificateCopyKey(certificate("root")) == key)
      let message = Data("a message".utf8)
      // The place is this function's own.
      var error: Unmanaged<CFError>?
      func drop() {
        unsafe error?.release()
        unsafe error = nil
      }
      for algorithm in [
        SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256, .rsaSignatureMessagePKCS1v15SHA512,
        .rsaSignatureMessagePSSSHA256, .rsaSignatureMessagePSSSHA384,
      ] {
        #expect(SecKeyIsAlgorithmSupported(own, .sign, algorithm))
        let signature = try #require(unsafe SecKeyCreateSignature(own, algorithm, message, &error))
        #expect(signature.count == 256)
        #expect(unsafe SecKeyVerifySignature(key, algorithm, message, signature, &error))
        #expect(
          !(unsafe SecKeyVerifySignature(key, algorithm, Data("another".utf8), signature, &error)))
        drop()
        #expect(unsafe SecKeyCreateSignature(key, algorithm, message, &error) == nil)
        drop()
      }
      for algorithm in [
        SecKeyAlgorithm.rsaEncryptionOAEPSHA1, .rsaEncryptionOAEPSHA256, .rsaEncryptionPKCS1,
      ] {
        #expect(SecKeyIsAlgorithmSupported(own, .decrypt, algorithm))
        let sealed = try #require(unsafe SecKeyCreateEncryptedData(key, algorithm, message, &error))
        #expect(sealed.count == 256)
        #expect(unsafe SecKeyCreateDecryptedData(own, algorithm, sealed, &error) == message)
        #expect(unsafe SecKeyCreateDecryptedData(key, algorithm, sealed, &error) == nil)
        drop()
      }
    }

    @Test("keys that an app pins by their hash are those of the certificates")
    func hashes() throws {
      func sha256(_ data: Data) -> Data {
        // A hash of libcrypto's does not fail.
        (try? DigestFunction.sha256(Array(data))).map { Data($0) } ?? Data()
      }
      let folder = try Self.made.get().folder
      for name in ["leaf", "root"] {
        let certificate = try Certificate(der: folder.bytes(folder.file("\(name).cer")))
        let pin = certificate.publicKeyHash.base64
        let pins = PublicKeyHashes(pins: [pin], sha256: sha256)
        #expect(pins.hash(of: try self.certificate(name)) == pin)
        #expect(try pins.isPinned(trust()))
      }
      let other = PublicKeyHashes(pins: ["AAAA"], sha256: sha256)
      #expect(try !other.isPinned(trust()))
    }

    @Test("keys that an app pins by comparing them are those of the certificates")
    func comparison() throws {
      for name in ["leaf", "root"] {
        let pinned = PublicKeyEvaluator(certificates: [try certificate(name)])
        try pinned.evaluate(trust(), forHost: "www.example.com")
        #expect(throws: (any Error).self) {
          try pinned.evaluate(trust(), forHost: "www.example.org")
        }
      }
      let other = PublicKeyEvaluator(certificates: [try certificate("other")])
      #expect(throws: (any Error).self) {
        try other.evaluate(trust(), forHost: "www.example.com")
      }
    }

    @Test("a token is signed and checked with a key that is read")
    func tokens() throws {
      let data = try #require(external(privateKey()))
      let signer = try TokenSigner(
        data, type: kSecAttrKeyTypeECSECPrimeRandom, keyClass: kSecAttrKeyClassPrivate)
      let signature = try signer.sign("header.payload")
      #expect(signer.isValid(signature, of: "header.payload"))
      #expect(!signer.isValid(signature, of: "header.other"))
      #expect(throws: (any Error).self) {
        _ = try TokenSigner(data, type: kSecAttrKeyTypeRSA, keyClass: kSecAttrKeyClassPrivate)
      }
    }
  }
}
