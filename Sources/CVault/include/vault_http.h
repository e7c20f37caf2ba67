/*
 * Logging in to HTTP servers and proxies with credentials from a vault, for any HTTP client.
 *
 * Nothing here does any networking: the client describes its request and the response to it, and
 * gets the fields to send. There are two ways. A vault_http_exchange_t does everything for one
 * request: it looks up credentials in the vault, prompts for missing ones, and stores what was
 * accepted. A vault_http_authentication_t answers the challenge of one response with a user and a
 * password from the caller, without a vault. Basic, Digest and Bearer are answered.
 *
 * The rules of vault.h on threads, pointers, texts and handles apply. A handle is freed once, by
 * the function that its type names.
 */
#ifndef VAULT_HTTP_H
#define VAULT_HTTP_H

#include "vault.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Messages ---- */

/* The party that can challenge a request. */
typedef enum vault_http_side {
  VAULT_HTTP_SERVER = 0,
  VAULT_HTTP_PROXY = 1,
} vault_http_side_t;

/* The parts of a request that authentication needs; it is freed by vault_http_request_free(). */
typedef struct vault_http_request vault_http_request_t;

/*
 * Describes a request.
 *
 * method: such as `GET`; case-sensitive.
 * url: http or https, absolute. A user in it is the user that is wanted, and with a password in
 *     it the request's own credential; better pass them to vault_http_request_set_credential().
 * request: receives a handle, to be freed by vault_http_request_free().
 * Fails with VAULT_INVALID_ARGUMENT for another scheme, no host, a blank or a control character.
 */
vault_status_t vault_http_request_create(
    const char *VAULT_REQUIRED method, size_t method_count, const char *VAULT_REQUIRED url,
    size_t url_count, vault_http_request_t *VAULT_NULLABLE *VAULT_REQUIRED request);

/*
 * Copies the URL to send a request to: as it was given, without user, password and fragment, and
 * with the characters that a URL may not have, such as `|`, percent-encoded.
 *
 * A Digest response is made of its path and query. Send exactly these: lighttpd, for one, answers
 * 400 if the request has others. libcurl changes a path with dot segments unless
 * CURLOPT_PATH_AS_IS is set.
 *
 * url: freed by vault_buffer_free().
 */
vault_status_t vault_http_request_copy_url(
    vault_http_request_t *VAULT_REQUIRED request, vault_buffer_t *VAULT_REQUIRED url);

/* Frees a request, and wipes the credentials and fields in it. NULL does nothing. */
vault_status_t vault_http_request_free(vault_http_request_t *VAULT_NULLABLE request);

/*
 * Names the proxy that the request goes through, by its URL, as in `http_proxy`; no bytes for none.
 * The user and password of that URL are ignored.
 */
vault_status_t vault_http_request_set_proxy(
    vault_http_request_t *VAULT_REQUIRED request, const char *VAULT_NULLABLE url, size_t count);

/*
 * Names the user whose credential is wanted at the server or proxy; no bytes leave it to the vault.
 */
vault_status_t vault_http_request_set_user(
    vault_http_request_t *VAULT_REQUIRED request, vault_http_side_t side,
    const char *VAULT_NULLABLE user, size_t count);

/*
 * Gives an exchange the request's own credential for the server or proxy, which is tried first.
 *
 * password: bytes of any kind; they are copied to guarded memory.
 * persistence: how strongly it is stored once it was accepted, as far as the policy allows.
 */
vault_status_t vault_http_request_set_credential(
    vault_http_request_t *VAULT_REQUIRED request, vault_http_side_t side,
    const char *VAULT_NULLABLE user, size_t user_count, const void *VAULT_NULLABLE password,
    size_t password_count, vault_persistence_t persistence);

/*
 * Gives an exchange the request's own token for the server or proxy, in place of a credential:
 * Bearer sends it, and no other scheme does.
 *
 * token: visible ASCII; it is copied to guarded memory.
 * persistence: as for vault_http_request_set_credential().
 */
vault_status_t vault_http_request_set_token(
    vault_http_request_t *VAULT_REQUIRED request, vault_http_side_t side,
    const void *VAULT_NULLABLE token, size_t count, vault_persistence_t persistence);

/*
 * Gives the body that is sent, which Digest covers if the server requires it (`auth-int`). A
 * request without it has none if its method usually has none, such as `GET`; otherwise its body is
 * not at hand, and such a challenge is not answered.
 */
