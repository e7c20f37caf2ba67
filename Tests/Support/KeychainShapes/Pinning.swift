// swift-format-ignore-file
// Written as apps write it, whose code this package does not format.

import Foundation
import Security

// Pinning of public keys, in the two shapes that are copied most: a hash of the key with the header
// of its type before it, and the comparison of keys.

/// Pins by the hash of SubjectPublicKeyInfo, which is put together from a table of headers.
final class PublicKeyHashes {
  private static let headers: [String: [Int: [UInt8]]] = [
    kSecAttrKeyTypeRSA as String: [
      2048: [
        0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86,
        0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01, 0x0f, 0x00,
      ]
    ],
    kSecAttrKeyTypeECSECPrimeRandom as String: [
      256: [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
        0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
      ],
      384: [
        0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02,
        0x01, 0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00,
      ],
    ],
  ]

  private let pins: Set<String>
  private let sha256: (Data) -> Data

  init(pins: Set<String>, sha256: @escaping (Data) -> Data) {
    self.pins = pins
    self.sha256 = sha256
  }

  func hash(of certificate: SecCertificate) -> String? {
    guard let key = SecCertificateCopyKey(certificate),
      let attributes = SecKeyCopyAttributes(key) as? [CFString: AnyObject],
      let type = attributes[kSecAttrKeyType] as? String,
      let size = attributes[kSecAttrKeySizeInBits] as? NSNumber,
      let header = Self.headers[type]?[size.intValue]
    else { return nil }
    var error: Unmanaged<CFError>?
    guard let data = SecKeyCopyExternalRepresentation(key, &error) as Data? else {
      print(error!.takeRetainedValue() as Error)
      return nil
    }
    var info = Data(header)
    info.append(data)
    return sha256(info).base64EncodedString()
  }

  func isPinned(_ trust: SecTrust) -> Bool {
    var error: CFError?
    guard SecTrustEvaluateWithError(trust, &error),
      let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
    else { return false }
    return chain.contains { hash(of: $0).map(pins.contains) ?? false }
  }
}

/// Pins by the keys of certificates that the app has in its bundle.
struct PublicKeyEvaluator {
  enum Failure: Error { case noKeys, notTrusted(Error), notPinned }

  private let keys: [SecKey]

  init(certificates: [SecCertificate]) {
    keys = certificates.compactMap { $0.publicKey }
  }

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    guard !keys.isEmpty else { throw Failure.noKeys }
    SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, host as CFString))
    var error: CFError?
    guard SecTrustEvaluateWithError(trust, &error) else { throw Failure.notTrusted(error!) }
    let found = (SecTrustCopyCertificateChain(trust) as! [SecCertificate]).compactMap { $0.publicKey }
    for found in found as [AnyHashable] {
      for pinned in keys as [AnyHashable] where found == pinned { return }
    }
    guard Set(keys).isDisjoint(with: found) else { return }
    throw Failure.notPinned
  }
}

extension SecCertificate {
  var publicKey: SecKey? {
    var trust: SecTrust?
    let status = SecTrustCreateWithCertificates(self, SecPolicyCreateBasicX509(), &trust)
    guard let trust, status == errSecSuccess else { return nil }
    return SecTrustCopyKey(trust)
  }
}

/// Signs and checks tokens with keys that are read from files.
struct TokenSigner {
  let key: SecKey

  init(_ data: Data, type: CFString, keyClass: CFString) throws {
    let attributes: [String: Any] = [
      kSecAttrKeyType as String: type,
      kSecAttrKeyClass as String: keyClass,
      kSecAttrKeySizeInBits as String: 256,
    ]
    var error: Unmanaged<CFError>?
    guard let key = SecKeyCreateWithData(data as CFData, attributes as CFDictionary, &error) else {
      throw error!.takeRetainedValue() as Error
    }
    self.key = key
  }

  func sign(_ text: String) throws -> Data {
    let algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA256
    guard SecKeyIsAlgorithmSupported(key, .sign, algorithm) else { throw CocoaError(.featureUnsupported) }
    var error: Unmanaged<CFError>?
    guard let signature = SecKeyCreateSignature(key, algorithm, Data(text.utf8) as CFData, &error) as Data? else {
      throw error!.takeRetainedValue() as Error
    }
    return signature
  }

  func isValid(_ signature: Data, of text: String) -> Bool {
    guard let publicKey = SecKeyCopyPublicKey(key) else { return false }
    return SecKeyVerifySignature(
      publicKey, .ecdsaSignatureMessageX962SHA256, Data(text.utf8) as CFData, signature as CFData, nil)
  }
}
