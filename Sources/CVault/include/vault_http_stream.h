/*
 * Apple's streams of HTTP requests, over vault_transport.h: a request is a stream of its response's
 * body, which is read in pieces. The functions are compiled into the program that includes this
 * file, and use its libcurl and its threads (`-lcurl -pthread`);
 * compat/CFNetwork/CFHTTPStream.h has Apple's names.
 *
 * As with Apple's, a challenge is a response like others: the program answers it by a
 * VaultHTTPAuthenticationRef, and sends another request. With the settings of a transport, the vault
 * answers it first. There are no run loops, so nobody is called when something arrives: a stream
 * is read, which waits, or asked. A stream is of one thread at a time.
 */
#ifndef VAULT_HTTP_STREAM_H
#define VAULT_HTTP_STREAM_H

#include <errno.h>
#include <pthread.h>

#include "vault_cfnetwork.h"
#include "vault_transport.h"

/* Apple's numbers of a stream's states. */
enum {
  kVaultStreamStatusNotOpen = 0,
  kVaultStreamStatusOpening = 1,
  kVaultStreamStatusOpen = 2,
  kVaultStreamStatusReading = 3,
  kVaultStreamStatusAtEnd = 5,
  kVaultStreamStatusClosed = 6,
  kVaultStreamStatusError = 7,
};

/* The domains of errors beside kVaultStreamErrorDomainHTTP: `errno`, TLS, and getaddrinfo(). */
enum {
  kVaultStreamErrorDomainPOSIX = 1,
  kVaultStreamErrorDomainSSL = 3,
  kVaultStreamErrorDomainNetDB = 12,
};

enum { kVaultStreamErrorHTTPRedirectionLoop = -2, kVaultStreamErrorHTTPBadURL = -3 };

/* ---- Inside ---- */

typedef struct vault_http_stream {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* The object, and the thread while it runs. */
  int owners;
  /* What is read: a piece of the thread's, which waits until it is taken; or the caller's bytes. */
  const char *bytes;
  size_t count;
  bool is_memory, is_closed, is_reading;
  /* kVaultStreamStatusAtEnd and kVaultStreamStatusError also while a piece is left. */
  VaultCFIndex status;
  VaultStreamError error;
  bool follows;

  VaultHTTPMessageRef request, response;
  VaultCFStringRef final_url;
  struct vault_http_stream *body;
  VaultCFTypeRef body_object;

  /* Of the thread alone. */
  char *url, *method;
  struct curl_slist *fields;
  VaultCFDataRef message;
  size_t body_offset;
  vault_transport_t transport;
  void (*configure)(CURL *curl, void *context);
  void *context;
} vault_http_stream_t;

/* Removes an owner. */
static inline void vault_http_stream_leave(vault_http_stream_t *stream) {
  pthread_mutex_lock(&stream->lock);
  const bool is_last = --stream->owners == 0;
  pthread_mutex_unlock(&stream->lock);
  if (!is_last) return;
  VaultCFRelease((VaultCFTypeRef)stream->request);
  VaultCFRelease((VaultCFTypeRef)stream->response);
  VaultCFRelease((VaultCFTypeRef)stream->final_url);
  VaultCFRelease((VaultCFTypeRef)stream->message);
  VaultCFRelease(stream->body_object);
  vault_transport_free_lines(stream->fields);
  free(stream->url);
  free(stream->method);
  pthread_cond_destroy(&stream->changed);
  pthread_mutex_destroy(&stream->lock);
  free(stream);
}

/* Ends the request of a stream that is closed; its thread ends by itself. */
static inline void vault_http_stream_end(vault_http_stream_t *stream) {
  pthread_mutex_lock(&stream->lock);
  stream->is_closed = true;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
}

/* The last owner of the object is gone. */
static inline void vault_http_stream_release(VaultCFAllocatorRef allocator, const void *value) {
  vault_http_stream_t *const stream = (vault_http_stream_t *)(uintptr_t)value;
  (void)allocator;
  vault_http_stream_end(stream);
  vault_http_stream_leave(stream);
}

/*
 * Makes the object of a stream: an array with the stream, whose end is that of the stream. So it is
 * retained and released like each other object.
 */