vault_status_t vault_http_request_set_body(
    vault_http_request_t *VAULT_REQUIRED request, const void *VAULT_NULLABLE bytes, size_t count);

/* The parts of a response that authentication needs; it is freed by vault_http_response_free(). */
typedef struct vault_http_response vault_http_response_t;

/*
 * Describes a response without fields.
 *
 * status: the status code, 100 to 999.
 * response: receives a handle, to be freed by vault_http_response_free().
 */
vault_status_t vault_http_response_create(
    uint32_t status, vault_http_response_t *VAULT_NULLABLE *VAULT_REQUIRED response);

/* Frees a response. NULL does nothing. */
vault_status_t vault_http_response_free(vault_http_response_t *VAULT_NULLABLE response);

/*
 * Adds a field, in the order of the response; a name may occur several times. The fields that
 * matter are WWW-Authenticate, Proxy-Authenticate, Authentication-Info and
 * Proxy-Authentication-Info, in any case.
 *
 * Bytes that are not UTF-8 are read as ISO 8859-1.
 */
vault_status_t vault_http_response_add_field(
    vault_http_response_t *VAULT_REQUIRED response, const char *VAULT_REQUIRED name,
    size_t name_count, const char *VAULT_NULLABLE value, size_t value_count);

/*
 * A field to send, for this request only: it must not go to another server or proxy than the
 * request's. For a request through a tunnel, that of the proxy goes on CONNECT.
 */
typedef struct vault_http_field {
  /* The party that gets the field. */
  vault_http_side_t side;
  /* `Authorization` or `Proxy-Authorization`; freed with the field. */
  vault_buffer_t name;
  /* A secret: that of Basic is the password, of Bearer the token. Freed with the field, and wiped. */
  vault_buffer_t value;
} vault_http_field_t;

/* Wipes and frees `count` fields and their array. NULL does nothing. */
void vault_http_fields_free(vault_http_field_t *VAULT_NULLABLE fields, size_t count);

/*
 * Copies the fields that vault_http_authentication_apply() has added to a request, at most one for
 * the server and one for the proxy.
 *
 * fields: receives an array, to be freed by vault_http_fields_free(); NULL if there are none, which
 *     is not an error.
 */
vault_status_t vault_http_request_copy_fields(
    vault_http_request_t *VAULT_REQUIRED request,
    vault_http_field_t *VAULT_NULLABLE *VAULT_REQUIRED fields, size_t *VAULT_REQUIRED count);

/* ---- Authentications ---- */

/*
 * The state that answers one challenge, for one server or proxy and one user: the challenge, the
 * server's nonce and how often it was used, but never a credential. Several requests and threads
 * may use it at once. It is freed by vault_http_authentication_free().
 */
typedef struct vault_http_authentication vault_http_authentication_t;

/*
 * Creates an authentication from the strongest challenge of a response that can be answered; if
 * there is none, it is not valid, and says why.
 *
 * response: a 401, or a 407; for a request through a tunnel, the 407 to CONNECT.
 * request: the request that was challenged.
 * authentication: receives a handle, to be freed by vault_http_authentication_free().
 * Fails with VAULT_INVALID_ARGUMENT for another status, and for a 407 to a request without a proxy:
 * that server is after the proxy's password.
 */
vault_status_t vault_http_authentication_create(
    vault_http_response_t *VAULT_REQUIRED response, vault_http_request_t *VAULT_REQUIRED request,
    vault_http_authentication_t *VAULT_NULLABLE *VAULT_REQUIRED authentication);

/* Frees an authentication. NULL does nothing. */
vault_status_t vault_http_authentication_free(
    vault_http_authentication_t *VAULT_NULLABLE authentication);

/* The reason why an authentication is not valid. */
typedef enum vault_http_problem {
  /* It is valid. */
  VAULT_HTTP_PROBLEM_NONE = 0,
  /* The response has no readable challenge. */
  VAULT_HTTP_PROBLEM_PARSE = 1,
  /* None of the schemes is answered. */
  VAULT_HTTP_PROBLEM_UNSUPPORTED = 2,
  /* The scheme cannot carry the last user that was applied. */
  VAULT_HTTP_PROBLEM_BAD_USER = 3,
  /* The last password was rejected, or the scheme cannot carry it. */
  VAULT_HTTP_PROBLEM_BAD_PASSWORD = 4,
  /* The server knows the user, and denies access. */
  VAULT_HTTP_PROBLEM_REFUSED = 5,
} vault_http_problem_t;

