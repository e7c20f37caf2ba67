// The algorithms of Apple's that no key here supports, for code that names them.

extension SecKeyAlgorithm {
  /// AES-GCM with a key in OAEP with SHA-1.
  public static let rsaEncryptionOAEPSHA1AESGCM = Self("algid:encrypt:RSA:OAEP:SHA1:AESGCM")
  /// AES-GCM with a key in OAEP with SHA-224.
  public static let rsaEncryptionOAEPSHA224AESGCM = Self("algid:encrypt:RSA:OAEP:SHA224:AESGCM")
  /// AES-GCM with a key in OAEP with SHA-256.
  public static let rsaEncryptionOAEPSHA256AESGCM = Self("algid:encrypt:RSA:OAEP:SHA256:AESGCM")
  /// AES-GCM with a key in OAEP with SHA-384.
  public static let rsaEncryptionOAEPSHA384AESGCM = Self("algid:encrypt:RSA:OAEP:SHA384:AESGCM")
  /// AES-GCM with a key in OAEP with SHA-512.
  public static let rsaEncryptionOAEPSHA512AESGCM = Self("algid:encrypt:RSA:OAEP:SHA512:AESGCM")
  /// ECIES with SHA-1 and a vector of zeros.
  public static let eciesEncryptionStandardX963SHA1AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM")
  /// ECIES with SHA-224 and a vector of zeros.
  public static let eciesEncryptionStandardX963SHA224AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM")
  /// ECIES with SHA-256 and a vector of zeros.
  public static let eciesEncryptionStandardX963SHA256AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")
  /// ECIES with SHA-384 and a vector of zeros.
  public static let eciesEncryptionStandardX963SHA384AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM")
  /// ECIES with SHA-512 and a vector of zeros.
  public static let eciesEncryptionStandardX963SHA512AESGCM = Self(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM")
  /// ECIES with SHA-1 and a vector of zeros, with the cofactor of ECDH.
  public static let eciesEncryptionCofactorX963SHA1AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM")
  /// ECIES with SHA-224 and a vector of zeros, with the cofactor of ECDH.
  public static let eciesEncryptionCofactorX963SHA224AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM")
  /// ECIES with SHA-256 and a vector of zeros, with the cofactor of ECDH.
  public static let eciesEncryptionCofactorX963SHA256AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM")
  /// ECIES with SHA-384 and a vector of zeros, with the cofactor of ECDH.
  public static let eciesEncryptionCofactorX963SHA384AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM")
  /// ECIES with SHA-512 and a vector of zeros, with the cofactor of ECDH.
  public static let eciesEncryptionCofactorX963SHA512AESGCM = Self(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM")
  /// ECDH.
  public static let ecdhKeyExchangeStandard = Self("algid:keyexchange:ECDH")
  /// ECDH, and the KDF of X9.63 with SHA-1.
  public static let ecdhKeyExchangeStandardX963SHA1 = Self("algid:keyexchange:ECDH:KDFX963:SHA1")
  /// ECDH, and the KDF of X9.63 with SHA-224.
  public static let ecdhKeyExchangeStandardX963SHA224 = Self(
    "algid:keyexchange:ECDH:KDFX963:SHA224")
  /// ECDH, and the KDF of X9.63 with SHA-256.
  public static let ecdhKeyExchangeStandardX963SHA256 = Self(
    "algid:keyexchange:ECDH:KDFX963:SHA256")
  /// ECDH, and the KDF of X9.63 with SHA-384.
  public static let ecdhKeyExchangeStandardX963SHA384 = Self(
    "algid:keyexchange:ECDH:KDFX963:SHA384")
  /// ECDH, and the KDF of X9.63 with SHA-512.
  public static let ecdhKeyExchangeStandardX963SHA512 = Self(
    "algid:keyexchange:ECDH:KDFX963:SHA512")
  /// ECDH with its cofactor.
  public static let ecdhKeyExchangeCofactor = Self("algid:keyexchange:ECDHC")
  /// ECDH with its cofactor, and the KDF of X9.63 with SHA-1.
  public static let ecdhKeyExchangeCofactorX963SHA1 = Self("algid:keyexchange:ECDHC:KDFX963:SHA1")
  /// ECDH with its cofactor, and the KDF of X9.63 with SHA-224.
  public static let ecdhKeyExchangeCofactorX963SHA224 = Self(
    "algid:keyexchange:ECDHC:KDFX963:SHA224")
  /// ECDH with its cofactor, and the KDF of X9.63 with SHA-256.
  public static let ecdhKeyExchangeCofactorX963SHA256 = Self(
    "algid:keyexchange:ECDHC:KDFX963:SHA256")
  /// ECDH with its cofactor, and the KDF of X9.63 with SHA-384.
  public static let ecdhKeyExchangeCofactorX963SHA384 = Self(
    "algid:keyexchange:ECDHC:KDFX963:SHA384")
  /// ECDH with its cofactor, and the KDF of X9.63 with SHA-512.
  public static let ecdhKeyExchangeCofactorX963SHA512 = Self(
    "algid:keyexchange:ECDHC:KDFX963:SHA512")
}
