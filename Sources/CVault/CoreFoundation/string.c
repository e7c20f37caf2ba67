/* Strings. */
#include "object.h"

static bool is_supported(VaultCFStringEncoding encoding) {
  return encoding == kVaultCFStringEncodingUTF8 || encoding == kVaultCFStringEncodingASCII ||
      encoding == kVaultCFStringEncodingISOLatin1 || encoding == kVaultCFStringEncodingMacRoman;
}

/* Returns whether an encoding has a character. */
static bool has(VaultCFStringEncoding encoding, uint32_t code) {
  if (encoding == kVaultCFStringEncodingUTF8) return true;
  return code < (encoding == kVaultCFStringEncodingISOLatin1 ? 0x100u : 0x80u);
}

static size_t units(uint32_t code) { return code > 0xFFFF ? 2 : 1; }

/* Reads the character at an index, and moves the index behind it. */
static uint32_t next(VaultCFStringRef string, size_t *index) {
  uint32_t code = 0;
  *index += utf8_get((const uint8_t *)string->bytes + *index, string->count - *index, &code);
  return code;
}

VaultCFTypeID VaultCFStringGetTypeID(void) { return kind_string; }

VaultCFStringRef VaultCFStringCreateWithBytes(
    VaultCFAllocatorRef allocator, const uint8_t *bytes, VaultCFIndex count,
    VaultCFStringEncoding encoding, unsigned char is_external) {
  (void)allocator;
  (void)is_external;
  if (count < 0 || (bytes == NULL && count > 0) || !is_supported(encoding)) return NULL;
  const bool is_wide = encoding == kVaultCFStringEncodingISOLatin1;
  size_t size = 0, length = 0;
  for (size_t index = 0; index < (size_t)count;) {
    uint32_t code = bytes[index];
    const size_t taken = is_wide ? 1 : utf8_get(bytes + index, (size_t)count - index, &code);
    if (taken == 0 || code == 0 || !has(encoding, code)) return NULL;
    index += taken;
    size += code < 0x80 ? 1 : is_wide ? 2 : taken;
    length += units(code);
  }
  struct VaultCFString *string = object_make(sizeof *string + size + 1, kind_string);
  if (string == NULL) return NULL;
  string->count = size;
  string->length = length;
  char *own = (char *)(string + 1);
  string->bytes = own;
  if (!is_wide && count > 0) memcpy(own, bytes, size);
  for (size_t index = 0, place = 0; is_wide && index < (size_t)count; index += 1) {
    place += utf8_put(bytes[index], own + place);
  }
  return string;
}

VaultCFStringRef VaultCFStringCreateWithCString(
    VaultCFAllocatorRef allocator, const char *text, VaultCFStringEncoding encoding) {
  if (text == NULL) return NULL;
  return VaultCFStringCreateWithBytes(
      allocator, (const uint8_t *)text, (VaultCFIndex)strlen(text), encoding, 0);
}

VaultCFStringRef VaultCFStringCreateCopy(VaultCFAllocatorRef allocator, VaultCFStringRef string) {
  string = object_of(string, kind_string);
  if (string == NULL) return NULL;
  if (!string->object.is_mutable) return VaultCFRetain(string);
  return VaultCFStringCreateWithBytes(
      allocator, (const uint8_t *)string->bytes, (VaultCFIndex)string->count,
      kVaultCFStringEncodingUTF8, 0);
}

bool string_find_bytes(VaultCFStringRef string, VaultCFRange range, size_t *start, size_t *end) {
  if (range.location < 0 || range.length < 0) return false;
  if ((size_t)range.location > string->length) return false;
  if ((size_t)range.length > string->length - (size_t)range.location) return false;
  const size_t first = (size_t)range.location, last = first + (size_t)range.length;
  size_t index = 0, unit = 0;
  while (unit < first) unit += units(next(string, &index));
  if (unit != first) return false;
  *start = index;
  while (unit < last) unit += units(next(string, &index));
  *end = index;
  return unit == last;
}

VaultCFStringRef VaultCFStringCreateWithSubstring(
    VaultCFAllocatorRef allocator, VaultCFStringRef string, VaultCFRange range) {
  size_t start = 0, end = 0;
  string = object_of(string, kind_string);
  if (string == NULL || !string_find_bytes(string, range, &start, &end)) return NULL;
  return VaultCFStringCreateWithBytes(
      allocator, (const uint8_t *)string->bytes + start, (VaultCFIndex)(end - start),
      kVaultCFStringEncodingUTF8, 0);
}

VaultCFIndex VaultCFStringGetLength(VaultCFStringRef string) {
  string = object_of(string, kind_string);
  return string == NULL ? 0 : (VaultCFIndex)string->length;
}

VaultCFIndex VaultCFStringGetMaximumSizeForEncoding(
    VaultCFIndex length, VaultCFStringEncoding encoding) {
  if (length < 0 || !is_supported(encoding)) return -1;
  if (encoding != kVaultCFStringEncodingUTF8) return length;
  return length > INT64_MAX / 3 ? -1 : length * 3;
}

