#include "challenge.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* The methods that libcurl can do with a user and a password alone, weakest first. */
static const char *const methods[] = {"basic", "digest"};

static bool is_named(const char *token, size_t length, const char *name) {
  return strlen(name) == length && strncasecmp(token, name, length) == 0;
}

/* 0 for a method that is not ours. */
static size_t strength(const char *token, size_t length) {
  for (size_t index = 0; index < sizeof methods / sizeof *methods; index++) {
    if (is_named(token, length, methods[index])) return index + 1;
  }
  return 0;
}

/* Where a token or quoted string ends. */
static const char *end_of_value(const char *value) {
  if (*value != '"') return value + strcspn(value, " \t,");
  const char *at = value + 1;
  while (*at != '"') {
    if (*at == '\\') at++;
    if (*at == '\0') return at;
    at++;
  }
  return at + 1;
}

/* Copies what a token or quoted string says; false if it does not fit, or the quotes do not close. */
static bool copy_value(char *copy, size_t size, const char *value, const char *end) {
  size_t length = 0;
  if (*value == '"') {
    value++;
    end--;
    if (value > end || *end != '"') return false;
  }
  while (value < end) {
    if (*value == '\\' && value + 1 < end) value++;
    if (length + 1 == size) return false;
    copy[length++] = *value++;
  }
  copy[length] = '\0';
  return true;
}

/*
 * RFC 9110 §11.6.1: a challenge is a scheme and then name=value, with commas between these as between the
 * challenges, so that only the "=" tells a parameter from the next scheme.
 */
void challenge_read(struct challenge *challenge, const char *field) {
  size_t best = challenge->method ? strength(challenge->method, strlen(challenge->method)) : 0;
  bool is_best = false;
  const char *at = field;
  while (at += strspn(at, " \t,"), *at != '\0') {
    const char *token = at;
    const size_t length = strcspn(token, " \t,=");
    at += length + strspn(token + length, " \t");
    if (*at != '=') {
      const size_t current = strength(token, length);
      is_best = current > best;
      if (!is_best) continue;
      best = current;
      challenge->method = methods[current - 1];
      challenge->realm[0] = '\0';
    } else {
      const char *value = at + 1 + strspn(at + 1, " \t");
      at = end_of_value(value);
      if (!is_best || !is_named(token, length, "realm")) continue;
      /* A part of a realm would be another realm. */
      if (!copy_value(challenge->realm, sizeof challenge->realm, value, at)) {
        *challenge = (struct challenge){0};
      }
    }
  }
}
