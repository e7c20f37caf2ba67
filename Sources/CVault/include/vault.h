/*
 * The C interface of the credential vault.
 *
 * Every function may be called from any thread. A function that fails changes nothing and leaves what it
 * would have returned as it was. Handles are numbers that look like pointers and point to nothing; they are
 * looked up before they are used, and one that was never given out, or was released, is VAULT_INVALID_ARGUMENT.
 *
 * In a child that fork() made of a process that used the library every call answers VAULT_LOCKED, and nothing waits or is
 * released there: exec() something, or fork before the first call.
 *
 * Pointers are marked: a VAULT_NULLABLE one may be NULL, and its comment says what that means. A
 * VAULT_REQUIRED one must not be, and NULL there is VAULT_INVALID_ARGUMENT. What is passed in is copied
 * and stays the caller's; what is given out is the caller's, to be given back as the function says.
 *
 * Text is UTF-8 without NUL and comes with its length in bytes; a pointer with the length 0 may be NULL. A
 * length above 1 MiB is VAULT_TOO_LARGE, and nothing is read.
 * A path is a C string.
 */
#ifndef VAULT_H
#define VAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both are checked at run time, so a compiler is told the same of both. */
#if defined(__clang__)
#define VAULT_NULLABLE _Nullable
#define VAULT_REQUIRED _Nullable
#else
#define VAULT_NULLABLE
#define VAULT_REQUIRED
#endif

/* Where only standard C is let pass, the marks are, too. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ---- */

/* What became of a call; the numbers never change their meaning. */
typedef enum vault_status {
  /* It was done. */
  VAULT_OK = 0,
  /* A broken invariant of the library itself. */
  VAULT_INTERNAL_ERROR = 1,
  /* An argument that has no meaning: a host with a blank, NULL where it is not allowed, a released handle. */
  VAULT_INVALID_ARGUMENT = 2,
  /* The vault is locked. */
  VAULT_LOCKED = 3,
  /* No item matches. */
  VAULT_ITEM_NOT_FOUND = 4,
  /* An item with this key exists. */
  VAULT_DUPLICATE_ITEM = 5,
  /* Several items share the best rank where one was asked for. */
  VAULT_AMBIGUOUS = 6,
  /* Only expired items match. */
  VAULT_EXPIRED = 7,
  /* The item was changed by somebody else since it was read. */
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
  /* The vault has another history than when last seen. */
  VAULT_FORKED = 14,
  /* A policy does not allow it. */
  VAULT_POLICY_REFUSED = 15,
  /* Input from outside that cannot be understood. */
  VAULT_INVALID_DATA = 16,
  /* The file is something else than a vault. */
  VAULT_NOT_A_VAULT = 17,
  /* A file that was to be read is missing. */
  VAULT_MISSING_INPUT = 18,
  /* Something that is needed cannot be reached. */
  VAULT_UNAVAILABLE = 19,
  /* Memory could not be had. */
  VAULT_OUT_OF_MEMORY = 20,
  /* There is a vault at this path already. */
  VAULT_VAULT_EXISTS = 21,
  /* A file or folder could not be created. */
  VAULT_CANNOT_CREATE = 22,
  /* Reading or writing failed. */
  VAULT_INPUT_OUTPUT = 23,
  /* A commit failed and whether it took effect cannot be known. */
  VAULT_OUTCOME_UNKNOWN = 24,
  /* Somebody else held the vault's lock for too long. */
  VAULT_BUSY = 25,
  /* The vault was written in a format newer than this library. */
  VAULT_TOO_NEW = 26,
  /* A file or folder has an owner or mode that lets others in. */
  VAULT_UNSAFE_PERMISSIONS = 27,
  /* The configuration is wrong. */
  VAULT_CONFIGURATION = 28,
  /* A signal or the user interrupted it. */
  VAULT_INTERRUPTED = 29,
  /* A value exceeds its limit. */
  VAULT_TOO_LARGE = 30,
  /* It is not implemented for this input. */
  VAULT_UNSUPPORTED = 31,
  /* The vault was closed. */
  VAULT_CLOSED = 32,
  /* Another vault lies at the path than the one that was seen there: vault_open_accepting() takes it. */
  VAULT_ANOTHER_VAULT = 33,
} vault_status_t;

