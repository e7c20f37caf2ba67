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

VAULT_STRING(kSecAttrKeyClass, "kcls");
VAULT_STRING(kSecAttrKeyClassPublic, "0");
VAULT_STRING(kSecAttrKeyClassPrivate, "1");
VAULT_STRING(kSecAttrKeyType, "type");
VAULT_STRING(kSecAttrKeyTypeRSA, "42");
VAULT_STRING(kSecAttrKeyTypeEC, "73");
VAULT_STRING(kSecAttrKeyTypeECSECPrimeRandom, "73");
VAULT_STRING(kSecAttrKeyTypeEd25519, "105");
VAULT_STRING(kSecAttrKeySizeInBits, "bsiz");
VAULT_STRING(kSecAttrEffectiveKeySize, "esiz");
VAULT_STRING(kSecAttrApplicationLabel, "klbl");
VAULT_STRING(kSecAttrIsPermanent, "perm");
VAULT_STRING(kSecAttrCanEncrypt, "encr");
VAULT_STRING(kSecAttrCanDecrypt, "decr");
VAULT_STRING(kSecAttrCanDerive, "drve");
VAULT_STRING(kSecAttrCanSign, "sign");
VAULT_STRING(kSecAttrCanVerify, "vrfy");
VAULT_STRING(kSecAttrCanWrap, "wrap");
VAULT_STRING(kSecAttrCanUnwrap, "unwp");

/* ---- Algorithms ---- */

VAULT_STRING(kSecKeyAlgorithmRSASignatureRaw, "algid:sign:RSA:raw");
VAULT_STRING(kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw, "algid:sign:RSA:digest-PKCS1v15");
VAULT_STRING(kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1, "algid:sign:RSA:digest-PKCS1v15:SHA1");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224, "algid:sign:RSA:digest-PKCS1v15:SHA224");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256, "algid:sign:RSA:digest-PKCS1v15:SHA256");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384, "algid:sign:RSA:digest-PKCS1v15:SHA384");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512, "algid:sign:RSA:digest-PKCS1v15:SHA512");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1, "algid:sign:RSA:message-PKCS1v15:SHA1");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224, "algid:sign:RSA:message-PKCS1v15:SHA224");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256, "algid:sign:RSA:message-PKCS1v15:SHA256");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384, "algid:sign:RSA:message-PKCS1v15:SHA384");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512, "algid:sign:RSA:message-PKCS1v15:SHA512");
VAULT_STRING(kSecKeyAlgorithmRSASignatureDigestPSSSHA1, "algid:sign:RSA:digest-PSS:SHA1:SHA1:20");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureDigestPSSSHA224, "algid:sign:RSA:digest-PSS:SHA224:SHA224:24");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureDigestPSSSHA256, "algid:sign:RSA:digest-PSS:SHA256:SHA256:32");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureDigestPSSSHA384, "algid:sign:RSA:digest-PSS:SHA384:SHA384:48");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureDigestPSSSHA512, "algid:sign:RSA:digest-PSS:SHA512:SHA512:64");
VAULT_STRING(kSecKeyAlgorithmRSASignatureMessagePSSSHA1, "algid:sign:RSA:message-PSS:SHA1:SHA1:20");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePSSSHA224, "algid:sign:RSA:message-PSS:SHA224:SHA224:24");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePSSSHA256, "algid:sign:RSA:message-PSS:SHA256:SHA256:32");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePSSSHA384, "algid:sign:RSA:message-PSS:SHA384:SHA384:48");
VAULT_STRING(
    kSecKeyAlgorithmRSASignatureMessagePSSSHA512, "algid:sign:RSA:message-PSS:SHA512:SHA512:64");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionRaw, "algid:encrypt:RSA:raw");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionPKCS1, "algid:encrypt:RSA:PKCS1");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA1, "algid:encrypt:RSA:OAEP:SHA1");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA224, "algid:encrypt:RSA:OAEP:SHA224");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA256, "algid:encrypt:RSA:OAEP:SHA256");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA384, "algid:encrypt:RSA:OAEP:SHA384");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA512, "algid:encrypt:RSA:OAEP:SHA512");
