/*
 * The keychain's interface for internet and generic passwords, on top of vaults.
 *
 * The functions have the parameters of Apple's SecKeychain functions in the same order, return the
 * same status numbers, and treat NULL, the length 0 and 0 as wildcards in the same places.
 * Documentation/keychain-parity.md lists the intended differences. With vault_keychain_compat.h, C
 * code keeps Apple's names.
 *
 * A handle is reference-counted: each function that returns one gives the caller a reference,
 * released by VaultItemRelease() or VaultRelease(). Handles of both interfaces are the same.
 */
#ifndef VAULT_KEYCHAIN_H
#define VAULT_KEYCHAIN_H

#include "vault.h"
#include "vault_corefoundation.h"

/* As in vault.h, whose scope has already ended if it includes this header. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

/* A vault, from vault_open() or VaultOpen(). */
typedef VAULT_REFERENCE(vault_t) VaultRef;
/* An item, from any function of both interfaces. */
typedef VAULT_REFERENCE(vault_item_t) VaultItemRef;
/* A search that returns one item after the other; released by VaultRelease(). */
typedef VAULT_REFERENCE(struct vault_search) VaultSearchRef;
/* Vaults that are searched in order; released by VaultRelease(). */
typedef VAULT_REFERENCE(struct vault_list) VaultListRef;
/*
 * A VaultRef, a VaultListRef, an array of vaults (VaultCFArrayRef), or NULL for the search list,
 * which is the default vault unless VaultSetSearchList() sets another.
 */
typedef VAULT_REFERENCE(const void) VaultOrListRef;

/* An access list, and a program in it; both are released by VaultRelease(). */
typedef VAULT_REFERENCE(struct VaultAccess) VaultAccessRef;
typedef VAULT_REFERENCE(struct VaultTrustedApplication) VaultTrustedApplicationRef;

/* Four characters as a number, the first one in the highest byte: 'http' is 0x68747470. */
typedef uint32_t VaultFourCharCode;
typedef VaultFourCharCode VaultItemClass;
typedef VaultFourCharCode VaultItemAttr;
typedef VaultFourCharCode VaultProtocolType;
/* Four characters whose bytes in memory spell the code, on every machine, as Apple's do. */
typedef VaultFourCharCode VaultAuthenticationType;

/*
 * One attribute: its tag, and `length` bytes of value.
 *
 * Text is its bytes; a number is 4 bytes in the machine's order (as an argument also 1 or 2); an
 * authentication type is the 4 bytes of its code; a date is the 16 bytes of YYYYMMDDhhmmssZ and
 * NUL, UTC.
 */
typedef struct VaultAttribute {
  VaultItemAttr tag;
  uint32_t length;
  void *VAULT_NULLABLE data;
} VaultAttribute;

/* `count` attributes; more than 1024 are errVaultParam, and none is read. */
typedef struct VaultAttributeList {
  uint32_t count;
  VaultAttribute *VAULT_NULLABLE attr;
} VaultAttributeList;

/* `count` tags, whose formats are ignored. */
typedef struct VaultAttributeInfo {
  uint32_t count;
  uint32_t *VAULT_NULLABLE tag;
  uint32_t *VAULT_NULLABLE format;
} VaultAttributeInfo;

/* ---- Constants ---- */

/* The classes of items. */
enum {
  kVaultInternetPasswordItemClass = 0x696E6574,  /* 'inet' */
  kVaultGenericPasswordItemClass = 0x67656E70,  /* 'genp' */
};