/*
 * Returns whether an authentication is valid, and why not. The first two problems are permanent;
 * the others are of the last credential, and the next one that can be sent clears them.
 */
vault_status_t vault_http_authentication_get_problem(
    vault_http_authentication_t *VAULT_REQUIRED authentication,
    vault_http_problem_t *VAULT_REQUIRED problem);

/* Returns the party that sent the challenge. */
vault_status_t vault_http_authentication_get_side(
    vault_http_authentication_t *VAULT_REQUIRED authentication,
    vault_http_side_t *VAULT_REQUIRED side);

/* Returns whether a user and a password answer the challenge. */
vault_status_t vault_http_authentication_requires_user_and_password(
    vault_http_authentication_t *VAULT_REQUIRED authentication, bool *VAULT_REQUIRED required);

/*
 * Returns whether the scheme needs an account domain as well as user and password: NTLM, whose user
 * may be given as `DOMAIN\user`. Only an exchange answers it.
 */
vault_status_t vault_http_authentication_requires_account_domain(
    vault_http_authentication_t *VAULT_REQUIRED authentication, bool *VAULT_REQUIRED required);

/*
 * Returns whether a strict server requires requests in the order in which their fields were made,
 * as with most Digest.
 */
vault_status_t vault_http_authentication_requires_ordered_requests(
    vault_http_authentication_t *VAULT_REQUIRED authentication, bool *VAULT_REQUIRED required);

/*
 * Copies the realm that the server named, or the challenging host if it named none: text from the
 * network. The buffer is freed by vault_buffer_free().
 */
vault_status_t vault_http_authentication_copy_realm(
    vault_http_authentication_t *VAULT_REQUIRED authentication,
    vault_buffer_t *VAULT_REQUIRED realm);

/*
 * Copies the scheme, such as `basic` or `digest`, as VAULT_AUTHENTICATION_METHOD has it; empty if
 * no challenge could be read. The buffer is freed by vault_buffer_free().
 */
vault_status_t vault_http_authentication_copy_method(
    vault_http_authentication_t *VAULT_REQUIRED authentication,
    vault_buffer_t *VAULT_REQUIRED method);

/*
 * Returns whether the same credential applies to a request: for a server, at the same origin and at
 * or below the paths of the challenge; for a proxy, through the same one.
 */
vault_status_t vault_http_authentication_applies(
    vault_http_authentication_t *VAULT_REQUIRED authentication,
    vault_http_request_t *VAULT_REQUIRED request, bool *VAULT_REQUIRED applies);

/*
 * Applies a credential to a request: adds the field that answers the challenge, in place of an
 * earlier one of the same side, which vault_http_request_copy_fields() gives. Of Digest, each
 * request needs a new one.
 *
 * user: `user_count` bytes of text.
 * password: `password_count` bytes of any kind, for Bearer the token; not kept.
 * request: for the server or through the proxy of the challenge.
 * Fails with VAULT_INVALID_ARGUMENT for a request to another server or proxy, and for a credential
 * that the scheme cannot carry, which the problem then explains; with VAULT_UNSUPPORTED for a
 * scheme that is not answered, or a body that is not at hand; with VAULT_INVALID_DATA without a
 * challenge.
 */
vault_status_t vault_http_authentication_apply(
    vault_http_authentication_t *VAULT_REQUIRED authentication, const char *VAULT_NULLABLE user,
    size_t user_count, const void *VAULT_NULLABLE password, size_t password_count,
    vault_http_request_t *VAULT_REQUIRED request);

/* The meaning of a response for the credential that was sent. */
typedef enum vault_http_verdict {
  /* The credential is right. */
  VAULT_HTTP_VERDICT_ACCEPTED = 0,
  /* It may be right, but its nonce was too old: apply it once more. A server may repeat this. */
  VAULT_HTTP_VERDICT_STALE = 1,
  /* The credential is wrong. */
  VAULT_HTTP_VERDICT_REJECTED = 2,
  /* The credential is right, and access is denied. */
  VAULT_HTTP_VERDICT_REFUSED = 3,
  /* The server's proof that it knows the password is wrong: the response is not the server's. */
  VAULT_HTTP_VERDICT_UNPROVEN = 4,
  /* The response says nothing about the credential. */
  VAULT_HTTP_VERDICT_UNDECIDED = 5,
  /* The token is right, but lacks a scope that the request needs. */
  VAULT_HTTP_VERDICT_INSUFFICIENT_SCOPE = 6,
} vault_http_verdict_t;

