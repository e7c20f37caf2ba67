/*
 * Apple's functions for keys of RSA, of elliptic curves (P-256, P-384, P-521) and of Ed25519.
 *
 * The functions have the parameters and the ownership of Apple's, as vault_corefoundation.h says;
 * compat/Security/SecKey.h has Apple's names, also of the algorithms, which are strings. A key is a
 * handle, as a certificate is. Keys are equal if both are public or both private, and their public
 * keys are one. No key is an item of a vault.
 *
 * `error`, here and below, receives the caller's own error if the function fails; it may be NULL.
 */
#ifndef VAULT_SECKEY_H
#define VAULT_SECKEY_H

#include "vault_keychain.h"
#include "vault_sectrust.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef VAULT_REFERENCE(struct VaultKey) VaultKeyRef;

/* The uses of a key, of which a public one has the second and third, and a private one the others. */
typedef VaultCFIndex VaultKeyOperationType;

enum {
  kVaultKeyOperationTypeSign = 0,
  kVaultKeyOperationTypeVerify = 1,
  kVaultKeyOperationTypeEncrypt = 2,
  kVaultKeyOperationTypeDecrypt = 3,
  /* Not supported. */
  kVaultKeyOperationTypeKeyExchange = 4,
};

VaultCFTypeID VaultKeyGetTypeID(void);

/* ---- Making ---- */

/* Copies the public key of a certificate; NULL for another kind of key. */
VaultKeyRef VAULT_NULLABLE VaultCertificateCopyKey(VaultCertificateRef VAULT_REQUIRED certificate);

/* Copies the public key of the leaf, whether or not the chain is trusted. */
VaultKeyRef VAULT_NULLABLE VaultTrustCopyKey(VaultTrustRef VAULT_REQUIRED trust);

/* Copies the private key of an identity. */
int32_t VaultIdentityCopyPrivateKey(
    VaultIdentityRef VAULT_REQUIRED identity, VaultKeyRef VAULT_NULLABLE *VAULT_REQUIRED key);

/*
 * Reads a key: PKCS #1 for RSA, X9.63 for an elliptic curve, 32 bytes for Ed25519.
 *
 * attributes: the type and the class of the key; others are ignored.
 * Returns NULL if the data are no key of this type and class.
 */
VaultKeyRef VAULT_NULLABLE VaultKeyCreateWithData(
    VaultCFDataRef VAULT_REQUIRED data, VaultCFDictionaryRef VAULT_REQUIRED attributes,
    VaultCFErrorRef VAULT_NULLABLE *VAULT_NULLABLE error);

/* Copies the public key of a private one, or the public key itself. */
VaultKeyRef VAULT_NULLABLE VaultKeyCopyPublicKey(VaultKeyRef VAULT_REQUIRED key);

/* ---- Reading ---- */

/*
 * Copies a key in the form that VaultKeyCreateWithData() reads. The data are wiped with their last
 * owner.
 */
VaultCFDataRef VAULT_NULLABLE VaultKeyCopyExternalRepresentation(
    VaultKeyRef VAULT_REQUIRED key, VaultCFErrorRef VAULT_NULLABLE *VAULT_NULLABLE error);

/* Copies type, class, size, label and uses of a key, and never the key itself. */
VaultCFDictionaryRef VAULT_NULLABLE VaultKeyCopyAttributes(VaultKeyRef VAULT_REQUIRED key);

/* Returns the bytes that a key handles at once; 0 for what is not a key. */
size_t VaultKeyGetBlockSize(VaultKeyRef VAULT_REQUIRED key);

/* Returns whether a key can be used with an algorithm. */
unsigned char VaultKeyIsAlgorithmSupported(
    VaultKeyRef VAULT_REQUIRED key, VaultKeyOperationType operation,
    VaultCFStringRef VAULT_REQUIRED algorithm);

/* ---- Using ---- */

/*
 * Signs a message, or a hash if the algorithm takes one.
 *
 * Returns NULL if the key does not support the algorithm, or a hash has another length.
 */
VaultCFDataRef VAULT_NULLABLE VaultKeyCreateSignature(
    VaultKeyRef VAULT_REQUIRED key, VaultCFStringRef VAULT_REQUIRED algorithm,
    VaultCFDataRef VAULT_REQUIRED data, VaultCFErrorRef VAULT_NULLABLE *VAULT_NULLABLE error);

/* Returns whether a signature is a public key's; if not, the error is errVaultVerifyFailed. */
unsigned char VaultKeyVerifySignature(
    VaultKeyRef VAULT_REQUIRED key, VaultCFStringRef VAULT_REQUIRED algorithm,
    VaultCFDataRef VAULT_REQUIRED data, VaultCFDataRef VAULT_REQUIRED signature,
    VaultCFErrorRef VAULT_NULLABLE *VAULT_NULLABLE error);

/* Encrypts bytes for a public key of RSA, which takes few at once, or of an elliptic curve. */
VaultCFDataRef VAULT_NULLABLE VaultKeyCreateEncryptedData(
    VaultKeyRef VAULT_REQUIRED key, VaultCFStringRef VAULT_REQUIRED algorithm,
    VaultCFDataRef VAULT_REQUIRED data, VaultCFErrorRef VAULT_NULLABLE *VAULT_NULLABLE error);

/* Decrypts bytes with a private key of RSA or of an elliptic curve. The data are wiped with their last owner. */
VaultCFDataRef VAULT_NULLABLE VaultKeyCreateDecryptedData(
    VaultKeyRef VAULT_REQUIRED key, VaultCFStringRef VAULT_REQUIRED algorithm,
    VaultCFDataRef VAULT_REQUIRED data, VaultCFErrorRef VAULT_NULLABLE *VAULT_NULLABLE error);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
