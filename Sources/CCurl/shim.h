#ifndef VAULT_CCURL_SHIM_H
#define VAULT_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Swift cannot call the variadic curl_easy_setopt and curl_easy_getinfo: one function per type. */

static inline CURLcode curl_set_long(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}

/* curl copies the text. */
static inline CURLcode curl_set_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}

/* The caller owns the list, which must live as long as the handle uses it. */
static inline CURLcode curl_set_list(CURL *curl, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_context(CURL *curl, CURLoption option, void *value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_function(CURL *curl, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(curl, option, value);
}

static inline long curl_get_long(CURL *curl, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(curl, info, &value) == CURLE_OK ? value : -1;
}

/* Cast macros, which the Swift importer drops. */
static const long curl_auth_basic = (long)CURLAUTH_BASIC;
static const long curl_auth_digest = (long)CURLAUTH_DIGEST;

#endif