/*
 * Judges the credential that was applied to a request by the response, and adopts the nonces that
 * the response brings. The problem of the authentication follows from it.
 *
 * Fails with VAULT_INVALID_ARGUMENT if nothing of this authentication was applied to the request.
 */
vault_status_t vault_http_authentication_judge(
    vault_http_authentication_t *VAULT_REQUIRED authentication,
    vault_http_response_t *VAULT_REQUIRED response, vault_http_request_t *VAULT_REQUIRED request,
    vault_http_verdict_t *VAULT_REQUIRED verdict);

/* ---- Authenticators ---- */

/*
 * Answers challenges from a vault. It remembers what was accepted where, so that a program has one,
 * for any number of requests at once; freed by vault_http_authenticator_free().
 */
typedef struct vault_http_authenticator vault_http_authenticator_t;

/* The options of an authenticator; values are added. */
typedef uint32_t vault_http_options_t;

enum {
  VAULT_HTTP_NO_OPTIONS = 0,
  /*
   * No credential is sent before a challenge. Otherwise it is where an earlier request of this
   * authenticator was accepted.
   */
  VAULT_HTTP_AFTER_CHALLENGE = 1,
  /*
   * A credential is sent before a challenge also where none was accepted yet: as Basic, over TLS or
   * to this machine, if it is clear whose is meant. Not with VAULT_HTTP_AFTER_CHALLENGE.
   */
  VAULT_HTTP_BEFORE_CHALLENGE = 2,
  /* A response that accepts Digest must prove, by `rspauth`, that its sender knows the password. */
  VAULT_HTTP_WITH_PROOF = 4,
  /* The vault's session and earlier successes are neither used nor added to. */
  VAULT_HTTP_WITHOUT_SESSION = 8,
  /* Nothing is stored permanently. */
  VAULT_HTTP_WITHOUT_STORING = 16,
  /* Tokens are sent in clear to other machines; otherwise they never are. */
  VAULT_HTTP_TOKENS_IN_CLEAR = 32,
};

/*
 * Creates an authenticator of a vault, which may be locked.
 *
 * authenticator: receives a handle, to be freed by vault_http_authenticator_free(). The vault must
 *     stay open.
 * Fails with VAULT_INVALID_ARGUMENT for options that do not exist, or not together.
 */
vault_status_t vault_http_authenticator_create(
    vault_t *VAULT_REQUIRED vault, vault_http_options_t options,
    vault_http_authenticator_t *VAULT_NULLABLE *VAULT_REQUIRED authenticator);

/* Frees an authenticator; its exchanges stay valid. NULL does nothing. */
vault_status_t vault_http_authenticator_free(
    vault_http_authenticator_t *VAULT_NULLABLE authenticator);

/* ---- Prompts ---- */

/*
 * A question for a credential that is not in the vault, or was rejected.
 *
 * It is valid only until its function returns, and only on the thread that runs that function:
 * anywhere else it is VAULT_INVALID_ARGUMENT.
 */
typedef struct vault_http_question vault_http_question_t;

/* A text of a question. */
typedef enum vault_http_question_text {
  /* The host of the server or proxy. */
  VAULT_HTTP_QUESTION_HOST = 0,
  /* Its protocol, as VAULT_PROTOCOL has it. */
  VAULT_HTTP_QUESTION_PROTOCOL = 1,
  /* The realm, as the server sent it: text from the network, and perhaps empty. */
  VAULT_HTTP_QUESTION_REALM = 2,
  /* The scheme, as VAULT_AUTHENTICATION_METHOD has it. */
  VAULT_HTTP_QUESTION_METHOD = 3,
  /* The requested URL, without user and password. */
  VAULT_HTTP_QUESTION_URL = 4,
  /* The user that the request is for; empty for any. */
  VAULT_HTTP_QUESTION_USER = 5,
  /* The last user that was rejected; empty at first. */
  VAULT_HTTP_QUESTION_FAILED_USER = 6,
} vault_http_question_text_t;

