/* Strings that change. */
#include "object.h"

VaultCFMutableStringRef VaultCFStringCreateMutable(
    VaultCFAllocatorRef allocator, VaultCFIndex capacity) {
  (void)allocator;
  (void)capacity;
  struct VaultCFString *string = object_make(sizeof *string, kind_string);
  if (string == NULL) return NULL;
  string->bytes = calloc(1, 1);
  string->object.is_mutable = true;
  if (string->bytes != NULL) return string;
  VaultCFRelease(string);
  return NULL;
}

/*
 * Puts a string in the place of a range of bytes, which are whole characters; without memory,
 * nothing changes.
 */
static void put(
    struct VaultCFString *string, size_t start, size_t end, VaultCFIndex length,
    VaultCFStringRef new_part) {
  const size_t tail = string->count - end, count = start + new_part->count + tail;
  char *bytes = malloc(count + 1);
  if (bytes == NULL) return;
  memcpy(bytes, string->bytes, start);
  memcpy(bytes + start, new_part->bytes, new_part->count);
  memcpy(bytes + start + new_part->count, string->bytes + end, tail + 1);
  const size_t new_length = string->length - (size_t)length + new_part->length;
  object_wipe((void *)(uintptr_t)string->bytes, string->count);
  free((void *)(uintptr_t)string->bytes);
  string->bytes = bytes;
  string->count = count;
  string->length = new_length;
}

void VaultCFStringReplace(
    VaultCFMutableStringRef string, VaultCFRange range, VaultCFStringRef replacement) {
  size_t start = 0, end = 0;
  string = mutable_object_of(string, kind_string);
  replacement = object_of(replacement, kind_string);
  if (string == NULL || replacement == NULL) return;
  if (string_find_bytes(string, range, &start, &end)) {
    put(string, start, end, range.length, replacement);
  }
}

void VaultCFStringAppend(VaultCFMutableStringRef string, VaultCFStringRef appended) {
  VaultCFStringReplace(string, (VaultCFRange){VaultCFStringGetLength(string), 0}, appended);
}

void VaultCFStringInsert(
    VaultCFMutableStringRef string, VaultCFIndex index, VaultCFStringRef inserted) {
  VaultCFStringReplace(string, (VaultCFRange){index, 0}, inserted);
}

void VaultCFStringDelete(VaultCFMutableStringRef string, VaultCFRange range) {
  VaultCFStringReplace(string, range, VAULT_CFSTR(""));
}

void VaultCFStringReplaceAll(VaultCFMutableStringRef string, VaultCFStringRef replacement) {
  VaultCFStringReplace(string, (VaultCFRange){0, VaultCFStringGetLength(string)}, replacement);
}

void VaultCFStringAppendCString(
    VaultCFMutableStringRef string, const char *text, VaultCFStringEncoding encoding) {
  VaultCFStringRef appended = VaultCFStringCreateWithCString(NULL, text, encoding);
  VaultCFStringAppend(string, appended);
  VaultCFRelease(appended);
}

void VaultCFStringAppendFormat(
    VaultCFMutableStringRef string, VaultCFDictionaryRef options, VaultCFStringRef format, ...) {
  va_list arguments;
  va_start(arguments, format);
  VaultCFStringAppendFormatAndArguments(string, options, format, arguments);
  va_end(arguments);
}

void VaultCFStringAppendFormatAndArguments(
    VaultCFMutableStringRef string, VaultCFDictionaryRef options, VaultCFStringRef format,
    va_list arguments) {
  (void)options;
  format = object_of(format, kind_string);
  if (format == NULL) return;
  struct text text = {0};
  va_list copy;
  va_copy(copy, arguments);
  const bool is_known = text_format(&text, format, &copy);
  va_end(copy);
  VaultCFStringRef appended = text_end(&text);
  if (is_known) VaultCFStringAppend(string, appended);
  VaultCFRelease(appended);
}

VaultCFMutableStringRef VaultCFStringCreateMutableCopy(
    VaultCFAllocatorRef allocator, VaultCFIndex capacity, VaultCFStringRef string) {
  if (object_of(string, kind_string) == NULL) return NULL;
  VaultCFMutableStringRef copy = VaultCFStringCreateMutable(allocator, capacity);
  if (copy == NULL) return NULL;
  VaultCFStringAppend(copy, string);
  if (VaultCFEqual(copy, string)) return copy;
  VaultCFRelease(copy);
  return NULL;
}
