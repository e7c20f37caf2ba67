/*
 * The C interface of the credential vault.
 *
 * Every function may be called from any thread. A function that fails changes nothing, and leaves
 * its output parameters as they were. Handles are numbers that look like pointers but are not
 * addresses. They are looked up before use, and an unknown or released one is
 * VAULT_INVALID_ARGUMENT.
 *
 * In a child that fork() made of a process that used the library, every call returns VAULT_LOCKED,
 * and nothing waits or is released: exec() another program, or fork before the first call.
 *
 * Pointers are marked. A VAULT_NULLABLE one may be NULL, and its comment says what that means. A
 * VAULT_REQUIRED one must not be, and NULL there is VAULT_INVALID_ARGUMENT. Arguments are copied
 * and stay the caller's. Results belong to the caller, who must free them as the function says.
 *
 * The library changes no signal's disposition. Where the size of files is limited (setrlimit(2),
 * RLIMIT_FSIZE), the kernel sends SIGXFSZ, which ends a host that does not ignore it; in one that
 * does, the call is VAULT_INPUT_OUTPUT. If a signal ends a host, a file that was being made under a
 * temporary name, `.NAME.….new`, stays until the next program makes one beside it.
 *
 * Text is UTF-8 without NUL and comes with its length in bytes; a pointer with the length 0 may be
 * NULL. A length above 1 MiB is VAULT_TOO_LARGE, and nothing is read.
 * A path is a C string.
 */
#ifndef VAULT_H
#define VAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vault_annotations.h"

/* Allows the marks even if only standard C is allowed. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---- */

/* The result of a call; the numbers never change their meaning. */
typedef enum vault_status {
  /* Success. */
  VAULT_OK = 0,
  /* A broken invariant of the library itself. */
  VAULT_INTERNAL_ERROR = 1,
  /* An invalid argument: a host with a blank, NULL where it is not allowed, a released handle. */
  VAULT_INVALID_ARGUMENT = 2,
  /* The vault is locked. */
  VAULT_LOCKED = 3,
  /* No item matches. */
  VAULT_ITEM_NOT_FOUND = 4,
  /* An item with this key exists. */
  VAULT_DUPLICATE_ITEM = 5,
  /* Several items share the best rank, but one was requested. */
  VAULT_AMBIGUOUS = 6,
  /* Only expired items match. */
  VAULT_EXPIRED = 7,
  /* The item was changed by another writer since it was read. */
  VAULT_CONFLICT = 8,
  /* Sealed data does not authenticate, or its file is malformed. */
  VAULT_DAMAGED = 9,
  /* There is no vault at this path. */
  VAULT_VAULT_NOT_FOUND = 10,
  /* A wrong passphrase or key. */
  VAULT_AUTHENTICATION_FAILED = 11,
  /* The vault cannot be written. */
  VAULT_READ_ONLY = 12,
  /* The vault is older than it was when last seen. */
  VAULT_ROLLED_BACK = 13,
  /* The vault's history differs from the one last seen. */
  VAULT_FORKED = 14,
  /* A policy does not allow it. */
  VAULT_POLICY_REFUSED = 15,
  /* External input cannot be understood. */
  VAULT_INVALID_DATA = 16,
  /* The file is not a vault. */
  VAULT_NOT_A_VAULT = 17,
  /* An input file is missing. */
  VAULT_MISSING_INPUT = 18,
  /* A required resource is not available. */
  VAULT_UNAVAILABLE = 19,
  /* There is not enough memory. */
  VAULT_OUT_OF_MEMORY = 20,
  /* There is already a vault at this path. */
  VAULT_VAULT_EXISTS = 21,
  /* A file or folder could not be created. */
  VAULT_CANNOT_CREATE = 22,
  /* Reading or writing failed. */
  VAULT_INPUT_OUTPUT = 23,
  /* A commit failed, and it is not known whether it took effect. */
  VAULT_OUTCOME_UNKNOWN = 24,
  /* Another process held the vault's lock for too long. */
  VAULT_BUSY = 25,
  /* The vault was written in a format newer than this library. */
  VAULT_TOO_NEW = 26,
  /* A file or folder has an owner or mode that gives others access. */
  VAULT_UNSAFE_PERMISSIONS = 27,
  /* The configuration is wrong. */
  VAULT_CONFIGURATION = 28,
  /* A signal or the user interrupted the call. */
  VAULT_INTERRUPTED = 29,
  /* A value exceeds its limit. */
  VAULT_TOO_LARGE = 30,
  /* The operation is not implemented for this input. */
  VAULT_UNSUPPORTED = 31,
  /* The vault was closed. */
  VAULT_CLOSED = 32,
  /* The path has another vault than the one last seen there; vault_open_accepting() accepts it. */
  VAULT_ANOTHER_VAULT = 33,
  /* An algorithm of external input is not supported. */
  VAULT_UNSUPPORTED_ALGORITHM = 34,
  /* External input asks for more work to derive a key than is allowed. */
  VAULT_TOO_COSTLY = 35,
  /* A file that should have an identity has no private key. */
  VAULT_MISSING_IDENTITY = 36,
  /* A private key has no certificate. */
  VAULT_MISSING_CERTIFICATE = 37,
  /* The secret needs a PIN. */
  VAULT_PIN_REQUIRED = 38,
  /* Too many wrong PINs were tried; vault_last_error() says when the next one may be. */
  VAULT_TOO_MANY_ATTEMPTS = 39,
} vault_status_t;

