/* Letters and normal forms by Unicode's tables, which libunistring has. */
#include "object.h"

#include <unicase.h>
#include <uninorm.h>

/* Puts the bytes of a result, which is freed, in the place of all text. */
static void put(struct VaultCFString *string, uint8_t *bytes, size_t count) {
  if (bytes == NULL) return;
  VaultCFStringRef changed =
      VaultCFStringCreateWithBytes(NULL, bytes, (VaultCFIndex)count, kVaultCFStringEncodingUTF8, 0);
  VaultCFStringReplaceAll(string, changed);
  VaultCFRelease(changed);
  object_wipe(bytes, count);
  free(bytes);
}

/* The letters of no language, as libunistring has them by default. */
static void change(
    struct VaultCFString *string,
    uint8_t *function(
        const uint8_t *, size_t, const char *, uninorm_t, uint8_t *, size_t *)) {
  size_t count = 0;
  string = mutable_object_of(string, kind_string);
  if (string == NULL || string->count == 0) return;
  uint8_t *changed =
      function((const uint8_t *)string->bytes, string->count, "", NULL, NULL, &count);
  put(string, changed, count);
}

void VaultCFStringLowercase(VaultCFMutableStringRef string, VaultCFLocaleRef locale) {
  (void)locale;
  change(string, u8_tolower);
}

void VaultCFStringUppercase(VaultCFMutableStringRef string, VaultCFLocaleRef locale) {
  (void)locale;
  change(string, u8_toupper);
}

void VaultCFStringCapitalize(VaultCFMutableStringRef string, VaultCFLocaleRef locale) {
  (void)locale;
  change(string, u8_totitle);
}

void VaultCFStringNormalize(VaultCFMutableStringRef string, VaultCFIndex form) {
  string = mutable_object_of(string, kind_string);
  if (string == NULL || string->count == 0) return;
  if (form < kVaultCFStringNormalizationFormD || form > kVaultCFStringNormalizationFormKC) return;
  const uninorm_t forms[] = {UNINORM_NFD, UNINORM_NFKD, UNINORM_NFC, UNINORM_NFKC};
  size_t count = 0;
  uint8_t *changed =
      u8_normalize(forms[form], (const uint8_t *)string->bytes, string->count, NULL, &count);
  put(string, changed, count);
}