VAULT_STRING(kSecKeyAlgorithmECDSASignatureRFC4754, "algid:sign:ECDSA:RFC4754");
VAULT_STRING(kSecKeyAlgorithmECDSASignatureDigestX962, "algid:sign:ECDSA:digest-X962");
VAULT_STRING(kSecKeyAlgorithmECDSASignatureDigestX962SHA1, "algid:sign:ECDSA:digest-X962:SHA1");
VAULT_STRING(kSecKeyAlgorithmECDSASignatureDigestX962SHA224, "algid:sign:ECDSA:digest-X962:SHA224");
VAULT_STRING(kSecKeyAlgorithmECDSASignatureDigestX962SHA256, "algid:sign:ECDSA:digest-X962:SHA256");
VAULT_STRING(kSecKeyAlgorithmECDSASignatureDigestX962SHA384, "algid:sign:ECDSA:digest-X962:SHA384");
VAULT_STRING(kSecKeyAlgorithmECDSASignatureDigestX962SHA512, "algid:sign:ECDSA:digest-X962:SHA512");
VAULT_STRING(kSecKeyAlgorithmECDSASignatureMessageX962SHA1, "algid:sign:ECDSA:message-X962:SHA1");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageX962SHA224, "algid:sign:ECDSA:message-X962:SHA224");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageX962SHA256, "algid:sign:ECDSA:message-X962:SHA256");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageX962SHA384, "algid:sign:ECDSA:message-X962:SHA384");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageX962SHA512, "algid:sign:ECDSA:message-X962:SHA512");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1, "algid:sign:ECDSA:digest-RFC4754:SHA1");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224, "algid:sign:ECDSA:digest-RFC4754:SHA224");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256, "algid:sign:ECDSA:digest-RFC4754:SHA256");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384, "algid:sign:ECDSA:digest-RFC4754:SHA384");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512, "algid:sign:ECDSA:digest-RFC4754:SHA512");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1, "algid:sign:ECDSA:message-RFC4754:SHA1");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224, "algid:sign:ECDSA:message-RFC4754:SHA224");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256, "algid:sign:ECDSA:message-RFC4754:SHA256");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384, "algid:sign:ECDSA:message-RFC4754:SHA384");
VAULT_STRING(
    kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512, "algid:sign:ECDSA:message-RFC4754:SHA512");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV");
VAULT_STRING(
    kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512, "algid:sign:EdDSA:message-Curve25519:SHA512");

/* ---- Algorithms that no key here supports ---- */

VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM, "algid:encrypt:RSA:OAEP:SHA1:AESGCM");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM, "algid:encrypt:RSA:OAEP:SHA224:AESGCM");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM, "algid:encrypt:RSA:OAEP:SHA256:AESGCM");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM, "algid:encrypt:RSA:OAEP:SHA384:AESGCM");
VAULT_STRING(kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM, "algid:encrypt:RSA:OAEP:SHA512:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM");
VAULT_STRING(
    kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM");
VAULT_STRING(kSecKeyAlgorithmECDHKeyExchangeStandard, "algid:keyexchange:ECDH");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1, "algid:keyexchange:ECDH:KDFX963:SHA1");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224, "algid:keyexchange:ECDH:KDFX963:SHA224");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256, "algid:keyexchange:ECDH:KDFX963:SHA256");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384, "algid:keyexchange:ECDH:KDFX963:SHA384");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512, "algid:keyexchange:ECDH:KDFX963:SHA512");
VAULT_STRING(kSecKeyAlgorithmECDHKeyExchangeCofactor, "algid:keyexchange:ECDHC");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1, "algid:keyexchange:ECDHC:KDFX963:SHA1");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224, "algid:keyexchange:ECDHC:KDFX963:SHA224");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256, "algid:keyexchange:ECDHC:KDFX963:SHA256");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384, "algid:keyexchange:ECDHC:KDFX963:SHA384");
VAULT_STRING(
    kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512, "algid:keyexchange:ECDHC:KDFX963:SHA512");

#endif

#endif
