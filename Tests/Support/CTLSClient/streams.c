#include <stdio.h>
#include <string.h>

#include <compat/CFNetwork/CFHTTPStream.h>

#include "stream_client.h"

static CFStringRef text(const char *bytes) {
  return CFStringCreateWithCString(NULL, bytes, kCFStringEncodingUTF8);
}

static CFHTTPMessageRef make_request(const char *url, const char *body, int is_streamed) {
  CFStringRef name = text(url), method = text(body == NULL ? "GET" : "POST");
  CFURLRef target = CFURLCreateWithString(NULL, name, NULL);
  CFHTTPMessageRef request =
      target == NULL ? NULL
                     : CFHTTPMessageCreateRequest(NULL, method, target, kCFHTTPVersion1_1);
  if (request != NULL && body != NULL && !is_streamed) {
    CFDataRef data = CFDataCreate(NULL, (const UInt8 *)body, (CFIndex)strlen(body));
    CFHTTPMessageSetBody(request, data);
    CFRelease(data);
  }
  CFRelease(name);
  CFRelease(method);
  if (target != NULL) CFRelease(target);
  return request;
}

static void run(CFReadStreamRef stream, stream_reply_t *reply, size_t most) {
  UInt8 bytes[1000];
  CFIndex count = 0;
  reply->count = 0;
  reply->requests += 1;
  if (CFReadStreamOpen(stream)) {
    while ((count = CFReadStreamRead(stream, bytes, sizeof bytes)) > 0) {
      for (CFIndex index = 0; index < count; index += 1) {
        const size_t place = (size_t)reply->count + (size_t)index;
        if (place + 1 < sizeof reply->body) reply->body[place] = (char)bytes[index];
      }
      reply->count += count;
      if (most > 0 && (size_t)reply->count >= most) CFReadStreamClose(stream);
    }
  }
  const size_t end = (size_t)reply->count;
  reply->body[end < sizeof reply->body ? end : sizeof reply->body - 1] = '\0';
  const CFStreamError error = CFReadStreamGetError(stream);
  reply->state = (int32_t)CFReadStreamGetStatus(stream);
  reply->domain = error.domain;
  reply->error = error.error;
  CFHTTPMessageRef response = (CFHTTPMessageRef)(uintptr_t)CFReadStreamCopyProperty(
      stream, kCFStreamPropertyHTTPResponseHeader);
  reply->status =
      response == NULL ? 0 : (int32_t)CFHTTPMessageGetResponseStatusCode(response);
  CFURLRef url = (CFURLRef)CFReadStreamCopyProperty(stream, kCFStreamPropertyHTTPFinalURL);
  if (url != NULL) {
    CFStringRef path = CFURLCopyPath(url);
    CFStringGetCString(path, reply->url, sizeof reply->url, kCFStringEncodingUTF8);
    CFRelease(path);
    CFRelease(url);
  }
  if (response != NULL) CFRelease(response);
}

stream_reply_t stream_get(
    const char *url, const char *user, const char *password, int follows, const char *body,
    int is_streamed, const void *vault, size_t most) {
  stream_reply_t reply;
  memset(&reply, 0, sizeof reply);
  CFHTTPAuthenticationRef authentication = NULL;
  CFHTTPMessageRef request = make_request(url, body, is_streamed);
  for (int attempt = 0; request != NULL && attempt < 3; attempt += 1) {
    if (authentication != NULL) {
      CFStringRef name = text(user), word = text(password);
      const int is_applied =
          CFHTTPMessageApplyCredentials(request, authentication, name, word, NULL);
      CFRelease(name);
      CFRelease(word);
      if (!is_applied) break;
    }
    CFReadStreamRef source = NULL, stream = NULL;
    if (is_streamed) {
      source = CFReadStreamCreateWithBytesNoCopy(
          NULL, (const UInt8 *)body, (CFIndex)strlen(body), kCFAllocatorNull);
      stream = CFReadStreamCreateForStreamedHTTPRequest(NULL, request, source);
      CFRelease(source);
    } else {
      stream = CFReadStreamCreateForHTTPRequest(NULL, request);
    }
    if (follows) {
      CFReadStreamSetProperty(stream, kCFStreamPropertyHTTPShouldAutoredirect, kCFBooleanTrue);
    }
    if (vault != NULL) {
      const vault_transport_t settings = {.vault = (vault_t *)(uintptr_t)vault};
      VaultHTTPStreamUse(stream, &settings);
    }
    run(stream, &reply, most);
    CFHTTPMessageRef response = (CFHTTPMessageRef)(uintptr_t)CFReadStreamCopyProperty(
        stream, kCFStreamPropertyHTTPResponseHeader);
    CFReadStreamClose(stream);
    CFRelease(stream);
    const int is_asked = reply.status == 401 && user != NULL && response != NULL;
    if (is_asked && authentication == NULL) {
      authentication = CFHTTPAuthenticationCreateFromResponse(NULL, response);
      CFStringRef method = CFHTTPAuthenticationCopyMethod(authentication);
      CFStringGetCString(method, reply.method, sizeof reply.method, kCFStringEncodingUTF8);
      CFRelease(method);
    }
    if (response != NULL) CFRelease(response);
    if (!is_asked || !CFHTTPAuthenticationIsValid(authentication, NULL)) break;
  }
  if (authentication != NULL) CFRelease(authentication);
  if (request != NULL) CFRelease(request);
  return reply;
}

int stream_check_unopened(void) {
  UInt8 byte = 0;
  CFHTTPMessageRef request = make_request("http://127.0.0.1:1/", NULL, 0);
  CFReadStreamRef stream = CFReadStreamCreateForHTTPRequest(NULL, request);
  CFRelease(request);
  int failed = 0;
  if (CFReadStreamGetStatus(stream) != kCFStreamStatusNotOpen) failed = 1;
  if (CFReadStreamRead(stream, &byte, 1) != -1) failed = 2;
  if (CFReadStreamHasBytesAvailable(stream)) failed = 3;
  if (CFReadStreamCopyProperty(stream, kCFStreamPropertyHTTPResponseHeader) != NULL) failed = 4;
  if (CFReadStreamSetProperty(stream, kCFStreamPropertyHTTPFinalURL, kCFBooleanTrue)) failed = 5;
  CFReadStreamClose(stream);
  if (CFReadStreamGetStatus(stream) != kCFStreamStatusClosed) failed = 6;
  CFRelease(stream);
  if (CFReadStreamCreateForHTTPRequest(NULL, NULL) != NULL) failed = 7;
  if (CFReadStreamOpen(NULL) || CFReadStreamGetStatus(NULL) != 0) failed = 8;
  CFReadStreamRef memory =
      CFReadStreamCreateWithBytesNoCopy(NULL, (const UInt8 *)"ab", 2, kCFAllocatorNull);
  if (!CFReadStreamOpen(memory) || CFReadStreamOpen(memory)) failed = 9;
  if (!CFReadStreamHasBytesAvailable(memory) || CFReadStreamRead(memory, &byte, 1) != 1) failed = 10;
  if (byte != 'a' || CFReadStreamRead(memory, &byte, 1) != 1 || byte != 'b') failed = 11;
  if (CFReadStreamRead(memory, &byte, 1) != 0) failed = 12;
  if (CFReadStreamGetStatus(memory) != kCFStreamStatusAtEnd) failed = 13;
  CFRelease(memory);
  return failed;
}
