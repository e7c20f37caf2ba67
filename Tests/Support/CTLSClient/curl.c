#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vault_tls_curl.h>

#include "tls_client.h"

struct client {
  CURL *curl;
  vault_tls_curl_t use;
};

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes;
  (void)context;
  return size * count;
}

static char *contents(const char *path, size_t *count) {
  FILE *const file = fopen(path, "re");
  char *const text = malloc(1 << 16);
  *count = file == NULL || text == NULL ? 0 : fread(text, 1, 1 << 16, file);
  if (file != NULL) fclose(file);
  return text;
}

void *tls_curl_create(const char *anchors) {
  struct client *const client = calloc(1, sizeof *client);
  if (client == NULL) return NULL;
  client->curl = curl_easy_init();
  size_t count = 0;
  char *const text = contents(anchors, &count);
  vault_status_t status = VAULT_UNAVAILABLE;
  if (client->curl != NULL) status = vault_tls_curl_trust(client->curl, text, count, NULL);
  free(text);
  if (status == VAULT_OK) return client;
  tls_curl_free(client);
  return NULL;
}

void tls_curl_free(void *pointer) {
  struct client *const client = pointer;
  vault_tls_curl_clear(client->curl, &client->use);
  curl_easy_cleanup(client->curl);
  free(client);
}

tls_reply_t tls_curl_get(void *pointer, const void *vault, const char *url, int version) {
  struct client *const client = pointer;
  CURL *const curl = client->curl;
  tls_reply_t reply = {0};
  char text[CURL_ERROR_SIZE] = "";
  reply.vault_status =
      (int32_t)vault_tls_curl_use(curl, (vault_t *)(uintptr_t)vault, url, &client->use);
  if (reply.vault_status != VAULT_OK && reply.vault_status != VAULT_ITEM_NOT_FOUND) return reply;
  const long least = version == 12 ? CURL_SSLVERSION_TLSv1_2 : CURL_SSLVERSION_TLSv1_3;
  const long most = version == 12 ? CURL_SSLVERSION_MAX_TLSv1_2 : CURL_SSLVERSION_MAX_TLSv1_3;
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, least | most);
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text);
  const CURLcode code = curl_easy_perform(curl);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
  snprintf(reply.error, sizeof reply.error, "%d %s", (int)code, text);
  long status = 0, connections = 0;
  const char *location = NULL;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_NUM_CONNECTS, &connections);
  curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &location);
  reply.status = code == CURLE_OK ? (int32_t)status : 0;
  reply.connections = (int32_t)connections;
  snprintf(reply.location, sizeof reply.location, "%s", location == NULL ? "" : location);
  return reply;
}
