/*
 * The credentials of TLS in a vault: client identities, servers that are trusted, and what was
 * decided about them.
 *
 * Nothing here does any networking, and the library links no TLS library. vault_tls_openssl.h and
 * vault_tls_curl.h have functions that a program compiles into itself to present identities by
 * OpenSSL and libcurl, and to have a server's certificates verified by OpenSSL.
 *
 * Certificates are DER; several are one after the other. The rules of vault.h on threads, pointers,
 * texts and handles apply. A handle is freed once, by the function that its type names.
 */
#ifndef VAULT_TLS_H
#define VAULT_TLS_H

#include "vault.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Identities ---- */

/*
 * An identity is a certificate, its private key and the certificates of its issuers. A vault keeps
 * it as an item of the method `client-certificate` and of the secret kind 2, whose secret is the
 * key. Its certificates are not secret, so choosing opens no key. VAULT_EXPIRES of the item is the
 * end of the first of its certificates.
 */

/* The form of certificates and keys. */
typedef enum vault_identity_form {
  /* DER: the certificates one after the other, the key as PKCS #8 (RFC 5208), not encrypted. */
  VAULT_IDENTITY_DER = 0,
  /* PEM: the blocks `CERTIFICATE` and `PRIVATE KEY` (RFC 7468), the key not encrypted. */
  VAULT_IDENTITY_PEM = 1,
  /*
   * Certificates as PEM, the key by DER: what OpenSSL reads without leaving a copy of the key in
   * memory that is not wiped.
   */
  VAULT_IDENTITY_PEM_AND_DER = 2,
} vault_identity_form_t;

/* An identity with its key. */
typedef struct vault_identity {
  /* The holder's own certificate, then those of its issuers, the nearest first. */
  vault_buffer_t certificates;
  /* The private key. */
  vault_buffer_t key;
} vault_identity_t;

/*
 * Wipes and frees the parts of an identity, and empties it, so that a second call does nothing.
 * NULL does nothing.
 */
void vault_identity_free(vault_identity_t *VAULT_NULLABLE identity);

/*
 * Adds the identities of a file: PKCS #12, or certificates and a key as PEM or DER.
 *
 * Blocking: derives keys, up to a second for the costliest files that other programs write.
 *
 * file: at most 1 MiB.
 * passphrase: the file's own; no bytes for none.
 * url: the server that they are for, whose path is ignored; no bytes for identities that only
 *     preferences lead to.
 * items, count: receive the items, in the order of the keys, to be freed by vault_items_free().
 * Fails with VAULT_AUTHENTICATION_FAILED for a wrong passphrase, VAULT_UNSUPPORTED_ALGORITHM,
 * VAULT_TOO_COSTLY, VAULT_MISSING_CERTIFICATE for keys of which none has a certificate,
 * VAULT_MISSING_IDENTITY without a key, VAULT_INVALID_DATA, and as vault_add() does. If it fails
 * for one of several identities, those before it were added.
 */
vault_status_t vault_identity_import(
    vault_t *VAULT_REQUIRED vault, const void *VAULT_REQUIRED file, size_t file_count,
    const void *VAULT_NULLABLE passphrase, size_t passphrase_count, const char *VAULT_NULLABLE url,
    size_t url_count, vault_persistence_t persistence,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE *VAULT_REQUIRED items,
    size_t *VAULT_REQUIRED count);

/*
 * Replaces certificates and key of an identity by those of a file that has one. The item keeps its
 * name, and is a default or preferred one as before; its history gets the old key with its
 * certificates.
 *
 * file, passphrase: as for vault_identity_import().
 * Fails as that does, with VAULT_AMBIGUOUS if the file has several identities, and as
 * vault_modify() does.
 */
vault_status_t vault_identity_replace(
    vault_item_t *VAULT_REQUIRED item, const void *VAULT_REQUIRED file, size_t file_count,
    const void *VAULT_NULLABLE passphrase, size_t passphrase_count);

/* Bytes of the caller. */
typedef struct vault_bytes {
  const void *VAULT_NULLABLE bytes;
  size_t count;
} vault_bytes_t;

/*
 * Chooses the identity to send to a server that asks for a certificate.
 *
 * The identities of the URL's server come into question, whatever their realm, because a server
 * that asks for a certificate names none. The default of the space is chosen, else the one that is
 * preferred for the URL, else the only one that the server accepts.
 *
 * url: the URL of the request, with its path if there are preferences for paths.
 * issuers: the names of the authorities that the server accepts, by DER; none for any.
 * schemes: the signatures that it accepts, by their numbers in RFC 8446 §4.2.3; none for any.
 * item: receives the item, to be released by vault_item_release().
 * Fails with VAULT_ITEM_NOT_FOUND if there is none, or none that the server accepts: then the
 * connection goes on without. Fails with VAULT_EXPIRED and VAULT_AMBIGUOUS, whose candidates
 * vault_last_error_candidates() has, and with VAULT_INVALID_DATA for an issuer that is not a name.
 */