/* A number of a question. */
typedef enum vault_http_question_number {
  /* The port of the server or proxy. */
  VAULT_HTTP_QUESTION_PORT = 0,
  /* A vault_http_side_t. */
  VAULT_HTTP_QUESTION_SIDE = 1,
  /* 1 if the password would be sent in clear: tell the user. */
  VAULT_HTTP_QUESTION_IN_CLEAR = 2,
  /* How many credentials of this request the server or proxy has rejected. */
  VAULT_HTTP_QUESTION_FAILURES = 3,
  /* How many users are stored, of which none is the default; see the next function. */
  VAULT_HTTP_QUESTION_STORED_USERS = 4,
  /* 1 if an account domain is needed too, for NTLM: the user is given as `DOMAIN\user`. */
  VAULT_HTTP_QUESTION_REQUIRES_ACCOUNT_DOMAIN = 5,
} vault_http_question_number_t;

/* Copies a text of a question. The buffer is freed by vault_buffer_free(). */
vault_status_t vault_http_question_copy_text(
    vault_http_question_t *VAULT_REQUIRED question, vault_http_question_text_t which,
    vault_buffer_t *VAULT_REQUIRED text);

/* Reads a number of a question. */
vault_status_t vault_http_question_get_number(
    vault_http_question_t *VAULT_REQUIRED question, vault_http_question_number_t which,
    uint64_t *VAULT_REQUIRED number);

/*
 * Copies one of the stored users.
 *
 * index: less than VAULT_HTTP_QUESTION_STORED_USERS.
 * user: freed by vault_buffer_free().
 */
vault_status_t vault_http_question_copy_stored_user(
    vault_http_question_t *VAULT_REQUIRED question, size_t index,
    vault_buffer_t *VAULT_REQUIRED user);

/*
 * Gives the credential for VAULT_HTTP_USE; a second call replaces the first.
 *
 * user, password: as for vault_http_authentication_apply(), the token if the method is `bearer`; it is copied to guarded
 *     memory, and the caller wipes its own.
 * persistence: how strongly it is stored once it was accepted, as far as the policy allows.
 */
vault_status_t vault_http_question_set_credential(
    vault_http_question_t *VAULT_REQUIRED question, const char *VAULT_NULLABLE user,
    size_t user_count, const void *VAULT_NULLABLE password, size_t password_count,
    vault_persistence_t persistence);

/* Gives the user for VAULT_HTTP_USE_STORED, such as one of the stored ones. */
vault_status_t vault_http_question_set_stored_user(
    vault_http_question_t *VAULT_REQUIRED question, const char *VAULT_REQUIRED user, size_t count);

/* The answer to a question. */
typedef enum vault_http_answer {
  /* Continue without a credential: the caller gets the 401 or 407. */
  VAULT_HTTP_GO_ON_WITHOUT = 0,
  /* Use the credential that was given. */
  VAULT_HTTP_USE = 1,
  /* Use the stored credential of the user that was given. */
  VAULT_HTTP_USE_STORED = 2,
  /* Do not use this scheme; the next one that the server offers is tried. */
  VAULT_HTTP_DECLINE_SCHEME = 3,
  /* Give up this request; others that wait for the same credential prompt again. */
  VAULT_HTTP_CANCEL_REQUEST = 4,
  /* Give up all requests that wait for the same credential. */
  VAULT_HTTP_CANCEL_SPACE = 5,
  /* Give up all requests of this process that wait for any answer. */
  VAULT_HTTP_CANCEL_ALL = 6,
} vault_http_answer_t;

/*
 * A function that answers a question, on the thread that called vault_http_exchange_next(). A
 * process asks one question at a time.
 *
 * An exchange that would prompt within it ends with VAULT_HTTP_UNANSWERED. An unknown answer, or
 * one without the credential or user that it needs, is VAULT_HTTP_GO_ON_WITHOUT. The function must
 * return: longjmp() or an exception out of it is undefined behaviour.
 */
typedef vault_http_answer_t (*vault_http_prompt_t)(
    vault_http_question_t *VAULT_REQUIRED question, void *VAULT_NULLABLE context);

/* ---- Logins on connections ---- */

/*
 * Says that the client can send a request over one certain connection, or over one that nobody else
 * uses, as vault_http_exchange_get_owner() says. Without it, neither Negotiate nor NTLM is answered.
 */
