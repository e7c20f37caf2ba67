/*
 * HTTP requests with what a vault has: logins for servers and proxies, identities, and pins.
 * libcurl speaks HTTP. The functions are compiled into the program that includes this file, and use
 * its libcurl, 7.85 or later; the library links none.
 */
#ifndef VAULT_TRANSPORT_H
#define VAULT_TRANSPORT_H

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vault_http.h"
#include "vault_tls_curl.h"

/*
 * Sends requests, one at a time, over connections that are kept. The caller owns it, sets it to
 * zeros and then what it wants of the first part, and ends it with vault_transport_clear().
 */
typedef struct vault_transport {
  /* NULL for the default vault, which is opened when a server first asks, and closed at the end. */
  vault_t *vault;
  vault_http_options_t options;
  /* Asks for what the vault does not have; NULL for nobody. */
  vault_http_prompt_t prompt;
  /* `http://host:port` or https; NULL for none. Variables such as http_proxy do not count. */
  const char *proxy;
  /* Certificates in place of the system's anchors, and pins, as vault_tls_curl_trust() has them. */
  const char *anchors;
  size_t anchors_count;
  const char *pins;
  /* How many redirects of a request are followed. */
  int most_redirects;
  /* Sets further options of each attempt, such as limits of time; NULL for none. */
  void (*configure)(CURL *curl, void *context);
  /* Whether every challenge is the caller's, who answers it by fields of another request. */
  bool leaves_challenges;
  /* Passed to the functions above. */
  void *context;

  /* The handle of the last response, whose fields curl_easy_header() has. */
  CURL *curl;
  /* What libcurl says of a request without a response. */
  char reason[CURL_ERROR_SIZE];
  /* Its number of that. */
  CURLcode code;
  /* The URL of the last response. */
  vault_buffer_t url;

  /* Of the functions below. */
  vault_http_authenticator_t *authenticator;
  vault_tls_curl_t identity;
  bool owns_vault;
} vault_transport_t;

/* A response whose body is for the caller. */
typedef struct vault_transport_response {
  long status;
  /* Why no further credential was tried, and whether an accepted one could be stored. */
  vault_http_reason_t reason;
  vault_status_t storage;
} vault_transport_response_t;

/* A request; all but its URL may be zeros. */
typedef struct vault_transport_request {
  /* NULL is GET. */
  const char *method;
  const char *url;
  /*
   * Further fields. `Authorization` and `Cookie` go to the first URL alone, `Proxy-Authorization`
   * to the proxy alone.
   */
  struct curl_slist *fields;
  /* The body in memory. */
  const void *body;
  size_t body_count;
  /*
   * The body in pieces, in place of one in memory: copies at most `count` bytes, and returns how
   * many; 0 at the end, CURL_READFUNC_ABORT to end the request.
   */
  size_t (*read)(char *bytes, size_t count, void *context);
  /* The length of that body; -1 if it is not known. */
  curl_off_t read_count;
  /* Begins that body again after a challenge; NULL if it can be sent once only. */
  bool (*rewind)(void *context);
  /* Takes a piece of the response's body; false ends the request, with VAULT_INTERRUPTED. */
  bool (*receive)(
      const vault_transport_response_t *response, const char *bytes, size_t count, void *context);
  /* Passed to the functions above. */
  void *context;
} vault_transport_request_t;

/* ---- Inside ---- */

typedef struct vault_transport_sending {
  vault_transport_t *transport;
  const vault_transport_request_t *request;
  vault_transport_response_t *response;
  vault_http_request_t *described;
  /* NULL until a default vault is needed. */
  vault_http_exchange_t *exchange;
  const char *method;
  bool has_body, is_redirected, is_tunnelled, has_server_field;
  size_t offset;
  int redirects;
  /* Whether the exchange has this response, which may be the proxy's to CONNECT; what it says. */
  bool is_judged, is_proxys;
  vault_http_step_t step;
  vault_status_t status;
} vault_transport_sending_t;