/* What a status means: a static text, never NULL, also for an unknown status. */
const char *VAULT_REQUIRED vault_status_message(vault_status_t status);

/*
 * What the last call of this thread that failed was doing to what, and why the system refused it where it did, without any
 * secret: "" if none failed.
 * Valid until the next call of this thread fails, and owned by the library.
 */
const char *VAULT_REQUIRED vault_last_error(void);

/* ---- Buffers ---- */

/* Bytes that the library gave out. They are followed by a NUL that `count` does not count. */
typedef struct vault_buffer {
  char *VAULT_NULLABLE bytes;
  size_t count;
} vault_buffer_t;

/* Wipes and frees the bytes, and empties the buffer, so that a second call does nothing. NULL does nothing. */
void vault_buffer_free(vault_buffer_t *VAULT_NULLABLE buffer);

/* ---- Vaults ---- */

/* A vault that is open; ended by vault_close(). */
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
 * vault: becomes a handle, to be ended by vault_close().
 * Fails with VAULT_VAULT_NOT_FOUND, VAULT_UNSAFE_PERMISSIONS, VAULT_NOT_A_VAULT, VAULT_DAMAGED, VAULT_TOO_NEW, VAULT_ANOTHER_VAULT,
 * and as vault_unlock() does.
 */
vault_status_t vault_open(
    const char *VAULT_NULLABLE path, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/* Opens a vault and leaves it locked, unless this process has it unlocked already. As vault_open() otherwise. */
vault_status_t vault_open_locked(
    const char *VAULT_NULLABLE path, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Opens whichever vault lies at the path and leaves it locked, also another one than this machine has seen there: whoever
 * calls says that it is meant. It is remembered as the one at the path once it is unlocked. As vault_open_locked() otherwise.
 */
vault_status_t vault_open_accepting(
    const char *VAULT_NULLABLE path, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/* Makes a vault without a file, unlocked: it keeps session credentials only, until vault_close(). */
vault_status_t vault_open_in_memory(vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Makes a new vault that a passphrase opens, and opens it.
 *
 * path: as for vault_open(); nothing may lie there.
 * passphrase: `count` bytes, at least one: an empty passphrase is VAULT_INVALID_ARGUMENT everywhere.
 * Fails with VAULT_VAULT_EXISTS, VAULT_CANNOT_CREATE, VAULT_UNSAFE_PERMISSIONS, VAULT_OUT_OF_MEMORY.
 */
vault_status_t vault_create_with_passphrase(
    const char *VAULT_NULLABLE path, const void *VAULT_REQUIRED passphrase, size_t count,
    vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/* Makes a new vault that a key file opens; the key file has to exist. As vault_create_with_passphrase() otherwise. */
vault_status_t vault_create_with_key_file(
    const char *VAULT_NULLABLE path, const char *VAULT_REQUIRED key_file,
    vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Makes a new vault that a passphrase and a key file open together, and neither alone; the key file has to exist. As
 * vault_create_with_passphrase() otherwise.
 */
vault_status_t vault_create_with_passphrase_and_key_file(
    const char *VAULT_NULLABLE path, const void *VAULT_REQUIRED passphrase, size_t count,
    const char *VAULT_REQUIRED key_file, vault_t *VAULT_NULLABLE *VAULT_REQUIRED vault);

/*
 * Unlocks a vault with the key that vaultctl would find; VAULT_LOCKED if there is none, or only one half of what a slot
 * needs.
 *
 * Fails with VAULT_AUTHENTICATION_FAILED for a wrong key, VAULT_ROLLED_BACK or VAULT_FORKED if an older or another file was
 * put in the vault's place, VAULT_DAMAGED, VAULT_OUT_OF_MEMORY, VAULT_MISSING_INPUT, VAULT_INVALID_DATA, VAULT_UNSAFE_PERMISSIONS.
 */
vault_status_t vault_unlock(vault_t *VAULT_REQUIRED vault);

/* Unlocks a vault with a passphrase of `count` bytes. As vault_unlock() otherwise. */
vault_status_t vault_unlock_with_passphrase(
    vault_t *VAULT_REQUIRED vault, const void *VAULT_REQUIRED passphrase, size_t count);

/* Unlocks a vault with a key file. As vault_unlock() otherwise. */
vault_status_t vault_unlock_with_key_file(
    vault_t *VAULT_REQUIRED vault, const char *VAULT_REQUIRED key_file);

/*
 * Unlocks a vault with a passphrase of `count` bytes and a key file, by a slot that needs both. As vault_unlock()
 * otherwise.
 */
vault_status_t vault_unlock_with_passphrase_and_key_file(
    vault_t *VAULT_REQUIRED vault, const void *VAULT_REQUIRED passphrase, size_t count,
    const char *VAULT_REQUIRED key_file);

/*
 * Wipes the keys, and the session's credentials with them, for every handle of this process to the same file.
 *
 * A vault without a file forgets its credentials and stays unlocked. Items that were found with their secrets keep them.
 */
vault_status_t vault_lock(vault_t *VAULT_REQUIRED vault);

/* Whether the vault can be used now. */
vault_status_t vault_get_state(
    vault_t *VAULT_REQUIRED vault, vault_state_t *VAULT_REQUIRED state);

/*
 * Closes a vault; the handle is released, and items that were found in it can only be read and released.
 *
 * Of two calls at once for one handle one succeeds; the other fails with VAULT_INVALID_ARGUMENT.
 */
vault_status_t vault_close(vault_t *VAULT_REQUIRED vault);

/* ---- Attributes ---- */

/* The attributes of an item. Each is text or a number; the first seven are the key, unique in a vault. */
typedef enum vault_attribute {
  /* Text: the user name. */
  VAULT_ACCOUNT = 1,
  /* Text: the realm, which Apple calls the security domain. */
  VAULT_REALM = 2,
  /* Text: the host, in any spelling; kept in its canonical one. */
  VAULT_SERVER = 3,
  /* Text: the protocol, as the scheme of a URL, `https`, or for a proxy `http-proxy`, `https-proxy`. */
  VAULT_PROTOCOL = 4,
  /* Text: `default`, `basic`, `digest`, `ntlm`, `negotiate`, `form`, `bearer` …; `default` where none is named. */
  VAULT_AUTHENTICATION_METHOD = 5,
  /* Number: the port, literal; 0 for unset. */
  VAULT_PORT = 6,
  /* Text: the path, literal. */
  VAULT_PATH = 7,
  /* Text: the name that is shown to people. */
  VAULT_LABEL = 8,
  /* Text: a remark for people. */
  VAULT_COMMENT = 9,
  /* Text: what people call this kind of item, Apple's description. */
  VAULT_KIND = 10,
  /* Text: what the item came from, such as `app`, `git` or `docker`. */
  VAULT_ORIGIN = 11,
  /* Text: the account domain of NTLM. */
  VAULT_ACCOUNT_DOMAIN = 12,
  /* Number: the creator's four-character code. */
  VAULT_CREATOR = 13,
  /* Number: the type's four-character code. */
  VAULT_TYPE = 14,
  /* Number: 1 if lists for people leave the item out. */
  VAULT_IS_INVISIBLE = 15,
  /* Number: 1 if there is no password and one has to be asked for every time. */
  VAULT_IS_NEGATIVE = 16,
  /* Number: when the item expires, in milliseconds since 1970 UTC; 0 for never, which alone a query can ask for. */
  VAULT_EXPIRES = 17,
  /* Number: 0 password, 1 token, 2 identity. */
  VAULT_SECRET_KIND = 18,
  /* Text: the item's identity, which stays when its key changes; to read, and to ask for in a query. */
  VAULT_ID = 19,
  /* Number, to read only: when the item was added, in milliseconds since 1970 UTC. */
  VAULT_CREATED = 20,
  /* Number, to read only: when the item was last changed, in milliseconds since 1970 UTC. */
  VAULT_MODIFIED = 21,
  /* Number, to read only: grows with each change of the item; see vault_modify(). */
  VAULT_REVISION = 22,
  /* Number, to read only: a vault_persistence_t. */
  VAULT_PERSISTENCE = 23,
  /* Number, to read only: 1 if the item was stored by this handle and waits for vault_confirm() or vault_reject(). */
  VAULT_IS_PENDING = 24,
  /*
   * Number, to read only: 1 if there was another item when this one was stored by this handle that differs only in the port:
   * unset in one, and the protocol's own in the other. For a space both are one credential, and the literal port goes first.
   */
  VAULT_HAS_TWIN = 25,
} vault_attribute_t;

/*
 * Attributes that are named, each with a value: of an item that is to be added, of those that are looked for,
 * or of what is to be changed; ended by vault_attributes_free(). Naming one again replaces its value.
 *
 * Empty text and 0 are the value "unset": a query that names a path as "" matches items without one; one
 * that does not name the path matches any. A change that names the comment as "" removes it. Calls for the same
 * attributes happen one after the other, and what was given attributes does not see what is named later.
 */
typedef struct vault_attributes vault_attributes_t;

/* Makes attributes of which none is named. */
vault_status_t vault_attributes_create(
    vault_attributes_t *VAULT_NULLABLE *VAULT_REQUIRED attributes);

/* Frees attributes, and wipes the secret in them. NULL does nothing. */
vault_status_t vault_attributes_free(vault_attributes_t *VAULT_NULLABLE attributes);

/*
 * Names an attribute that is text.
 *
 * Fails with VAULT_INVALID_ARGUMENT for one that is a number or to read only, and for text that it cannot be: not UTF-8, with
 * NUL, no host.
 */
vault_status_t vault_attributes_set_text(
    vault_attributes_t *VAULT_REQUIRED attributes, vault_attribute_t attribute,
    const char *VAULT_NULLABLE bytes, size_t count);

/* Names an attribute that is a number. Fails with VAULT_INVALID_ARGUMENT for text, and for a number out of bounds. */
vault_status_t vault_attributes_set_number(
    vault_attributes_t *VAULT_REQUIRED attributes, vault_attribute_t attribute, uint64_t number);

/*
 * Names what a URL says of a server: protocol, host, and what stands in it of port and user.
 *
 * Path and query are not looked at: vault_attributes_set_request_path() takes them. Fails with VAULT_INVALID_ARGUMENT, also if a password stands in it.
 */
vault_status_t vault_attributes_set_url(
    vault_attributes_t *VAULT_REQUIRED attributes, const char *VAULT_REQUIRED bytes, size_t count);

/*
 * Names what is requested of a server, if that is known: a path, percent-encoded as it is sent, and perhaps a query.
 *
 * Where it is named, only items without a path match, and those whose path is that path or above it, by whole segments: the
 * longest path first, and those without one last. No bytes are the path `/`. It is no attribute: an item that is added or
 * changed does not have it.
 */
vault_status_t vault_attributes_set_request_path(
    vault_attributes_t *VAULT_REQUIRED attributes, const char *VAULT_NULLABLE bytes, size_t count);

/* Names a custom attribute, whose name is not empty; an empty value means unset. */
vault_status_t vault_attributes_set_custom(
    vault_attributes_t *VAULT_REQUIRED attributes, const char *VAULT_REQUIRED name,
    size_t name_count, const char *VAULT_NULLABLE value, size_t value_count);

/* Names the secret: `count` bytes of any kind, at most 1 MiB, none for the empty secret. Queries do not look at it. */
vault_status_t vault_attributes_set_secret(
    vault_attributes_t *VAULT_REQUIRED attributes, const void *VAULT_NULLABLE bytes, size_t count);

/* Names the refresh token that belongs to the secret: at most 8192 bytes, none for unset. Queries do not look at it. */
vault_status_t vault_attributes_set_refresh_token(
    vault_attributes_t *VAULT_REQUIRED attributes, const void *VAULT_NULLABLE bytes, size_t count);

/* ---- Items ---- */

/*
 * An item as it was found, and a reference to it that stays good when its key changes; counted, ended by
 * vault_item_release().
 */
typedef struct vault_item vault_item_t;

/* How long something is kept. */
typedef enum vault_persistence {
  /* Not at all. */
  VAULT_PERSISTENCE_NONE = 0,
  /* In memory, until the process ends or the vault is locked. */
  VAULT_PERSISTENCE_SESSION = 1,
  /* Sealed in the file. */
  VAULT_PERSISTENCE_PERMANENT = 2,
} vault_persistence_t;

/*
 * What can be asked for beside the attributes; values are added. One that a function does not have, such as VAULT_ACCEPTED
 * where it finds, is VAULT_INVALID_ARGUMENT.
 */
typedef uint32_t vault_options_t;

enum {
  VAULT_NO_OPTIONS = 0,
  /* Finding: the secrets are opened, too. Without it vault_item_copy_secret() looks them up. */
  VAULT_WITH_SECRETS = 1,
  /* Finding: subdomains of the server match too, below the server itself. */
  VAULT_WITH_SUBDOMAINS = 2,
  /* Finding: expired items do not match. */
  VAULT_WITHOUT_EXPIRED = 4,
  /*
   * Finding: server, protocol, port, realm and method are a protection space's: server and protocol have to be named; a
   * port that is not is the protocol's default, a method `default`, and a realm unset. An unset port answers for the
   * default, and a stored method `default` for any password method, both below a literal match.
   */
  VAULT_OF_SPACE = 8,
  /* Storing: a server has accepted the secret. */
  VAULT_ACCEPTED = 16,
};

/*
 * Finds the item that matches best: of the longest path where vault_attributes_set_request_path() says what is requested, with
 * most parts of the key named and matching literally, and among equals the first in the order of account, realm, server,
 * protocol, method, port, path.
 *
 * query: NULL matches every item.
 * item: becomes a handle, to be ended by vault_item_release().
 * Fails with VAULT_ITEM_NOT_FOUND, VAULT_EXPIRED, VAULT_LOCKED, VAULT_DAMAGED, VAULT_BUSY; VAULT_UNSUPPORTED for a query that
 * names a time of expiry.
 */
vault_status_t vault_find(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, vault_item_t *VAULT_NULLABLE *VAULT_REQUIRED item);

/* Finds as vault_find() does, but fails with VAULT_AMBIGUOUS if two match equally well. */
vault_status_t vault_find_unique(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, vault_item_t *VAULT_NULLABLE *VAULT_REQUIRED item);

/*
 * Finds all items that match, best first.
 *
 * limit: the most that are wanted; 0 for all.
 * items: becomes an array of handles, ended by vault_items_free(); NULL if none matches, which is no failure.
 */
vault_status_t vault_find_all(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, size_t limit,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE *VAULT_REQUIRED items, size_t *VAULT_REQUIRED count);

/* Releases `count` items and frees their array. NULL does nothing. */
void vault_items_free(vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE items, size_t count);

/* Counts the items that match, without opening a secret. */
vault_status_t vault_count(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_NULLABLE query,
    vault_options_t options, size_t *VAULT_REQUIRED count);

/*
 * Adds an item, as strongly as the policy grants; VAULT_PERSISTENCE of the item says how strongly.
 *
 * Its key is taken literally, as a keychain does: an item whose port is unset where this one's is the protocol's own, or the
 * reverse, is another one, which VAULT_HAS_TWIN tells. To change what is there for a place, vault_upsert() it.
 *
 * item: becomes a handle, to be ended by vault_item_release(); NULL if it is not wanted.
 * Fails with VAULT_DUPLICATE_ITEM, VAULT_POLICY_REFUSED, VAULT_INVALID_ARGUMENT, VAULT_TOO_LARGE, VAULT_UNSUPPORTED for a
 * permanent item in a vault without a file, VAULT_LOCKED, VAULT_READ_ONLY, VAULT_BUSY, VAULT_INPUT_OUTPUT, VAULT_OUTCOME_UNKNOWN.
 */
vault_status_t vault_add(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED attributes,
    vault_persistence_t persistence, vault_options_t options,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Adds an item, or changes the one that has the same key, or else the one that differs only in that its port is unset and this
 * one's is the protocol's own, or the reverse; in one step. It gets each attribute that is set, and the secret
 * if one is named; what is not named, or named as unset, it keeps. As vault_add() otherwise.
 */
vault_status_t vault_upsert(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED attributes,
    vault_persistence_t persistence, vault_options_t options,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Changes what is named of an item; what is not named is kept, and equal values change nothing.
 *
 * item: says afterwards what the item is now; it is unchanged if the call fails.
 * if_revision: the revision that the item must still have; 0 for any.
 * Fails as vault_add() does, and with VAULT_ITEM_NOT_FOUND, VAULT_CONFLICT.
 */
vault_status_t vault_modify(
    vault_item_t *VAULT_REQUIRED item, const vault_attributes_t *VAULT_REQUIRED changes,
    uint64_t if_revision, vault_options_t options);

/*
 * Removes an item where it is kept; the handle stays the caller's. What was permanent is in the vault's trash then, from
 * which `vaultctl trash restore` brings it back. Fails with VAULT_ITEM_NOT_FOUND, VAULT_CONFLICT.
 */
vault_status_t vault_remove(vault_item_t *VAULT_REQUIRED item, uint64_t if_revision);

/*
 * Removes every item that matches, in one step, as vault_remove() does; expired ones too, and those that hide each other.
 *
 * query: must name something, so that no mistake empties the vault.
 * count: becomes how many were deleted; NULL if it is not wanted. 0 is no failure.
 */
vault_status_t vault_remove_all(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED query,
    vault_options_t options, size_t *VAULT_NULLABLE count);

/* Writes an item that is pending, now that a server has accepted it. Fails with VAULT_ITEM_NOT_FOUND if it is not. */
vault_status_t vault_confirm(vault_item_t *VAULT_REQUIRED item);

/* Forgets an item that is pending, since a server has rejected it. Fails with VAULT_ITEM_NOT_FOUND if it is not. */
vault_status_t vault_reject(vault_item_t *VAULT_REQUIRED item);

/* Counts one more owner of an item. */
vault_status_t vault_item_retain(vault_item_t *VAULT_REQUIRED item);

/* Counts one owner less, and frees the item after the last. NULL does nothing. */
vault_status_t vault_item_release(vault_item_t *VAULT_NULLABLE item);

/* Copies an attribute that is text; an unset one is empty. The buffer is ended by vault_buffer_free(). */
vault_status_t vault_item_copy_text(
    vault_item_t *VAULT_REQUIRED item, vault_attribute_t attribute,
    vault_buffer_t *VAULT_REQUIRED text);

/* Reads an attribute that is a number; an unset one is 0. */
vault_status_t vault_item_get_number(
    vault_item_t *VAULT_REQUIRED item, vault_attribute_t attribute, uint64_t *VAULT_REQUIRED number);

/* Copies a custom attribute; one that the item does not have is empty. The buffer is ended by vault_buffer_free(). */
vault_status_t vault_item_copy_custom(
    vault_item_t *VAULT_REQUIRED item, const char *VAULT_REQUIRED name, size_t count,
    vault_buffer_t *VAULT_REQUIRED value);

/*
 * Copies the secret: as it was when the item was found, if it was with VAULT_WITH_SECRETS, and else as it is now.
 *
 * The buffer is ended by vault_buffer_free(), which wipes it.
 * Fails with VAULT_EXPIRED, VAULT_ITEM_NOT_FOUND if the item was deleted or stored nowhere, and as vault_find() does.
 */
vault_status_t vault_item_copy_secret(
    vault_item_t *VAULT_REQUIRED item, vault_buffer_t *VAULT_REQUIRED secret);

/* Copies the refresh token, which may be empty. As vault_item_copy_secret() otherwise. */
vault_status_t vault_item_copy_refresh_token(
    vault_item_t *VAULT_REQUIRED item, vault_buffer_t *VAULT_REQUIRED token);

/* ---- Protection spaces ---- */

/*
 * Finds the credential that a protection space uses unless another is named, with its secret: that of the default
 * user, else, also if the default user has none any more, that of the only user. Where it is named what is requested, users of
 * the longest path alone are looked at.
 *
 * space: names at least server and protocol, as VAULT_OF_SPACE says.
 * Fails with VAULT_ITEM_NOT_FOUND if there is none, or several and no default, and as vault_find() does.
 */
vault_status_t vault_get_default_credential(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED space,
    vault_item_t *VAULT_NULLABLE *VAULT_REQUIRED item);

/*
 * Makes one of a space's users its default.
 *
 * user: `count` bytes; none clears the choice.
 * Fails with VAULT_ITEM_NOT_FOUND if the space has no such user, VAULT_POLICY_REFUSED, and as vault_add() does.
 */
vault_status_t vault_set_default_user(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED space,
    const char *VAULT_NULLABLE user, size_t count);

#ifdef __cplusplus
}
#endif

#include "vault_keychain.h"

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
