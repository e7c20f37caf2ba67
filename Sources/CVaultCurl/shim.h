#ifndef VAULT_CCURL_SHIM_H
#define VAULT_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/*
 * Swift cannot call the variadic curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt: one
 * function per type.
 */

static inline CURLcode curl_set_long(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_size(CURL *curl, CURLoption option, curl_off_t value) {
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

/* For CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION, which have one type. */
static inline CURLcode curl_set_function(CURL *curl, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(curl, option, value);
}

static inline CURLcode curl_set_seek_function(CURL *curl, curl_seek_callback value) {
  return curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, value);
}

/* The context of a connection's TLS is OpenSSL's SSL_CTX. */
static inline CURLcode curl_set_tls_function(CURL *curl, curl_ssl_ctx_callback value) {
  return curl_easy_setopt(curl, CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline CURLMcode curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode curl_multi_set_socket_function(
    CURLM *multi, curl_socket_callback value, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context) : code;
}

static inline CURLMcode curl_multi_set_timer_function(
    CURLM *multi, curl_multi_timer_callback value, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context) : code;
}

static inline long curl_get_long(CURL *curl, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(curl, info, &value) == CURLE_OK ? value : -1;
}

static inline curl_off_t curl_get_size(CURL *curl, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(curl, info, &value) == CURLE_OK ? value : -1;
}

/* The next transfer of a multi handle that has ended; NULL if there is none. */
static inline CURL *curl_multi_next_end(CURLM *multi, CURLcode *code) {
  int left = 0;
  CURLMsg *message = NULL;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

static inline void *curl_get_context(CURL *curl) {
  void *value = NULL;
  return curl_easy_getinfo(curl, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

static inline const curl_version_info_data *curl_version_now(void) {
  return curl_version_info(CURLVERSION_NOW);
}

/* Cast macros, which the Swift importer drops. */
static const long curl_auth_basic = (long)CURLAUTH_BASIC;
static const long curl_auth_digest = (long)CURLAUTH_DIGEST;
static const size_t curl_read_pause = CURL_READFUNC_PAUSE;
static const size_t curl_read_abort = CURL_READFUNC_ABORT;
static const size_t curl_write_pause = CURL_WRITEFUNC_PAUSE;
static const curl_socket_t curl_no_socket = CURL_SOCKET_TIMEOUT;

#endif