static inline vault_status_t vault_transport_begin(vault_transport_sending_t *sending) {
  vault_transport_t *const transport = sending->transport;
  vault_status_t status = VAULT_OK;
  if (transport->vault == NULL) {
    status = vault_open(NULL, &transport->vault);
    transport->owns_vault = status == VAULT_OK;
  }
  if (status == VAULT_OK && transport->authenticator == NULL) {
    status = vault_http_authenticator_create(
        transport->vault, transport->options, &transport->authenticator);
  }
  if (status != VAULT_OK) return status;
  return vault_http_exchange_create(
      transport->authenticator, sending->described, &sending->exchange);
}

/* Passes the response that libcurl has under `origin` to the exchange. */
static inline vault_status_t vault_transport_pass(
    vault_transport_sending_t *sending, long code, unsigned origin) {
  static const char *const names[] = {
    "WWW-Authenticate", "Proxy-Authenticate", "Authentication-Info", "Proxy-Authentication-Info"};
  vault_transport_t *const transport = sending->transport;
  vault_http_response_t *response = NULL;
  struct curl_header *field = NULL;
  vault_status_t status = VAULT_OK;
  if (sending->exchange == NULL) status = vault_transport_begin(sending);
  if (status == VAULT_OK) status = vault_http_response_create((uint32_t)code, &response);
  for (size_t name = 0; status == VAULT_OK && name < sizeof names / sizeof *names; name += 1) {
    for (size_t index = 0; status == VAULT_OK; index += 1) {
      if (curl_easy_header(transport->curl, names[name], index, origin, -1, &field) != CURLHE_OK) {
        break;
      }
      status = vault_http_response_add_field(
          response, names[name], strlen(names[name]), field->value, strlen(field->value));
    }
  }
  if (status == VAULT_OK) {
    status = vault_http_exchange_next(
        sending->exchange, response, transport->prompt, transport->context, &sending->step);
  }
  vault_http_response_free(response);
  if (status == VAULT_OK && sending->step == VAULT_HTTP_FINISH) {
    status = vault_http_exchange_get_outcome(
        sending->exchange, &sending->response->reason, &sending->response->storage);
  }
  return status;
}

/* Decides what the response is for: another attempt, or the caller. Once, before its body. */
static inline void vault_transport_judge(vault_transport_sending_t *sending) {
  CURL *const curl = sending->transport->curl;
  if (sending->is_judged) return;
  sending->is_judged = true;
  sending->step = VAULT_HTTP_FINISH;
  long code = 0, tunnel = 0;
  unsigned origin = CURLH_HEADER;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
  curl_easy_getinfo(curl, CURLINFO_HTTP_CONNECTCODE, &tunnel);
  if (sending->is_tunnelled && (code == 0 || (tunnel != 0 && tunnel / 100 != 2))) {
    /* There is the proxy's response alone. A tunnel that opened has accepted what the proxy got. */
    if (sending->has_server_field && tunnel / 100 == 2) return;
    code = tunnel;
    origin = CURLH_CONNECT;
    sending->is_proxys = tunnel != 0 && tunnel / 100 != 2;
  }
  /* Nothing came through a tunnel that opened. */
  sending->response->status = origin == CURLH_HEADER || sending->is_proxys ? code : 0;
  /* A 407 out of a tunnel or without a proxy: that server is after the proxy's password. */
  const bool is_trap = code == 407 && origin == CURLH_HEADER &&
                       (sending->is_tunnelled || sending->transport->proxy == NULL);
  const bool is_challenge = code == 401 || code == 407;
  if (code == 0 || is_trap || sending->transport->leaves_challenges) return;
  if (sending->exchange == NULL && !is_challenge) return;
  sending->status = vault_transport_pass(sending, code, origin);
}

