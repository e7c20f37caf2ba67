/* Finding, replacing and cutting off parts of strings. */
#include "object.h"

static char folded(char letter) {
  return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
}

static bool is_at(const char *bytes, VaultCFStringRef part, bool ignores_case) {
  for (size_t index = 0; index < part->count; index += 1) {
    const char one = bytes[index], other = part->bytes[index];
    if (ignores_case ? folded(one) != folded(other) : one != other) return false;
  }
  return true;
}

/*
 * Returns where a part begins among the bytes of a string from `start` to `end`; SIZE_MAX if it is
 * not there, or empty. Valid UTF-8 is only found at the beginning of a character.
 */
static size_t find(
    VaultCFStringRef string, size_t start, size_t end, VaultCFStringRef part,
    VaultCFOptionFlags options) {
  const bool ignores_case = (options & kVaultCFCompareCaseInsensitive) != 0;
  if (part->count == 0) return SIZE_MAX;
  for (size_t place = start; part->count <= end && place <= end - part->count; place += 1) {
    if (is_at(string->bytes + place, part, ignores_case)) return place;
  }
  return SIZE_MAX;
}

/* Returns the number of units of UTF-16 of the first bytes of a string. */
static VaultCFIndex units_before(VaultCFStringRef string, size_t place) {
  VaultCFIndex units = 0;
  for (size_t index = 0; index < place; index += 1) {
    const uint8_t byte = (uint8_t)string->bytes[index];
    units += (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

VaultCFRange VaultCFStringFind(
    VaultCFStringRef string, VaultCFStringRef part, VaultCFOptionFlags options) {
  const VaultCFRange none = {-1, 0};
  string = object_of(string, kind_string);
  part = object_of(part, kind_string);
  if (string == NULL || part == NULL) return none;
  const size_t place = find(string, 0, string->count, part, options);
  if (place == SIZE_MAX) return none;
  return (VaultCFRange){units_before(string, place), (VaultCFIndex)part->length};
}

VaultCFIndex VaultCFStringFindAndReplace(
    VaultCFMutableStringRef string, VaultCFStringRef part, VaultCFStringRef replacement,
    VaultCFRange range, VaultCFOptionFlags options) {
  size_t start = 0, end = 0;
  string = mutable_object_of(string, kind_string);
  part = object_of(part, kind_string);
  replacement = object_of(replacement, kind_string);
  if (string == NULL || part == NULL || replacement == NULL) return 0;
  if (!string_find_bytes(string, range, &start, &end)) return 0;
  struct text text = {0};
  VaultCFIndex count = 0;
  for (size_t place = find(string, start, end, part, options); place != SIZE_MAX;
       place = find(string, start, end, part, options)) {
    text_add(&text, string->bytes + start, place - start);
    text_add(&text, replacement->bytes, replacement->count);
    start = place + part->count;
    count += 1;
  }
  text_add(&text, string->bytes + start, end - start);
  VaultCFStringRef changed = text_end(&text);
  if (changed == NULL) return 0;
  VaultCFStringReplace(string, range, changed);
  VaultCFRelease(changed);
  return count;
}

VaultCFArrayRef VaultCFStringCreateArrayBySeparatingStrings(
    VaultCFAllocatorRef allocator, VaultCFStringRef string, VaultCFStringRef separator) {
  string = object_of(string, kind_string);
  separator = object_of(separator, kind_string);
  if (string == NULL || separator == NULL) return NULL;
  VaultCFMutableArrayRef array = VaultCFArrayCreateMutable(allocator, 0, &VaultCFTypeArrayCallBacks);
  for (size_t start = 0; array != NULL && start <= string->count;) {
    const size_t place = find(string, start, string->count, separator, 0);
    const size_t end = place == SIZE_MAX ? string->count : place;
    VaultCFStringRef part = VaultCFStringCreateWithBytes(
        allocator, (const uint8_t *)string->bytes + start, (VaultCFIndex)(end - start),
        kVaultCFStringEncodingUTF8, 0);
    if (part != NULL) VaultCFArrayAppendValue(array, part);
    VaultCFRelease(part);
    if (place == SIZE_MAX) break;
    start = place + separator->count;
  }
  return array;
}

/* Keeps the bytes from `start` to `end`. */
static void keep(VaultCFMutableStringRef string, size_t start, size_t end) {
  const VaultCFIndex first = units_before(string, start), last = units_before(string, end);
  VaultCFStringDelete(string, (VaultCFRange){last, (VaultCFIndex)string->length - last});
  VaultCFStringDelete(string, (VaultCFRange){0, first});
}

void VaultCFStringTrim(VaultCFMutableStringRef string, VaultCFStringRef trimmed) {
  string = mutable_object_of(string, kind_string);
  trimmed = object_of(trimmed, kind_string);
  if (string == NULL || trimmed == NULL || trimmed->count == 0) return;
  size_t start = 0, end = string->count;
  const size_t count = trimmed->count;
  while (end - start >= count && is_at(string->bytes + start, trimmed, false)) start += count;
  while (end - start >= count && is_at(string->bytes + end - count, trimmed, false)) end -= count;
  keep(string, start, end);
}

/* Unicode's White_Space. */
static bool is_space(uint32_t code) {
  return (code >= 9 && code <= 13) || code == ' ' || code == 0x85 || code == 0xA0 ||
      code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
      code == 0x202F || code == 0x205F || code == 0x3000;
}

void VaultCFStringTrimWhitespace(VaultCFMutableStringRef string) {
  string = mutable_object_of(string, kind_string);
  if (string == NULL) return;
  size_t start = string->count, end = 0;
  for (size_t index = 0; index < string->count;) {
    uint32_t code = 0;
    const size_t size =
        utf8_get((const uint8_t *)string->bytes + index, string->count - index, &code);
    if (!is_space(code)) {
      if (start == string->count) start = index;
      end = index + size;
    }
    index += size;
  }
  keep(string, start < end ? start : 0, end);
}

void VaultCFStringPad(
    VaultCFMutableStringRef string, VaultCFStringRef padding, VaultCFIndex length,
    VaultCFIndex index) {
  string = mutable_object_of(string, kind_string);
  padding = object_of(padding, kind_string);
  if (string == NULL || length < 0) return;
  const VaultCFIndex excess = (VaultCFIndex)string->length - length;
  if (excess >= 0) {
    VaultCFStringDelete(string, (VaultCFRange){length, excess});
    return;
  }
  if (padding == NULL || index < 0 || index >= (VaultCFIndex)padding->length) return;
  VaultCFMutableStringRef tail = VaultCFStringCreateMutable(NULL, 0);
  while (tail != NULL && (VaultCFIndex)tail->length < index - excess) {
    const size_t before = tail->length;
    VaultCFStringAppend(tail, padding);
    if (tail->length == before) break;
  }
  VaultCFStringRef part =
      VaultCFStringCreateWithSubstring(NULL, tail, (VaultCFRange){index, -excess});
  VaultCFStringAppend(string, part);
  VaultCFRelease(part);
  VaultCFRelease(tail);
}