vault_status_t vault_http_request_tell_connections_apart(
    vault_http_request_t *VAULT_REQUIRED request);

/*
 * Sets the connection that a response came on. Without it, neither Negotiate nor NTLM is answered.
 *
 * number: one that no other connection of the client has had.
 * binding: `tls-server-end-point:` and the hash of the server's certificate (RFC 5929 §4); NULL and
 *     0 without TLS.
 */
vault_status_t vault_http_response_set_connection(
    vault_http_response_t *VAULT_REQUIRED response, uint64_t number,
    const uint8_t *VAULT_NULLABLE binding, size_t binding_count);

/* ---- Exchanges ---- */

/*
 * The challenges and answers of one request, with its proxy and with its server; freed by
 * vault_http_exchange_free(). A call for an exchange while another one runs is
 * VAULT_INVALID_ARGUMENT.
 */
typedef struct vault_http_exchange vault_http_exchange_t;

/*
 * Begins the exchange of a request.
 *
 * request: later changes of it do not affect the exchange.
 * exchange: receives a handle, to be freed by vault_http_exchange_free().
 * Fails with VAULT_DAMAGED, VAULT_BUSY, VAULT_CLOSED, from looking up a credential to send before a
 * challenge.
 */
vault_status_t vault_http_exchange_create(
    vault_http_authenticator_t *VAULT_REQUIRED authenticator,
    vault_http_request_t *VAULT_REQUIRED request,
    vault_http_exchange_t *VAULT_NULLABLE *VAULT_REQUIRED exchange);

/*
 * Copies the URL to send the exchange's request to, as vault_http_request_copy_url() does; after a
 * redirect, that of the redirect.
 *
 * url: freed by vault_buffer_free().
 */
vault_status_t vault_http_exchange_copy_url(
    vault_http_exchange_t *VAULT_REQUIRED exchange, vault_buffer_t *VAULT_REQUIRED url);

/* Frees an exchange. NULL does nothing. */
vault_status_t vault_http_exchange_free(vault_http_exchange_t *VAULT_NULLABLE exchange);

/*
 * Copies the fields for the next request, instead of those before: at most one for the server and
 * one for the proxy. Otherwise like vault_http_request_copy_fields().
 */
vault_status_t vault_http_exchange_copy_fields(
    vault_http_exchange_t *VAULT_REQUIRED exchange,
    vault_http_field_t *VAULT_NULLABLE *VAULT_REQUIRED fields, size_t *VAULT_REQUIRED count);

/* The next step of a client. */
typedef enum vault_http_step {
  /* Send the request again, with the fields that vault_http_exchange_copy_fields() gives. */
  VAULT_HTTP_SEND = 0,
  /* Take this response; vault_http_exchange_get_outcome() says why. */
  VAULT_HTTP_FINISH = 1,
} vault_http_step_t;

/*
 * Takes the response to the request with the exchange's fields, and returns the next step. It
 * blocks while it waits for the vault, and for an answer, at most five minutes.
 *
 * Of a request through a tunnel, only a 407 to CONNECT is the proxy's. Do not pass a 407 that came
 * through the tunnel: the server would be taken for the proxy.
 *
 * prompt: called on this thread if a credential is missing, as often as answers are rejected; NULL
 *     for nobody. Requests that wait for the same credential share one question and its answer.
 * context: passed to `prompt`; not used otherwise.
 * step: receives the step.
 * Fails with VAULT_LOCKED: unlock the vault, and pass the same response again. Fails with
 * VAULT_AUTHENTICATION_FAILED if VAULT_HTTP_WITH_PROOF is set and the response proves nothing, with
 * VAULT_INVALID_ARGUMENT within a transaction of the vault, and with VAULT_DAMAGED, VAULT_BUSY,
 * VAULT_CLOSED and others of the vault.
 */
vault_status_t vault_http_exchange_next(
    vault_http_exchange_t *VAULT_REQUIRED exchange, vault_http_response_t *VAULT_REQUIRED response,
    vault_http_prompt_t VAULT_NULLABLE prompt, void *VAULT_NULLABLE context,
    vault_http_step_t *VAULT_REQUIRED step);