/* Returns whether the response leads elsewhere, and is followed. */
static inline bool vault_transport_leads_on(const vault_transport_sending_t *sending) {
  struct curl_header *location = NULL;
  const long code = sending->response->status;
  const bool is_redirect = code == 301 || code == 302 || code == 303 || code == 307 || code == 308;
  return is_redirect && sending->redirects < sending->transport->most_redirects &&
         curl_easy_header(sending->transport->curl, "Location", 0, CURLH_HEADER, -1, &location) ==
             CURLHE_OK;
}

static inline size_t vault_transport_write(char *bytes, size_t size, size_t count, void *pointer) {
  vault_transport_sending_t *const sending = (vault_transport_sending_t *)pointer;
  const vault_transport_request_t *const request = sending->request;
  vault_transport_judge(sending);
  if (sending->status != VAULT_OK) return 0;
  const bool is_for_caller = sending->step == VAULT_HTTP_FINISH && request->receive != NULL &&
                             !vault_transport_leads_on(sending);
  if (is_for_caller &&
      !request->receive(sending->response, bytes, size * count, request->context)) {
    sending->status = VAULT_INTERRUPTED;
    return 0;
  }
  return size * count;
}

static inline size_t vault_transport_read(char *bytes, size_t size, size_t count, void *pointer) {
  vault_transport_sending_t *const sending = (vault_transport_sending_t *)pointer;
  const vault_transport_request_t *const request = sending->request;
  if (request->read != NULL) {
    sending->offset = 1;
    return request->read(bytes, size * count, request->context);
  }
  const size_t rest = request->body_count - sending->offset;
  const size_t piece = rest < size * count ? rest : size * count;
  if (piece > 0) memcpy(bytes, (const char *)request->body + sending->offset, piece);
  sending->offset += piece;
  return piece;
}