VaultCFIndex VaultCFStringGetBytes(
    VaultCFStringRef string, VaultCFRange range, VaultCFStringEncoding encoding, uint8_t loss_byte,
    unsigned char is_external, uint8_t *buffer, VaultCFIndex size, VaultCFIndex *used) {
  (void)is_external;
  size_t index = 0, end = 0, count = 0, done = 0;
  string = object_of(string, kind_string);
  const bool is_valid = string != NULL && is_supported(encoding) && (buffer == NULL || size >= 0) &&
      string_find_bytes(string, range, &index, &end);
  while (is_valid && index < end) {
    const size_t start = index;
    const uint32_t code = next(string, &index);
    const bool is_lost = !has(encoding, code);
    if (is_lost && loss_byte == 0) break;
    const bool is_copied = encoding == kVaultCFStringEncodingUTF8;
    const size_t taken = is_copied ? index - start : 1;
    if (buffer != NULL && taken > (size_t)size - count) break;
    if (buffer != NULL && is_copied) memcpy(buffer + count, string->bytes + start, taken);
    if (buffer != NULL && !is_copied) buffer[count] = is_lost ? loss_byte : (uint8_t)code;
    count += taken;
    done += units(code);
  }
  if (used != NULL) *used = (VaultCFIndex)count;
  return (VaultCFIndex)done;
}

static VaultCFRange whole(VaultCFStringRef string) {
  return (VaultCFRange){0, (VaultCFIndex)string->length};
}

unsigned char VaultCFStringGetCString(
    VaultCFStringRef string, char *buffer, VaultCFIndex size, VaultCFStringEncoding encoding) {
  string = object_of(string, kind_string);
  if (string == NULL || buffer == NULL || size <= 0) return 0;
  VaultCFIndex used = 0;
  const VaultCFIndex all = (VaultCFIndex)string->length;
  const bool fits =
      VaultCFStringGetBytes(string, whole(string), encoding, 0, 0, NULL, 0, &used) == all &&
      used < size;
  if (!fits || !is_supported(encoding)) return 0;
  (void)VaultCFStringGetBytes(
      string, whole(string), encoding, 0, 0, (uint8_t *)buffer, size - 1, &used);
  buffer[used] = 0;
  return 1;
}

const char *VaultCFStringGetCStringPtr(VaultCFStringRef string, VaultCFStringEncoding encoding) {
  string = object_of(string, kind_string);
  if (string == NULL || !is_supported(encoding)) return NULL;
  /* Of ASCII alone, the bytes are the same in every encoding. */
  const bool is_same = encoding == kVaultCFStringEncodingUTF8 || string->count == string->length;
  return is_same ? string->bytes : NULL;
}

static uint32_t folded(uint32_t code) { return code >= 'A' && code <= 'Z' ? code + 32 : code; }

VaultCFComparisonResult VaultCFStringCompare(
    VaultCFStringRef first, VaultCFStringRef second, VaultCFOptionFlags options) {
  first = object_of(first, kind_string);
  second = object_of(second, kind_string);
  if (first == NULL || second == NULL) return (first != NULL) - (second != NULL);
  const bool ignores_case = (options & kVaultCFCompareCaseInsensitive) != 0;
  size_t left = 0, right = 0;
  while (left < first->count && right < second->count) {
    uint32_t one = next(first, &left), other = next(second, &right);
    if (ignores_case) {
      one = folded(one);
      other = folded(other);
    }
    if (one != other) return one < other ? kVaultCFCompareLessThan : kVaultCFCompareGreaterThan;
  }
  return (left < first->count) - (right < second->count);
}

unsigned char VaultCFStringHasPrefix(VaultCFStringRef string, VaultCFStringRef prefix) {
  string = object_of(string, kind_string);
  prefix = object_of(prefix, kind_string);
  return string != NULL && prefix != NULL && prefix->count <= string->count &&
      memcmp(string->bytes, prefix->bytes, prefix->count) == 0;
}

unsigned char VaultCFStringHasSuffix(VaultCFStringRef string, VaultCFStringRef suffix) {
  string = object_of(string, kind_string);
  suffix = object_of(suffix, kind_string);
  return string != NULL && suffix != NULL && suffix->count <= string->count &&
      memcmp(
          string->bytes + (string->count - suffix->count), suffix->bytes, suffix->count) == 0;
}

VaultCFDataRef VaultCFStringCreateExternalRepresentation(
    VaultCFAllocatorRef allocator, VaultCFStringRef string, VaultCFStringEncoding encoding,
    uint8_t loss_byte) {
  string = object_of(string, kind_string);
  if (string == NULL || !is_supported(encoding)) return NULL;
  uint8_t *bytes = malloc(string->count + 1);
  if (bytes == NULL) return NULL;
  VaultCFIndex used = 0;
  const VaultCFIndex done = VaultCFStringGetBytes(
      string, whole(string), encoding, loss_byte, 0, bytes, (VaultCFIndex)string->count, &used);
  VaultCFDataRef data = NULL;
  if (done == (VaultCFIndex)string->length) data = VaultCFDataCreate(allocator, bytes, used);
  object_wipe(bytes, string->count);
  free(bytes);
  return data;
}

VaultCFStringRef VaultCFStringCreateFromExternalRepresentation(
    VaultCFAllocatorRef allocator, VaultCFDataRef data, VaultCFStringEncoding encoding) {
  data = object_of(data, kind_data);
  if (data == NULL) return NULL;
  return VaultCFStringCreateWithBytes(
      allocator, data->bytes, (VaultCFIndex)data->count, encoding, 0);
}