/* Returns the meaning of a status: a static text, never NULL, even for an unknown status. */
const char *VAULT_REQUIRED vault_status_message(vault_status_t status);

/*
 * Returns a description of this thread's last failed call, with the system's reason if there is
 * one, and without any secret; "" if none failed.
 * It is valid until the next failed call of this thread, and owned by the library.
 */
const char *VAULT_REQUIRED vault_last_error(void);

/* ---- Buffers ---- */

/* Bytes from the library. They are followed by a NUL that `count` does not include. */
typedef struct vault_buffer {
  char *VAULT_NULLABLE bytes;
  size_t count;
} vault_buffer_t;

/*
 * Wipes and frees the bytes, and empties the buffer, so that a second call does nothing. NULL
 * does nothing.
 */
void vault_buffer_free(vault_buffer_t *VAULT_NULLABLE buffer);

/* ---- Vaults ---- */

/* An open vault; closed by vault_close(), unless a transaction's function got it. */
typedef struct vault vault_t;

/* Whether a vault can be used. */
typedef enum vault_state {
  VAULT_STATE_UNLOCKED = 0,
  VAULT_STATE_LOCKED = 1,
} vault_state_t;

/*
 * Opens a vault and unlocks it with the key that vaultctl would find; without one it stays locked.
 *
 * path: the vault's file; NULL for the default vault, which vaultctl uses.
 * vault: receives a handle, to be closed by vault_close().
 * Fails with VAULT_VAULT_NOT_FOUND, VAULT_UNSAFE_PERMISSIONS, VAULT_NOT_A_VAULT, VAULT_DAMAGED,
 * VAULT_TOO_NEW, VAULT_ANOTHER_VAULT, and as vault_unlock() does.
 */
