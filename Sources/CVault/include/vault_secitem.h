/*
 * Apple's SecItem functions, for internet and generic passwords in vaults.
 *
 * The dictionaries have the keys and values of Apple's, whose constants vault_keychain_compat.h
 * names. Documentation/keychain-parity.md says which keys count.
 */
#ifndef VAULT_SECITEM_H
#define VAULT_SECITEM_H

#include "vault_corefoundation.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Finds items.
 *
 * query: the class, the attributes that have to be equal, what to return, and how many at most.
 * result: receives the caller's own object; NULL to learn only whether an item matches.
 * Data that holds a secret is wiped with its last owner.
 * Returns errVaultItemNotFound, errVaultParam, errVaultNoSuchAttr, errVaultInteractionNotAllowed
 * for a locked vault.
 */
int32_t VaultSecItemCopyMatching(
    VaultCFDictionaryRef VAULT_REQUIRED query,
    VaultCFTypeRef VAULT_NULLABLE *VAULT_NULLABLE result);

/*
 * Adds an item.
 *
 * attributes: the class, the attributes, the secret, and what to return.
 * result: receives the caller's own object; NULL if it is not wanted.
 * Returns errVaultDuplicateItem, errVaultParam, errVaultNoSuchAttr.
 */
int32_t VaultSecItemAdd(
    VaultCFDictionaryRef VAULT_REQUIRED attributes,
    VaultCFTypeRef VAULT_NULLABLE *VAULT_NULLABLE result);

/*
 * Changes the items that match, all of them or none.
 *
 * query: as for VaultSecItemCopyMatching(). changes: attributes and the secret.
 * Returns errVaultItemNotFound, errVaultDuplicateItem, errVaultParam, errVaultNoSuchAttr.
 */
int32_t VaultSecItemUpdate(
    VaultCFDictionaryRef VAULT_REQUIRED query, VaultCFDictionaryRef VAULT_REQUIRED changes);

/* Removes the items that match. Returns errVaultItemNotFound, errVaultParam. */
int32_t VaultSecItemDelete(VaultCFDictionaryRef VAULT_REQUIRED query);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