/*
 * Returns whose connection the next request needs.
 *
 * owner: 0 if the request logs nobody in on its connection: then it must not go over a connection
 *     that has an owner. Otherwise it goes over one that nobody else uses until the exchange has
 *     ended: one that was kept for an equal number of this authenticator, or a new one, and the same
 *     for all rounds of the exchange. Only HTTP/1.1 has such connections.
 * needs_new: whether a connection that was kept does not do: it has to be a new one, or the one of
 *     the last response.
 * keeps: whether the connection may be kept for requests of this owner; if not, close it.
 */
vault_status_t vault_http_exchange_get_owner(
    vault_http_exchange_t *VAULT_REQUIRED exchange, uint64_t *VAULT_REQUIRED owner,
    bool *VAULT_REQUIRED needs_new, bool *VAULT_REQUIRED keeps);

/* The reason why an exchange sends nothing more. */
typedef enum vault_http_reason {
  /* The response is not a challenge. */
  VAULT_HTTP_DONE = 0,
  /* There was no credential. */
  VAULT_HTTP_NO_CREDENTIAL = 1,
  /* The stored credential has expired, and there was no other. */
  VAULT_HTTP_EXPIRED = 2,
  /* Several users are stored, none is the default, and nobody chose. */
  VAULT_HTTP_AMBIGUOUS = 3,
  /* Credentials were rejected, and there is no other. */
  VAULT_HTTP_REJECTED = 4,
  /* The credential is right, and access is denied. */
  VAULT_HTTP_REFUSED = 5,
  /* The server did not prove that it knows the password; the response may be forged. */
  VAULT_HTTP_UNPROVEN = 6,
  /* None of the offered schemes is answered. */
  VAULT_HTTP_UNSUPPORTED = 7,
  /*
   * What is left would go out in clear, and is not sent: a password after Digest was tried, or a
   * token.
   */
  VAULT_HTTP_DOWNGRADED = 8,
  /* The challenge is of a space that is not expected. */
  VAULT_HTTP_UNEXPECTED = 9,
  /* The prompt has given up. */
  VAULT_HTTP_CANCELLED = 10,
  /* The prompt did not answer in time. */
  VAULT_HTTP_UNANSWERED = 11,
  /* The token is right, but lacks a scope that the request needs. */
  VAULT_HTTP_INSUFFICIENT_SCOPE = 12,
  /* The server needs a certificate, and none was presented; an exchange cannot know it. */
  VAULT_HTTP_IDENTITY_REQUIRED = 13,
  /* The login on a connection could not be made, such as for an unknown user. */
  VAULT_HTTP_MECHANISM_FAILED = 14,
} vault_http_reason_t;

/*
 * Returns how an exchange ended.
 *
 * reason: why nothing more is sent.
 * storage: VAULT_OK, or the status for which an accepted credential could not be stored; NULL if it
 *     is not wanted.
 * Fails with VAULT_INVALID_ARGUMENT before the step VAULT_HTTP_FINISH.
 */
vault_status_t vault_http_exchange_get_outcome(
    vault_http_exchange_t *VAULT_REQUIRED exchange, vault_http_reason_t *VAULT_REQUIRED reason,
    vault_status_t *VAULT_NULLABLE storage);

/*
 * Copies why a login failed, after VAULT_HTTP_MECHANISM_FAILED: a name such as `wrong-password`, a
 * colon, what happened, a semicolon, and what to do. It is not secret.
 *
 * problem: freed by vault_buffer_free().
 * Fails with VAULT_INVALID_ARGUMENT if the exchange has not ended so.
 */
vault_status_t vault_http_exchange_copy_mechanism_problem(
    vault_http_exchange_t *VAULT_REQUIRED exchange, vault_buffer_t *VAULT_REQUIRED problem);

/*
 * Begins the exchange of the request that a redirect asks for. To another origin, the request's own
 * credential, user and URL's user are dropped, and not restored on return.
 *
 * url: absolute; a user or password in it is ignored.
 * method: that of the new request; no bytes for the same.
 * next: receives a handle, to be freed by vault_http_exchange_free().
 * Fails as vault_http_exchange_create() does.
 */
vault_status_t vault_http_exchange_redirect(
    vault_http_exchange_t *VAULT_REQUIRED exchange, const char *VAULT_REQUIRED url,
    size_t url_count, const char *VAULT_NULLABLE method, size_t method_count,
    vault_http_exchange_t *VAULT_NULLABLE *VAULT_REQUIRED next);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
