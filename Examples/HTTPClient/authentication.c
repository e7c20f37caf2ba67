#include "authentication.h"

#include <stdio.h>
#include <string.h>

#include "prompt.h"

/* How many refusals there may be before we give up. */
enum { MOST_REFUSALS = 3 };

/* A request with its exchange, which begins with the first challenge. */
struct sending {
  struct client *client;
  const struct address *address;
  vault_http_request_t *request;
  vault_http_exchange_t *exchange;
  /* Whether the last request had a field for the server. */
  bool has_server_field;
};

bool fail(const char *subject, const char *reason) {
  fprintf(stderr, "httpclient: error: %s: %s\n", subject, reason);
  return false;
}

/* Says why a call failed; false. */
static bool fail_with(vault_status_t status) {
  if (status == VAULT_LOCKED) {
    fprintf(stderr, "httpclient: error: %s\n", vault_status_message(status));
    fputs("httpclient: hint: set VAULTCTL_KEY_FILE to a key file that unlocks the vault\n", stderr);
    return false;
  }
  fprintf(stderr, "httpclient: error: %s\n", vault_last_error());
  if (status == VAULT_VAULT_NOT_FOUND) fputs("httpclient: hint: vaultctl init makes a vault\n", stderr);
  return false;
}

/* Asks on the terminal for what the vault does not have. It is stored once it was accepted. */
static vault_http_answer_t ask_at_terminal(vault_http_question_t *question, void *context) {
  (void)context;
  uint64_t failures = 0, side = 0, is_clear = 0;
  vault_buffer_t host = {0}, realm = {0};
  char text[1024], user[256], password[1024];
  vault_http_answer_t answer = VAULT_HTTP_GO_ON_WITHOUT;
  if (vault_http_question_get_number(question, VAULT_HTTP_QUESTION_FAILURES, &failures) == VAULT_OK &&
      vault_http_question_get_number(question, VAULT_HTTP_QUESTION_SIDE, &side) == VAULT_OK &&
      vault_http_question_get_number(question, VAULT_HTTP_QUESTION_IN_CLEAR, &is_clear) == VAULT_OK &&
      vault_http_question_copy_text(question, VAULT_HTTP_QUESTION_HOST, &host) == VAULT_OK &&
      vault_http_question_copy_text(question, VAULT_HTTP_QUESTION_REALM, &realm) == VAULT_OK &&
      failures < MOST_REFUSALS) {
    snprintf(text, sizeof text, "The %s %s asks for a user and a password for \"%s\"%s.\n",
             side == VAULT_HTTP_PROXY ? "proxy" : "server", host.bytes, realm.bytes,
             is_clear ? ", which it will get in clear" : "");
    prompt_show(text);
    answer = VAULT_HTTP_CANCEL_REQUEST;
    if (prompt_ask("User: ", true, user, sizeof user) &&
        prompt_ask("Password: ", false, password, sizeof password)) {
      if (vault_http_question_set_credential(
              question, user, strlen(user), password, strlen(password),
              VAULT_PERSISTENCE_PERMANENT) == VAULT_OK) {
        answer = VAULT_HTTP_USE;
      }
      explicit_bzero(password, sizeof password);
    }
  }
  vault_buffer_free(&host);
  vault_buffer_free(&realm);
  return answer;
}

/* Begins the exchange, and opens the vault for it if this is the first one. */
static vault_status_t begin(struct sending *sending) {
  struct client *client = sending->client;
  vault_status_t status = VAULT_OK;
  if (client->vault == NULL) status = vault_open(NULL, &client->vault);
  if (status == VAULT_OK && client->authenticator == NULL) {
    status = vault_http_authenticator_create(
        client->vault, VAULT_HTTP_NO_OPTIONS, &client->authenticator);
  }
  if (status != VAULT_OK) return status;
  return vault_http_exchange_create(client->authenticator, sending->request, &sending->exchange);
}

/* Wipes and frees the lines of fields. */
static void free_lines(struct curl_slist *lines) {
  for (struct curl_slist *line = lines; line != NULL; line = line->next) {
    explicit_bzero(line->data, strlen(line->data));
  }
  curl_slist_free_all(lines);
}

/* Appends the line of a field. */
static bool append(struct curl_slist **lines, const vault_http_field_t *field) {
  const size_t size = field->name.count + field->value.count + sizeof ": ";
  char line[size];
  snprintf(line, size, "%s: %s", field->name.bytes, field->value.bytes);
  struct curl_slist *longer = curl_slist_append(*lines, line);
  explicit_bzero(line, size);
  if (longer != NULL) *lines = longer;
  return longer != NULL;
}

/* Sends the request once, with the exchange's fields: each to the one that it is for. */
static CURLcode perform(struct sending *sending) {
  CURL *curl = sending->client->curl;
  /* For the server, and for the proxy. */
  struct curl_slist *lines[2] = {NULL, NULL};
  vault_http_field_t *fields = NULL;
  size_t count = 0;
  CURLcode result = CURLE_OUT_OF_MEMORY;
  bool is_good = sending->exchange == NULL ||
                 vault_http_exchange_copy_fields(sending->exchange, &fields, &count) == VAULT_OK;
  for (size_t index = 0; is_good && index < count; index++) {
    is_good = append(&lines[fields[index].side == VAULT_HTTP_PROXY], &fields[index]);
  }
  vault_http_fields_free(fields, count);
  sending->has_server_field = lines[0] != NULL;
  if (is_good) {
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines[0]);
    curl_easy_setopt(curl, CURLOPT_PROXYHEADER, lines[1]);
    result = curl_easy_perform(curl);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(curl, CURLOPT_PROXYHEADER, NULL);
  }
  free_lines(lines[0]);
  free_lines(lines[1]);
  return result;
}

