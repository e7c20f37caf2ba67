/* Strings as units of UTF-16, and numbers that are written in them. */
#include "object.h"

VaultCFStringRef VaultCFStringCreateWithCharacters(
    VaultCFAllocatorRef allocator, const uint16_t *characters, VaultCFIndex count) {
  (void)allocator;
  if (count < 0 || (characters == NULL && count > 0)) return NULL;
  struct text text = {0};
  for (VaultCFIndex index = 0; index < count; index += 1) {
    uint32_t code = characters[index];
    const uint32_t next = index + 1 < count ? characters[index + 1] : 0;
    if (code >= 0xD800 && code < 0xDC00 && next >= 0xDC00 && next < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (next - 0xDC00);
      index += 1;
    }
    char bytes[4];
    text_add(&text, bytes, utf8_put(code, bytes));
  }
  /* Half a pair and NUL are not text, which the end of the text refuses. */
  return text_end(&text);
}

void VaultCFStringAppendCharacters(
    VaultCFMutableStringRef string, const uint16_t *characters, VaultCFIndex count) {
  VaultCFStringRef appended = VaultCFStringCreateWithCharacters(NULL, characters, count);
  VaultCFStringAppend(string, appended);
  VaultCFRelease(appended);
}

/* Returns the unit of a character that is in two halves, or the character. */
static uint16_t unit(uint32_t code, bool is_second) {
  if (code <= 0xFFFF) return (uint16_t)code;
  code -= 0x10000;
  return (uint16_t)(is_second ? 0xDC00 + (code & 0x3FF) : 0xD800 + (code >> 10));
}

void VaultCFStringGetCharacters(
    VaultCFStringRef string, VaultCFRange range, uint16_t *characters) {
  string = object_of(string, kind_string);
  if (string == NULL || characters == NULL || range.location < 0 || range.length < 0) return;
  const size_t length = (size_t)range.length, first = (size_t)range.location;
  if (first > string->length || length > string->length - first) return;
  size_t place = 0;
  for (size_t index = 0; index < string->count && place < first + length;) {
    uint32_t code = 0;
    index += utf8_get((const uint8_t *)string->bytes + index, string->count - index, &code);
    for (int half = 0; half < (code > 0xFFFF ? 2 : 1); half += 1, place += 1) {
      if (place >= first && place < first + length) characters[place - first] = unit(code, half);
    }
  }
}

uint16_t VaultCFStringGetCharacterAtIndex(VaultCFStringRef string, VaultCFIndex index) {
  uint16_t character = 0;
  VaultCFStringGetCharacters(string, (VaultCFRange){index, 1}, &character);
  return character;
}

int32_t VaultCFStringGetIntValue(VaultCFStringRef string) {
  string = object_of(string, kind_string);
  if (string == NULL) return 0;
  const long value = strtol(string->bytes, NULL, 10);
  return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

VaultCFStringRef VaultCFStringCreateWithCStringNoCopy(
    VaultCFAllocatorRef allocator, const char *text, VaultCFStringEncoding encoding,
    VaultCFAllocatorRef deallocator) {
  VaultCFStringRef string = VaultCFStringCreateWithCString(allocator, text, encoding);
  if (string != NULL && deallocator != &VaultCFNoAllocator) free((void *)(uintptr_t)text);
  return string;
}
