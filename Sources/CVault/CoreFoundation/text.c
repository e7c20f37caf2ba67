/* UTF-8, and texts that grow. */
#include "object.h"

#include <stdarg.h>
#include <stdio.h>

size_t utf8_put(uint32_t code, char *bytes) {
  if (code < 0x80) {
    bytes[0] = (char)code;
    return 1;
  }
  const size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t index = size - 1; index > 0; index -= 1) {
    bytes[index] = (char)(0x80 | (code & 0x3F));
    code >>= 6;
  }
  static const uint8_t first[] = {0, 0, 0xC0, 0xE0, 0xF0};
  bytes[0] = (char)(first[size] | code);
  return size;
}

size_t utf8_get(const uint8_t *bytes, size_t count, uint32_t *code) {
  if (count == 0) return 0;
  const uint8_t first = bytes[0];
  if (first < 0x80) {
    *code = first;
    return 1;
  }
  const size_t size = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 && first < 0xF0 ? 3
      : first >= 0xC2 && first < 0xE0 ? 2 : 0;
  if (size == 0 || size > count) return 0;
  uint32_t value = first & (0x7Fu >> size);
  for (size_t index = 1; index < size; index += 1) {
    if ((bytes[index] & 0xC0) != 0x80) return 0;
    value = value << 6 | (bytes[index] & 0x3F);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  /* Longer than it needs to be, above Unicode, or a half of a pair of UTF-16. */
  if (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
  *code = value;
  return size;
}

void text_free(struct text *text) {
  object_wipe(text->bytes, text->count);
  free(text->bytes);
  *text = (struct text){.failed = true};
}

/* Makes room for `count` more bytes and a NUL. */
static bool grow(struct text *text, size_t count) {
  if (text->failed) return false;
  if (text->capacity - text->count > count) return true;
  const size_t capacity = 2 * text->capacity + count + 64;
  char *bytes = malloc(capacity);
  if (bytes == NULL) {
    text_free(text);
    return false;
  }
  if (text->count > 0) memcpy(bytes, text->bytes, text->count);
  object_wipe(text->bytes, text->count);
  free(text->bytes);
  text->bytes = bytes;
  text->capacity = capacity;
  return true;
}

void text_add(struct text *text, const char *bytes, size_t count) {
  if (!grow(text, count)) return;
  memcpy(text->bytes + text->count, bytes, count);
  text->count += count;
}

void text_print(struct text *text, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int count = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (count < 0) {
    text_free(text);
  } else if (grow(text, (size_t)count)) {
    (void)vsnprintf(text->bytes + text->count, (size_t)count + 1, format, again);
    text->count += (size_t)count;
  }
  va_end(again);
}

VaultCFStringRef text_end(struct text *text) {
  VaultCFStringRef string = NULL;
  if (!text->failed) {
    string = VaultCFStringCreateWithBytes(
        NULL, (const uint8_t *)text->bytes, (VaultCFIndex)text->count, kVaultCFStringEncodingUTF8,
        0);
  }
  text_free(text);
  return string;
}
