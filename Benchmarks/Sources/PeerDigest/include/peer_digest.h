#pragma once
#include <stddef.h>

/// Answers the challenge of a `WWW-Authenticate` field by hand over libcrypto: Basic, or Digest with MD5 or SHA-256.
///
/// Writes the value of the `Authorization` field, and its length. Returns 0, or -1 for what it does not understand.
int peer_answer(const char *field, const char *user, const char *password, const char *method,
                const char *uri, char *value, size_t capacity, size_t *length);
