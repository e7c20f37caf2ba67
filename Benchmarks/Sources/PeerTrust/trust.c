#include "peer_trust.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// What a careful C programmer writes: host, purpose and strength are checked, and every error counts.

static X509 *chain[3];
static unsigned char *encodings[3];
static int counts[3];
static unsigned char *key_encoding;
static int key_count;
static X509_STORE *store;
static STACK_OF(X509) *others;

static int extend(X509 *certificate, X509 *issuer, int kind, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
  if (!extension) return -1;
  const int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added == 1 ? 0 : -1;
}

static X509 *make(const char *name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *signer, int is_leaf) {
  X509 *certificate = X509_new();
  X509_NAME *subject = X509_get_subject_name(certificate);
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1000);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
  X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer) : subject);
  X509_set_pubkey(certificate, key);
  if (!issuer) issuer = certificate;
  if (extend(certificate, issuer, NID_subject_key_identifier, "hash") ||
      extend(certificate, issuer, NID_authority_key_identifier, "keyid") ||
      extend(certificate, issuer, NID_basic_constraints, is_leaf ? "CA:FALSE" : "critical,CA:TRUE") ||
      extend(certificate, issuer, NID_key_usage,
             is_leaf ? "critical,digitalSignature" : "critical,keyCertSign,cRLSign") ||
      (is_leaf && (extend(certificate, issuer, NID_subject_alt_name, "DNS:www.example.com,IP:127.0.0.1") ||
                   extend(certificate, issuer, NID_ext_key_usage, "serverAuth,clientAuth"))) ||
      !X509_sign(certificate, signer, EVP_sha256())) {
    X509_free(certificate);
    return NULL;
  }
  return certificate;
}

int peer_trust_make(void) {
  EVP_PKEY *keys[3];
  int status = 0;
  if (store) return 0;
  for (int i = 0; i < 3; i++) keys[i] = EVP_EC_gen("P-256");
  chain[2] = make("root", keys[2], NULL, keys[2], 0);
  if (chain[2]) chain[1] = make("authority", keys[1], chain[2], keys[2], 0);
  if (chain[1]) chain[0] = make("www.example.com", keys[0], chain[1], keys[1], 1);
  store = X509_STORE_new();
  others = sk_X509_new_null();
  PKCS8_PRIV_KEY_INFO *key = EVP_PKEY2PKCS8(keys[0]);
  key_count = key ? i2d_PKCS8_PRIV_KEY_INFO(key, &key_encoding) : 0;
  PKCS8_PRIV_KEY_INFO_free(key);
  if (key_count <= 0) status = -1;
  for (int i = 0; i < 3; i++) {
    EVP_PKEY_free(keys[i]);
    counts[i] = chain[i] ? i2d_X509(chain[i], &encodings[i]) : 0;
    if (counts[i] <= 0) status = -1;
  }
  if (status || X509_STORE_add_cert(store, chain[2]) != 1 || sk_X509_push(others, chain[1]) != 1) return -1;
  return 0;
}

size_t peer_trust_copy(int index, unsigned char *bytes, size_t capacity) {
  const size_t count = (size_t)counts[index];
  if (count > capacity) return 0;
  memcpy(bytes, encodings[index], count);
  return count;
}

size_t peer_trust_copy_key(unsigned char *bytes, size_t capacity) {
  const size_t count = (size_t)key_count;
  if (count > capacity) return 0;
  memcpy(bytes, key_encoding, count);
  return count;
}

static X509 *parse(int index) {
  const unsigned char *at = encodings[index];
  return d2i_X509(NULL, &at, counts[index]);
}

static int validate(X509 *leaf, STACK_OF(X509) *list) {
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  int status = -1;
  if (context && X509_STORE_CTX_init(context, store, leaf, list) == 1) {
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER);
    X509_VERIFY_PARAM_set_auth_level(parameters, 2);
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    if (X509_VERIFY_PARAM_set1_host(parameters, "www.example.com", 0) == 1 &&
        X509_verify_cert(context) == 1 && sk_X509_num(X509_STORE_CTX_get0_chain(context)) == 3)
      status = 0;
  }
  X509_STORE_CTX_free(context);
  return status;
}

int peer_trust_evaluate(int parses) {
  if (!parses) return validate(chain[0], others);
  X509 *leaf = parse(0), *authority = parse(1);
  STACK_OF(X509) *list = sk_X509_new_null();
  int status = -1;
  if (leaf && authority && list && sk_X509_push(list, authority) > 0) status = validate(leaf, list);
  sk_X509_free(list);
  X509_free(authority);
  X509_free(leaf);
  return status;
}
