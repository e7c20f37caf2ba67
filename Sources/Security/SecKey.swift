public import FoundationEssentials
import KeychainServices
import SecureMemory
public import SecurityConstants
import TLSCredentials
import VaultModel

/// A public or private key of RSA, of an elliptic curve or of Ed25519.
///
/// Two keys are equal if both are public or both private, and their public keys are one: what is
/// pinned can be compared with `==`, and be in a `Set`.
public final class SecKey: Sendable {
  let key: KeyObject

  init(_ key: KeyObject) {
    self.key = key
  }
}

extension SecKey: Hashable {
  /// Returns whether the keys are equal, as `CFEqual` does.
  public static func == (left: SecKey, right: SecKey) -> Bool { left.key == right.key }

  /// Hashes the key, as `CFHash` does.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

// Each place for an error is the caller's or nil; the caller releases what it gets there.

/// Returns the public key of a certificate.
///
/// - Returns: Nil for another kind than RSA, P-256, P-384, P-521 and Ed25519.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
  made { () throws(VaultError) in try KeyObject(of: certificate.certificate) }
}

/// Returns the public key of the leaf.
///
/// - Returns: As ``SecCertificateCopyKey(_:)``; it does not say that the chain is trusted.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
  trust.trust.certificates.first.flatMap { leaf in
    made { () throws(VaultError) in try KeyObject(of: leaf) }
  }
}

/// Returns the public key of the leaf, as ``SecTrustCopyKey(_:)`` does.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Returns the private key of an identity.
///
/// - Parameters:
///   - identityRef: The identity.
///   - privateKeyRef: The place for the key.
/// - Returns: `errSecSuccess`, or another status for a kind of key that no function here uses.
@discardableResult
public func SecIdentityCopyPrivateKey(
  _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
  status { () throws(VaultError) in
    let key = SecKey(try KeyObject(of: identityRef.identity))
    // The place is the caller's.
    unsafe privateKeyRef.pointee = key
  }
}

/// Reads a key.
///
/// - Parameters:
///   - keyData: PKCS #1 for RSA, X9.63 for an elliptic curve, 32 bytes for Ed25519. They are copied
///     to guarded memory; the caller's own are not wiped.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`; others are ignored.
///   - error: The place for an error.
/// - Returns: The key; nil if the data are no key of this type and class.
public func SecKeyCreateWithData(
  _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  unsafe reporting(error) { () throws(VaultError) in
    SecKey(try KeyObject(Secret(copying: keyData.span), attributes.keychainValues()))
  }
}

/// Returns a key in the form that ``SecKeyCreateWithData(_:_:_:)`` reads.
///
/// - Parameters:
///   - key: The key; a private one is copied to memory that is not wiped.
///   - error: The place for an error.
/// - Returns: The bytes; nil if it has no such form.
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(error) { () throws(VaultError) in
    KeychainValue.secret(try key.key.key.external()).value as? Data
  }
}

/// Returns what a key is: `kSecAttrKeyType`, `kSecAttrKeyClass`, `kSecAttrKeySizeInBits`,
/// `kSecAttrApplicationLabel` and what it can do; never the key itself.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
  unsafe reporting(nil) { () throws(VaultError) in
    try key.key.attributes().mapValues(\.value)
  }
}

/// Returns the public key that belongs to a private one, or the public key itself.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
  made { () throws(VaultError) in try key.key.publicKey() }
}

/// Signs bytes.
///
/// - Parameters:
///   - key: A private key.
///   - algorithm: One that the key supports.
///   - dataToSign: A message, or a hash if the algorithm takes one.
///   - error: The place for an error.
/// - Returns: The signature; nil if the key does not support the algorithm, or a hash has another
///   length.
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(error) { () throws(VaultError) in
    Data(try key.key.sign(Array(dataToSign), algorithm.rawValue))
  }
}

/// Checks a signature.
///
/// - Parameters:
///   - key: A public key.
///   - algorithm: One that the key supports.
///   - signedData: The message, or its hash if the algorithm takes one.
///   - signature: The signature.
///   - error: The place for an error: `errSecVerifyFailed` if the signature is not the key's.
/// - Returns: Whether it is the key's.
public func SecKeyVerifySignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
  let isVerified: Void? = unsafe reporting(error) { () throws(VaultError) in
    try key.key.verify(Array(signature), of: Array(signedData), algorithm.rawValue)
  }
  return isVerified != nil
}

/// Encrypts bytes for a key.
///
/// - Parameters:
///   - key: A public key of RSA or of an elliptic curve.
///   - algorithm: One that the key supports.
///   - plaintext: No more bytes than the key takes at once.
///   - error: The place for an error.
/// - Returns: The encrypted bytes; nil if the key does not support the algorithm, or there are too
///   many bytes.
public func SecKeyCreateEncryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(error) { () throws(VaultError) in
    Data(try key.key.encrypt(Secret(copying: plaintext.span), algorithm.rawValue))
  }
}

/// Decrypts bytes that were encrypted for a key.
///
/// - Parameters:
///   - key: A private key of RSA or of an elliptic curve.
///   - algorithm: The one by which they were encrypted.
///   - ciphertext: The encrypted bytes.
///   - error: The place for an error.
/// - Returns: The bytes, in memory that is not wiped; nil if they were not encrypted for this key.
public func SecKeyCreateDecryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(error) { () throws(VaultError) in
    KeychainValue.secret(try key.key.decrypt(Array(ciphertext), algorithm.rawValue)).value as? Data
  }
}

/// Returns whether a key can be used with an algorithm: a private key signs and decrypts, a public
/// one verifies and encrypts.
public func SecKeyIsAlgorithmSupported(
  _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
  KeyOperation(rawValue: operation.rawValue).map {
    key.key.supports($0, algorithm.rawValue)
  } ?? false
}

/// Returns the bytes that a key handles at once: of RSA's modulus, or of a number of the curve.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { key.key.key.blockCount }

/// Returns a key; nil for an error, which these functions of Apple's do not tell.
private func made(_ body: () throws(VaultError) -> KeyObject) -> SecKey? {
  unsafe reporting(nil) { () throws(VaultError) in SecKey(try body()) }
}

/// Returns the result of `body`; nil for an error, which is written to its place with a reference
/// of the caller's.
@unsafe private func reporting<R>(
  _ place: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ body: () throws(VaultError) -> R?
) -> R? {
  do throws(VaultError) {
    return try body()
  } catch {
    // The place is the caller's, or nil.
    unsafe place?.pointee = Unmanaged.passRetained(
      CFError(code: Int(error.keyStatus), description: error.description))
    return nil
  }
}