static inline VaultReadStreamRef vault_http_stream_wrap(vault_http_stream_t *stream) {
  const VaultCFArrayCallBacks callbacks = {0, NULL, vault_http_stream_release, NULL, NULL};
  const void *const values[1] = {stream};
  if (stream == NULL) return NULL;
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->changed, NULL);
  stream->owners = 1;
  VaultCFArrayRef object = VaultCFArrayCreate(NULL, (const void **)(uintptr_t)values, 1, &callbacks);
  if (object == NULL) vault_http_stream_leave(stream);
  return (VaultReadStreamRef)(uintptr_t)object;
}

/* Returns the stream of an object; NULL for a response in place of one, and for NULL. */
static inline vault_http_stream_t *vault_http_stream_of(VaultReadStreamRef object) {
  VaultCFArrayRef array = (VaultCFArrayRef)(uintptr_t)object;
  if (object == NULL || VaultCFGetTypeID(array) != VaultCFArrayGetTypeID()) return NULL;
  return (vault_http_stream_t *)(uintptr_t)VaultCFArrayGetValueAtIndex(array, 0);
}

/* Copies `count` bytes as a text; NULL without memory. */
static inline char *vault_http_stream_text(const char *bytes, size_t count) {
  char *const text = (char *)malloc(count + 1);
  if (text == NULL) return NULL;
  memcpy(text, bytes, count);
  text[count] = '\0';
  return text;
}

/* Copies the method and the URL; `line` is the first one, which is taken apart. */
static inline bool vault_http_stream_read_first(vault_http_stream_t *stream, char *line) {
  VaultCFURLRef url = VaultHTTPMessageCopyRequestURL(stream->request);
  VaultCFStringRef scheme = VaultCFURLCopyScheme(url), host = VaultCFURLCopyHostName(url);
  const int port = VaultCFURLGetPortNumber(url);
  char names[2][300] = {"", ""}, suffix[16] = "";
  char *const target = strchr(line, ' ');
  char *const version = strrchr(line, ' ');
  const bool is_good =
      target != version &&
      VaultCFStringGetCString(scheme, names[0], 300, kVaultCFStringEncodingUTF8) &&
      VaultCFStringGetCString(host, names[1], 300, kVaultCFStringEncodingUTF8);
  if (is_good) {
    *target = *version = '\0';
    /* An address of IPv6 is in brackets in a URL. */
    const bool is_bare = strchr(names[1], ':') != NULL && names[1][0] != '[';
    const size_t size = strlen(names[0]) + strlen(names[1]) + strlen(target + 1) + 32;
    if (port >= 0) snprintf(suffix, sizeof suffix, ":%d", port);
    stream->method = vault_http_stream_text(line, strlen(line));
    stream->url = (char *)malloc(size);
    if (stream->url != NULL) {
      snprintf(stream->url, size, "%s://%s%s%s%s%s", names[0], is_bare ? "[" : "", names[1],
          is_bare ? "]" : "", suffix, target + 1);
    }
  }
  VaultCFRelease((VaultCFTypeRef)url);
  VaultCFRelease((VaultCFTypeRef)scheme);
  VaultCFRelease((VaultCFTypeRef)host);
  return stream->method != NULL && stream->url != NULL;
}

/* Takes the request apart, as it would be sent; false for one that cannot be. */
static inline bool vault_http_stream_read(vault_http_stream_t *stream) {
  stream->message = VaultHTTPMessageCopySerializedMessage(stream->request);
  if (stream->message == NULL) return false;
  const char *const bytes = (const char *)VaultCFDataGetBytePtr(stream->message);
  const size_t whole = (size_t)VaultCFDataGetLength(stream->message);
  size_t start = 0;
  while (true) {
    size_t end = start;
    while (end + 1 < whole && (bytes[end] != '\r' || bytes[end + 1] != '\n')) end += 1;
    if (end + 1 >= whole) return false;
    if (end == start) break;
    char *const line = vault_http_stream_text(bytes + start, end - start);
    if (line == NULL) return false;
    bool is_good = true;
    if (start == 0) {
      is_good = vault_http_stream_read_first(stream, line);
    } else if (strncasecmp(line, "host:", 5) != 0 &&
               strncasecmp(line, "content-length:", 15) != 0) {
      /* Those two are libcurl's own, and another server's after a redirect. */
      is_good = vault_transport_append(&stream->fields, line);
    }
    explicit_bzero(line, end - start);
    free(line);
    if (!is_good) return false;
    start = end + 2;
  }
  stream->body_offset = start + 2;
  return stream->url != NULL;
}

