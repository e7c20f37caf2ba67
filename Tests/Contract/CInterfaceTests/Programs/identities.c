/* Goes through the functions for identities with one that openssl makes. */
#include <vault_tls.h>

#include "world.h"

#define DO(call) EXPECT((call) == VAULT_OK)

/* Returns what a command writes. */
static size_t output(const char *command, char *text, size_t size) {
  FILE *const pipe = popen(command, "r");
  EXPECT(pipe != NULL);
  const size_t count = fread(text, 1, size, pipe);
  EXPECT(pclose(pipe) == 0 && count > 0 && count < size);
  return count;
}

/* Makes a certificate and its key as PEM, new at each call. */
static size_t make(const char *name, char *text, size_t size) {
  char command[512];
  snprintf(
      command, sizeof command,
      "/usr/bin/openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 "
      "-subj /CN=%s -keyout - -out - 2>/dev/null",
      name);
  return output(command, text, size);
}

static int has(const vault_buffer_t *buffer, const char *text) {
  return buffer->bytes != NULL && strstr(buffer->bytes, text) != NULL;
}

static int is_named(vault_item_t *item, const char *name) {
  vault_buffer_t buffer = {NULL, 0};
  DO(vault_item_copy_text(item, VAULT_ACCOUNT, &buffer));
  const int is = strcmp(buffer.bytes, name) == 0;
  vault_buffer_free(&buffer);
  return is;
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  static struct world w;
  world_make(&w, arguments[1], 0);
  static char text[16384];
  vault_item_t **items = NULL, *item = NULL;
  size_t item_count = 0, length = make("ann", text, sizeof text);
  DO(vault_identity_import(
      w.vault, text, length, NULL, 0, URL "/path", sizeof URL + 4, VAULT_PERSISTENCE_PERMANENT,
      &items, &item_count));
  EXPECT(item_count == 1 && is_named(items[0], "ann"));
  EXPECT(
      vault_identity_import(
          w.vault, text, length, NULL, 0, URL, sizeof URL - 1, VAULT_PERSISTENCE_PERMANENT, &items,
          &item_count) == VAULT_DUPLICATE_ITEM);

  /* Password lookups never return it. */
  vault_attributes_t *space = NULL;
  DO(vault_attributes_create(&space));
  DO(vault_attributes_set_url(space, URL, sizeof URL - 1));
  EXPECT(vault_find(w.vault, space, VAULT_OF_SPACE, &item) == VAULT_ITEM_NOT_FOUND);
  DO(vault_attributes_set_text(space, VAULT_AUTHENTICATION_METHOD, "client-certificate", 18));
  DO(vault_find(w.vault, space, VAULT_OF_SPACE, &item));
  DO(vault_item_release(item));
  void *password = NULL;
  EXPECT(
      VaultFindInternetPassword(
          w.vault, 0, NULL, 0, NULL, 3, "ann", 0, NULL, 0, 0, 0, NULL, &password, NULL) ==
      errVaultItemNotFound);

  vault_identity_t identity = {{NULL, 0}, {NULL, 0}};
  vault_buffer_t certificates = {NULL, 0};
  DO(vault_identity_open(items[0], VAULT_IDENTITY_PEM, &identity));
  EXPECT(has(&identity.certificates, "-----BEGIN CERTIFICATE-----\n"));
  EXPECT(has(&identity.key, "-----BEGIN PRIVATE KEY-----\n"));
  DO(vault_identity_copy_certificates(items[0], VAULT_IDENTITY_PEM, &certificates));
  EXPECT(strcmp(certificates.bytes, identity.certificates.bytes) == 0);
  vault_buffer_free(&certificates);
  vault_identity_free(&identity);
  EXPECT(identity.key.bytes == NULL && identity.certificates.bytes == NULL);
  vault_identity_free(&identity);
  DO(vault_identity_open(items[0], VAULT_IDENTITY_DER, &identity));
  EXPECT(identity.key.bytes[0] == 0x30 && identity.certificates.bytes[0] == 0x30);
  vault_identity_free(&identity);
  DO(vault_identity_open(items[0], VAULT_IDENTITY_PEM_AND_DER, &identity));
  EXPECT(identity.key.bytes[0] == 0x30 && has(&identity.certificates, "BEGIN CERTIFICATE"));
  vault_identity_free(&identity);
  EXPECT(
      vault_identity_open(items[0], (vault_identity_form_t)3, &identity) ==
      VAULT_INVALID_ARGUMENT);
  EXPECT(
      vault_identity_open(w.item, VAULT_IDENTITY_PEM, &identity) == VAULT_MISSING_CERTIFICATE);

  /* Its key needs a PIN for a while. */
  static const char digits[] = "7391";
  DO(vault_item_set_pin(items[0], digits, 4, NULL, 0));
  EXPECT(vault_item_set_pin(items[0], digits, 4, NULL, 0) == VAULT_PIN_REQUIRED);
  EXPECT(vault_identity_open(items[0], VAULT_IDENTITY_PEM, &identity) == VAULT_PIN_REQUIRED);
  EXPECT(
      vault_identity_open_with_pin(items[0], "1234", 4, VAULT_IDENTITY_PEM, &identity) ==
      VAULT_AUTHENTICATION_FAILED);
  DO(vault_identity_open_with_pin(items[0], digits, 4, VAULT_IDENTITY_PEM, &identity));
  EXPECT(has(&identity.key, "-----BEGIN PRIVATE KEY-----\n"));
  vault_identity_free(&identity);
  DO(vault_item_remove_pin(items[0], digits, 4));

  /* So does the password of another item. */
  vault_buffer_t secret = {NULL, 0};
  DO(vault_item_set_pin(w.item, digits, 4, NULL, 0));
  EXPECT(vault_item_copy_secret(w.item, &secret) == VAULT_PIN_REQUIRED);
  EXPECT(
      vault_item_copy_secret_with_pin(w.item, "1234", 4, &secret) == VAULT_AUTHENTICATION_FAILED);
  DO(vault_item_copy_secret_with_pin(w.item, digits, 4, &secret));
  EXPECT(has(&secret, URL));
  vault_buffer_free(&secret);
  DO(vault_item_set_pin(w.item, "12345", 5, digits, 4));
  DO(vault_item_remove_pin(w.item, "12345", 5));
  DO(vault_item_copy_secret(w.item, &secret));
  vault_buffer_free(&secret);

  /* A choice, by what the server accepts. */
  static const char target[] = URL "/a/b";
  static const unsigned char issuer[] = "\x30\x0e\x31\x0c\x30\x0a\x06\x03\x55\x04\x03\x0c\x03" "ann";
  static const uint16_t schemes[] = {0x0804, 0x0403};
  const vault_bytes_t issuers[] = {{issuer, sizeof issuer - 1}}, noise[] = {{"noise", 5}};
  DO(vault_identity_choose(
      w.vault, target, sizeof target - 1, issuers, 1, schemes, 2, &item));
  EXPECT(is_named(item, "ann"));
  DO(vault_item_release(item));
  EXPECT(
      vault_identity_choose(w.vault, target, sizeof target - 1, NULL, 0, schemes, 1, &item) ==
      VAULT_ITEM_NOT_FOUND);
  EXPECT(
      vault_identity_choose(w.vault, target, sizeof target - 1, noise, 1, NULL, 0, &item) ==
      VAULT_INVALID_DATA);
  EXPECT(
      vault_identity_choose(w.vault, target, sizeof target - 1, NULL, 1, NULL, 0, &item) ==
      VAULT_INVALID_ARGUMENT);
  EXPECT(
      vault_identity_choose(w.vault, target, sizeof target - 1, issuers, SIZE_MAX, NULL, 0, &item) ==
      VAULT_TOO_LARGE);

  /* A preference, and another key for the same item. */
  static const char domain[] = "*.example.org", other[] = "https://b.example.org/";
  DO(vault_identity_set_preferred(w.vault, items[0], domain, sizeof domain - 1));
  DO(vault_identity_find_preferred(w.vault, other, sizeof other - 1, &item));
  length = make("bob", text, sizeof text);
  DO(vault_identity_replace(item, text, length, NULL, 0));
  EXPECT(is_named(item, "ann"));
  DO(vault_item_release(item));
  DO(vault_identity_choose(w.vault, other, sizeof other - 1, NULL, 0, NULL, 0, &item));
  DO(vault_identity_open(item, VAULT_IDENTITY_DER, &identity));
  int is_new = 0;
  for (size_t at = 0; at + 3 <= identity.certificates.count; at += 1) {
    is_new |= memcmp(identity.certificates.bytes + at, "bob", 3) == 0;
  }
  EXPECT(is_new);
  vault_identity_free(&identity);
  DO(vault_item_release(item));
  DO(vault_identity_set_preferred(w.vault, NULL, domain, sizeof domain - 1));
  EXPECT(
      vault_identity_find_preferred(w.vault, other, sizeof other - 1, &item) ==
      VAULT_ITEM_NOT_FOUND);
  EXPECT(
      vault_identity_set_preferred(w.vault, items[0], "*.com", 5) == VAULT_INVALID_ARGUMENT);
  EXPECT(vault_identity_replace(items[0], "noise", 5, NULL, 0) == VAULT_INVALID_DATA);

  /* A key that is in a token. */
  static const char reference[] = "pkcs11:token=T;object=ann?pin-value=12%2034",
                    site[] = "https://token.example.org";
  vault_buffer_t uri = {NULL, 0}, pin = {NULL, 0};
  EXPECT(
      vault_identity_add_reference(
          w.vault, world_chain, world_chain_count, "pkcs11:objekt=a", 15, NULL, 0,
          VAULT_PERSISTENCE_SESSION, NULL) == VAULT_INVALID_ARGUMENT);
  DO(vault_identity_add_reference(
      w.vault, world_chain, world_chain_count, reference, sizeof reference - 1, site,
      sizeof site - 1, VAULT_PERSISTENCE_SESSION, &item));
  EXPECT(vault_identity_open(item, VAULT_IDENTITY_DER, &identity) == VAULT_UNSUPPORTED);
  DO(vault_identity_copy_reference(item, &uri, &pin));
  EXPECT(strcmp(uri.bytes, "pkcs11:token=T;object=ann") == 0 && strcmp(pin.bytes, "12 34") == 0);
  vault_buffer_free(&uri);
  vault_buffer_free(&pin);
  DO(vault_identity_copy_certificates(item, VAULT_IDENTITY_DER, &certificates));
  EXPECT(certificates.count == world_chain_count);
  vault_buffer_free(&certificates);
  DO(vault_item_release(item));
  EXPECT(vault_identity_copy_reference(items[0], &uri, &pin) == VAULT_UNSUPPORTED);

  vault_items_free(items, item_count);
  DO(vault_attributes_free(space));
  DO(vault_close(w.vault));
  return 0;
}
