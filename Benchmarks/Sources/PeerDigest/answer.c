#include "peer_digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// What a careful C programmer writes who needs this one thing: bounds are checked, escapes are read and written,
// hash functions are fetched once, what comes of the password is wiped. No list, no other scheme, no reuse of a nonce.

enum { TEXT = 512 };

struct challenge {
  char realm[TEXT], nonce[TEXT], opaque[TEXT], qop[TEXT], algorithm[TEXT], other[TEXT];
  int has_realm, has_opaque, has_qop;
};

static EVP_MD *md5, *sha256;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fetch(void) {
  md5 = EVP_MD_fetch(NULL, "MD5", NULL);
  sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
}

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t') at++;
  return at;
}

/// Reads a token or quoted string; NULL if it is malformed or too long.
static const char *read_value(const char *at, char *text) {
  size_t count = 0;
  if (*at != '"') {
    while (*at && *at != ',' && *at != ' ' && *at != '\t') {
      if (count == TEXT - 1) return NULL;
      text[count++] = *at++;
    }
    text[count] = 0;
    return at;
  }
  for (at++; *at && *at != '"'; at++) {
    if (*at == '\\' && at[1]) at++;
    if ((unsigned char)*at < 0x20 || *at == 0x7F || count == TEXT - 1) return NULL;
    text[count++] = *at;
  }
  text[count] = 0;
  return *at ? at + 1 : NULL;
}

static int read_challenge(const char *at, struct challenge *challenge) {
  memset(challenge, 0, sizeof *challenge);
  for (;;) {
    while (*at == ',' || *at == ' ' || *at == '\t') at++;
    if (!*at) return 0;
    const char *name = at;
    while (*at && *at != '=' && *at != ' ' && *at != '\t' && *at != ',') at++;
    size_t count = (size_t)(at - name);
    at = skip_blanks(at);
    if (*at != '=') return -1;
    at = skip_blanks(at + 1);
    char *text = challenge->other;
#define IS(known) (count == sizeof known - 1 && strncasecmp(name, known, count) == 0)
    if (IS("realm")) {
      text = challenge->realm;
      challenge->has_realm = 1;
    } else if (IS("nonce")) {
      text = challenge->nonce;
    } else if (IS("opaque")) {
      text = challenge->opaque;
      challenge->has_opaque = 1;
    } else if (IS("qop")) {
      text = challenge->qop;
      challenge->has_qop = 1;
    } else if (IS("algorithm")) {
      text = challenge->algorithm;
    }
    at = read_value(at, text);
    if (!at) return -1;
  }
}

static void hexadecimal(const unsigned char *bytes, size_t count, char *text) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    text[2 * i] = digits[bytes[i] >> 4];
    text[2 * i + 1] = digits[bytes[i] & 15];
  }
  text[2 * count] = 0;
}

/// Hashes texts with colons between them.
static int hash(EVP_MD_CTX *context, const EVP_MD *function, int count, const char *const *texts,
                char *text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length;
  if (EVP_DigestInit_ex2(context, function, NULL) != 1) return -1;
  for (int i = 0; i < count; i++) {
    if (i && EVP_DigestUpdate(context, ":", 1) != 1) return -1;
    if (EVP_DigestUpdate(context, texts[i], strlen(texts[i])) != 1) return -1;
  }
  if (EVP_DigestFinal_ex(context, digest, &length) != 1) return -1;
  hexadecimal(digest, length, text);
  OPENSSL_cleanse(digest, sizeof digest);
  return 0;
}

static int escape(const char *text, char *escaped, size_t capacity) {
  size_t count = 0;
  for (; *text; text++) {
    if (count + 3 > capacity) return -1;
    if (*text == '"' || *text == '\\') escaped[count++] = '\\';
    escaped[count++] = *text;
  }
  escaped[count] = 0;
  return 0;
}

