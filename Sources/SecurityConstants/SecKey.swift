/// The algorithms of a key (`SecKeyAlgorithm`).
///
/// Not supported: MD5, the older forms of ECIES, AES-GCM behind RSA, and key exchange.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
  /// Apple's name, which says all of it.
  public let rawValue: CFString

  /// Takes a name.
  public init(rawValue: CFString) {
    self.rawValue = rawValue
  }

  init(_ name: CFString) {
    rawValue = name
  }
}

// RSA.

extension SecKeyAlgorithm {
  /// RSA without padding: the bytes are as long as the modulus.
  public static let rsaSignatureRaw = Self("algid:sign:RSA:raw")
  /// PKCS #1 v1.5 around bytes as they are.
  public static let rsaSignatureDigestPKCS1v15Raw = Self("algid:sign:RSA:digest-PKCS1v15")
  /// PKCS #1 v1.5 of a hash of SHA-1.
  public static let rsaSignatureDigestPKCS1v15SHA1 = Self("algid:sign:RSA:digest-PKCS1v15:SHA1")
  /// PKCS #1 v1.5 of a hash of SHA-224.
  public static let rsaSignatureDigestPKCS1v15SHA224 = Self("algid:sign:RSA:digest-PKCS1v15:SHA224")
  /// PKCS #1 v1.5 of a hash of SHA-256.
  public static let rsaSignatureDigestPKCS1v15SHA256 = Self("algid:sign:RSA:digest-PKCS1v15:SHA256")
  /// PKCS #1 v1.5 of a hash of SHA-384.
  public static let rsaSignatureDigestPKCS1v15SHA384 = Self("algid:sign:RSA:digest-PKCS1v15:SHA384")
  /// PKCS #1 v1.5 of a hash of SHA-512.
  public static let rsaSignatureDigestPKCS1v15SHA512 = Self("algid:sign:RSA:digest-PKCS1v15:SHA512")
  /// PKCS #1 v1.5 of a message, hashed by SHA-1.
  public static let rsaSignatureMessagePKCS1v15SHA1 = Self("algid:sign:RSA:message-PKCS1v15:SHA1")
  /// PKCS #1 v1.5 of a message, hashed by SHA-224.
  public static let rsaSignatureMessagePKCS1v15SHA224 = Self(
    "algid:sign:RSA:message-PKCS1v15:SHA224")
  /// PKCS #1 v1.5 of a message, hashed by SHA-256.
  public static let rsaSignatureMessagePKCS1v15SHA256 = Self(
    "algid:sign:RSA:message-PKCS1v15:SHA256")
  /// PKCS #1 v1.5 of a message, hashed by SHA-384.
  public static let rsaSignatureMessagePKCS1v15SHA384 = Self(
    "algid:sign:RSA:message-PKCS1v15:SHA384")
  /// PKCS #1 v1.5 of a message, hashed by SHA-512.
  public static let rsaSignatureMessagePKCS1v15SHA512 = Self(
    "algid:sign:RSA:message-PKCS1v15:SHA512")
  /// PSS of a hash of SHA-1.
  public static let rsaSignatureDigestPSSSHA1 = Self("algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
  /// PSS of a hash of SHA-224.
  public static let rsaSignatureDigestPSSSHA224 = Self("algid:sign:RSA:digest-PSS:SHA224:SHA224:24")
  /// PSS of a hash of SHA-256.
  public static let rsaSignatureDigestPSSSHA256 = Self("algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
  /// PSS of a hash of SHA-384.
  public static let rsaSignatureDigestPSSSHA384 = Self("algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
  /// PSS of a hash of SHA-512.
  public static let rsaSignatureDigestPSSSHA512 = Self("algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
  /// PSS of a message, hashed by SHA-1.
  public static let rsaSignatureMessagePSSSHA1 = Self("algid:sign:RSA:message-PSS:SHA1:SHA1:20")
  /// PSS of a message, hashed by SHA-224.
  public static let rsaSignatureMessagePSSSHA224 = Self(
    "algid:sign:RSA:message-PSS:SHA224:SHA224:24")
  /// PSS of a message, hashed by SHA-256.
  public static let rsaSignatureMessagePSSSHA256 = Self(
    "algid:sign:RSA:message-PSS:SHA256:SHA256:32")
  /// PSS of a message, hashed by SHA-384.
  public static let rsaSignatureMessagePSSSHA384 = Self(
    "algid:sign:RSA:message-PSS:SHA384:SHA384:48")
  /// PSS of a message, hashed by SHA-512.
  public static let rsaSignatureMessagePSSSHA512 = Self(
    "algid:sign:RSA:message-PSS:SHA512:SHA512:64")
  /// RSA without padding: the bytes are as long as the modulus.
  public static let rsaEncryptionRaw = Self("algid:encrypt:RSA:raw")
  /// PKCS #1 v1.5; who learns whether a text decrypts can decrypt others.
  public static let rsaEncryptionPKCS1 = Self("algid:encrypt:RSA:PKCS1")
  /// OAEP with SHA-1.
  public static let rsaEncryptionOAEPSHA1 = Self("algid:encrypt:RSA:OAEP:SHA1")
  /// OAEP with SHA-224.
  public static let rsaEncryptionOAEPSHA224 = Self("algid:encrypt:RSA:OAEP:SHA224")
  /// OAEP with SHA-256.
  public static let rsaEncryptionOAEPSHA256 = Self("algid:encrypt:RSA:OAEP:SHA256")
  /// OAEP with SHA-384.
  public static let rsaEncryptionOAEPSHA384 = Self("algid:encrypt:RSA:OAEP:SHA384")
  /// OAEP with SHA-512.
  public static let rsaEncryptionOAEPSHA512 = Self("algid:encrypt:RSA:OAEP:SHA512")
}

// Elliptic curves.

extension SecKeyAlgorithm {
  /// ECDSA of a hash; the signature is the two numbers, one after the other.
  public static let ecdsaSignatureRFC4754 = Self("algid:sign:ECDSA:RFC4754")
  /// ECDSA of a hash of any length; the signature is DER.
  public static let ecdsaSignatureDigestX962 = Self("algid:sign:ECDSA:digest-X962")
  /// ECDSA of a hash of SHA-1; the signature is DER.
  public static let ecdsaSignatureDigestX962SHA1 = Self("algid:sign:ECDSA:digest-X962:SHA1")
  /// ECDSA of a hash of SHA-224; the signature is DER.
  public static let ecdsaSignatureDigestX962SHA224 = Self("algid:sign:ECDSA:digest-X962:SHA224")
  /// ECDSA of a hash of SHA-256; the signature is DER.
  public static let ecdsaSignatureDigestX962SHA256 = Self("algid:sign:ECDSA:digest-X962:SHA256")
  /// ECDSA of a hash of SHA-384; the signature is DER.
  public static let ecdsaSignatureDigestX962SHA384 = Self("algid:sign:ECDSA:digest-X962:SHA384")
  /// ECDSA of a hash of SHA-512; the signature is DER.
  public static let ecdsaSignatureDigestX962SHA512 = Self("algid:sign:ECDSA:digest-X962:SHA512")
  /// ECDSA of a message, hashed by SHA-1; the signature is DER.
  public static let ecdsaSignatureMessageX962SHA1 = Self("algid:sign:ECDSA:message-X962:SHA1")
  /// ECDSA of a message, hashed by SHA-224; the signature is DER.
  public static let ecdsaSignatureMessageX962SHA224 = Self("algid:sign:ECDSA:message-X962:SHA224")
  /// ECDSA of a message, hashed by SHA-256; the signature is DER.
  public static let ecdsaSignatureMessageX962SHA256 = Self("algid:sign:ECDSA:message-X962:SHA256")
  /// ECDSA of a message, hashed by SHA-384; the signature is DER.
  public static let ecdsaSignatureMessageX962SHA384 = Self("algid:sign:ECDSA:message-X962:SHA384")
  /// ECDSA of a message, hashed by SHA-512; the signature is DER.
  public static let ecdsaSignatureMessageX962SHA512 = Self("algid:sign:ECDSA:message-X962:SHA512")
  /// ECDSA of a hash of SHA-1; the signature is the two numbers.
  public static let ecdsaSignatureDigestRFC4754SHA1 = Self("algid:sign:ECDSA:digest-RFC4754:SHA1")
  /// ECDSA of a hash of SHA-224; the signature is the two numbers.
  public static let ecdsaSignatureDigestRFC4754SHA224 = Self(
    "algid:sign:ECDSA:digest-RFC4754:SHA224")
  /// ECDSA of a hash of SHA-256; the signature is the two numbers.
  public static let ecdsaSignatureDigestRFC4754SHA256 = Self(
    "algid:sign:ECDSA:digest-RFC4754:SHA256")
  /// ECDSA of a hash of SHA-384; the signature is the two numbers.
  public static let ecdsaSignatureDigestRFC4754SHA384 = Self(
    "algid:sign:ECDSA:digest-RFC4754:SHA384")
  /// ECDSA of a hash of SHA-512; the signature is the two numbers.
  public static let ecdsaSignatureDigestRFC4754SHA512 = Self(
    "algid:sign:ECDSA:digest-RFC4754:SHA512")
  /// ECDSA of a message, hashed by SHA-1; the signature is the two numbers.
  public static let ecdsaSignatureMessageRFC4754SHA1 = Self("algid:sign:ECDSA:message-RFC4754:SHA1")
  /// ECDSA of a message, hashed by SHA-224; the signature is the two numbers.
  public static let ecdsaSignatureMessageRFC4754SHA224 = Self(
    "algid:sign:ECDSA:message-RFC4754:SHA224")
  /// ECDSA of a message, hashed by SHA-256; the signature is the two numbers.
  public static let ecdsaSignatureMessageRFC4754SHA256 = Self(
    "algid:sign:ECDSA:message-RFC4754:SHA256")
  /// ECDSA of a message, hashed by SHA-384; the signature is the two numbers.
  public static let ecdsaSignatureMessageRFC4754SHA384 = Self(
    "algid:sign:ECDSA:message-RFC4754:SHA384")
  /// ECDSA of a message, hashed by SHA-512; the signature is the two numbers.
  public static let ecdsaSignatureMessageRFC4754SHA512 = Self(
    "algid:sign:ECDSA:message-RFC4754:SHA512")
  /// ECIES with SHA-224 and AES-GCM.
  public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV")
  /// ECIES with SHA-256 and AES-GCM.
  public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV")
  /// ECIES with SHA-384 and AES-GCM.
  public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV")
  /// ECIES with SHA-512 and AES-GCM.
  public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV")
  /// ECIES with SHA-224 and AES-GCM, with the cofactor of ECDH, which is 1.
  public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV")
  /// ECIES with SHA-256 and AES-GCM, with the cofactor of ECDH, which is 1.
  public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV")
  /// ECIES with SHA-384 and AES-GCM, with the cofactor of ECDH, which is 1.
  public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV")
  /// ECIES with SHA-512 and AES-GCM, with the cofactor of ECDH, which is 1.
  public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV")
  /// Ed25519 of a message.
  public static let eddsaSignatureMessageCurve25519SHA512 = Self(
    "algid:sign:EdDSA:message-Curve25519:SHA512")
}

/// The uses of a key.
public enum SecKeyOperationType: CFIndex, Sendable {
  /// A signature is made.
  case sign = 0
  /// A signature is checked.
  case verify = 1
  /// Bytes are encrypted.
  case encrypt = 2
  /// Bytes are decrypted.
  case decrypt = 3
  /// A secret is agreed on, which no algorithm here does.
  case keyExchange = 4
}

// The attributes of keys.

/// Whether a key is public or private.
public let kSecAttrKeyClass: CFString = "kcls"

/// A public key.
public let kSecAttrKeyClassPublic: CFString = "0"

/// A private key.
public let kSecAttrKeyClassPrivate: CFString = "1"

/// The kind of a key.
public let kSecAttrKeyType: CFString = "type"

/// RSA.
public let kSecAttrKeyTypeRSA: CFString = "42"

/// A curve of SP 800-186: P-256, P-384 or P-521.
public let kSecAttrKeyTypeEC: CFString = "73"

/// The same as `kSecAttrKeyTypeEC`.
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"

/// Ed25519.
public let kSecAttrKeyTypeEd25519: CFString = "105"

/// The size of a key: a number.
public let kSecAttrKeySizeInBits: CFString = "bsiz"

/// The size of a key: a number.
public let kSecAttrEffectiveKeySize: CFString = "esiz"

/// SHA-1 of the public key.
public let kSecAttrApplicationLabel: CFString = "klbl"

/// Whether a key is an item, which none here is.
public let kSecAttrIsPermanent: CFString = "perm"

/// Whether a key encrypts.
public let kSecAttrCanEncrypt: CFString = "encr"

/// Whether a key decrypts.
public let kSecAttrCanDecrypt: CFString = "decr"

/// Whether a key derives others, which none here does.
public let kSecAttrCanDerive: CFString = "drve"

/// Whether a key signs.
public let kSecAttrCanSign: CFString = "sign"

/// Whether a key checks signatures.
public let kSecAttrCanVerify: CFString = "vrfy"

/// Whether a key encrypts other keys.
public let kSecAttrCanWrap: CFString = "wrap"

/// Whether a key decrypts other keys.
public let kSecAttrCanUnwrap: CFString = "unwp"