/* Takes the response's head, once. */
static inline void vault_http_stream_begin(vault_http_stream_t *stream, long status) {
  if (stream->response != NULL || status == 0) return;
  VaultHTTPMessageRef head = VaultHTTPMessageCreateEmpty(NULL, false);
  char line[64];
  const int count = snprintf(line, sizeof line, "HTTP/1.1 %ld \r\n", status);
  VaultHTTPMessageAppendBytes(head, (const uint8_t *)line, count);
  struct curl_header *field = NULL;
  CURL *const curl = stream->transport.curl;
  while ((field = curl_easy_nextheader(curl, CURLH_HEADER, -1, field)) != NULL) {
    const char *const parts[] = {field->name, ": ", field->value, "\r\n"};
    for (size_t part = 0; part < 4; part += 1) {
      VaultHTTPMessageAppendBytes(
          head, (const uint8_t *)parts[part], (VaultCFIndex)strlen(parts[part]));
    }
  }
  VaultHTTPMessageAppendBytes(head, (const uint8_t *)"\r\n", 2);
  /* It becomes the response of its request, whose authentication learns how it went. */
  VaultReadStreamRef pair = VaultReadStreamCreateForHTTPRequest(NULL, stream->request, head);
  pthread_mutex_lock(&stream->lock);
  stream->response = head;
  stream->final_url = VaultCFStringCreateWithCString(
      NULL, stream->transport.url.bytes, kVaultCFStringEncodingUTF8);
  stream->status = kVaultStreamStatusOpen;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  VaultCFRelease((VaultCFTypeRef)pair);
}

/* Waits until the caller has taken a piece; false if there is no caller any more. */
static inline bool vault_http_stream_receive(
    const vault_transport_response_t *response, const char *bytes, size_t count, void *context) {
  vault_http_stream_t *const stream = (vault_http_stream_t *)context;
  vault_http_stream_begin(stream, response->status);
  pthread_mutex_lock(&stream->lock);
  stream->bytes = bytes;
  stream->count = count;
  pthread_cond_broadcast(&stream->changed);
  while (stream->count > 0 && !stream->is_closed) {
    pthread_cond_wait(&stream->changed, &stream->lock);
  }
  stream->count = 0;
  const bool goes_on = !stream->is_closed;
  pthread_mutex_unlock(&stream->lock);
  return goes_on;
}

/* libcurl asks about once in a second, whatever it waits for. */
static inline int vault_http_stream_progress(
    void *context, curl_off_t all, curl_off_t now, curl_off_t up, curl_off_t sent) {
  vault_http_stream_t *const stream = (vault_http_stream_t *)context;
  (void)all, (void)now, (void)up, (void)sent;
  pthread_mutex_lock(&stream->lock);
  const bool is_closed = stream->is_closed;
  pthread_mutex_unlock(&stream->lock);
  return is_closed ? 1 : 0;
}

static inline void vault_http_stream_configure(CURL *curl, void *context) {
  vault_http_stream_t *const stream = (vault_http_stream_t *)context;
  if (stream->configure != NULL) stream->configure(curl, stream->context);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, vault_http_stream_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, stream);
}

/* Returns the error in the domain that Apple's streams have it in. */
static inline VaultStreamError vault_http_stream_error(
    vault_http_stream_t *stream, vault_status_t status) {
  VaultStreamError error = {kVaultStreamErrorDomainHTTP, kVaultStreamErrorHTTPParseFailure};
  long number = 0;
  if (status != VAULT_UNAVAILABLE) {
    if (status == VAULT_INVALID_ARGUMENT) error.error = kVaultStreamErrorHTTPBadURL;
    return error;
  }
  if (stream->transport.curl != NULL) {
    curl_easy_getinfo(stream->transport.curl, CURLINFO_OS_ERRNO, &number);
  }
  error.domain = kVaultStreamErrorDomainPOSIX;
  switch (stream->transport.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      error.domain = kVaultStreamErrorDomainNetDB;
      /* Apple's EAI_NONAME. */
      error.error = 8;
      break;
    case CURLE_COULDNT_CONNECT: error.error = number > 0 ? (int32_t)number : ECONNREFUSED; break;
    case CURLE_OPERATION_TIMEDOUT: error.error = ETIMEDOUT; break;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: error.error = ECONNRESET; break;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      error.domain = kVaultStreamErrorDomainSSL;
      /* Apple's errSSLProtocol. */
      error.error = -9800;
      break;
    default: error.domain = kVaultStreamErrorDomainHTTP;
  }
  return error;
}