vault_status_t vault_identity_choose(
    vault_t *VAULT_REQUIRED vault, const char *VAULT_REQUIRED url, size_t url_count,
    const vault_bytes_t *VAULT_NULLABLE issuers, size_t issuer_count,
    const uint16_t *VAULT_NULLABLE schemes, size_t scheme_count,
    vault_item_t *VAULT_NULLABLE *VAULT_REQUIRED item);

/*
 * Opens an identity, as the item is now: a service that does so for each connection uses a renewed
 * certificate without a restart.
 *
 * identity: receives certificates and key, to be freed by vault_identity_free().
 * Fails with VAULT_EXPIRED, VAULT_PIN_REQUIRED, VAULT_ITEM_NOT_FOUND if it was removed,
 * VAULT_MISSING_CERTIFICATE if the item is not an identity, VAULT_UNSUPPORTED if its key is in a
 * token, and VAULT_INVALID_DATA if its secret is not the certificate's key.
 */
vault_status_t vault_identity_open(
    vault_item_t *VAULT_REQUIRED item, vault_identity_form_t form,
    vault_identity_t *VAULT_REQUIRED identity);

/*
 * Opens an identity whose key needs a PIN of `count` bytes.
 *
 * Fails as vault_identity_open() and vault_item_copy_secret_with_pin() do.
 */
vault_status_t vault_identity_open_with_pin(
    vault_item_t *VAULT_REQUIRED item, const void *VAULT_REQUIRED pin, size_t count,
    vault_identity_form_t form, vault_identity_t *VAULT_REQUIRED identity);

/*
 * Copies the certificates of an identity, as the item was found; no secret is opened.
 *
 * certificates: receives them, to be freed by vault_buffer_free().
 * Fails with VAULT_MISSING_CERTIFICATE if the item is not an identity.
 */
vault_status_t vault_identity_copy_certificates(
    vault_item_t *VAULT_REQUIRED item, vault_identity_form_t form,
    vault_buffer_t *VAULT_REQUIRED certificates);

/*
 * Adds an identity whose key is in a token, by a reference (RFC 7512). Nothing asks the token.
 *
 * certificates: as PEM, or one as DER: the holder's own, then those of its issuers.
 * uri: the reference, as `pkcs11:token=Work;object=ann`. A `pin-value` in it is kept as a secret.
 * url, persistence: as for vault_identity_import().
 * item: receives the item, to be released by vault_item_release(); NULL if it is not wanted.
 * Fails with VAULT_INVALID_ARGUMENT for a reference that is malformed, has unknown attributes,
 * `pin-source` or `module-path`, or names no private key; with VAULT_MISSING_CERTIFICATE,
 * VAULT_INVALID_DATA, and as vault_add() does.
 */