/* Begins the body again, also if libcurl finds that a kept connection has died. */
static inline int vault_transport_seek(void *pointer, curl_off_t offset, int origin) {
  vault_transport_sending_t *const sending = (vault_transport_sending_t *)pointer;
  const vault_transport_request_t *const request = sending->request;
  const bool can = offset == 0 && origin == SEEK_SET &&
                   (sending->offset == 0 || request->read == NULL ||
                    (request->rewind != NULL && request->rewind(request->context)));
  if (can) sending->offset = 0;
  return can ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

/* Appends a line; false without memory. */
static inline bool vault_transport_append(struct curl_slist **lines, const char *line) {
  struct curl_slist *const longer = curl_slist_append(*lines, line);
  if (longer != NULL) *lines = longer;
  return longer != NULL;
}

/* Appends the fields of the caller and of the exchange: for the server, and for the proxy. */
static inline vault_status_t vault_transport_add_fields(
    vault_transport_sending_t *sending, struct curl_slist *lines[2]) {
  vault_http_field_t *fields = NULL;
  size_t count = 0;
  vault_status_t status = VAULT_OK;
  for (struct curl_slist *line = sending->request->fields; line != NULL; line = line->next) {
    const bool is_first = strncasecmp(line->data, "authorization:", 14) == 0 ||
                          strncasecmp(line->data, "cookie:", 7) == 0;
    const bool is_proxys = strncasecmp(line->data, "proxy-authorization:", 20) == 0;
    if (is_first && sending->is_redirected) continue;
    if (is_proxys && sending->transport->proxy == NULL) continue;
    if (!vault_transport_append(&lines[is_proxys], line->data)) return VAULT_OUT_OF_MEMORY;
  }
  sending->has_server_field = false;
  if (sending->exchange != NULL) {
    status = vault_http_exchange_copy_fields(sending->exchange, &fields, &count);
  }
  for (size_t index = 0; status == VAULT_OK && index < count; index += 1) {
    const vault_http_field_t *const field = &fields[index];
    const bool is_proxys = field->side == VAULT_HTTP_PROXY;
    const size_t size = field->name.count + field->value.count + sizeof ": ";
    char *const line = (char *)malloc(size);
    if (line == NULL) status = VAULT_OUT_OF_MEMORY;
    if (line == NULL) break;
    snprintf(line, size, "%s: %s", (char *)field->name.bytes, (char *)field->value.bytes);
    if (!vault_transport_append(&lines[is_proxys], line)) status = VAULT_OUT_OF_MEMORY;
    explicit_bzero(line, size);
    free(line);
    if (!is_proxys) sending->has_server_field = true;
  }
  vault_http_fields_free(fields, count);
  return status;
}

/* Wipes and frees lines. */
static inline void vault_transport_free_lines(struct curl_slist *lines) {
  for (struct curl_slist *line = lines; line != NULL; line = line->next) {
    explicit_bzero(line->data, strlen(line->data));
  }
  curl_slist_free_all(lines);
}

/* Presents the identity that the vault has for the URL, on connections that no other one used. */
static inline vault_status_t vault_transport_identify(vault_transport_t *transport) {
  if (transport->identity.identity.certificates.count > 0) {
    vault_tls_curl_clear(transport->curl, &transport->identity);
    curl_easy_cleanup(transport->curl);
    transport->curl = curl_easy_init();
    if (transport->curl == NULL) return VAULT_OUT_OF_MEMORY;
  }
  if (transport->vault == NULL || strncasecmp(transport->url.bytes, "https:", 6) != 0) {
    return VAULT_OK;
  }
  const vault_status_t status = vault_tls_curl_use(
      transport->curl, transport->vault, transport->url.bytes, &transport->identity);
  return status == VAULT_ITEM_NOT_FOUND ? VAULT_OK : status;
}

/* Sets the options of an attempt. */
static inline vault_status_t vault_transport_set_up(vault_transport_sending_t *sending) {
  vault_transport_t *const transport = sending->transport;
  const vault_transport_request_t *const request = sending->request;
  if (transport->curl != NULL) curl_easy_reset(transport->curl);
  if (transport->curl == NULL) transport->curl = curl_easy_init();
  if (transport->curl == NULL) return VAULT_OUT_OF_MEMORY;
  vault_status_t status = vault_transport_identify(transport);
  if (status == VAULT_OK && (transport->anchors_count > 0 || transport->pins != NULL)) {
    status = vault_tls_curl_trust(
        transport->curl, transport->anchors, transport->anchors_count, transport->pins);
  }
  if (status != VAULT_OK) return status;
  CURL *const curl = transport->curl;
  const char *const proxy = transport->proxy;
  sending->is_tunnelled =
      proxy != NULL && strncasecmp(transport->url.bytes, "https:", 6) == 0;
  if (transport->configure != NULL) transport->configure(curl, transport->context);
  curl_easy_setopt(curl, CURLOPT_URL, transport->url.bytes);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  /* Digest is computed of the path as it is written. */
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  /* Not by libcurl: each server is asked anew, and gets its own. */
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  /* The server's fields go to it alone, and the proxy's to the proxy. */
  curl_easy_setopt(curl, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
  /* "" is none: libcurl would take one out of the environment, perhaps with a password in it. */
  curl_easy_setopt(curl, CURLOPT_PROXY, proxy == NULL ? "" : proxy);
  /* libcurl's own default is 1080; a port in the URL is preferred to this one. */
  const bool is_secure = proxy != NULL && strncasecmp(proxy, "https:", 6) == 0;
  curl_easy_setopt(curl, CURLOPT_PROXYPORT, is_secure ? 443L : 80L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transport->reason);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, vault_transport_write);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, sending);
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, vault_transport_read);
  curl_easy_setopt(curl, CURLOPT_READDATA, sending);
  curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, vault_transport_seek);
  curl_easy_setopt(curl, CURLOPT_SEEKDATA, sending);
  if (strcmp(sending->method, "HEAD") == 0) {
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  } else {
    const curl_off_t count =
        request->read == NULL ? (curl_off_t)request->body_count : request->read_count;
    curl_easy_setopt(curl, CURLOPT_UPLOAD, sending->has_body ? 1L : 0L);
    if (sending->has_body) curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, count);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, sending->method);
  }
  return VAULT_OK;
}

