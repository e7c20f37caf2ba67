#ifndef VAULT_CUNISTRING_SHIM_H
#define VAULT_CUNISTRING_SHIM_H

// First, because libunistring's headers redefine the integer types that stdlib.h uses.
#include <stdint.h>
#include <stdlib.h>

#include <uninorm.h>
#include <unistr.h>

// Normalises UTF-8; NULL if the text is not UTF-8. UNINORM_NFC is an expression, which the Swift
// importer drops.

static inline uint8_t *vault_nfc(const uint8_t *text, size_t count, uint8_t *result,
                                 size_t *result_count) {
  // u8_normalize itself replaces what is not UTF-8.
  if (u8_check(text, count) != NULL) return NULL;
  return u8_normalize(UNINORM_NFC, text, count, result, result_count);
}

#endif