/* The tags of attributes; kVaultLabelItemAttr may also be written as 7, kVaultAlias as 8. */
enum {
  kVaultCreationDateItemAttr = 0x63646174,  /* 'cdat' */
  kVaultModDateItemAttr = 0x6D646174,  /* 'mdat' */
  kVaultDescriptionItemAttr = 0x64657363,  /* 'desc' */
  kVaultCommentItemAttr = 0x69636D74,  /* 'icmt' */
  kVaultCreatorItemAttr = 0x63727472,  /* 'crtr' */
  kVaultTypeItemAttr = 0x74797065,  /* 'type' */
  kVaultScriptCodeItemAttr = 0x73637270,  /* 'scrp' */
  kVaultLabelItemAttr = 0x6C61626C,  /* 'labl' */
  kVaultInvisibleItemAttr = 0x696E7669,  /* 'invi' */
  kVaultNegativeItemAttr = 0x6E656761,  /* 'nega' */
  kVaultCustomIconItemAttr = 0x63757369,  /* 'cusi' */
  kVaultAccountItemAttr = 0x61636374,  /* 'acct' */
  kVaultSecurityDomainItemAttr = 0x73646D6E,  /* 'sdmn' */
  kVaultServerItemAttr = 0x73727672,  /* 'srvr' */
  kVaultAuthenticationTypeItemAttr = 0x61747970,  /* 'atyp' */
  kVaultPortItemAttr = 0x706F7274,  /* 'port' */
  kVaultPathItemAttr = 0x70617468,  /* 'path' */
  kVaultProtocolItemAttr = 0x7074636C,  /* 'ptcl' */
  kVaultProtectedDataItemAttr = 0x70726F74,  /* 'prot' */
};

/* Tags of generic passwords; a tag that an item's class does not have is errVaultNoSuchAttr. */
enum {
  kVaultServiceItemAttr = 0x73766365,  /* 'svce' */
  kVaultGenericItemAttr = 0x67656E61,  /* 'gena' */
};

/* Tags that no item has. */
enum {
  kVaultVolumeItemAttr = 0x766C6D65,  /* 'vlme' */
  kVaultAddressItemAttr = 0x61646472,  /* 'addr' */
  kVaultSignatureItemAttr = 0x73736967,  /* 'ssig' */
};

/*
 * Apple's alias; like the script code, the custom icon and the protected data, it is always
 * unset.
 */
enum { kVaultAlias = 0x616C6973 /* 'alis' */ };

/* Protocols; 0 means any for finding, and unset for adding. */
enum {
  kVaultProtocolTypeFTP = 0x66747020,  /* 'ftp ' */
  kVaultProtocolTypeFTPAccount = 0x66747061,  /* 'ftpa' */
  kVaultProtocolTypeHTTP = 0x68747470,  /* 'http' */
  kVaultProtocolTypeIRC = 0x69726320,  /* 'irc ' */
  kVaultProtocolTypeNNTP = 0x6E6E7470,  /* 'nntp' */
  kVaultProtocolTypePOP3 = 0x706F7033,  /* 'pop3' */
  kVaultProtocolTypeSMTP = 0x736D7470,  /* 'smtp' */
  kVaultProtocolTypeSOCKS = 0x736F7820,  /* 'sox ' */
  kVaultProtocolTypeIMAP = 0x696D6170,  /* 'imap' */
  kVaultProtocolTypeLDAP = 0x6C646170,  /* 'ldap' */
  kVaultProtocolTypeAppleTalk = 0x61746C6B,  /* 'atlk' */
  kVaultProtocolTypeAFP = 0x61667020,  /* 'afp ' */
  kVaultProtocolTypeTelnet = 0x74656C6E,  /* 'teln' */
  kVaultProtocolTypeSSH = 0x73736820,  /* 'ssh ' */
  kVaultProtocolTypeFTPS = 0x66747073,  /* 'ftps' */
  kVaultProtocolTypeHTTPS = 0x68747073,  /* 'htps' */
  kVaultProtocolTypeHTTPProxy = 0x68747078,  /* 'htpx' */
  kVaultProtocolTypeHTTPSProxy = 0x68747378,  /* 'htsx' */
  kVaultProtocolTypeFTPProxy = 0x66747078,  /* 'ftpx' */
  kVaultProtocolTypeCIFS = 0x63696673,  /* 'cifs' */
  kVaultProtocolTypeSMB = 0x736D6220,  /* 'smb ' */
  kVaultProtocolTypeRTSP = 0x72747370,  /* 'rtsp' */
  kVaultProtocolTypeRTSPProxy = 0x72747378,  /* 'rtsx' */
  kVaultProtocolTypeDAAP = 0x64616170,  /* 'daap' */
  kVaultProtocolTypeEPPC = 0x65707063,  /* 'eppc' */
  kVaultProtocolTypeIPP = 0x69707020,  /* 'ipp ' */
  kVaultProtocolTypeNNTPS = 0x6E747073,  /* 'ntps' */
  kVaultProtocolTypeLDAPS = 0x6C647073,  /* 'ldps' */
  kVaultProtocolTypeTelnetS = 0x74656C73,  /* 'tels' */
  kVaultProtocolTypeIMAPS = 0x696D7073,  /* 'imps' */
  kVaultProtocolTypeIRCS = 0x69726373,  /* 'ircs' */
  kVaultProtocolTypePOP3S = 0x706F7073,  /* 'pops' */
  kVaultProtocolTypeCVSpserver = 0x63767370,  /* 'cvsp' */
  kVaultProtocolTypeSVN = 0x73766E20,  /* 'svn ' */
};