static int answer_digest(const char *parameters, const char *user, const char *password,
                         const char *method, const char *uri, char *value, size_t capacity,
                         size_t *length) {
  struct challenge challenge;
  if (read_challenge(parameters, &challenge) || !challenge.has_realm || !*challenge.nonce) return -1;
  if (challenge.has_qop && !strstr(challenge.qop, "auth")) return -1;
  const EVP_MD *function;
  if (!*challenge.algorithm || strcasecmp(challenge.algorithm, "MD5") == 0) {
    function = md5;
  } else if (strcasecmp(challenge.algorithm, "SHA-256") == 0) {
    function = sha256;
  } else {
    return -1;
  }
  if (!function) return -1;

  unsigned char random[16];
  char cnonce[33], key[2 * EVP_MAX_MD_SIZE + 1], action[2 * EVP_MAX_MD_SIZE + 1],
      response[2 * EVP_MAX_MD_SIZE + 1];
  char user_text[2 * TEXT], realm[2 * TEXT], nonce[2 * TEXT], opaque[2 * TEXT], uri_text[2 * TEXT];
  if (RAND_bytes(random, sizeof random) != 1) return -1;
  hexadecimal(random, sizeof random, cnonce);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (!context) return -1;
  int status =
      hash(context, function, 3, (const char *[]){user, challenge.realm, password}, key) ||
      hash(context, function, 2, (const char *[]){method, uri}, action) ||
      (challenge.has_qop
           ? hash(context, function, 6,
                  (const char *[]){key, challenge.nonce, "00000001", cnonce, "auth", action}, response)
           : hash(context, function, 3, (const char *[]){key, challenge.nonce, action}, response));
  EVP_MD_CTX_free(context);
  OPENSSL_cleanse(key, sizeof key);
  if (status || escape(user, user_text, sizeof user_text) ||
      escape(challenge.realm, realm, sizeof realm) || escape(challenge.nonce, nonce, sizeof nonce) ||
      escape(challenge.opaque, opaque, sizeof opaque) || escape(uri, uri_text, sizeof uri_text))
    return -1;

  int count = snprintf(value, capacity,
                       "Digest username=\"%s\", realm=\"%s\", nonce=\"%s\", uri=\"%s\", "
                       "response=\"%s\", algorithm=%s",
                       user_text, realm, nonce, uri_text, response, function == md5 ? "MD5" : "SHA-256");
  if (count < 0 || (size_t)count >= capacity) return -1;
  size_t used = (size_t)count;
  if (challenge.has_opaque) {
    count = snprintf(value + used, capacity - used, ", opaque=\"%s\"", opaque);
    if (count < 0 || (size_t)count >= capacity - used) return -1;
    used += (size_t)count;
  }
  if (challenge.has_qop) {
    count = snprintf(value + used, capacity - used, ", qop=auth, nc=00000001, cnonce=\"%s\"", cnonce);
    if (count < 0 || (size_t)count >= capacity - used) return -1;
    used += (size_t)count;
  }
  *length = used;
  return 0;
}

static int answer_basic(const char *parameters, const char *user, const char *password, char *value,
                        size_t capacity, size_t *length) {
  struct challenge challenge;
  if (read_challenge(parameters, &challenge) || !challenge.has_realm || strchr(user, ':')) return -1;
  for (const char *at = password; *at; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7F) return -1;
  char plain[2 * TEXT];
  int count = snprintf(plain, sizeof plain, "%s:%s", user, password);
  if (count < 0 || (size_t)count >= sizeof plain || capacity < 8 + 4 * ((size_t)count + 2) / 3) return -1;
  memcpy(value, "Basic ", 6);
  int written = EVP_EncodeBlock((unsigned char *)value + 6, (unsigned char *)plain, count);
  OPENSSL_cleanse(plain, (size_t)count);
  *length = 6 + (size_t)written;
  return 0;
}

int peer_answer(const char *field, const char *user, const char *password, const char *method,
                const char *uri, char *value, size_t capacity, size_t *length) {
  pthread_once(&once, fetch);
  if (strncasecmp(field, "Digest ", 7) == 0)
    return answer_digest(field + 7, user, password, method, uri, value, capacity, length);
  if (strncasecmp(field, "Basic ", 6) == 0)
    return answer_basic(field + 6, user, password, value, capacity, length);
  return -1;
}
