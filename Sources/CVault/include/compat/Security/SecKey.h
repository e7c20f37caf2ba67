/* Apple's names for keys. */
#ifndef VAULT_COMPAT_SECKEY_H
#define VAULT_COMPAT_SECKEY_H

#include "SecBase.h"
#include "SecCertificate.h"
#include "SecIdentity.h"
#include "SecTrust.h"

#include "../../vault_seckey.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

typedef VaultKeyRef SecKeyRef;
typedef CFStringRef SecKeyAlgorithm;
typedef VaultKeyOperationType SecKeyOperationType;

enum {
  kSecKeyOperationTypeSign = kVaultKeyOperationTypeSign,
  kSecKeyOperationTypeVerify = kVaultKeyOperationTypeVerify,
  kSecKeyOperationTypeEncrypt = kVaultKeyOperationTypeEncrypt,
  kSecKeyOperationTypeDecrypt = kVaultKeyOperationTypeDecrypt,
  kSecKeyOperationTypeKeyExchange = kVaultKeyOperationTypeKeyExchange,
};

/* ---- Functions ---- */

#define SecKeyGetTypeID VaultKeyGetTypeID
#define SecKeyCreateWithData VaultKeyCreateWithData
#define SecKeyCopyPublicKey VaultKeyCopyPublicKey
#define SecKeyCopyExternalRepresentation VaultKeyCopyExternalRepresentation
#define SecKeyCopyAttributes VaultKeyCopyAttributes
#define SecKeyGetBlockSize VaultKeyGetBlockSize
#define SecKeyIsAlgorithmSupported VaultKeyIsAlgorithmSupported
#define SecKeyCreateSignature VaultKeyCreateSignature
#define SecKeyVerifySignature VaultKeyVerifySignature
#define SecKeyCreateEncryptedData VaultKeyCreateEncryptedData
#define SecKeyCreateDecryptedData VaultKeyCreateDecryptedData

/* ---- Attributes ---- */

#define kSecAttrKeyClass CFSTR("kcls")
#define kSecAttrKeyClassPublic CFSTR("0")
#define kSecAttrKeyClassPrivate CFSTR("1")
#define kSecAttrKeyType CFSTR("type")
#define kSecAttrKeyTypeRSA CFSTR("42")
#define kSecAttrKeyTypeEC CFSTR("73")
#define kSecAttrKeyTypeECSECPrimeRandom CFSTR("73")
#define kSecAttrKeyTypeEd25519 CFSTR("105")
#define kSecAttrKeySizeInBits CFSTR("bsiz")
#define kSecAttrEffectiveKeySize CFSTR("esiz")
#define kSecAttrApplicationLabel CFSTR("klbl")
#define kSecAttrIsPermanent CFSTR("perm")
#define kSecAttrCanEncrypt CFSTR("encr")
#define kSecAttrCanDecrypt CFSTR("decr")
#define kSecAttrCanDerive CFSTR("drve")
#define kSecAttrCanSign CFSTR("sign")
#define kSecAttrCanVerify CFSTR("vrfy")
#define kSecAttrCanWrap CFSTR("wrap")
#define kSecAttrCanUnwrap CFSTR("unwp")

/* ---- Algorithms ---- */

#define kSecKeyAlgorithmRSASignatureRaw CFSTR("algid:sign:RSA:raw")
#define kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw CFSTR("algid:sign:RSA:digest-PKCS1v15")
#define kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1 CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA1")
#define kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224 \
  CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA224")
#define kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256 \
  CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA256")
#define kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384 \
  CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA384")
#define kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512 \
  CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA512")
#define kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1 \
  CFSTR("algid:sign:RSA:message-PKCS1v15:SHA1")
#define kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224 \
  CFSTR("algid:sign:RSA:message-PKCS1v15:SHA224")
#define kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256 \
  CFSTR("algid:sign:RSA:message-PKCS1v15:SHA256")
#define kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384 \
  CFSTR("algid:sign:RSA:message-PKCS1v15:SHA384")
#define kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512 \
  CFSTR("algid:sign:RSA:message-PKCS1v15:SHA512")
#define kSecKeyAlgorithmRSASignatureDigestPSSSHA1 CFSTR("algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
#define kSecKeyAlgorithmRSASignatureDigestPSSSHA224 \
  CFSTR("algid:sign:RSA:digest-PSS:SHA224:SHA224:24")