enum { kVaultProtocolTypeAny = 0 };

/* The number whose bytes in memory are those of a code, in order. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define VAULT_CODE_BYTES_(code) \
  ((((code) >> 24) & 0xFF) | (((code) >> 8) & 0xFF00) | (((code) & 0xFF00) << 8) | (((code) & 0xFFu) << 24))
#else
#define VAULT_CODE_BYTES_(code) (code)
#endif

/* Authentication types; 0 means any for finding, and unset for adding. */
enum {
  kVaultAuthenticationTypeNTLM = VAULT_CODE_BYTES_(0x6E746C6D),  /* 'ntlm' */
  kVaultAuthenticationTypeMSN = VAULT_CODE_BYTES_(0x6D736E61),  /* 'msna' */
  kVaultAuthenticationTypeDPA = VAULT_CODE_BYTES_(0x64706161),  /* 'dpaa' */
  kVaultAuthenticationTypeRPA = VAULT_CODE_BYTES_(0x72706161),  /* 'rpaa' */
  kVaultAuthenticationTypeHTTPBasic = VAULT_CODE_BYTES_(0x68747470),  /* 'http' */
  kVaultAuthenticationTypeHTTPDigest = VAULT_CODE_BYTES_(0x68747464),  /* 'httd' */
  kVaultAuthenticationTypeHTMLForm = VAULT_CODE_BYTES_(0x666F726D),  /* 'form' */
  kVaultAuthenticationTypeDefault = VAULT_CODE_BYTES_(0x64666C74),  /* 'dflt' */
};

enum { kVaultAuthenticationTypeAny = 0 };

/* The results of VaultGetStatus(); values are added. */
enum {
  kVaultUnlockStateStatus = 1,
  kVaultReadPermStatus = 2,
  kVaultWritePermStatus = 4,
};

/* The status numbers, which are Apple's. */
enum {
  errVaultSuccess = 0,
  errVaultUnimplemented = -4,
  errVaultDiskFull = -34,
  errVaultIO = -36,
  errVaultParam = -50,
  errVaultWrPerm = -61,
  errVaultAllocate = -108,
  errVaultUserCanceled = -128,
  errVaultBadReq = -909,
  errVaultInternalComponent = -2070,
  errVaultNotAvailable = -25291,
  errVaultReadOnly = -25292,
  errVaultAuthFailed = -25293,
  errVaultNoSuchKeychain = -25294,
  errVaultInvalidKeychain = -25295,
  errVaultDuplicateKeychain = -25296,
  errVaultDuplicateCallback = -25297,
  errVaultInvalidCallback = -25298,
  errVaultDuplicateItem = -25299,
  errVaultItemNotFound = -25300,
  errVaultBufferTooSmall = -25301,
  errVaultDataTooLarge = -25302,
  errVaultNoSuchAttr = -25303,
  errVaultInvalidItemRef = -25304,
  errVaultInvalidSearchRef = -25305,
  errVaultNoSuchClass = -25306,
  errVaultNoDefaultKeychain = -25307,
  errVaultInteractionNotAllowed = -25308,
  errVaultReadOnlyAttr = -25309,
  errVaultWrongSecVersion = -25310,
  errVaultNoAccessForItem = -25243,
  errVaultDataNotAvailable = -25316,
  errVaultInvalidPrefsDomain = -25319,
  errVaultDecode = -26275,
  errVaultServiceNotAvailable = -67585,
  errVaultInternalError = -67671,
  errVaultInvalidPointer = -67675,
  errVaultInvalidQuery = -67693,
  errVaultInvalidValue = -67694,
  errVaultVerifyFailed = -67808,
  errVaultDatabaseLocked = -67869,
  errVaultMissingValue = -67871,
};