vault_status_t vault_open(
    const char *VAULT_NULLABLE path, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Opens a vault and leaves it locked, unless this process already has it unlocked. Otherwise
 * like vault_open().
 */
vault_status_t vault_open_locked(
    const char *VAULT_NULLABLE path, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Opens any vault at the path and leaves it locked, even one that this machine has not seen there:
 * the caller confirms that it is the right one. Once it is unlocked, it is remembered as the vault
 * at the path. Otherwise like vault_open_locked().
 */
vault_status_t vault_open_accepting(
    const char *VAULT_NULLABLE path, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Opens a vault like vault_open(), and shares the credentials that are stored for the session with
 * the other processes of this user that open it so, vaultctl, git and docker among them. They are
 * gone when the login session ends, and whenever vaultctl lock or a timeout forgets the vault's key.
 */
vault_status_t vault_open_sharing(
    const char *VAULT_NULLABLE path, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Requires that credentials stored for the session are shared with other processes; if not, they are
 * this process's own.
 *
 * Fails with VAULT_UNSUPPORTED unless the vault was opened by vault_open_sharing(), with
 * VAULT_UNAVAILABLE without XDG_RUNTIME_DIR or where the kernel's keyrings are denied, with
 * VAULT_OUT_OF_MEMORY if they are full, with VAULT_UNSAFE_PERMISSIONS if others could look into the
 * folder, with VAULT_POLICY_REFUSED if the vault does not let its keys be remembered, and with
 * VAULT_LOCKED.
 */
vault_status_t vault_require_shared_session(vault_t *VAULT_REQUIRED vault);

/*
 * Makes an unlocked vault without a file: it keeps session credentials only, until
 * vault_close().
 */
vault_status_t vault_open_in_memory(vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Makes a new vault that is unlocked by a passphrase, and opens it.
 *
 * path: as for vault_open(); no file may exist there.
 * passphrase: `count` bytes, at least one: an empty passphrase is VAULT_INVALID_ARGUMENT
 *     everywhere.
 * Fails with VAULT_VAULT_EXISTS, VAULT_CANNOT_CREATE, VAULT_UNSAFE_PERMISSIONS,
 * VAULT_OUT_OF_MEMORY.
 */
vault_status_t vault_create_with_passphrase(
    const char *VAULT_NULLABLE path, const void *VAULT_REQUIRED passphrase, size_t count,
    vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Makes a new vault that is unlocked by a key file, which must exist. Otherwise like
 * vault_create_with_passphrase().
 */
vault_status_t vault_create_with_key_file(
    const char *VAULT_NULLABLE path, const char *VAULT_REQUIRED key_file,
    vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Makes a new vault that is unlocked by a passphrase and a key file together, and by neither alone;
 * the key file must exist. Otherwise like vault_create_with_passphrase().
 */
vault_status_t vault_create_with_passphrase_and_key_file(
    const char *VAULT_NULLABLE path, const void *VAULT_REQUIRED passphrase, size_t count,
    const char *VAULT_REQUIRED key_file, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Unlocks a vault with the key that vaultctl would find; VAULT_LOCKED if there is none, or only one
 * half of what a slot needs.
 *
 * Fails with VAULT_AUTHENTICATION_FAILED for a wrong key, VAULT_ROLLED_BACK or VAULT_FORKED if the
 * vault was replaced by an older or another file, VAULT_DAMAGED, VAULT_OUT_OF_MEMORY,
 * VAULT_MISSING_INPUT, VAULT_INVALID_DATA, VAULT_UNSAFE_PERMISSIONS.
 */
vault_status_t vault_unlock(vault_t *VAULT_REQUIRED vault);

/* Unlocks a vault with a passphrase of `count` bytes. Otherwise like vault_unlock(). */
vault_status_t vault_unlock_with_passphrase(
    vault_t *VAULT_REQUIRED vault, const void *VAULT_REQUIRED passphrase, size_t count);

/* Unlocks a vault with a key file. Otherwise like vault_unlock(). */
vault_status_t vault_unlock_with_key_file(
    vault_t *VAULT_REQUIRED vault, const char *VAULT_REQUIRED key_file);

/*
 * Unlocks a vault with a passphrase of `count` bytes and a key file, by a slot that needs both.
 * Otherwise like vault_unlock().
 */
vault_status_t vault_unlock_with_passphrase_and_key_file(
    vault_t *VAULT_REQUIRED vault, const void *VAULT_REQUIRED passphrase, size_t count,
    const char *VAULT_REQUIRED key_file);

/*
 * Wipes the keys and the session's credentials, for every handle of this process to the same file.
 *
 * A vault without a file drops its credentials and stays unlocked. Items that were found with their
 * secrets keep them.
 */
vault_status_t vault_lock(vault_t *VAULT_REQUIRED vault);

/* Returns whether the vault can be used now. */
vault_status_t vault_get_state(
    vault_t *VAULT_REQUIRED vault, vault_state_t *VAULT_REQUIRED state);

/*
 * Closes a vault and releases the handle; items that were found in it can then only be read and
 * released.
 *
 * Of two simultaneous calls for one handle, one succeeds; the other fails with
 * VAULT_INVALID_ARGUMENT.
 */
vault_status_t vault_close(vault_t *VAULT_REQUIRED vault);

/* ---- Attributes ---- */

/*
 * The class of an item. No function that asks for items of one class ever gives one of the other.
 */
typedef enum vault_class {
  /* A password for a server. */
  VAULT_CLASS_INTERNET_PASSWORD = 0,
  /* A secret under the names of a service and an account, such as an API token. */
  VAULT_CLASS_GENERIC_PASSWORD = 1,
} vault_class_t;

/*
 * The attributes of an item. Each is text, a number or data.
 *
 * The key of an item is unique in a vault: the first seven attributes are that of an internet
 * password, VAULT_SERVICE and VAULT_ACCOUNT that of a generic one. A generic password has neither
 * the other six nor VAULT_ACCOUNT_DOMAIN, and an internet password has neither VAULT_SERVICE nor
 * VAULT_GENERIC: reading one that the item's class does not have gives an unset value.
 */
typedef enum vault_attribute {
  /* Text: the user name. */
  VAULT_ACCOUNT = 1,
  /* Text: the realm, which Apple calls the security domain. */
  VAULT_REALM = 2,
  /* Text: the host, in any spelling; stored in its canonical one. */
  VAULT_SERVER = 3,
  /*
   * Text: the protocol, as a URL scheme such as `https`, or for a proxy `http-proxy`,
   * `https-proxy`.
   */
  VAULT_PROTOCOL = 4,
  /*
   * Text: `default`, `basic`, `digest`, `ntlm`, `negotiate`, `form`, `bearer` …; `default` if
   * none is named.
   */
  VAULT_AUTHENTICATION_METHOD = 5,
  /* Number: the port, literal; 0 for unset. */
  VAULT_PORT = 6,
  /* Text: the path, literal. */
  VAULT_PATH = 7,
  /* Text: the display name. */
  VAULT_LABEL = 8,
  /* Text: the user's comment. */
  VAULT_COMMENT = 9,
  /* Text: the display name for this kind of item, Apple's description. */
  VAULT_KIND = 10,
  /* Text: the source of the item, such as `app`, `git` or `docker`. */
  VAULT_ORIGIN = 11,
  /* Text: the account domain of NTLM. */
  VAULT_ACCOUNT_DOMAIN = 12,
  /* Number: the creator's four-character code. */
  VAULT_CREATOR = 13,
  /* Number: the type's four-character code. */
  VAULT_TYPE = 14,
  /* Number: 1 if lists for users leave the item out. */
  VAULT_IS_INVISIBLE = 15,
  /* Number: 1 if there is no password, and the user must be prompted every time. */
  VAULT_IS_NEGATIVE = 16,
  /*
   * Number: the time of expiry, in milliseconds since 1970 UTC; 0 for never, the only value for
   * queries.
   */
  VAULT_EXPIRES = 17,
  /* Number: 0 password, 1 token, 2 identity; 128 more if the secret needs a PIN. */
  VAULT_SECRET_KIND = 18,
  /* Text: the item's identity, which stays when its key changes; read-only, and for queries. */
  VAULT_ID = 19,
  /* Number, read-only: the time when the item was added, in milliseconds since 1970 UTC. */
  VAULT_CREATED = 20,
  /* Number, read-only: the time when the item was last changed, in milliseconds since 1970 UTC. */
  VAULT_MODIFIED = 21,
  /* Number, read-only: grows with each change of the item; see vault_modify(). */
  VAULT_REVISION = 22,
  /* Number, read-only: a vault_persistence_t. */
  VAULT_PERSISTENCE = 23,
  /*
   * Number, read-only: 1 if this handle stored the item and it waits for vault_confirm() or
   * vault_reject().
   */
  VAULT_IS_PENDING = 24,
  /*
   * Number, read-only: 1 if there was another item when this handle stored this one that differs
   * only in the port: unset in one, and the protocol's default in the other. For a space, both are
   * one credential, and the literal port takes precedence.
   */
  VAULT_HAS_PORT_VARIANT = 25,
  /* Text: the service of a generic password, any text. */
  VAULT_SERVICE = 26,
  /*
   * Data: a generic password's bytes for the own use of the program that made it, at most 4096; no
   * secret. See vault_attributes_set_data() and vault_item_copy_data().
   */
  VAULT_GENERIC = 27,
  /* Number: a vault_class_t; see vault_attributes_t. An item keeps its class. */
  VAULT_CLASS = 28,
  /*
   * Number, read-only: the time when the item was removed, in milliseconds since 1970 UTC; 0 unless
   * vault_trash_list() gave it.
   */
  VAULT_REMOVED = 29,
  /* Number, read-only: the time until which the trash keeps such an item, as VAULT_REMOVED. */
  VAULT_RESTORABLE_UNTIL = 30,
} vault_attribute_t;

/*
 * A set of named attributes with values: for a new item, a query, or a change; freed by
 * vault_attributes_free(). Naming an attribute again replaces its value.
 *
 * Empty text and 0 are the value "unset": a query that names a path as "" matches items without
 * one; one that does not name the path matches any. A change that names the comment as "" removes
 * it. Calls for the same attributes run one after the other, and attributes that are named later do
 * not affect earlier uses.
 *
 * The attributes are those of one class of items. VAULT_CLASS names it, and so does every attribute
 * that only one class has: VAULT_SERVICE and VAULT_GENERIC that of generic passwords, VAULT_SERVER,
 * a URL and the like that of internet passwords. The first of them counts, and naming another class
 * then is VAULT_INVALID_ARGUMENT. Without any of them, a new item or a query is for internet
 * passwords, and changes are for an item of either class. So a query that names VAULT_CLASS alone
 * matches every generic password, and one that names VAULT_SERVICE as "" those without a service.
 */
typedef struct vault_attributes vault_attributes_t;

/* Makes an empty set of attributes. */
vault_status_t vault_attributes_create(
    vault_attributes_t *VAULT_NULLABLE *VAULT_REQUIRED attributes);

/* Frees attributes, and wipes the secret in them. NULL does nothing. */
vault_status_t vault_attributes_free(vault_attributes_t *VAULT_NULLABLE attributes);

/*
 * Names a text attribute.
 *
 * Fails with VAULT_INVALID_ARGUMENT for a number or a read-only attribute, and for invalid text:
 * not UTF-8, with NUL, not a host.
 */
vault_status_t vault_attributes_set_text(
    vault_attributes_t *VAULT_REQUIRED attributes, vault_attribute_t attribute,
    const char *VAULT_NULLABLE bytes, size_t count);

/*
 * Names a number attribute. Fails with VAULT_INVALID_ARGUMENT for text, and for a number out of
 * bounds.
 */
vault_status_t vault_attributes_set_number(
    vault_attributes_t *VAULT_REQUIRED attributes, vault_attribute_t attribute, uint64_t number);

/*
 * Names a data attribute: `count` bytes of any kind, none for unset. Fails with
 * VAULT_INVALID_ARGUMENT for text, and for a number.
 */
vault_status_t vault_attributes_set_data(
    vault_attributes_t *VAULT_REQUIRED attributes, vault_attribute_t attribute,
    const void *VAULT_NULLABLE bytes, size_t count);

/*
 * Names the server attributes in a URL: protocol, host, and the port and user if it has them.
 *
 * Path and query are ignored: use vault_attributes_set_request_path() for them. Fails with
 * VAULT_INVALID_ARGUMENT for an invalid URL, and for one with a password.
 */
vault_status_t vault_attributes_set_url(
    vault_attributes_t *VAULT_REQUIRED attributes, const char *VAULT_REQUIRED bytes, size_t count);

/*
 * Names the path requested from a server, if known: percent-encoded as it is sent, optionally with
 * a query.
 *
 * If it is named, only items without a path match, and those whose path is that path or a parent of
 * it, by whole segments. The longest path comes first, and items without a path last. No bytes mean
 * the path `/`. It is not an attribute: a new or changed item does not get it.
 */
vault_status_t vault_attributes_set_request_path(
    vault_attributes_t *VAULT_REQUIRED attributes, const char *VAULT_NULLABLE bytes, size_t count);

/*
 * Names a custom attribute, whose name must not be empty; an empty value means unset. Those whose
 * names begin with "key:" are parts of the item's key.
 */
vault_status_t vault_attributes_set_custom(
    vault_attributes_t *VAULT_REQUIRED attributes, const char *VAULT_REQUIRED name,
    size_t name_count, const char *VAULT_NULLABLE value, size_t value_count);

/*
 * Names the secret: `count` bytes of any kind, at most 1 MiB, none for the empty secret. Queries
 * ignore it.
 */
vault_status_t vault_attributes_set_secret(
    vault_attributes_t *VAULT_REQUIRED attributes, const void *VAULT_NULLABLE bytes, size_t count);

/*
 * Names the refresh token that belongs to the secret: at most 8192 bytes, none for unset.
 * Queries ignore it.
 */
vault_status_t vault_attributes_set_refresh_token(
    vault_attributes_t *VAULT_REQUIRED attributes, const void *VAULT_NULLABLE bytes, size_t count);

/* ---- Items ---- */

/*
 * An item as it was found, and a reference to it that stays valid when its key changes. It is
 * reference-counted, and released by vault_item_release().
 */
typedef struct vault_item vault_item_t;

/* The persistence of an item. */
typedef enum vault_persistence {
  /* Not at all. */
  VAULT_PERSISTENCE_NONE = 0,
  /* In memory, until the process ends or the vault is locked. */
  VAULT_PERSISTENCE_SESSION = 1,
  /* Sealed in the file. */
  VAULT_PERSISTENCE_PERMANENT = 2,
} vault_persistence_t;

/*
 * Options in addition to the attributes; values are added. An option that a function does not have,
 * such as VAULT_ACCEPTED for finding, is VAULT_INVALID_ARGUMENT.
 */
typedef uint32_t vault_options_t;

enum {
  VAULT_NO_OPTIONS = 0,
  /* Finding: include the secrets. Without it, vault_item_copy_secret() looks them up. */
  VAULT_WITH_SECRETS = 1,
  /*
   * Finding: subdomains of the server also match, ranked below the server itself; not for generic
   * passwords.
   */
  VAULT_WITH_SUBDOMAINS = 2,
  /* Finding: expired items do not match. */
  VAULT_WITHOUT_EXPIRED = 4,
  /*
   * Finding: server, protocol, port, realm and method are those of a protection space. Server and
   * protocol must be named; the default is the protocol's port, the method `default`, and an unset
   * realm. An unset port matches the default port, and a stored method `default` any password
   * method, both ranked below a literal match.
   */
  VAULT_OF_SPACE = 8,
  /* Storing: a server has accepted the secret. */
  VAULT_ACCEPTED = 16,
};

/*
 * Finds the best match: the longest path if vault_attributes_set_request_path() names the request,
 * then the most parts of the key that are named and match literally, and among equals the first in
 * the order of account, realm, server, protocol, method, port, path.
 *
 * query: NULL matches every internet password, here and below.
 * item: receives a handle, to be released by vault_item_release().
 * Fails with VAULT_ITEM_NOT_FOUND, VAULT_EXPIRED, VAULT_LOCKED, VAULT_DAMAGED, VAULT_BUSY;
 * VAULT_UNSUPPORTED for a query that names a time of expiry.
 */
vault_status_t vault_find(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, vault_item_t *VAULT_NULLABLE *VAULT_REQUIRED item);

/*
 * Like vault_find(), but fails with VAULT_AMBIGUOUS if two items match equally well, which
 * vault_last_error_candidates() then gives.
 */
vault_status_t vault_find_unique(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, vault_item_t *VAULT_NULLABLE *VAULT_REQUIRED item);

/*
 * Finds all items that match, best first.
 *
 * limit: the maximum number of items; 0 for all.
 * items: receives an array of handles, to be freed by vault_items_free(); NULL if none matches,
 *     which is not an error.
 */
vault_status_t vault_find_all(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, size_t limit,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE *VAULT_REQUIRED items, size_t *VAULT_REQUIRED count);

/* Releases `count` items and frees their array. NULL does nothing. */
void vault_items_free(vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE items, size_t count);

/* Counts the items that match, without reading a secret. */
vault_status_t vault_count(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, size_t *VAULT_REQUIRED count);

/*
 * Adds an item with the persistence that the policy grants, which VAULT_PERSISTENCE of the item
 * gives.
 *
 * Its key is taken literally, as in a keychain: an item whose port is unset while this one's is the
 * protocol's default, or the reverse, is another item, which VAULT_HAS_PORT_VARIANT reports. To
 * change the existing item, use vault_upsert().
 *
 * item: receives a handle, to be released by vault_item_release(); NULL if it is not wanted.
 * Fails with VAULT_DUPLICATE_ITEM, VAULT_POLICY_REFUSED, VAULT_INVALID_ARGUMENT, VAULT_TOO_LARGE,
 * VAULT_UNSUPPORTED for a permanent item in a vault without a file, VAULT_LOCKED, VAULT_READ_ONLY,
 * VAULT_BUSY, VAULT_INPUT_OUTPUT, VAULT_OUTCOME_UNKNOWN.
 */
vault_status_t vault_add(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED attributes,
    vault_persistence_t persistence, vault_options_t options,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Adds an item, or changes the one with the same key, in one step. If there is none, it changes the
 * one that differs only in that its port is unset and this one's is the protocol's default, or the
 * reverse. The item gets each attribute that is set, and the secret if one is named; it keeps those
 * that are not named, or named as unset. Otherwise like vault_add().
 */
vault_status_t vault_upsert(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED attributes,
    vault_persistence_t persistence, vault_options_t options,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Changes the named attributes of an item; the others are kept, and equal values change nothing.
 *
 * item: shows the changed item afterwards; it is unchanged if the call fails.
 * if_revision: the revision that the item must still have; 0 for any.
 * Fails as vault_add() does, and with VAULT_ITEM_NOT_FOUND, VAULT_CONFLICT.
 */
vault_status_t vault_modify(
    vault_item_t *VAULT_REQUIRED item, const vault_attributes_t *VAULT_REQUIRED changes,
    uint64_t if_revision, vault_options_t options);

/*
 * Removes an item from session or file; the handle stays the caller's. A permanent item is moved to
 * the vault's trash, from which vault_trash_restore() restores it. Fails with
 * VAULT_ITEM_NOT_FOUND, VAULT_CONFLICT.
 */
vault_status_t vault_remove(vault_item_t *VAULT_REQUIRED item, uint64_t if_revision);

/*
 * Removes the item that vault_find_unique() finds, as vault_remove() does.
 *
 * query: must name something beside the class, so that no mistake removes the only item.
 * item: receives a handle to the item as it was, to be released by vault_item_release(); NULL if
 *     it is not wanted.
 * Fails as vault_find_unique() does.
 */
vault_status_t vault_remove_unique(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED query,
    vault_options_t options, vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Removes every item that matches, in one step, as vault_remove() does, including expired ones and
 * those hidden by others.
 *
 * query: must name something beside the class, so that no mistake empties the vault.
 * count: receives the number of removed items; NULL if it is not wanted. 0 is not an error.
 */
vault_status_t vault_remove_all(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED query,
    vault_options_t options, size_t *VAULT_NULLABLE count);

/*
 * Writes a pending item after a server has accepted it. Fails with VAULT_ITEM_NOT_FOUND if it is
 * not pending.
 */
vault_status_t vault_confirm(vault_item_t *VAULT_REQUIRED item);

/*
 * Drops a pending item after a server has rejected it. Fails with VAULT_ITEM_NOT_FOUND if it is
 * not pending.
 */
vault_status_t vault_reject(vault_item_t *VAULT_REQUIRED item);

/* Adds an owner of an item. */
vault_status_t vault_item_retain(vault_item_t *VAULT_REQUIRED item);

/* Removes an owner of an item, and frees it after the last. NULL does nothing. */
vault_status_t vault_item_release(vault_item_t *VAULT_NULLABLE item);

/* Copies a text attribute; an unset one is empty. The buffer is freed by vault_buffer_free(). */
vault_status_t vault_item_copy_text(
    vault_item_t *VAULT_REQUIRED item, vault_attribute_t attribute,
    vault_buffer_t *VAULT_REQUIRED text);

/* Reads a number attribute; an unset one is 0. */
vault_status_t vault_item_get_number(
    vault_item_t *VAULT_REQUIRED item, vault_attribute_t attribute, uint64_t *VAULT_REQUIRED number);

/*
 * Copies a data attribute; an unset one is empty. The buffer is freed by vault_buffer_free(). Fails
 * with VAULT_INVALID_ARGUMENT for text, and for a number.
 */
vault_status_t vault_item_copy_data(
    vault_item_t *VAULT_REQUIRED item, vault_attribute_t attribute,
    vault_buffer_t *VAULT_REQUIRED data);

/*
 * Copies a custom attribute; empty if the item does not have it. The buffer is freed by
 * vault_buffer_free().
 */
vault_status_t vault_item_copy_custom(
    vault_item_t *VAULT_REQUIRED item, const char *VAULT_REQUIRED name, size_t count,
    vault_buffer_t *VAULT_REQUIRED value);

/*
 * Copies the secret: the one found with the item if VAULT_WITH_SECRETS was used, else the current
 * one.
 *
 * The buffer is freed by vault_buffer_free(), which wipes it.
 * Fails with VAULT_EXPIRED, VAULT_PIN_REQUIRED, VAULT_ITEM_NOT_FOUND if the item was deleted or is
 * not stored, and as vault_find() does.
 */
vault_status_t vault_item_copy_secret(
    vault_item_t *VAULT_REQUIRED item, vault_buffer_t *VAULT_REQUIRED secret);

/*
 * Copies the secret of an item that needs a PIN of `count` bytes, as it is now.
 *
 * Fails with VAULT_AUTHENTICATION_FAILED for a wrong PIN, VAULT_TOO_MANY_ATTEMPTS after three wrong
 * ones until a delay is over, VAULT_INVALID_ARGUMENT if the item needs none, VAULT_OUT_OF_MEMORY,
 * and as vault_item_copy_secret() does.
 */
vault_status_t vault_item_copy_secret_with_pin(
    vault_item_t *VAULT_REQUIRED item, const void *VAULT_REQUIRED pin, size_t count,
    vault_buffer_t *VAULT_REQUIRED secret);

/*
 * Seals the secret of an item by a PIN of `count` bytes, at least four; its previous secrets are
 * removed. From then on nothing gives the secret without the PIN.
 *
 * old_pin: the present PIN; NULL if the item has none.
 * Fails with VAULT_PIN_REQUIRED if it has one and `old_pin` is NULL, VAULT_INVALID_ARGUMENT for a
 * PIN that is too short and an item without a secret or with a refresh token, VAULT_CONFLICT if
 * somebody changes the item meanwhile, and as vault_item_copy_secret_with_pin() and vault_modify().
 */
vault_status_t vault_item_set_pin(
    vault_item_t *VAULT_REQUIRED item, const void *VAULT_REQUIRED pin, size_t count,
    const void *VAULT_NULLABLE old_pin, size_t old_count);

/*
 * Removes the PIN of an item, and its previous secrets with it.
 *
 * Fails as vault_item_set_pin() does.
 */
vault_status_t vault_item_remove_pin(
    vault_item_t *VAULT_REQUIRED item, const void *VAULT_REQUIRED pin, size_t count);

/* Copies the refresh token, which may be empty. Otherwise like vault_item_copy_secret(). */
vault_status_t vault_item_copy_refresh_token(
    vault_item_t *VAULT_REQUIRED item, vault_buffer_t *VAULT_REQUIRED token);

/*
 * Copies the items that this thread's last failed call is about: those of equal rank for
 * VAULT_AMBIGUOUS, those that exist for VAULT_DUPLICATE_ITEM, the item as it is now for
 * VAULT_CONFLICT, the expired ones for VAULT_EXPIRED.
 *
 * vault: the vault of that call; its handles look up secrets there.
 * items: receives an array of handles, to be freed by vault_items_free(); NULL if the call is about
 *     no items, or none failed, which is not an error.
 */
vault_status_t vault_last_error_candidates(
    vault_t *VAULT_REQUIRED vault,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE *VAULT_REQUIRED items,
    size_t *VAULT_REQUIRED count);

/* ---- Previous secrets ---- */

/* A secret that an item had before. Times are milliseconds since 1970 UTC. */
typedef struct vault_previous_secret {
  /* The time when it was replaced, which identifies it among those of its item. */
  uint64_t replaced;
  /* The time when it had been set. */
  uint64_t set;
  /* The item's time of expiry when it was replaced; 0 for never. */
  uint64_t expires;
  /* The end of the retention that a policy allows; 0 for without end. */
  uint64_t kept_until;
  /* What VAULT_SECRET_KIND was. */
  uint64_t secret_kind;
} vault_previous_secret_t;

/*
 * Lists the secrets that an item had before, the newest first, without opening them.
 *
 * history: receives an array, to be freed by vault_history_free(); NULL if the secret was never
 *     changed, which is not an error.
 * Fails with VAULT_ITEM_NOT_FOUND if the item was removed, and as vault_find() does.
 */
vault_status_t vault_item_copy_history(
    vault_item_t *VAULT_REQUIRED item,
    vault_previous_secret_t *VAULT_NULLABLE *VAULT_REQUIRED history, size_t *VAULT_REQUIRED count);

/* Frees the array of a history. NULL does nothing. */
void vault_history_free(vault_previous_secret_t *VAULT_NULLABLE history);

/*
 * Copies one secret that an item had before.
 *
 * replaced: that of one of the item's previous secrets.
 * secret: freed by vault_buffer_free(), which wipes it.
 * Fails with VAULT_ITEM_NOT_FOUND if the item was removed, or has no such previous secret, and with
 * VAULT_EXPIRED if that has expired.
 */
vault_status_t vault_item_copy_previous_secret(
    vault_item_t *VAULT_REQUIRED item, uint64_t replaced, vault_buffer_t *VAULT_REQUIRED secret);

/*
 * Restores a secret that an item had before, with its kind and its expiry; the present secret goes
 * to the history.
 *
 * item: shows the changed item afterwards; it is unchanged if the call fails.
 * replaced: that of one of the item's previous secrets; 0 for the newest.
 * if_revision, options: as for vault_modify().
 * Fails as vault_item_copy_previous_secret() and vault_modify() do.
 */
vault_status_t vault_revert(
    vault_item_t *VAULT_REQUIRED item, uint64_t replaced, uint64_t if_revision,
    vault_options_t options);

/* Returns how many previous secrets each item of the file keeps. */
vault_status_t vault_get_history_limit(
    vault_t *VAULT_REQUIRED vault, size_t *VAULT_REQUIRED limit);

/*
 * Sets how many previous secrets each item of the file keeps; the oldest beyond it are removed at
 * once.
 *
 * limit: 0 to 100; 0 keeps none.
 * Fails with VAULT_INVALID_ARGUMENT, VAULT_UNSUPPORTED for a vault without a file, and as
 * vault_add() does.
 */
vault_status_t vault_set_history_limit(vault_t *VAULT_REQUIRED vault, size_t limit);

/* ---- Trash ---- */

/*
 * Lists the removed items that match and can be restored, the last one removed first. A vault
 * without a file has none.
 *
 * Their handles are for reading, and for the next two functions: any other change fails with
 * VAULT_ITEM_NOT_FOUND, and so does vault_item_copy_secret(). VAULT_REMOVED tells when each one was
 * removed, and VAULT_RESTORABLE_UNTIL how long it is kept.
 *
 * options: those of finding, except VAULT_WITH_SECRETS.
 * limit, items, count: as for vault_find_all().
 */
vault_status_t vault_trash_list(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, size_t limit,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE *VAULT_REQUIRED items,
    size_t *VAULT_REQUIRED count);

/*
 * Restores a removed item as it was, with its previous secrets, under a new revision.
 *
 * item: one of vault_trash_list(); it shows the restored item afterwards.
 * Fails with VAULT_ITEM_NOT_FOUND if it is not in the trash, or not any more, VAULT_DUPLICATE_ITEM
 * if another item has its key, VAULT_POLICY_REFUSED, VAULT_EXPIRED if the policy would not have
 * kept it until now, and as vault_add() does.
 */
vault_status_t vault_trash_restore(vault_item_t *VAULT_REQUIRED item);

/*
 * Removes a removed item for good, with its previous secrets; the handle stays the caller's.
 *
 * item: one of vault_trash_list().
 * Fails with VAULT_ITEM_NOT_FOUND if it is not in the trash, or not any more.
 */
vault_status_t vault_trash_remove(vault_item_t *VAULT_REQUIRED item);

/*
 * Removes the matching items of the trash for good, in one step.
 *
 * query, options: as for vault_trash_list(); NULL empties the trash of internet passwords.
 * count: receives the number of removed items; NULL if it is not wanted. 0 is not an error.
 * Fails with VAULT_UNSUPPORTED for a vault without a file.
 */
vault_status_t vault_trash_empty(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, size_t *VAULT_NULLABLE count);

/* Returns the number of days for which a removed item is kept; 0 for a vault without a file. */
vault_status_t vault_get_trash_days(vault_t *VAULT_REQUIRED vault, size_t *VAULT_REQUIRED days);

/*
 * Sets the number of days for which removed items are kept; older ones are removed for good at
 * once.
 *
 * days: 0 to 365; 0 keeps none.
 * Fails as vault_set_history_limit() does.
 */
vault_status_t vault_set_trash_days(vault_t *VAULT_REQUIRED vault, size_t days);

/* ---- Transactions ---- */

/*
 * The function of a transaction. VAULT_OK commits the changes; any other status abandons them.
 *
 * vault: the vault within the transaction. It is valid only until the function returns, and only on
 *     the thread that runs it: anywhere else it is VAULT_INVALID_ARGUMENT.
 *
 * Functions that find, count, add and remove items, those for previous secrets and for the trash,
 * and vault_last_error_candidates() take part in the transaction if they get `vault`. Functions
 * that change, remove or read an item of the vault take part as well, even if it was found before.
 * They see the file as it is within the transaction, and find no items of the session. An item that
 * is added with a persistence below VAULT_PERSISTENCE_PERMANENT, or that the policy grants less, is
 * in the session at once, and removed from it if the transaction fails.
 *
 * All other functions that use the vault fail within the function with VAULT_INVALID_ARGUMENT, and
 * change nothing: those that unlock, lock or close it, another transaction, those for PINs, default
 * credentials, identities and trust, vault_confirm(), vault_reject(), and HTTP exchanges. So does
 * every function that gets the vault's own handle, or another one of the same file, or its items.
 *
 * It must return: longjmp() or an exception out of it is undefined behaviour.
 */
typedef vault_status_t (*vault_transaction_body_t)(
    vault_t *VAULT_REQUIRED vault, void *VAULT_NULLABLE context);

/*
 * Runs a function as one write transaction of the vault's file: all of its changes are committed
 * together, or none is. Many items in one transaction cost a small part of as many transactions; if
 * it changes nothing, nothing is written.
 *
 * A function that fails within `body` changes nothing, and `body` may go on after it. If the
 * changes are not committed, items that were changed show again what they were. If the vault's file
 * was replaced by another one meanwhile, `body` runs a second time, on that one, and nothing
 * remains of the first.
 *
 * body: called at least once, unless the call fails before.
 * context: passed to `body`; not used otherwise.
 * Fails with the status that `body` returns, which vault_last_error() explains if it is that of the
 * last failed call within it; with VAULT_LOCKED, VAULT_READ_ONLY, VAULT_BUSY, VAULT_INPUT_OUTPUT,
 * VAULT_OUTCOME_UNKNOWN, and VAULT_UNSUPPORTED for a vault without a file.
 */
vault_status_t vault_transaction(
    vault_t *VAULT_REQUIRED vault, vault_transaction_body_t VAULT_REQUIRED body,
    void *VAULT_NULLABLE context);

/* ---- Protection spaces ---- */

/*
 * Finds the credential that a protection space uses unless another is named, with its secret: that
 * of the default user, or that of the only user if the default user has none. If a requested path
 * is named, only users of the longest path count.
 *
 * space: names at least server and protocol, as for VAULT_OF_SPACE.
 * Fails with VAULT_ITEM_NOT_FOUND if there is none, or several and no default, and as vault_find()
 * does.
 */
vault_status_t vault_get_default_credential(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED space,
    vault_item_t *VAULT_NULLABLE *VAULT_REQUIRED item);

/*
 * Makes one of a space's users its default.
 *
 * user: `count` bytes; none clears the default.
 * Fails with VAULT_ITEM_NOT_FOUND if the space has no such user, VAULT_POLICY_REFUSED, and as
 * vault_add() does.
 */
vault_status_t vault_set_default_user(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED space,
    const char *VAULT_NULLABLE user, size_t count);

#ifdef __cplusplus
}
#endif

#include "vault_keychain.h"
#include "vault_secitem.h"

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