/* Sends the request once. */
static inline CURLcode vault_transport_attempt(vault_transport_sending_t *sending) {
  vault_transport_t *const transport = sending->transport;
  struct curl_slist *lines[2] = {NULL, NULL};
  CURLcode code = CURLE_OK;
  sending->is_judged = false;
  sending->is_proxys = false;
  memset(sending->response, 0, sizeof *sending->response);
  transport->reason[0] = '\0';
  sending->status = vault_transport_set_up(sending);
  if (sending->status == VAULT_OK) sending->status = vault_transport_add_fields(sending, lines);
  if (sending->status == VAULT_OK && sending->has_body &&
      vault_transport_seek(sending, 0, SEEK_SET) != CURL_SEEKFUNC_OK) {
    code = CURLE_SEND_FAIL_REWIND;
  } else if (sending->status == VAULT_OK) {
    curl_easy_setopt(transport->curl, CURLOPT_HTTPHEADER, lines[0]);
    curl_easy_setopt(transport->curl, CURLOPT_PROXYHEADER, lines[1]);
    code = curl_easy_perform(transport->curl);
    curl_easy_setopt(transport->curl, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(transport->curl, CURLOPT_PROXYHEADER, NULL);
  }
  vault_transport_free_lines(lines[0]);
  vault_transport_free_lines(lines[1]);
  if (sending->status == VAULT_OK && code != CURLE_SEND_FAIL_REWIND) vault_transport_judge(sending);
  return code;
}

/* Describes the request for a URL from outside, whose user and password do not count. */
static inline vault_status_t vault_transport_describe(
    vault_transport_sending_t *sending, const char *url) {
  vault_http_request_free(sending->described);
  sending->described = NULL;
  vault_status_t status = vault_http_request_create(
      sending->method, strlen(sending->method), url, strlen(url), &sending->described);
  const char *const proxy = sending->transport->proxy;
  if (status == VAULT_OK && proxy != NULL) {
    status = vault_http_request_set_proxy(sending->described, proxy, strlen(proxy));
  }
  if (status == VAULT_OK && sending->has_body && sending->request->read == NULL) {
    status = vault_http_request_set_body(
        sending->described, sending->request->body, sending->request->body_count);
  }
  return status;
}

/* Turns to the URL that the response leads to. */
static inline vault_status_t vault_transport_follow(vault_transport_sending_t *sending) {
  char *location = NULL;
  curl_easy_getinfo(sending->transport->curl, CURLINFO_REDIRECT_URL, &location);
  if (location == NULL) return VAULT_INVALID_DATA;
  CURLU *const parts = curl_url();
  char *url = NULL;
  /* A server does not say who logs in. */
  const bool is_good = parts != NULL &&
                       curl_url_set(parts, CURLUPART_URL, location, CURLU_PATH_AS_IS) ==
                           CURLUE_OK &&
                       curl_url_set(parts, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
                       curl_url_set(parts, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK &&
                       curl_url_get(parts, CURLUPART_URL, &url, 0) == CURLUE_OK;
  curl_url_cleanup(parts);
  if (!is_good) return VAULT_INVALID_DATA;
  const long code = sending->response->status;
  const bool is_post = strcmp(sending->method, "POST") == 0;
  if (code == 303 ? strcmp(sending->method, "HEAD") != 0 : code < 303 && is_post) {
    sending->method = "GET";
    sending->has_body = false;
  }
  sending->redirects += 1;
  sending->is_redirected = true;
  vault_status_t status = vault_transport_describe(sending, url);
  if (status == VAULT_OK && sending->exchange != NULL) {
    vault_http_exchange_t *next = NULL;
    status = vault_http_exchange_redirect(
        sending->exchange, url, strlen(url), sending->method, strlen(sending->method), &next);
    vault_http_exchange_free(sending->exchange);
    sending->exchange = next;
  }
  curl_free(url);
  return status;
}

/* Sends the request as often as its exchanges and redirects want. */
static inline vault_status_t vault_transport_run(vault_transport_sending_t *sending) {
  vault_transport_t *const transport = sending->transport;
  while (true) {
    vault_buffer_free(&transport->url);
    vault_status_t status = vault_http_request_copy_url(sending->described, &transport->url);
    if (status != VAULT_OK) return status;
    const CURLcode code = vault_transport_attempt(sending);
    if (sending->status != VAULT_OK) return sending->status;
    if (sending->is_judged && sending->step == VAULT_HTTP_SEND) continue;
    if (code != CURLE_OK && !sending->is_proxys) {
      if (*transport->reason == '\0') {
        snprintf(transport->reason, sizeof transport->reason, "%s", curl_easy_strerror(code));
      }
      transport->code = code;
      return VAULT_UNAVAILABLE;
    }
    if (!vault_transport_leads_on(sending)) return VAULT_OK;
    status = vault_transport_follow(sending);
    if (status != VAULT_OK) return status;
  }
}

/* ---- Requests ---- */

/*
 * Sends a request, and again with what its server and its proxy ask for, until they have it or
 * nobody has it, and to where it is redirected. What was accepted is stored as the vault's policy
 * says.
 *
 * It blocks, also for a prompt, which is called while the server waits. An identity has to be the
 * URL's only one, its default or a preferred one, as vault_tls_curl_use() says. Neither Negotiate
 * nor NTLM is answered: libcurl's handle does not tell connections apart.
 *
 * response: receives the response that `receive` got the body of, whatever its status, or that of a
 *     proxy that opens no tunnel.
 * Fails with VAULT_UNAVAILABLE if there is none, for which `transport->reason` is libcurl's; with
 * VAULT_LOCKED if the vault is, VAULT_VAULT_NOT_FOUND if a server asks and there is no default
 * vault; otherwise as vault_http_request_create() and vault_http_exchange_next() do.
 */
static inline vault_status_t vault_transport_send(
    vault_transport_t *transport, const vault_transport_request_t *request,
    vault_transport_response_t *response) {
  vault_transport_sending_t sending;
  memset(&sending, 0, sizeof sending);
  sending.transport = transport;
  sending.request = request;
  sending.response = response;
  sending.method = request->method == NULL ? "GET" : request->method;
  /* Without a body these have an empty one, whose length many servers require. */
  sending.has_body = request->body != NULL || request->read != NULL ||
                     strcmp(sending.method, "POST") == 0 || strcmp(sending.method, "PUT") == 0 ||
                     strcmp(sending.method, "PATCH") == 0;
  vault_status_t status = vault_transport_describe(&sending, request->url);
  if (status == VAULT_OK && transport->vault != NULL && !transport->leaves_challenges) {
    status = vault_transport_begin(&sending);
  }
  if (status == VAULT_OK) status = vault_transport_run(&sending);
  vault_http_exchange_free(sending.exchange);
  vault_http_request_free(sending.described);
  return status;
}

/* Ends a transport: its connections, and the default vault if it has opened it. */
static inline void vault_transport_clear(vault_transport_t *transport) {
  if (transport->curl != NULL) {
    vault_tls_curl_clear(transport->curl, &transport->identity);
    curl_easy_cleanup(transport->curl);
  }
  vault_buffer_free(&transport->url);
  vault_http_authenticator_free(transport->authenticator);
  if (transport->owns_vault) vault_close(transport->vault);
  memset(transport, 0, sizeof *transport);
}

#endif
