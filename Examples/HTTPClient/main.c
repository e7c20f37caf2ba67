/*
 * Gets a page, or puts a file there, and logs in where a server or a proxy asks for it: with the credentials that the
 * vault has for that, or with what somebody types, which is saved once it was accepted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vault_transport.h>

#include "prompt.h"

enum { MOST_REFUSALS = 3, MOST_REDIRECTS = 10 };

/* Says on the standard error what went wrong; false. */
static bool fail(const char *subject, const char *reason) {
  fprintf(stderr, "httpclient: error: %s: %s\n", subject, reason);
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

/* Writes the page itself, and not what an error says. */
static bool write_page(
    const vault_transport_response_t *response, const char *bytes, size_t count, void *context) {
  (void)context;
  return response->status / 100 != 2 || fwrite(bytes, 1, count, stdout) == count;
}

static size_t read_file(char *bytes, size_t count, void *file) {
  const size_t read = fread(bytes, 1, count, file);
  return ferror((FILE *)file) ? CURL_READFUNC_ABORT : read;
}

/* A pipe has been read, and cannot be sent again. */
static bool rewind_file(void *file) { return fseek(file, 0, SEEK_SET) == 0; }

/* Says why there is no response. */
static bool tell_failure(const vault_transport_t *transport, const char *url, vault_status_t status) {
  if (status == VAULT_UNAVAILABLE) return fail(url, transport->reason);
  if (status == VAULT_LOCKED) {
    fprintf(stderr, "httpclient: error: %s\n", vault_status_message(status));
    fputs("httpclient: hint: set VAULTCTL_KEY_FILE to a key file that unlocks the vault\n", stderr);
    return false;
  }
  fprintf(stderr, "httpclient: error: %s\n", vault_last_error());
  if (status == VAULT_VAULT_NOT_FOUND) fputs("httpclient: hint: vaultctl init makes a vault\n", stderr);
  return false;
}

/* Says what became of a request that has a response. */
static bool tell_response(const char *url, const vault_transport_response_t *response) {
  if (response->storage != VAULT_OK) {
    fprintf(stderr, "httpclient: warning: not saved: %s\n", vault_status_message(response->storage));
  }
  char text[32];
  switch (response->reason) {
    case VAULT_HTTP_DONE:
    case VAULT_HTTP_REFUSED:
      snprintf(text, sizeof text, "HTTP status %ld", response->status);
      return response->status / 100 == 2 || fail(url, text);
    case VAULT_HTTP_REJECTED: return fail(url, "all credentials are refused");
    case VAULT_HTTP_UNSUPPORTED: return fail(url, "neither Basic nor Digest is asked for");
    case VAULT_HTTP_DOWNGRADED: return fail(url, "a password is asked for in clear");
    case VAULT_HTTP_UNPROVEN: return fail(url, "the server does not know the password that it asked for");
    default: return fail(url, "nobody says who logs in");
  }
}

/* Whether an address has a user or a password: an argument list can be read by anybody. */
static bool is_safe(const char *url) {
  char *user = NULL, *password = NULL;
  CURLU *parts = curl_url();
  const bool is_read = parts != NULL && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK;
  if (is_read) {
    curl_url_get(parts, CURLUPART_USER, &user, 0);
    curl_url_get(parts, CURLUPART_PASSWORD, &password, 0);
  }
  const bool is_safe = is_read && user == NULL && password == NULL;
  curl_free(user);
  curl_free(password);
  curl_url_cleanup(parts);
  return is_safe || fail("address", "it is http://HOST or https://HOST, without a user or password");
}

/* Sends a request, and says what became of it. */
static bool send_request(const char *proxy, FILE *file, const char *url) {
  vault_transport_t transport = {
      .prompt = ask_at_terminal, .proxy = proxy, .most_redirects = MOST_REDIRECTS};
  vault_transport_request_t request = {.url = url, .receive = write_page, .context = file};
  if (file != NULL) {
    request.method = "PUT";
    request.read = read_file;
    request.read_count = -1;
    request.rewind = rewind_file;
  }
  vault_transport_response_t response;
  const vault_status_t status = vault_transport_send(&transport, &request, &response);
  const bool is_good = status == VAULT_OK ? tell_response(transport.url.bytes, &response)
                                          : tell_failure(&transport, url, status);
  vault_transport_clear(&transport);
  return is_good && fflush(stdout) == 0;
}

int main(int count, char **words) {
  const char *proxy = NULL, *path = NULL;
  int option = 0;
  while ((option = getopt(count, words, "x:T:")) != -1) {
    if (option == 'x') proxy = optarg;
    if (option == 'T') path = optarg;
    if (option == '?') return 64;
  }
  if (optind != count - 1) {
    fputs("usage: httpclient [-x PROXY] [-T FILE] URL\n", stderr);
    return 64;
  }
  const char *const url = words[optind];
  if (!is_safe(url) || (proxy != NULL && !is_safe(proxy))) return EXIT_FAILURE;
  FILE *const file = path == NULL ? NULL : strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
  if (path != NULL && file == NULL) {
    fail(path, "it cannot be read");
    return EXIT_FAILURE;
  }
  /* No core dump: what libcurl sent would be in it. */
  prctl(PR_SET_DUMPABLE, 0);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const bool is_good = send_request(proxy, file, url);
  curl_global_cleanup();
  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
