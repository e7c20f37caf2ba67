/* Objects as texts for people. */
#include "object.h"

#include <stdio.h>

/* Collections may hold themselves. */
enum { deepest = 16 };

static const char *const names[kind_count] = {
  NULL, "CFString", "CFData", "CFNumber", "CFBoolean", "CFDate", "CFArray", "CFDictionary",
  "SecKeychain", "SecKeychainItem", "SecKeychainSearch", "VaultList", "CFURL",
  "CFHTTPMessage", "CFHTTPAuthentication", "CFReadStream", "SecCertificate", "SecIdentity",
  "SecPolicy", "SecTrust", "CFError", "CFNull", "CFUUID", "CFAllocator", "SecKey",
  "SecAccess", "SecTrustedApplication",
};

VaultCFStringRef VaultCFCopyTypeIDDescription(VaultCFTypeID type) {
  return type > kind_none && type < kind_count ? VaultCFConstantString(names[type]) : NULL;
}

static void indent(struct text *text, int depth) { text_print(text, "%*s", 2 * depth, ""); }

/* A value whose collection has no description for it is only an address. */
static void describe_value(
    struct text *text, VaultCFDescriptionFunction function, const void *value, int depth) {
  if (function == NULL) {
    text_print(text, "<%p>", value);
  } else {
    describe(text, value, depth);
  }
}

static void describe_array(struct text *text, VaultCFArrayRef array, int depth) {
  text_add(text, "(\n", 2);
  for (size_t index = 0; index < array->count; index += 1) {
    indent(text, depth + 1);
    describe_value(text, array->callbacks.copyDescription, array->values[index], depth + 1);
    text_add(text, "\n", 1);
  }
  indent(text, depth);
  text_add(text, ")", 1);
}

static void describe_dictionary(struct text *text, VaultCFDictionaryRef dictionary, int depth) {
  text_add(text, "{\n", 2);
  for (size_t index = 0; index < dictionary->count; index += 1) {
    const void *const *pair = dictionary->pairs + 2 * index;
    indent(text, depth + 1);
    describe_value(text, dictionary->key_callbacks.copyDescription, pair[0], depth + 1);
    text_add(text, " = ", 3);
    describe_value(text, dictionary->value_callbacks.copyDescription, pair[1], depth + 1);
    text_add(text, "\n", 1);
  }
  indent(text, depth);
  text_add(text, "}", 1);
}

static void describe_uuid(struct text *text, VaultCFUUIDRef uuid) {
  uint8_t bytes[sizeof uuid->bytes];
  memcpy(bytes, &uuid->bytes, sizeof bytes);
  for (size_t index = 0; index < sizeof bytes; index += 1) {
    const bool is_divided = index == 4 || index == 6 || index == 8 || index == 10;
    text_print(text, is_divided ? "-%02X" : "%02X", bytes[index]);
  }
}

void describe(struct text *text, const void *object, int depth) {
  const VaultCFTypeID type = VaultCFGetTypeID(object);
  if (depth > deepest) {
    text_add(text, "...", 3);
    return;
  }
  switch (type) {
    case kind_none: text_add(text, "(null)", 6); break;
    case kind_string: {
      VaultCFStringRef string = object_of(object, kind_string);
      text_add(text, string->bytes, string->count);
      break;
    }
    /* Data may be a secret. */
    case kind_data:
      text_print(text, "<CFData of %zu bytes>", ((VaultCFDataRef)object)->count);
      break;
    case kind_number: {
      VaultCFNumberRef number = object;
      if (number->is_float) {
        text_print(text, "%.17g", number->real);
      } else {
        text_print(text, "%lld", (long long)number->integer);
      }
      break;
    }
    case kind_boolean:
      text_print(text, "%s", ((VaultCFBooleanRef)object)->value ? "true" : "false");
      break;
    case kind_date: text_print(text, "<CFDate %.3f>", ((VaultCFDateRef)object)->time); break;
    case kind_null: text_add(text, "<null>", 6); break;
    case kind_uuid: describe_uuid(text, object); break;
    case kind_array: describe_array(text, object, depth); break;
    case kind_dictionary: describe_dictionary(text, object, depth); break;
    default: text_print(text, "<%s %p>", names[type], object); break;
  }
}

VaultCFStringRef VaultCFCopyDescription(VaultCFTypeRef object) {
  if (VaultCFGetTypeID(object) == kind_none) return NULL;
  struct text text = {0};
  describe(&text, object, 0);
  return text_end(&text);
}

void VaultCFShow(VaultCFTypeRef object) {
  struct text text = {0};
  describe(&text, object, 0);
  text_add(&text, "\n", 1);
  if (!text.failed) (void)fwrite(text.bytes, 1, text.count, stderr);
  text_free(&text);
}
