#include <stdio.h>
#include <stdlib.h>

#include <vault_transport.h>

#include "tls_client.h"

static void configure(CURL *curl, void *version) {
  const long least = *(int *)version == 12 ? CURL_SSLVERSION_TLSv1_2 : CURL_SSLVERSION_TLSv1_3;
  const long most =
      *(int *)version == 12 ? CURL_SSLVERSION_MAX_TLSv1_2 : CURL_SSLVERSION_MAX_TLSv1_3;
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, least | most);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
}

tls_reply_t tls_transport_get(
    const char *path, const void *vault, const char *url, int version, int redirects) {
  tls_reply_t reply = {0};
  char anchors[1 << 16];
  FILE *const file = fopen(path, "re");
  const size_t count = file == NULL ? 0 : fread(anchors, 1, sizeof anchors, file);
  if (file != NULL) fclose(file);
  vault_transport_t transport = {
      .vault = (vault_t *)(uintptr_t)vault, .anchors = anchors, .anchors_count = count,
      .most_redirects = redirects, .configure = configure, .context = &version};
  const vault_transport_request_t request = {.url = url};
  vault_transport_response_t response = {0};
  const vault_status_t status = vault_transport_send(&transport, &request, &response);
  reply.status = status == VAULT_OK ? (int32_t)response.status : 0;
  reply.vault_status = status;
  if (status == VAULT_OK || status == VAULT_UNAVAILABLE) {
    const bool presents = transport.identity.identity.certificates.count > 0;
    reply.vault_status = presents ? VAULT_OK : VAULT_ITEM_NOT_FOUND;
  }
  const char *location = NULL;
  long connections = 0;
  curl_easy_getinfo(transport.curl, CURLINFO_NUM_CONNECTS, &connections);
  curl_easy_getinfo(transport.curl, CURLINFO_REDIRECT_URL, &location);
  reply.connections = (int32_t)connections;
  snprintf(reply.location, sizeof reply.location, "%s", location == NULL ? "" : location);
  snprintf(reply.error, sizeof reply.error, "%s", transport.reason);
  vault_transport_clear(&transport);
  return reply;
}
