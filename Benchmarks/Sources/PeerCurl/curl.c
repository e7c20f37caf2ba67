#include "peer_curl.h"

#include <curl/curl.h>
#include <string.h>

// What a C program does that keeps its handles: nothing is set again for each request.

enum { most = 8 };

static CURLM *multi;
static CURL *handles[most];
static size_t lengths[most];

static size_t take(char *bytes, size_t size, size_t count, void *length) {
  (void)bytes;
  *(size_t *)length += size * count;
  return size * count;
}

static CURL *make(size_t *length) {
  CURL *handle = curl_easy_init();
  if (!handle) return NULL;
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, length);
  curl_easy_setopt(handle, CURLOPT_PRIVATE, length);
  return handle;
}

int peer_curl_get(const char *url, const char *field, int count, int lanes, size_t length) {
  if (!multi && !(multi = curl_multi_init())) return -1;
  struct curl_slist *fields = curl_slist_append(NULL, field);
  int started = 0, ended = 0, status = 0;
  for (; started < lanes && started < count && status == 0; started++) {
    if (!handles[started] && !(handles[started] = make(&lengths[started]))) status = -1;
    if (status != 0) break;
    lengths[started] = 0;
    curl_easy_setopt(handles[started], CURLOPT_URL, url);
    curl_easy_setopt(handles[started], CURLOPT_HTTPHEADER, fields);
    if (curl_multi_add_handle(multi, handles[started]) != CURLM_OK) status = -1;
  }
  while (status == 0 && ended < count) {
    int running = 0, left = 0;
    CURLMsg *message;
    if (curl_multi_perform(multi, &running) != CURLM_OK) status = -1;
    while (status == 0 && (message = curl_multi_info_read(multi, &left)) != NULL) {
      CURL *handle = message->easy_handle;
      size_t *received = NULL;
      long code = 0;
      curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)&received);
      curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
      if (message->data.result != CURLE_OK || code != 200 || *received != length) status = -1;
      ended++;
      curl_multi_remove_handle(multi, handle);
      if (started < count) {
        *received = 0;
        started++;
        curl_multi_add_handle(multi, handle);
      }
    }
    if (ended < count && started - ended == running) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  for (int lane = 0; lane < lanes; lane++) {
    if (handles[lane]) curl_easy_setopt(handles[lane], CURLOPT_HTTPHEADER, NULL);
  }
  curl_slist_free_all(fields);
  return status;
}

static void set(CURL *handle, CURLoption option, const char *text) {
  struct curl_blob blob = {(void *)text, strlen(text), CURL_BLOB_COPY};
  curl_easy_setopt(handle, option, &blob);
}

int peer_curl_connect(const char *url, const peer_curl_identity_t *identity, int count) {
  static CURL *handle;
  static size_t length;
  if (!handle) {
    if (!(handle = make(&length))) return -1;
    curl_easy_setopt(handle, CURLOPT_URL, url);
    set(handle, CURLOPT_SSLCERT_BLOB, identity->certificates);
    set(handle, CURLOPT_SSLKEY_BLOB, identity->key);
    set(handle, CURLOPT_CAINFO_BLOB, identity->anchor);
  }
  for (int index = 0; index < count; index++) {
    long code = 0;
    if (curl_easy_perform(handle) != CURLE_OK) return -1;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    if (code != 200) return -1;
  }
  return 0;
}
