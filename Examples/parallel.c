/*
 * Gets pages at the same time, with libcurl's multi interface, and logs in where a server asks for it and the vault
 * has the login. Nobody is prompted: a prompt would hold up all transfers.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <vault_http.h>

/* One page, and the exchange of its server's challenges. */
struct transfer {
  const char *url;
  CURL *curl;
  vault_http_request_t *request;
  vault_http_exchange_t *exchange;
  /* The lines of the fields that the exchange gave. */
  struct curl_slist *lines;
  size_t size;
};

/* Counts the bytes of the page itself, not of a challenge. */
static size_t count_page(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes;
  struct transfer *transfer = context;
  long status = 0;
  curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
  if (status / 100 == 2) transfer->size += size * count;
  return size * count;
}

static void wipe_lines(struct transfer *transfer) {
  for (struct curl_slist *line = transfer->lines; line != NULL; line = line->next) {
    explicit_bzero(line->data, strlen(line->data));
  }
  curl_slist_free_all(transfer->lines);
  transfer->lines = NULL;
}

/* Gives the handle the exchange's fields, instead of those before. */
static vault_status_t set_fields(struct transfer *transfer) {
  vault_http_field_t *fields = NULL;
  size_t count = 0;
  wipe_lines(transfer);
  vault_status_t status = vault_http_exchange_copy_fields(transfer->exchange, &fields, &count);
  for (size_t index = 0; index < count; index++) {
    const size_t size = fields[index].name.count + fields[index].value.count + sizeof ": ";
    char line[size];
    snprintf(line, size, "%s: %s", fields[index].name.bytes, fields[index].value.bytes);
    struct curl_slist *longer = curl_slist_append(transfer->lines, line);
    explicit_bzero(line, size);
    if (longer == NULL) status = VAULT_OUT_OF_MEMORY;
    else transfer->lines = longer;
  }
  vault_http_fields_free(fields, count);
  curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, transfer->lines);
  return status;
}

static vault_status_t begin(struct transfer *transfer, vault_http_authenticator_t *authenticator) {
  const char *url = transfer->url;
  transfer->curl = curl_easy_init();
  if (transfer->curl == NULL) return VAULT_OUT_OF_MEMORY;
  curl_easy_setopt(transfer->curl, CURLOPT_URL, url);
  curl_easy_setopt(transfer->curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(transfer->curl, CURLOPT_PROXY, "");
  /* Digest is computed of the path as it is written. */
  curl_easy_setopt(transfer->curl, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(transfer->curl, CURLOPT_PRIVATE, transfer);
  curl_easy_setopt(transfer->curl, CURLOPT_WRITEFUNCTION, count_page);
  curl_easy_setopt(transfer->curl, CURLOPT_WRITEDATA, transfer);
  vault_status_t status = vault_http_request_create("GET", 3, url, strlen(url), &transfer->request);
  if (status == VAULT_OK) {
    status = vault_http_exchange_create(authenticator, transfer->request, &transfer->exchange);
  }
  return status == VAULT_OK ? set_fields(transfer) : status;
}

/* Passes the response to the exchange, which says whether the request is sent again. */
static vault_status_t take_response(struct transfer *transfer, vault_http_step_t *step) {
  static const char *const names[] = {"WWW-Authenticate", "Authentication-Info"};
  struct curl_header *field = NULL;
  vault_http_response_t *response = NULL;
  long code = 0;
  curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &code);
  vault_status_t status = vault_http_response_create((uint32_t)code, &response);
  for (size_t name = 0; status == VAULT_OK && name < sizeof names / sizeof *names; name++) {
    for (size_t index = 0;
         status == VAULT_OK && curl_easy_header(transfer->curl, names[name], index, CURLH_HEADER,
                                                -1, &field) == CURLHE_OK;
         index++) {
      status = vault_http_response_add_field(
          response, names[name], strlen(names[name]), field->value, strlen(field->value));
    }
  }
  if (status == VAULT_OK) {
    status = vault_http_exchange_next(transfer->exchange, response, NULL, NULL, step);
  }
  vault_http_response_free(response);
  if (status == VAULT_OK && *step == VAULT_HTTP_SEND) status = set_fields(transfer);
  return status;
}

/* Says how a transfer has ended; 0 if with a page. */
static int report(const struct transfer *transfer, CURLcode result, vault_status_t status) {
  long code = 0;
  curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &code);
  if (result == CURLE_OK && status == VAULT_OK) {
    printf("%ld %zu %s\n", code, transfer->size, transfer->url);
    return code / 100 != 2;
  }
  fprintf(stderr, "parallel: error: %s: %s\n", transfer->url,
          result != CURLE_OK ? curl_easy_strerror(result) : vault_last_error());
  return 1;
}

/* Transfers everything; the number of pages that were not got. */
static int transfer_all(CURLM *multi) {
  int running = 1, failures = 0, left = 0;
  while (running > 0) {
    curl_multi_perform(multi, &running);
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *curl = message->easy_handle;
      const CURLcode result = message->data.result;
      struct transfer *transfer = NULL;
      vault_http_step_t step = VAULT_HTTP_FINISH;
      vault_status_t status = VAULT_OK;
      curl_easy_getinfo(curl, CURLINFO_PRIVATE, (char **)&transfer);
      if (result == CURLE_OK) status = take_response(transfer, &step);
      curl_multi_remove_handle(multi, curl);
      if (result == CURLE_OK && status == VAULT_OK && step == VAULT_HTTP_SEND) {
        curl_multi_add_handle(multi, curl);
        running++;
      } else {
        failures += report(transfer, result, status);
      }
    }
    if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return failures;
}

int main(int count, char **words) {
  if (count < 2) {
    fputs("usage: parallel URL...\n", stderr);
    return 64;
  }
  /* No core dump: what libcurl sent would be in it. */
  prctl(PR_SET_DUMPABLE, 0);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  struct transfer *transfers = calloc((size_t)count - 1, sizeof *transfers);
  vault_t *vault = NULL;
  vault_http_authenticator_t *authenticator = NULL;
  vault_status_t status = VAULT_OUT_OF_MEMORY;
  if (multi != NULL && transfers != NULL) status = vault_open(NULL, &vault);
  if (status == VAULT_OK) {
    status = vault_http_authenticator_create(vault, VAULT_HTTP_NO_OPTIONS, &authenticator);
  }
  for (int index = 0; status == VAULT_OK && index < count - 1; index++) {
    transfers[index].url = words[index + 1];
    status = begin(&transfers[index], authenticator);
    if (status == VAULT_OK) curl_multi_add_handle(multi, transfers[index].curl);
  }
  int failures = 1;
  if (status == VAULT_OK) failures = transfer_all(multi);
  else fprintf(stderr, "parallel: error: %s\n", vault_last_error());
  for (int index = 0; transfers != NULL && index < count - 1; index++) {
    curl_multi_remove_handle(multi, transfers[index].curl);
    curl_easy_cleanup(transfers[index].curl);
    wipe_lines(&transfers[index]);
    vault_http_exchange_free(transfers[index].exchange);
    vault_http_request_free(transfers[index].request);
  }
  free(transfers);
  vault_http_authenticator_free(authenticator);
  if (vault != NULL) vault_close(vault);
  curl_multi_cleanup(multi);
  curl_global_cleanup();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