/* Describes the response whose fields libcurl has under `origin`. */
static vault_status_t describe(
    CURL *curl, long code, unsigned origin, vault_http_response_t **response) {
  static const char *const names[] = {
      "WWW-Authenticate", "Proxy-Authenticate", "Authentication-Info", "Proxy-Authentication-Info"};
  struct curl_header *field = NULL;
  vault_status_t status = vault_http_response_create((uint32_t)code, response);
  for (size_t name = 0; status == VAULT_OK && name < sizeof names / sizeof *names; name++) {
    for (size_t index = 0;
         status == VAULT_OK &&
         curl_easy_header(curl, names[name], index, origin, -1, &field) == CURLHE_OK;
         index++) {
      status = vault_http_response_add_field(
          *response, names[name], strlen(names[name]), field->value, strlen(field->value));
    }
  }
  return status;
}

/* Says how an exchange ended, unless it is with a page; false if it is an error. */
static bool tell_outcome(const struct sending *sending, const char *host) {
  vault_http_reason_t reason;
  vault_status_t storage;
  if (vault_http_exchange_get_outcome(sending->exchange, &reason, &storage) != VAULT_OK) {
    return fail(host, vault_last_error());
  }
  /* The response is there all the same. */
  if (storage != VAULT_OK) {
    fprintf(stderr, "httpclient: warning: not saved: %s\n", vault_status_message(storage));
  }
  switch (reason) {
    case VAULT_HTTP_DONE:
    case VAULT_HTTP_REFUSED: return true;
    case VAULT_HTTP_REJECTED: return fail(host, "it refuses all credentials");
    case VAULT_HTTP_UNSUPPORTED: return fail(host, "it asks for neither Basic nor Digest");
    case VAULT_HTTP_DOWNGRADED: return fail(host, "it is after a password in clear");
    case VAULT_HTTP_UNPROVEN: return fail(host, "it does not know the password that it asked for");
    default: return fail(host, "nobody says who logs in");
  }
}

/* Passes the last response to the exchange; false if an error was told. */
static bool take_response(struct sending *sending, bool *is_over) {
  struct client *client = sending->client;
  long code = 0, tunnel = 0;
  curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &code);
  curl_easy_getinfo(client->curl, CURLINFO_HTTP_CONNECTCODE, &tunnel);
  const bool has_proxy = client->proxy.url != NULL;
  const bool has_tunnel = has_proxy && sending->address->is_https;
  unsigned origin = CURLH_HEADER;
  *is_over = true;
  if (has_tunnel && (code == 0 || (tunnel != 0 && tunnel / 100 != 2))) {
    /* There is nothing but the proxy's response. A tunnel that opened has accepted what the proxy got. */
    if (sending->has_server_field && tunnel / 100 == 2) return true;
    code = tunnel;
    origin = CURLH_CONNECT;
  } else if (has_tunnel && code == 407) {
    /* Out of the tunnel: the server is after the proxy's password. */
    return true;
  }
  const bool is_challenge = code == 401 || (code == 407 && has_proxy);
  if (code == 0 || (sending->exchange == NULL && !is_challenge)) return true;

  vault_status_t status = sending->exchange == NULL ? begin(sending) : VAULT_OK;
  vault_http_response_t *response = NULL;
  vault_http_step_t step = VAULT_HTTP_FINISH;
  if (status == VAULT_OK) status = describe(client->curl, code, origin, &response);
  if (status == VAULT_OK) {
    status = vault_http_exchange_next(sending->exchange, response, ask_at_terminal, NULL, &step);
  }
  vault_http_response_free(response);
  if (status != VAULT_OK) return fail_with(status);
  *is_over = step == VAULT_HTTP_FINISH;
  const char *host = code == 407 ? client->proxy.host : sending->address->host;
  return !*is_over || tell_outcome(sending, host);
}

bool send_request(struct client *client, const struct address *address) {
  struct sending sending = {.client = client, .address = address};
  char reason[CURL_ERROR_SIZE] = "";
  const char *url = address->url, *proxy = client->proxy.url;
  /* As Digest is computed of it: what libcurl leaves as it is may be encoded. */
  vault_buffer_t sent = {0};
  vault_status_t status = vault_http_request_create("GET", 3, url, strlen(url), &sending.request);
  if (status == VAULT_OK) status = vault_http_request_copy_url(sending.request, &sent);
  if (status == VAULT_OK && proxy != NULL) {
    status = vault_http_request_set_proxy(sending.request, proxy, strlen(proxy));
  }
  /* What an earlier request has learned may spare this one the question. */
  if (status == VAULT_OK && client->authenticator != NULL) status = begin(&sending);
  bool is_good = status == VAULT_OK || fail_with(status), is_over = false;
  if (is_good) curl_easy_setopt(client->curl, CURLOPT_URL, sent.bytes);
  curl_easy_setopt(client->curl, CURLOPT_ERRORBUFFER, reason);
  CURLcode result = CURLE_OK;
  while (is_good && !is_over) {
    result = perform(&sending);
    is_good = take_response(&sending, &is_over);
  }
  if (is_good && result != CURLE_OK) {
    is_good = fail(url, *reason ? reason : curl_easy_strerror(result));
  }
  curl_easy_setopt(client->curl, CURLOPT_ERRORBUFFER, NULL);
  vault_buffer_free(&sent);
  vault_http_exchange_free(sending.exchange);
  vault_http_request_free(sending.request);
  return is_good;
}