static inline VaultCFIndex VaultHTTPStreamRead(
    VaultReadStreamRef object, uint8_t *bytes, VaultCFIndex count);

/* Reads a body that is a stream itself. */
static inline size_t vault_http_stream_copy(char *bytes, size_t count, void *context) {
  vault_http_stream_t *const stream = (vault_http_stream_t *)context;
  const VaultCFIndex copied = VaultHTTPStreamRead(
      (VaultReadStreamRef)(uintptr_t)stream->body_object, (uint8_t *)bytes, (VaultCFIndex)count);
  return copied < 0 ? CURL_READFUNC_ABORT : (size_t)copied;
}

static inline void *vault_http_stream_run(void *context) {
  vault_http_stream_t *const stream = (vault_http_stream_t *)context;
  const size_t whole = (size_t)VaultCFDataGetLength(stream->message);
  vault_transport_request_t request;
  vault_transport_response_t response;
  memset(&request, 0, sizeof request);
  memset(&response, 0, sizeof response);
  request.method = stream->method;
  request.url = stream->url;
  request.fields = stream->fields;
  request.receive = vault_http_stream_receive;
  request.context = stream;
  if (stream->body != NULL) {
    request.read = vault_http_stream_copy;
    request.read_count = stream->body->is_memory ? (curl_off_t)stream->body->count : -1;
  } else if (stream->body_offset < whole) {
    request.body = VaultCFDataGetBytePtr(stream->message) + stream->body_offset;
    request.body_count = whole - stream->body_offset;
  }
  const vault_status_t status = vault_transport_send(&stream->transport, &request, &response);
  if (status == VAULT_OK) vault_http_stream_begin(stream, response.status);
  VaultStreamError error = vault_http_stream_error(stream, status);
  char *next = NULL;
  if (status == VAULT_OK && stream->follows) {
    curl_easy_getinfo(stream->transport.curl, CURLINFO_REDIRECT_URL, &next);
    error.error = kVaultStreamErrorHTTPRedirectionLoop;
  }
  const bool is_good = status == VAULT_OK && next == NULL;
  pthread_mutex_lock(&stream->lock);
  stream->status = is_good ? kVaultStreamStatusAtEnd : kVaultStreamStatusError;
  if (!is_good) stream->error = error;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  vault_transport_clear(&stream->transport);
  vault_http_stream_leave(stream);
  return NULL;
}

/* ---- Streams ---- */

/*
 * Makes the stream of a request, which is sent when it is opened; what is set in the request later
 * does not count.
 */
static inline VaultReadStreamRef VaultHTTPStreamCreateForHTTPRequest(
    VaultCFAllocatorRef allocator, VaultHTTPMessageRef request) {
  (void)allocator;
  if (!VaultHTTPMessageIsRequest(request)) return NULL;
  vault_http_stream_t *const stream = (vault_http_stream_t *)calloc(1, sizeof *stream);
  VaultReadStreamRef object = vault_http_stream_wrap(stream);
  if (object == NULL) return NULL;
  stream->request = (VaultHTTPMessageRef)(uintptr_t)VaultCFRetain((VaultCFTypeRef)request);
  stream->transport.leaves_challenges = true;
  if (vault_http_stream_read(stream)) return object;
  VaultCFRelease((VaultCFTypeRef)object);
  return NULL;
}

/*
 * Makes the stream of a request whose body is a stream, of this header too. It is read once, so a
 * redirect that wants the body again ends in an error.
 */
