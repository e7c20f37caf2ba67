/*
 * The rest of the keychain's interface: vaults as a whole, lists of them, settings and events.
 *
 * The functions have the parameters of Apple's in the same order. Apple keeps the default keychain,
 * the search list and the preference domain in the user's preferences; here they hold for the
 * process. Documentation/keychain-parity.md has a table of all of Apple's functions.
 */
#ifndef VAULT_KEYCHAIN_VAULTS_H
#define VAULT_KEYCHAIN_VAULTS_H

#include <sys/types.h>

#include "vault_corefoundation.h"
#include "vault_keychain.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

/* Where a default or a list is kept: only the user's exists here. */
typedef int32_t VaultPreferencesDomain;
enum {
  kVaultPreferencesDomainUser = 0,
  kVaultPreferencesDomainSystem = 1,
  kVaultPreferencesDomainCommon = 2,
  kVaultPreferencesDomainDynamic = 3,
};

/* When a vault locks itself, which vaults never do. */
typedef struct VaultSettings {
  /* 1. */
  uint32_t version;
  unsigned char lockOnSleep;
  unsigned char useLockInterval;
  /* Seconds. */
  uint32_t lockInterval;
} VaultSettings;

/* Events, and the sums of their masks; a mask is 1 shifted left by the event. */
typedef uint32_t VaultEventKind;
typedef uint32_t VaultEventMask;
enum {
  kVaultLockEvent = 1,
  kVaultUnlockEvent = 2,
  kVaultAddEvent = 3,
  kVaultDeleteEvent = 4,
  kVaultUpdateEvent = 5,
  kVaultDefaultChangedEvent = 9,
  kVaultListChangedEvent = 11,
};
#define kVaultEveryEventMask 0xFFFFFFFFu

/* The subject of an event; the references are valid until the callback returns. */
typedef struct VaultCallbackInfo {
  /* 0. */
  uint32_t version;
  /* The item; NULL if it was deleted, and for a change by another process, which may be of any. */
  VaultItemRef VAULT_NULLABLE item;
  /* The vault; NULL if the search list changed. */
  VaultRef VAULT_NULLABLE keychain;
  /* This process; 0 for a change by another one. */
  pid_t pid;
} VaultCallbackInfo;

/* Called for an event; its result is ignored. */
typedef int32_t (*VaultCallback)(
    VaultEventKind event, VaultCallbackInfo *VAULT_NULLABLE info, void *VAULT_NULLABLE context);

/* ---- Vaults ---- */

VaultCFTypeID VaultGetTypeID(void);
VaultCFTypeID VaultItemGetTypeID(void);
VaultCFTypeID VaultSearchGetTypeID(void);

/* Returns the version of Apple's interface that this one follows, 0x02028000. */
int32_t VaultGetVersion(uint32_t *VAULT_REQUIRED version);

/*
 * Creates a vault that a password opens, and opens it. It stays unlocked in this process, as one
 * that VaultUnlock() unlocks by a password, until it is locked or deleted.
 *
 * path: a C string.
 * password: `password_length` bytes, not 0.
 * prompts: not 0 is errVaultInteractionNotAllowed, because the library never prompts.
 * access: as for VaultItemCreateFromContent().
 * Returns errVaultDuplicateKeychain, errVaultParam, errVaultIO.
 */
int32_t VaultCreate(
    const char *VAULT_REQUIRED path, uint32_t password_length, const void *VAULT_NULLABLE password,
    unsigned char prompts, VaultAccessRef VAULT_NULLABLE access,
    VaultRef VAULT_NULLABLE *VAULT_NULLABLE vault);

/*
 * Closes vaults and removes their files, with every item; the references stay the caller's. The
 * vaults leave the search list of this process.
 *
 * vaults: a vault, or an array or list of them; NULL is errVaultInvalidKeychain.
 */
int32_t VaultDelete(VaultOrListRef VAULT_REQUIRED vaults);

/* Locks every vault that the process has opened by this interface or by vault.h. */
int32_t VaultLockAll(void);

/*
 * Writes a vault's path and a NUL.
 *
 * length: the size of `path`; receives the length of the path, also if it does not fit.
 * Returns errVaultBufferTooSmall, errVaultInvalidKeychain, errVaultNoSuchKeychain for a vault in
 * memory.
 */