#define kSecKeyAlgorithmRSASignatureDigestPSSSHA256 \
  CFSTR("algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
#define kSecKeyAlgorithmRSASignatureDigestPSSSHA384 \
  CFSTR("algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
#define kSecKeyAlgorithmRSASignatureDigestPSSSHA512 \
  CFSTR("algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
#define kSecKeyAlgorithmRSASignatureMessagePSSSHA1 CFSTR("algid:sign:RSA:message-PSS:SHA1:SHA1:20")
#define kSecKeyAlgorithmRSASignatureMessagePSSSHA224 \
  CFSTR("algid:sign:RSA:message-PSS:SHA224:SHA224:24")
#define kSecKeyAlgorithmRSASignatureMessagePSSSHA256 \
  CFSTR("algid:sign:RSA:message-PSS:SHA256:SHA256:32")
#define kSecKeyAlgorithmRSASignatureMessagePSSSHA384 \
  CFSTR("algid:sign:RSA:message-PSS:SHA384:SHA384:48")
#define kSecKeyAlgorithmRSASignatureMessagePSSSHA512 \
  CFSTR("algid:sign:RSA:message-PSS:SHA512:SHA512:64")
#define kSecKeyAlgorithmRSAEncryptionRaw CFSTR("algid:encrypt:RSA:raw")
#define kSecKeyAlgorithmRSAEncryptionPKCS1 CFSTR("algid:encrypt:RSA:PKCS1")
#define kSecKeyAlgorithmRSAEncryptionOAEPSHA1 CFSTR("algid:encrypt:RSA:OAEP:SHA1")
#define kSecKeyAlgorithmRSAEncryptionOAEPSHA224 CFSTR("algid:encrypt:RSA:OAEP:SHA224")
#define kSecKeyAlgorithmRSAEncryptionOAEPSHA256 CFSTR("algid:encrypt:RSA:OAEP:SHA256")
#define kSecKeyAlgorithmRSAEncryptionOAEPSHA384 CFSTR("algid:encrypt:RSA:OAEP:SHA384")
#define kSecKeyAlgorithmRSAEncryptionOAEPSHA512 CFSTR("algid:encrypt:RSA:OAEP:SHA512")
#define kSecKeyAlgorithmECDSASignatureRFC4754 CFSTR("algid:sign:ECDSA:RFC4754")
#define kSecKeyAlgorithmECDSASignatureDigestX962 CFSTR("algid:sign:ECDSA:digest-X962")
#define kSecKeyAlgorithmECDSASignatureDigestX962SHA1 CFSTR("algid:sign:ECDSA:digest-X962:SHA1")
#define kSecKeyAlgorithmECDSASignatureDigestX962SHA224 CFSTR("algid:sign:ECDSA:digest-X962:SHA224")
#define kSecKeyAlgorithmECDSASignatureDigestX962SHA256 CFSTR("algid:sign:ECDSA:digest-X962:SHA256")
#define kSecKeyAlgorithmECDSASignatureDigestX962SHA384 CFSTR("algid:sign:ECDSA:digest-X962:SHA384")
#define kSecKeyAlgorithmECDSASignatureDigestX962SHA512 CFSTR("algid:sign:ECDSA:digest-X962:SHA512")
#define kSecKeyAlgorithmECDSASignatureMessageX962SHA1 CFSTR("algid:sign:ECDSA:message-X962:SHA1")
#define kSecKeyAlgorithmECDSASignatureMessageX962SHA224 \
  CFSTR("algid:sign:ECDSA:message-X962:SHA224")
#define kSecKeyAlgorithmECDSASignatureMessageX962SHA256 \
  CFSTR("algid:sign:ECDSA:message-X962:SHA256")
#define kSecKeyAlgorithmECDSASignatureMessageX962SHA384 \
  CFSTR("algid:sign:ECDSA:message-X962:SHA384")
#define kSecKeyAlgorithmECDSASignatureMessageX962SHA512 \
  CFSTR("algid:sign:ECDSA:message-X962:SHA512")
#define kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1 \
  CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA1")
#define kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224 \
  CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA224")
#define kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256 \
  CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA256")
#define kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384 \
  CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA384")
#define kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512 \
  CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA512")
#define kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1 \
  CFSTR("algid:sign:ECDSA:message-RFC4754:SHA1")
#define kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224 \
  CFSTR("algid:sign:ECDSA:message-RFC4754:SHA224")
#define kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256 \
  CFSTR("algid:sign:ECDSA:message-RFC4754:SHA256")
#define kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384 \
  CFSTR("algid:sign:ECDSA:message-RFC4754:SHA384")
#define kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512 \
  CFSTR("algid:sign:ECDSA:message-RFC4754:SHA512")
#define kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM \
  CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV")
#define kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM \
  CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV")
#define kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM \
  CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV")
#define kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM \
  CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV")
#define kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM \
  CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV")
#define kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM \
  CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV")
#define kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM \
  CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV")
#define kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM \
  CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV")
#define kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512 \
  CFSTR("algid:sign:EdDSA:message-Curve25519:SHA512")

#endif

#endif