static inline VaultReadStreamRef VaultHTTPStreamCreateForStreamedHTTPRequest(
    VaultCFAllocatorRef allocator, VaultHTTPMessageRef request, VaultReadStreamRef body) {
  vault_http_stream_t *const source = vault_http_stream_of(body);
  VaultReadStreamRef object =
      source == NULL ? NULL : VaultHTTPStreamCreateForHTTPRequest(allocator, request);
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  if (stream == NULL) return NULL;
  stream->body = source;
  stream->body_object = VaultCFRetain((VaultCFTypeRef)body);
  return object;
}

/* Makes a stream of bytes, which stay the caller's: only &VaultCFNoAllocator can free them. */
static inline VaultReadStreamRef VaultHTTPStreamCreateWithBytesNoCopy(
    VaultCFAllocatorRef allocator, const uint8_t *bytes, VaultCFIndex count,
    VaultCFAllocatorRef deallocator) {
  (void)allocator, (void)deallocator;
  if (count < 0 || (bytes == NULL && count > 0)) return NULL;
  vault_http_stream_t *const stream = (vault_http_stream_t *)calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  stream->is_memory = true;
  stream->bytes = (const char *)bytes;
  stream->count = (size_t)count;
  return vault_http_stream_wrap(stream);
}

/*
 * Sends the request as a transport is set: through its proxy, by its trust, and with answers of its
 * vault, unless the request has a field Authorization itself. Before it is opened. The settings are
 * copied; what they point to has to live as long as the stream.
 */
static inline bool VaultHTTPStreamUse(
    VaultReadStreamRef object, const vault_transport_t *settings) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  if (stream == NULL || stream->is_memory || stream->status != kVaultStreamStatusNotOpen) {
    return false;
  }
  vault_transport_t *const transport = &stream->transport;
  transport->vault = settings->vault;
  transport->options = settings->options;
  transport->prompt = settings->prompt;
  transport->proxy = settings->proxy;
  transport->anchors = settings->anchors;
  transport->anchors_count = settings->anchors_count;
  transport->pins = settings->pins;
  transport->leaves_challenges = settings->leaves_challenges;
  for (struct curl_slist *line = stream->fields; line != NULL; line = line->next) {
    if (strncasecmp(line->data, "authorization:", 14) == 0) transport->leaves_challenges = true;
  }
  stream->configure = settings->configure;
  stream->context = settings->context;
  return true;
}

/* Sets "kCFStreamPropertyHTTPShouldAutoredirect" before it is opened; false for any other. */
static inline unsigned char VaultHTTPStreamSetProperty(
    VaultReadStreamRef object, VaultCFStringRef name, VaultCFTypeRef value) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  if (stream == NULL || stream->status != kVaultStreamStatusNotOpen) return false;
  if (!VaultCFEqual(name, VAULT_CFSTR("kCFStreamPropertyHTTPShouldAutoredirect"))) return false;
  stream->follows = VaultCFBooleanGetValue((VaultCFBooleanRef)value);
  return true;
}

/* Opens a stream; it does not wait. False if that was done before, or there is no thread. */
static inline unsigned char VaultHTTPStreamOpen(VaultReadStreamRef object) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  pthread_t thread;
  if (stream == NULL || stream->status != kVaultStreamStatusNotOpen) return false;
  stream->status = stream->is_memory ? kVaultStreamStatusOpen : kVaultStreamStatusOpening;
  if (stream->is_memory) return true;
  if (stream->body != NULL && stream->body->status == kVaultStreamStatusNotOpen) {
    VaultHTTPStreamOpen((VaultReadStreamRef)(uintptr_t)stream->body_object);
  }
  stream->transport.most_redirects = stream->follows ? 20 : 0;
  stream->transport.configure = vault_http_stream_configure;
  stream->transport.context = stream;
  stream->owners += 1;
  if (pthread_create(&thread, NULL, vault_http_stream_run, stream) == 0) {
    pthread_detach(thread);
    return true;
  }
  stream->owners -= 1;
  stream->status = kVaultStreamStatusError;
  stream->error.domain = kVaultStreamErrorDomainPOSIX;
  stream->error.error = EAGAIN;
  return false;
}