vault_status_t vault_identity_add_reference(
    vault_t *VAULT_REQUIRED vault, const void *VAULT_REQUIRED certificates,
    size_t certificates_count, const char *VAULT_REQUIRED uri, size_t uri_count,
    const char *VAULT_NULLABLE url, size_t url_count, vault_persistence_t persistence,
    vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Copies the reference to a key that is in a token, and the token's PIN.
 *
 * uri: receives the reference without the PIN. pin: receives the PIN; empty if it is not known. Both
 * are freed by vault_buffer_free(), which wipes them.
 * Fails with VAULT_UNSUPPORTED if the vault has the key itself, and as vault_identity_open() does,
 * which fails with VAULT_UNSUPPORTED for a key in a token.
 */
vault_status_t vault_identity_copy_reference(
    vault_item_t *VAULT_REQUIRED item, vault_buffer_t *VAULT_REQUIRED uri,
    vault_buffer_t *VAULT_REQUIRED pin);

/*
 * Prefers an identity for a name, in place of another one.
 *
 * item: the identity; NULL to prefer none.
 * name: a URL, whose query is ignored: it stands for itself, or for all below it if it ends with a
 *     slash. Or `*.` and a domain, for all hosts below that. Any other text stands for itself.
 * Fails with VAULT_INVALID_ARGUMENT for no text, and for a wildcard below a public suffix or a
 * single label.
 */
vault_status_t vault_identity_set_preferred(
    vault_t *VAULT_REQUIRED vault, vault_item_t *VAULT_NULLABLE item,
    const char *VAULT_REQUIRED name, size_t count);

/*
 * Finds the identity that is preferred for a name: for itself, for a path above it, or for a
 * domain.
 *
 * item: receives the item, to be released by vault_item_release().
 * Fails with VAULT_ITEM_NOT_FOUND if there is none.
 */
vault_status_t vault_identity_find_preferred(
    vault_t *VAULT_REQUIRED vault, const char *VAULT_REQUIRED name, size_t count,
    vault_item_t *VAULT_NULLABLE *VAULT_REQUIRED item);

/* ---- Trust: policies ---- */

/*
 * The conditions that a server's certificates have to satisfy; it is freed by
 * vault_trust_policy_free(). Keep it for many evaluations, because its authorities are an index.
 */
typedef struct vault_trust_policy vault_trust_policy_t;

/* Makes a policy like that of a browser: the system's authorities, and the host's name. */
vault_status_t vault_trust_policy_create(
    vault_trust_policy_t *VAULT_NULLABLE *VAULT_REQUIRED policy);

/* Frees a policy. NULL does nothing. */
vault_status_t vault_trust_policy_free(vault_trust_policy_t *VAULT_NULLABLE policy);

/* A set of bits; unknown ones are VAULT_INVALID_ARGUMENT. */
typedef uint32_t vault_trust_options_t;
enum {
  VAULT_TRUST_NO_OPTIONS = 0,
  /*
   * A chain that leads to no authority, is not valid yet, or no longer, is accepted, but not for a
   * host's name alone: there have to be pins.
   */
  VAULT_TRUST_ALLOWS_INVALID = 1,
  /* The certificate need not be for the host. */
  VAULT_TRUST_ANY_HOST = 2,
  /* The common name counts if the certificate has no host among its alternative names. */
  VAULT_TRUST_ALLOWS_COMMON_NAME = 4,
  /* The system's authorities count beside one's own. */
  VAULT_TRUST_SYSTEM_ANCHORS = 8,
  /* Each issuer must have a revocation list. */
  VAULT_TRUST_REQUIRES_REVOCATION_LISTS = 16,
  /* Pins only report: vault_trust_evaluation_is_reported(). */
  VAULT_TRUST_REPORT_ONLY = 32,
  /* Pins are also for the names below the host; for vault_trust_pin(). */
  VAULT_TRUST_WITH_SUBDOMAINS = 64,
};

/* Sets the options of a policy, all but VAULT_TRUST_WITH_SUBDOMAINS, in place of those it has. */
vault_status_t vault_trust_policy_set_options(
    vault_trust_policy_t *VAULT_REQUIRED policy, vault_trust_options_t options);

/*
 * Adds authorities, which are the only ones unless VAULT_TRUST_SYSTEM_ANCHORS is set. They need not
 * be roots.
 *
 * Fails with VAULT_INVALID_DATA if a certificate is malformed.
 */
vault_status_t vault_trust_policy_add_anchors(
    vault_trust_policy_t *VAULT_REQUIRED policy, const void *VAULT_REQUIRED certificates,
    size_t count);

/*
 * Requires that a public key is in the validated path: adds pins like those of curl,
 * `sha256//…;sha256//…`, or of RFC 7469, `pin-sha256="…"`.
 *
 * Fails with VAULT_INVALID_DATA if a pin is malformed or there is none.
 */
vault_status_t vault_trust_policy_add_pins(
    vault_trust_policy_t *VAULT_REQUIRED policy, const char *VAULT_REQUIRED pins, size_t count);

/*
 * Requires that one of these certificates is in the validated path; they are the only authorities.
 *
 * Fails with VAULT_INVALID_DATA if a certificate is malformed.
 */
vault_status_t vault_trust_policy_add_pinned_certificates(
    vault_trust_policy_t *VAULT_REQUIRED policy, const void *VAULT_REQUIRED certificates,
    size_t count);

/*
 * Adds a revocation list (DER), by which the certificates of the path are checked.
 *
 * Fails with VAULT_INVALID_DATA if it is malformed.
 */
vault_status_t vault_trust_policy_add_revocation_list(
    vault_trust_policy_t *VAULT_REQUIRED policy, const void *VAULT_REQUIRED list, size_t count);

/* ---- Trust: evaluations ---- */

/* Apple's results (SecTrustResultType); the first two mean that the server is trusted. */
typedef enum vault_trust_verdict {
  /* Somebody decided to trust it in spite of its problems. */
  VAULT_TRUST_PROCEED = 1,
  /* Valid by the authorities, and nobody decided anything: the normal success. */
  VAULT_TRUST_UNSPECIFIED = 4,
  /* Somebody decided not to trust it: the pins, the key of the first use, or the policy as such. */
  VAULT_TRUST_DENY = 3,
  /* Not valid, for reasons that somebody may decide to ignore. */
  VAULT_TRUST_RECOVERABLE = 5,
  /* Not valid, and no decision can change that. */
  VAULT_TRUST_FATAL = 6,
} vault_trust_verdict_t;

/* A set of bits: the reasons for which a chain is not valid. */
typedef uint32_t vault_trust_problems_t;
enum {
  /* The chain leads to no anchor, or its authority was not sent. */
  VAULT_TRUST_UNKNOWN_ISSUER = 1,
  /* The certificate was signed with its own key and is not an anchor. */
  VAULT_TRUST_SELF_SIGNED = 1 << 1,
  /* The time is after the validity of a certificate. */
  VAULT_TRUST_EXPIRED = 1 << 2,
  /* The time is before the validity of a certificate. */
  VAULT_TRUST_NOT_YET_VALID = 1 << 3,
  /* The certificate is for other hosts. */
  VAULT_TRUST_WRONG_HOST = 1 << 4,
  /* No pin is in the path. */
  VAULT_TRUST_PIN_MISMATCH = 1 << 5,
  /* A policy that requires pins, or would trust anybody with the host's name, has none. */
  VAULT_TRUST_NO_PINS = 1 << 6,
  /* The server has another key than the one that was recorded at its first use. */
  VAULT_TRUST_CHANGED_KEY = 1 << 7,
  /* A key or a signature is too weak: RSA below 2048 bits, SHA-1. */
  VAULT_TRUST_WEAK_CRYPTOGRAPHY = 1 << 8,
  /* The certificate may not be used by a server. */
  VAULT_TRUST_WRONG_PURPOSE = 1 << 9,
  /* A certificate was issued by one that is not an authority, or by too long a chain of them. */
  VAULT_TRUST_INVALID_AUTHORITY = 1 << 10,
  /* A name that the authority may not certify. */
  VAULT_TRUST_FORBIDDEN_NAME = 1 << 11,
  /* An extension that is critical and unknown. */
  VAULT_TRUST_UNKNOWN_EXTENSION = 1 << 12,
  /* No revocation list of an issuer was given, and they are required. */
  VAULT_TRUST_MISSING_REVOCATION_LIST = 1 << 13,
  /* A revocation list is malformed, expired or signed by somebody else. */
  VAULT_TRUST_INVALID_REVOCATION_LIST = 1 << 14,
  /* A revocation list has the certificate. */
  VAULT_TRUST_REVOKED = 1 << 15,
  /* A signature is wrong. */
  VAULT_TRUST_WRONG_SIGNATURE = 1 << 16,
  /* There is no certificate, or one that cannot be understood. */
  VAULT_TRUST_MALFORMED = 1 << 17,
  /* Certificate policies that an authority requires are missing, or contradict each other. */
  VAULT_TRUST_INVALID_POLICY = 1 << 18,
};

/* The results of evaluating a chain; they are freed by vault_trust_evaluation_free(). */
typedef struct vault_trust_evaluation vault_trust_evaluation_t;

/*
 * Evaluates the certificates that a server sent.
 *
 * vault: whose decisions about the server count; NULL for the policy alone.
 * space: the server: a URL is enough. Realm and method do not matter.
 * policy: NULL for one like that of a browser.
 * chain: the server's own certificate, and any others in any order.
 * time: the time to evaluate for, in milliseconds since 1970; 0 for now.
 * evaluation: receives a handle, to be freed by vault_trust_evaluation_free().
 * Fails with VAULT_INVALID_ARGUMENT for a space without a port; with VAULT_INVALID_DATA if a
 * certificate is malformed. A server that is not trusted is not a failure: see the verdict.
 */
vault_status_t vault_trust_evaluate(
    vault_t *VAULT_NULLABLE vault, const vault_attributes_t *VAULT_REQUIRED space,
    vault_trust_policy_t *VAULT_NULLABLE policy, const void *VAULT_REQUIRED chain, size_t count,
    uint64_t time, vault_trust_evaluation_t *VAULT_NULLABLE *VAULT_REQUIRED evaluation);

/* Frees an evaluation. NULL does nothing. */
vault_status_t vault_trust_evaluation_free(vault_trust_evaluation_t *VAULT_NULLABLE evaluation);

/* Returns the verdict. */
vault_status_t vault_trust_evaluation_get_verdict(
    vault_trust_evaluation_t *VAULT_REQUIRED evaluation,
    vault_trust_verdict_t *VAULT_REQUIRED verdict);

/* Returns all reasons against the chain, also those that a policy or a decision allows. */
vault_status_t vault_trust_evaluation_get_problems(
    vault_trust_evaluation_t *VAULT_REQUIRED evaluation,
    vault_trust_problems_t *VAULT_REQUIRED problems);

/* Returns whether a pin is missing, of pins that only report. */
vault_status_t vault_trust_evaluation_is_reported(
    vault_trust_evaluation_t *VAULT_REQUIRED evaluation, bool *VAULT_REQUIRED is_reported);

/*
 * Copies the verdict and the reasons as a text for people; after a change of the key with both keys.
 *
 * text: to be freed by vault_buffer_free().
 */
vault_status_t vault_trust_evaluation_copy_text(
    vault_trust_evaluation_t *VAULT_REQUIRED evaluation, vault_buffer_t *VAULT_REQUIRED text);

/*
 * Copies the validated path: the server's own certificate first, which may be the only one.
 *
 * path: to be freed by vault_buffer_free().
 */
vault_status_t vault_trust_evaluation_copy_path(
    vault_trust_evaluation_t *VAULT_REQUIRED evaluation, vault_buffer_t *VAULT_REQUIRED path);

/*
 * Copies the hash of the server's public key as a pin, `sha256//…`.
 *
 * is_known: false for the key that the server has; true for the one that was recorded at its first
 *     use, which is VAULT_ITEM_NOT_FOUND if there is none.
 * pin: to be freed by vault_buffer_free().
 */
vault_status_t vault_trust_evaluation_copy_pin(
    vault_trust_evaluation_t *VAULT_REQUIRED evaluation, bool is_known,
    vault_buffer_t *VAULT_REQUIRED pin);

/* ---- Trust: decisions ---- */

/*
 * Decisions are items of the authentication method `server-trust`, with the host and port of the
 * server: vault_find_all() lists them, and vault_remove() removes one. The account is `pins`,
 * `known key` or `exception` and a fingerprint. The secret is the decision as text.
 */

/*
 * Accepts the certificate of an evaluation for this host and port, in spite of the problems that
 * were found and no others.
 *
 * end: in milliseconds since 1970; 0 for never.
 * item: receives a handle, to be released by vault_item_release(); NULL if it is not wanted.
 * Fails with VAULT_INVALID_ARGUMENT unless the verdict is VAULT_TRUST_RECOVERABLE; else as
 * vault_add().
 */
vault_status_t vault_trust_accept(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED space,
    vault_trust_evaluation_t *VAULT_REQUIRED evaluation, uint64_t end,
    vault_persistence_t persistence, vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Records the key of an evaluation, as SSH does at the first connection: from now on the server is
 * trusted with this key, in spite of the problems that were found and no others, and refused with
 * any other key.
 *
 * is_change: whether the key that the evaluation knows is replaced.
 * end, item: as for vault_trust_accept().
 * Fails with VAULT_INVALID_ARGUMENT if the chain is fatal, or denied for another reason than its
 * key; with VAULT_CONFLICT if another key is known and not replaced; else as vault_add().
 */
vault_status_t vault_trust_record_first_use(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED space,
    vault_trust_evaluation_t *VAULT_REQUIRED evaluation, bool is_change, uint64_t end,
    vault_persistence_t persistence, vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Pins public keys of a server, in place of those that were pinned.
 *
 * pins: as for vault_trust_policy_add_pins(). The field `max-age` of RFC 7469 counts from now.
 * options: VAULT_TRUST_WITH_SUBDOMAINS, VAULT_TRUST_REPORT_ONLY.
 * end: the time from which they no longer count, in milliseconds since 1970; 0 for that of `pins`,
 *     or never.
 * item: as for vault_trust_accept().
 * Fails as vault_trust_policy_add_pins() and vault_add().
 */
vault_status_t vault_trust_pin(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED space,
    const char *VAULT_REQUIRED pins, size_t count, vault_trust_options_t options, uint64_t end,
    vault_persistence_t persistence, vault_item_t *VAULT_NULLABLE *VAULT_NULLABLE item);

/*
 * Copies the pins of a server, or of the nearest domain above it that has them for its subdomains,
 * for CURLOPT_PINNEDPUBLICKEY: `sha256//…;sha256//…`. curl compares them with the key of the
 * server's own certificate alone.
 *
 * pins: to be freed by vault_buffer_free().
 * Fails with VAULT_ITEM_NOT_FOUND if there are none.
 */
vault_status_t vault_trust_copy_pins(
    vault_t *VAULT_REQUIRED vault, const vault_attributes_t *VAULT_REQUIRED space,
    vault_buffer_t *VAULT_REQUIRED pins);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