/* ---- Items ---- */

/*
 * Finds the first item that matches, and its secret.
 *
 * vaults: searched in this order until one has a match; if the search reaches a locked or damaged
 *     one, that is an error. An invalid one is errVaultInvalidKeychain, any other handle
 *     errVaultParam.
 * server, domain, account, path: each with its length in bytes; NULL or the length 0 means any.
 * port, protocol, authentication_type: 0 means any; kVaultAuthenticationTypeDefault does not.
 * password: receives `*password_length` bytes, never NULL, to be freed by
 *     VaultItemFreeContent(NULL, password); NULL if it is not wanted, as for password_length.
 * item: receives a reference to the item; NULL if it is not wanted.
 * An expired item is found only if its password is not wanted: to change or to delete it.
 * Returns errVaultItemNotFound, errVaultParam, errVaultInteractionNotAllowed for a locked vault,
 * errVaultNoDefaultKeychain.
 */
int32_t VaultFindInternetPassword(
    VaultOrListRef VAULT_NULLABLE vaults, uint32_t server_length, const char *VAULT_NULLABLE server,
    uint32_t domain_length, const char *VAULT_NULLABLE domain, uint32_t account_length,
    const char *VAULT_NULLABLE account, uint32_t path_length, const char *VAULT_NULLABLE path,
    uint16_t port, VaultProtocolType protocol, VaultAuthenticationType authentication_type,
    uint32_t *VAULT_NULLABLE password_length, void *VAULT_NULLABLE *VAULT_NULLABLE password,
    VaultItemRef VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Adds an item to a vault, permanently.
 *
 * vault: NULL for the default vault; any other value that is not a vault is
 *     errVaultInvalidKeychain.
 * server … authentication_type: the new values; NULL, the length 0 and 0 are unset.
 * password: `password_length` bytes, copied; NULL only with the length 0, for the empty secret.
 * item: receives a reference to the item; NULL if it is not wanted.
 * The item counts as accepted by its server. Its label becomes the server, else the account.
 * Returns errVaultDuplicateItem, errVaultParam, errVaultInteractionNotAllowed for a locked vault,
 * errVaultWrPerm if the vault's policy keeps no such item, errVaultDataTooLarge.
 */
int32_t VaultAddInternetPassword(
    VaultRef VAULT_NULLABLE vault, uint32_t server_length, const char *VAULT_NULLABLE server,
    uint32_t domain_length, const char *VAULT_NULLABLE domain, uint32_t account_length,
    const char *VAULT_NULLABLE account, uint32_t path_length, const char *VAULT_NULLABLE path,
    uint16_t port, VaultProtocolType protocol, VaultAuthenticationType authentication_type,
    uint32_t password_length, const void *VAULT_NULLABLE password,
    VaultItemRef VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Finds the first generic password that matches, and its secret.
 *
 * service, account: each with its length in bytes; NULL or the length 0 means any.
 * Otherwise like VaultFindInternetPassword().
 */
int32_t VaultFindGenericPassword(
    VaultOrListRef VAULT_NULLABLE vaults, uint32_t service_length,
    const char *VAULT_NULLABLE service, uint32_t account_length,
    const char *VAULT_NULLABLE account, uint32_t *VAULT_NULLABLE password_length,
    void *VAULT_NULLABLE *VAULT_NULLABLE password,
    VaultItemRef VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Adds a generic password to a vault, permanently.
 *
 * service, account: the new values; NULL and the length 0 are unset.
 * Its label becomes the service, else the account. Otherwise like VaultAddInternetPassword().
 */
int32_t VaultAddGenericPassword(
    VaultRef VAULT_NULLABLE vault, uint32_t service_length, const char *VAULT_NULLABLE service,
    uint32_t account_length, const char *VAULT_NULLABLE account, uint32_t password_length,
    const void *VAULT_NULLABLE password, VaultItemRef VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Access lists say which programs read an item without a person being asked. Every program that
 * opens a vault reads all of it, and nobody is ever asked: a list that names programs, as every
 * item of Apple's has one, has no effect. One without any asks each time: the functions of this
 * header and of vault_secitem.h then give the item's secret to nobody, with
 * errVaultInteractionNotAllowed, and `vaultctl` shows it. No vault can have such a list.
 */
VaultCFTypeID VaultAccessGetTypeID(void);
VaultCFTypeID VaultTrustedApplicationGetTypeID(void);

/*
 * Creates an access list.
 *
 * applications: an array of VaultTrustedApplicationRef, also an empty one; NULL for the calling
 *     program.
 */
int32_t VaultAccessCreate(
    VaultCFStringRef VAULT_REQUIRED name, VaultCFArrayRef VAULT_NULLABLE applications,
    VaultAccessRef VAULT_NULLABLE *VAULT_REQUIRED access);

/* Creates a program of an access list; its path is not looked at, and may be NULL. */
int32_t VaultTrustedApplicationCreateFromPath(
    const char *VAULT_NULLABLE path,
    VaultTrustedApplicationRef VAULT_NULLABLE *VAULT_REQUIRED application);

/*
 * Adds an item of a class with any attributes, permanently; the only way to add one with a label.
 *
 * item_class: errVaultNoSuchClass for another one than the two.
 * attributes: the new values as for VaultItemModifyContent(), NULL for none. Without a label, it
 *     becomes as for the functions above.
 * length, data: the secret; NULL only with the length 0, for the empty secret.
 * vault: as for VaultAddInternetPassword().
 * access: NULL, or a list of VaultAccessCreate(); with an empty one, no program gets the secret.
 * Returns errVaultNoSuchAttr, errVaultReadOnlyAttr, and the errors of VaultAddInternetPassword().
 */
int32_t VaultItemCreateFromContent(
    VaultItemClass item_class, const VaultAttributeList *VAULT_NULLABLE attributes,
    uint32_t length, const void *VAULT_NULLABLE data, VaultRef VAULT_NULLABLE vault,
    VaultAccessRef VAULT_NULLABLE access,
    VaultItemRef VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Copies an item with its dates and its secret into a vault.
 *
 * vault: as for VaultAddInternetPassword().
 * access: as for VaultItemCreateFromContent().
 * copy: receives a reference to the new item; NULL if it is not wanted.
 * Returns errVaultDuplicateItem, errVaultDataNotAvailable if the item has expired, errVaultWrPerm
 * if the vault's policy keeps no such item in the file.
 */
int32_t VaultItemCreateCopy(
    VaultItemRef VAULT_REQUIRED item, VaultRef VAULT_NULLABLE vault,
    VaultAccessRef VAULT_NULLABLE access,
    VaultItemRef VAULT_NULLABLE *VAULT_NULLABLE copy);

/* Returns a reference to the vault of an item. */
int32_t VaultItemCopyVault(
    VaultItemRef VAULT_REQUIRED item, VaultRef VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Returns bytes that name an item also in other processes, and after it was renamed: its class and
 * its identity, and nothing of its content.
 */
int32_t VaultItemCreatePersistentReference(
    VaultItemRef VAULT_REQUIRED item, VaultCFDataRef VAULT_NULLABLE *VAULT_REQUIRED reference);

/*
 * Finds the item that such bytes name, in the vaults of the search list and among the others that
 * the process has opened.
 *
 * Returns errVaultItemNotFound, errVaultInvalidItemRef for other bytes.
 */
int32_t VaultItemCopyFromPersistentReference(
    VaultCFDataRef VAULT_REQUIRED reference, VaultItemRef VAULT_NULLABLE *VAULT_REQUIRED item);

/*
 * Changes the attributes in a list, and the secret; the others are kept.
 *
 * attributes: NULL if none changes. A text of length 0, and a number 0, unset the attribute.
 * data: `length` bytes, copied, the new secret; NULL keeps the secret, with any length.
 * Of two attributes with one tag, the last one counts. A new secret ends an expiry that has passed.
 * Returns errVaultInvalidItemRef, errVaultNoSuchAttr, errVaultInvalidValue for a number of another
 * length than 1, 2 or 4, errVaultReadOnlyAttr for a date, errVaultUnimplemented for a value that
 * vaults do not keep, errVaultDuplicateItem, and the errors of adding; in these cases nothing is
 * changed.
 */
int32_t VaultItemModifyContent(
    VaultItemRef VAULT_REQUIRED item, const VaultAttributeList *VAULT_NULLABLE attributes,
    uint32_t length, const void *VAULT_NULLABLE data);

/*
 * Like VaultItemModifyContent(), but a number of length 0 unsets it; in the key that is
 * errVaultMissingValue.
 */
int32_t VaultItemModifyAttributesAndData(
    VaultItemRef VAULT_REQUIRED item, const VaultAttributeList *VAULT_NULLABLE attributes,
    uint32_t length, const void *VAULT_NULLABLE data);

/*
 * Copies the attributes with the tags in a list, and the secret.
 *
 * item_class: receives the item's class; NULL if it is not wanted.
 * attributes: `data` and `length` of each attribute are filled in: NULL and 0 for an unset one, but
 *     always 4 bytes for protocol, authentication type and port; NULL if none is wanted.
 * length, data: receive the secret, never NULL; each may be NULL if it is not wanted.
 * The values are the item's current ones. They are freed by VaultItemFreeContent().
 * Returns errVaultInvalidItemRef, errVaultNoSuchAttr, errVaultItemNotFound if the item was deleted,
 * errVaultDataNotAvailable if the secret is wanted and has expired, errVaultInteractionNotAllowed
 * for a locked vault.
 */
int32_t VaultItemCopyContent(
    VaultItemRef VAULT_REQUIRED item, VaultItemClass *VAULT_NULLABLE item_class,
    VaultAttributeList *VAULT_NULLABLE attributes, uint32_t *VAULT_NULLABLE length,
    void *VAULT_NULLABLE *VAULT_NULLABLE data);

/*
 * Wipes and frees a secret, and the values in a list, which become NULL; each may be NULL. The
 * list stays the caller's.
 */
int32_t VaultItemFreeContent(
    VaultAttributeList *VAULT_NULLABLE attributes, void *VAULT_NULLABLE data);

/*
 * Copies the attributes with the tags in `info` into a new list, and the secret.
 *
 * info: NULL leaves `attributes` unchanged.
 * The results are freed by VaultItemFreeAttributesAndData(). Otherwise like VaultItemCopyContent().
 */
int32_t VaultItemCopyAttributesAndData(
    VaultItemRef VAULT_REQUIRED item, const VaultAttributeInfo *VAULT_NULLABLE info,
    VaultItemClass *VAULT_NULLABLE item_class,
    VaultAttributeList *VAULT_NULLABLE *VAULT_NULLABLE attributes, uint32_t *VAULT_NULLABLE length,
    void *VAULT_NULLABLE *VAULT_NULLABLE data);

/* Wipes and frees a secret, and a list with its values; each may be NULL. */
int32_t VaultItemFreeAttributesAndData(
    VaultAttributeList *VAULT_NULLABLE attributes, void *VAULT_NULLABLE data);

/*
 * Removes an item and its previous secrets from its vault, which keeps nothing of them unless it is
 * set to; the reference stays the caller's. Returns errVaultInvalidItemRef, errVaultItemNotFound.
 */
int32_t VaultItemDelete(VaultItemRef VAULT_REQUIRED item);

/* Adds an owner of an item, and returns it; NULL if it is not an item. */
VaultItemRef VAULT_NULLABLE VaultItemRetain(VaultItemRef VAULT_NULLABLE item);

/* Removes an owner of an item, and frees it after the last; ignores anything else. */
void VaultItemRelease(VaultItemRef VAULT_NULLABLE item);

/* ---- Searching ---- */

/*
 * Begins a search for the items whose attributes equal those of a list.
 *
 * item_class: one of the two classes; another is errVaultNoSuchClass.
 * vaults: as for VaultFindInternetPassword(), but all of them are searched.
 * attributes: NULL matches all. A value of length 0 matches only unset attributes; dates match to
 *     the second.
 * search: receives a reference to the search. Its matches are determined now; items deleted before
 *     they are returned are left out.
 * Returns errVaultParam, errVaultNoSuchAttr, errVaultInvalidQuery for a duplicate tag,
 * errVaultInvalidValue.
 */
int32_t VaultSearchCreateFromAttributes(
    VaultOrListRef VAULT_NULLABLE vaults, VaultItemClass item_class,
    const VaultAttributeList *VAULT_NULLABLE attributes,
    VaultSearchRef VAULT_NULLABLE *VAULT_REQUIRED search);

/*
 * Returns a reference to the next item of a search; after the last one, every call returns
 * errVaultItemNotFound.
 */
int32_t VaultSearchCopyNext(
    VaultSearchRef VAULT_REQUIRED search, VaultItemRef VAULT_NULLABLE *VAULT_REQUIRED item);

/* ---- Vaults ---- */

/*
 * Opens a vault by its path; released by VaultRelease().
 *
 * The key is found as for vault_open(); if there is none, or it is the key of another vault, the
 * vault stays locked. Where there is no vault yet, the reference opens it as soon as there is one;
 * until then its use is errVaultNoSuchKeychain. A file that nobody can write, such as one of mode
 * 0444, is only read.
 * Returns errVaultParam, errVaultInvalidKeychain.
 */
int32_t VaultOpen(const char *VAULT_REQUIRED path, VaultRef VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Makes a list of `count` vaults, and retains them. Returns errVaultInvalidKeychain,
 * errVaultParam.
 */
int32_t VaultListCreate(
    const VaultRef VAULT_NULLABLE *VAULT_NULLABLE vaults, uint32_t count,
    VaultListRef VAULT_NULLABLE *VAULT_REQUIRED list);

/* Locks a vault; NULL for the default vault. */
int32_t VaultLock(VaultRef VAULT_NULLABLE vault);

/*
 * Unlocks a vault; NULL for the default vault.
 *
 * password: `password_length` bytes, used only if use_password is not 0; else the key is found as
 *     for vault_open(), unless the vault is already unlocked.
 * Returns errVaultAuthFailed for a wrong or empty one, and if no key is found.
 */
int32_t VaultUnlock(
    VaultRef VAULT_NULLABLE vault, uint32_t password_length, const void *VAULT_NULLABLE password,
    unsigned char use_password);

/*
 * Returns whether a vault, NULL for the default one, is unlocked, readable and writable: a sum
 * of kVault…Status.
 */
int32_t VaultGetStatus(VaultRef VAULT_NULLABLE vault, uint32_t *VAULT_REQUIRED status);

/*
 * Returns the meaning of a status, in English; NULL for an unknown one. Released by
 * VaultRelease(). `reserved` is ignored.
 */
const char *VAULT_NULLABLE VaultCopyErrorMessageString(
    int32_t status, void *VAULT_NULLABLE reserved);

/* Returns the meaning of a status, as VaultCopyErrorMessageString(), as a CFString. */
VaultCFStringRef VAULT_NULLABLE VaultCopyErrorString(
    int32_t status, void *VAULT_NULLABLE reserved);

/*
 * Adds an owner of a vault, item, search, list or message, and returns it; NULL for anything
 * else.
 */
const void *VAULT_NULLABLE VaultRetain(const void *VAULT_NULLABLE object);

/*
 * Removes an owner, and ends the object after the last; ignores anything else. A vault is closed
 * when no list, item or search of it is left.
 */
void VaultRelease(const void *VAULT_NULLABLE object);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#include "vault_keychain_vaults.h"

#endif