int32_t VaultGetPath(
    VaultRef VAULT_NULLABLE vault, uint32_t *VAULT_REQUIRED length, char *VAULT_REQUIRED path);

/* Returns a vault's settings: it never locks itself. `version` must be 1. */
int32_t VaultCopySettings(VaultRef VAULT_NULLABLE vault, VaultSettings *VAULT_REQUIRED settings);

/* Accepts settings that never lock the vault; others are errVaultUnimplemented. */
int32_t VaultSetSettings(
    VaultRef VAULT_NULLABLE vault, const VaultSettings *VAULT_REQUIRED settings);

/* ---- The default vault and the search list ---- */

/*
 * Returns a reference to the default vault: the one that NULL means.
 *
 * Returns errVaultNoDefaultKeychain.
 */
int32_t VaultCopyDefault(VaultRef VAULT_NULLABLE *VAULT_REQUIRED vault);

/* Makes a vault the process's default; NULL makes it the one that vaultctl uses again. */
int32_t VaultSetDefault(VaultRef VAULT_NULLABLE vault);

/* Returns an array of the vaults that NULL searches. */
int32_t VaultCopySearchList(VaultCFArrayRef VAULT_NULLABLE *VAULT_REQUIRED list);

/*
 * Sets the vaults that NULL searches in this process, an array of vaults; an empty one makes it the
 * default vault again.
 */
int32_t VaultSetSearchList(VaultCFArrayRef VAULT_REQUIRED list);

/* As the functions above; another domain than the user's is errVaultInvalidPrefsDomain. */
int32_t VaultCopyDomainDefault(
    VaultPreferencesDomain domain, VaultRef VAULT_NULLABLE *VAULT_REQUIRED vault);
int32_t VaultSetDomainDefault(VaultPreferencesDomain domain, VaultRef VAULT_NULLABLE vault);
int32_t VaultCopyDomainSearchList(
    VaultPreferencesDomain domain, VaultCFArrayRef VAULT_NULLABLE *VAULT_REQUIRED list);
int32_t VaultSetDomainSearchList(
    VaultPreferencesDomain domain, VaultCFArrayRef VAULT_REQUIRED list);

/* Accepts the user's domain, which is the only one. */
int32_t VaultSetPreferenceDomain(VaultPreferencesDomain domain);
int32_t VaultGetPreferenceDomain(VaultPreferencesDomain *VAULT_REQUIRED domain);

/* ---- Interaction ---- */

/*
 * Says whether the library may prompt, which it never does: after 0, a locked vault is
 * errVaultAuthFailed instead of errVaultInteractionNotAllowed, as with Apple's functions.
 */
int32_t VaultSetUserInteractionAllowed(unsigned char is_allowed);

/* Returns what was set; at first, 1. */
int32_t VaultGetUserInteractionAllowed(unsigned char *VAULT_REQUIRED is_allowed);

/* ---- Attributes ---- */

/*
 * Returns the tags of a class's attributes, in ascending order, and their formats.
 *
 * item_id: a class. Freed by VaultFreeAttributeInfo().
 * Returns errVaultNoSuchClass.
 */
int32_t VaultAttributeInfoForItemID(
    VaultRef VAULT_NULLABLE vault, uint32_t item_id,
    VaultAttributeInfo *VAULT_NULLABLE *VAULT_REQUIRED info);

/* Frees what VaultAttributeInfoForItemID() returned. */
int32_t VaultFreeAttributeInfo(VaultAttributeInfo *VAULT_NULLABLE info);

/* ---- Events ---- */

/*
 * Calls a function for every event whose mask is in a sum, of each vault that the process has
 * opened by this interface or opens later.
 *
 * It is called by one thread at a time, often by the one that made the change, before its call
 * returns; no run loop is needed. It may call every function.
 * Returns errVaultDuplicateCallback, errVaultParam.
 */
int32_t VaultAddCallback(
    VaultCallback VAULT_REQUIRED callback, VaultEventMask events, void *VAULT_NULLABLE context);

/* Ends the calls of a function. Returns errVaultInvalidCallback. */
int32_t VaultRemoveCallback(VaultCallback VAULT_REQUIRED callback);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
