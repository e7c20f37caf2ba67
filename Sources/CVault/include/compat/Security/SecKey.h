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

VAULT_CONSTANT CFStringRef kSecAttrKeyClass = CFSTR("kcls");
VAULT_CONSTANT CFStringRef kSecAttrKeyClassPublic = CFSTR("0");
VAULT_CONSTANT CFStringRef kSecAttrKeyClassPrivate = CFSTR("1");
VAULT_CONSTANT CFStringRef kSecAttrKeyType = CFSTR("type");
VAULT_CONSTANT CFStringRef kSecAttrKeyTypeRSA = CFSTR("42");
VAULT_CONSTANT CFStringRef kSecAttrKeyTypeEC = CFSTR("73");
VAULT_CONSTANT CFStringRef kSecAttrKeyTypeECSECPrimeRandom = CFSTR("73");
VAULT_CONSTANT CFStringRef kSecAttrKeyTypeEd25519 = CFSTR("105");
VAULT_CONSTANT CFStringRef kSecAttrKeySizeInBits = CFSTR("bsiz");
VAULT_CONSTANT CFStringRef kSecAttrEffectiveKeySize = CFSTR("esiz");
VAULT_CONSTANT CFStringRef kSecAttrApplicationLabel = CFSTR("klbl");
VAULT_CONSTANT CFStringRef kSecAttrIsPermanent = CFSTR("perm");
VAULT_CONSTANT CFStringRef kSecAttrCanEncrypt = CFSTR("encr");
VAULT_CONSTANT CFStringRef kSecAttrCanDecrypt = CFSTR("decr");
VAULT_CONSTANT CFStringRef kSecAttrCanDerive = CFSTR("drve");
VAULT_CONSTANT CFStringRef kSecAttrCanSign = CFSTR("sign");
VAULT_CONSTANT CFStringRef kSecAttrCanVerify = CFSTR("vrfy");
VAULT_CONSTANT CFStringRef kSecAttrCanWrap = CFSTR("wrap");
VAULT_CONSTANT CFStringRef kSecAttrCanUnwrap = CFSTR("unwp");

/* ---- Algorithms ---- */

VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureRaw = CFSTR("algid:sign:RSA:raw");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw =
    CFSTR("algid:sign:RSA:digest-PKCS1v15");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1 =
    CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224 =
    CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256 =
    CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384 =
    CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512 =
    CFSTR("algid:sign:RSA:digest-PKCS1v15:SHA512");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1 =
    CFSTR("algid:sign:RSA:message-PKCS1v15:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224 =
    CFSTR("algid:sign:RSA:message-PKCS1v15:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256 =
    CFSTR("algid:sign:RSA:message-PKCS1v15:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384 =
    CFSTR("algid:sign:RSA:message-PKCS1v15:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512 =
    CFSTR("algid:sign:RSA:message-PKCS1v15:SHA512");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA1 =
    CFSTR("algid:sign:RSA:digest-PSS:SHA1:SHA1:20");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA224 =
    CFSTR("algid:sign:RSA:digest-PSS:SHA224:SHA224:24");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA256 =
    CFSTR("algid:sign:RSA:digest-PSS:SHA256:SHA256:32");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA384 =
    CFSTR("algid:sign:RSA:digest-PSS:SHA384:SHA384:48");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA512 =
    CFSTR("algid:sign:RSA:digest-PSS:SHA512:SHA512:64");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA1 =
    CFSTR("algid:sign:RSA:message-PSS:SHA1:SHA1:20");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA224 =
    CFSTR("algid:sign:RSA:message-PSS:SHA224:SHA224:24");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA256 =
    CFSTR("algid:sign:RSA:message-PSS:SHA256:SHA256:32");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA384 =
    CFSTR("algid:sign:RSA:message-PSS:SHA384:SHA384:48");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA512 =
    CFSTR("algid:sign:RSA:message-PSS:SHA512:SHA512:64");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionRaw = CFSTR("algid:encrypt:RSA:raw");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionPKCS1 =
    CFSTR("algid:encrypt:RSA:PKCS1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA1 =
    CFSTR("algid:encrypt:RSA:OAEP:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA224 =
    CFSTR("algid:encrypt:RSA:OAEP:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA256 =
    CFSTR("algid:encrypt:RSA:OAEP:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA384 =
    CFSTR("algid:encrypt:RSA:OAEP:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA512 =
    CFSTR("algid:encrypt:RSA:OAEP:SHA512");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureRFC4754 =
    CFSTR("algid:sign:ECDSA:RFC4754");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962 =
    CFSTR("algid:sign:ECDSA:digest-X962");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA1 =
    CFSTR("algid:sign:ECDSA:digest-X962:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA224 =
    CFSTR("algid:sign:ECDSA:digest-X962:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA256 =
    CFSTR("algid:sign:ECDSA:digest-X962:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA384 =
    CFSTR("algid:sign:ECDSA:digest-X962:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA512 =
    CFSTR("algid:sign:ECDSA:digest-X962:SHA512");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA1 =
    CFSTR("algid:sign:ECDSA:message-X962:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA224 =
    CFSTR("algid:sign:ECDSA:message-X962:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA256 =
    CFSTR("algid:sign:ECDSA:message-X962:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA384 =
    CFSTR("algid:sign:ECDSA:message-X962:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA512 =
    CFSTR("algid:sign:ECDSA:message-X962:SHA512");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1 =
    CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224 =
    CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256 =
    CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384 =
    CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512 =
    CFSTR("algid:sign:ECDSA:digest-RFC4754:SHA512");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1 =
    CFSTR("algid:sign:ECDSA:message-RFC4754:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224 =
    CFSTR("algid:sign:ECDSA:message-RFC4754:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256 =
    CFSTR("algid:sign:ECDSA:message-RFC4754:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384 =
    CFSTR("algid:sign:ECDSA:message-RFC4754:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512 =
    CFSTR("algid:sign:ECDSA:message-RFC4754:SHA512");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512 =
    CFSTR("algid:sign:EdDSA:message-Curve25519:SHA512");

/* ---- Algorithms that no key here supports ---- */

VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM =
    CFSTR("algid:encrypt:RSA:OAEP:SHA1:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM =
    CFSTR("algid:encrypt:RSA:OAEP:SHA224:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM =
    CFSTR("algid:encrypt:RSA:OAEP:SHA256:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM =
    CFSTR("algid:encrypt:RSA:OAEP:SHA384:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM =
    CFSTR("algid:encrypt:RSA:OAEP:SHA512:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM =
    CFSTR("algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandard =
    CFSTR("algid:keyexchange:ECDH");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1 =
    CFSTR("algid:keyexchange:ECDH:KDFX963:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224 =
    CFSTR("algid:keyexchange:ECDH:KDFX963:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256 =
    CFSTR("algid:keyexchange:ECDH:KDFX963:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384 =
    CFSTR("algid:keyexchange:ECDH:KDFX963:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512 =
    CFSTR("algid:keyexchange:ECDH:KDFX963:SHA512");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactor =
    CFSTR("algid:keyexchange:ECDHC");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1 =
    CFSTR("algid:keyexchange:ECDHC:KDFX963:SHA1");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224 =
    CFSTR("algid:keyexchange:ECDHC:KDFX963:SHA224");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256 =
    CFSTR("algid:keyexchange:ECDHC:KDFX963:SHA256");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384 =
    CFSTR("algid:keyexchange:ECDHC:KDFX963:SHA384");
VAULT_CONSTANT SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512 =
    CFSTR("algid:keyexchange:ECDHC:KDFX963:SHA512");

#endif

#endif
