#pragma once
#include <stddef.h>

/// Sends GETs over kept connections with a field that was written by hand, some of them at once.
///
/// Returns 0 if each was answered by 200 with a body of that length. One thread; the first call makes
/// the handles, and a later one has to be for as many lanes at most.
int peer_curl_get(const char *url, const char *field, int count, int lanes, size_t length);

/// An identity and an anchor, in PEM.
typedef struct {
  const char *certificates;
  const char *key;
  const char *anchor;
} peer_curl_identity_t;

/// Sends GETs one after another, each over a new connection with TLS and an identity.
///
/// Returns 0 if each was answered by 200.
int peer_curl_connect(const char *url, const peer_curl_identity_t *identity, int count);