/* Ends a stream, and its request if that is still on its way. It does not wait. */
static inline void VaultHTTPStreamClose(VaultReadStreamRef object) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  if (stream != NULL) vault_http_stream_end(stream);
}

/* Returns one of the states above. */
static inline VaultCFIndex VaultHTTPStreamGetStatus(VaultReadStreamRef object) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  if (stream == NULL) return kVaultStreamStatusNotOpen;
  pthread_mutex_lock(&stream->lock);
  VaultCFIndex status = stream->status;
  if (stream->count > 0 && status > kVaultStreamStatusOpen) status = kVaultStreamStatusOpen;
  if (stream->is_reading) status = kVaultStreamStatusReading;
  if (stream->is_closed) status = kVaultStreamStatusClosed;
  pthread_mutex_unlock(&stream->lock);
  return status;
}

/* Returns the error of a stream in the state kVaultStreamStatusError; zeros for others. */
static inline VaultStreamError VaultHTTPStreamGetError(VaultReadStreamRef object) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  VaultStreamError error = {0, 0};
  if (stream == NULL) return error;
  pthread_mutex_lock(&stream->lock);
  error = stream->error;
  pthread_mutex_unlock(&stream->lock);
  return error;
}

/* Returns whether something can be read without waiting. */
static inline unsigned char VaultHTTPStreamHasBytesAvailable(VaultReadStreamRef object) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  if (stream == NULL) return false;
  pthread_mutex_lock(&stream->lock);
  const bool has =
      stream->count > 0 && !stream->is_closed && stream->status != kVaultStreamStatusNotOpen;
  pthread_mutex_unlock(&stream->lock);
  return has;
}

/*
 * Reads at most `count` bytes, and waits for the first.
 *
 * Returns how many; 0 at the end, -1 for an error and for a stream that is not open.
 */
static inline VaultCFIndex VaultHTTPStreamRead(
    VaultReadStreamRef object, uint8_t *bytes, VaultCFIndex count) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  if (stream == NULL || bytes == NULL || count <= 0) return -1;
  pthread_mutex_lock(&stream->lock);
  stream->is_reading = true;
  while (stream->count == 0 && !stream->is_memory && !stream->is_closed &&
         (stream->status == kVaultStreamStatusOpening ||
             stream->status == kVaultStreamStatusOpen)) {
    pthread_cond_wait(&stream->changed, &stream->lock);
  }
  stream->is_reading = false;
  size_t piece = stream->count < (size_t)count ? stream->count : (size_t)count;
  const bool is_open = !stream->is_closed && stream->status != kVaultStreamStatusNotOpen;
  if (!is_open) piece = 0;
  if (piece > 0) memcpy(bytes, stream->bytes, piece);
  if (piece > 0) stream->bytes += piece;
  stream->count -= piece;
  if (stream->is_memory && stream->count == 0 && is_open) stream->status = kVaultStreamStatusAtEnd;
  const bool is_over = piece == 0 && stream->status == kVaultStreamStatusAtEnd && is_open;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  return piece > 0 || is_over ? (VaultCFIndex)piece : -1;
}

/*
 * Copies "kCFStreamPropertyHTTPResponseHeader", the response as far as its fields, or
 * "kCFStreamPropertyHTTPFinalURL"; NULL until they are there, and for any other property.
 */
static inline VaultCFTypeRef VaultHTTPStreamCopyProperty(
    VaultReadStreamRef object, VaultCFStringRef name) {
  vault_http_stream_t *const stream = vault_http_stream_of(object);
  VaultCFTypeRef value = NULL;
  if (stream == NULL) return VaultReadStreamCopyProperty(object, name);
  pthread_mutex_lock(&stream->lock);
  if (VaultCFEqual(name, VAULT_CFSTR("kCFStreamPropertyHTTPResponseHeader"))) {
    if (stream->response != NULL) value = VaultCFRetain((VaultCFTypeRef)stream->response);
  } else if (VaultCFEqual(name, VAULT_CFSTR("kCFStreamPropertyHTTPFinalURL"))) {
    if (stream->final_url != NULL) {
      value = (VaultCFTypeRef)VaultCFURLCreateWithString(NULL, stream->final_url, NULL);
    }
  }
  pthread_mutex_unlock(&stream->lock);
  return value;
}

#endif
