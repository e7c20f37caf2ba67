/*
 * Gets a page, and logs in where a server or a proxy asks for it: with the credentials that the vault has for that, or
 * with what somebody types, which is saved once it was accepted.
 *
 * What is asked, which credentials answer it and when they are saved is the library's; this client sends, shows and
 * types.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "authentication.h"

enum { MOST_REDIRECTS = 10 };

static void address_free(struct address *address) {
  curl_free(address->url);
  curl_free(address->host);
  *address = (struct address){0};
}

/* Reads an address of HTTP. One with a user or a password is refused: an argument list can be read by anybody. */
static bool address_read(struct address *address, const char *url) {
  char *scheme = NULL, *user = NULL, *password = NULL;
  CURLU *parts = curl_url();
  bool is_good = parts != NULL && curl_url_set(parts, CURLUPART_URL, url, CURLU_PATH_AS_IS) == CURLUE_OK &&
                 curl_url_get(parts, CURLUPART_URL, &address->url, 0) == CURLUE_OK &&
                 curl_url_get(parts, CURLUPART_HOST, &address->host, 0) == CURLUE_OK &&
                 curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK;
  if (is_good) {
    address->is_https = strcmp(scheme, "https") == 0;
    curl_url_get(parts, CURLUPART_USER, &user, 0);
    curl_url_get(parts, CURLUPART_PASSWORD, &password, 0);
    is_good = user == NULL && password == NULL && (address->is_https || strcmp(scheme, "http") == 0);
  }
  curl_free(scheme);
  curl_free(user);
  curl_free(password);
  curl_url_cleanup(parts);
  return is_good || fail("address", "it is http://HOST or https://HOST, without a user or password");
}

/* Writes the page itself, and not what comes with a question or a redirection. */
static size_t write_page(char *bytes, size_t size, size_t count, void *curl) {
  long status = 0;
  curl_easy_getinfo((CURL *)curl, CURLINFO_RESPONSE_CODE, &status);
  return status / 100 == 2 ? fwrite(bytes, size, count, stdout) : size * count;
}

static bool get(struct client *client, const char *url) {
  struct address address = {0};
  const bool is_good = address_read(&address, url) && send_request(client, &address);
  address_free(&address);
  return is_good;
}

/* Gets an address, and then where that leads. Not by libcurl: each server is to be asked anew, and to get its own. */
static bool get_and_follow(struct client *client, const char *url) {
  char *next = strdup(url);
  bool is_good = next != NULL;
  for (int count = 0; is_good; count++) {
    is_good = count <= MOST_REDIRECTS ? get(client, next) : fail(url, "too many redirections");
    if (!is_good) break;
    long status = 0;
    char *location = NULL;
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(client->curl, CURLINFO_REDIRECT_URL, &location);
    if (location == NULL) {
      char text[32];
      snprintf(text, sizeof text, "HTTP status %ld", status);
      is_good = status / 100 == 2 || fail(next, text);
      break;
    }
    free(next);
    next = strdup(location);
    is_good = next != NULL;
  }
  free(next);
  return is_good;
}

static bool set_up(struct client *client, const char *proxy) {
  CURL *curl = client->curl;
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, write_page);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, curl);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  /* Digest is computed of the path as it is written. */
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  /* The server's fields go to it alone, and the proxy's to the proxy. */
  curl_easy_setopt(curl, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
  /* "" is none: without it libcurl takes one out of the environment, perhaps with a password in it. */
  curl_easy_setopt(curl, CURLOPT_PROXY, proxy != NULL ? proxy : "");
  if (proxy == NULL) return true;
  if (!address_read(&client->proxy, proxy)) return false;
  /* libcurl's own default is 1080, for every kind of proxy; a port in the address is preferred to this one. */
  const long port = client->proxy.is_https ? 443 : 80;
  return curl_easy_setopt(curl, CURLOPT_PROXYPORT, port) == CURLE_OK;
}

int main(int count, char **words) {
  const bool has_proxy = count == 4 && strcmp(words[1], "-x") == 0;
  if (count != 2 && !has_proxy) {
    fputs("usage: httpclient [-x PROXY] URL\n", stderr);
    return 64;
  }
  /* No core dump: what libcurl sent would be in it. */
  prctl(PR_SET_DUMPABLE, 0);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  struct client client = {.curl = curl_easy_init()};
  const bool is_good = client.curl != NULL && set_up(&client, has_proxy ? words[2] : NULL) &&
                       get_and_follow(&client, words[count - 1]);
  address_free(&client.proxy);
  vault_http_authenticator_free(client.authenticator);
  if (client.vault != NULL) vault_close(client.vault);
  curl_easy_cleanup(client.curl);
  curl_global_cleanup();
  return is_good && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
