/* Inside the small CoreFoundation: the beginning that all its objects share. */
#ifndef VAULT_OBJECT_H
#define VAULT_OBJECT_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../include/vault_corefoundation.h"

/*
 * The types, whose numbers are those of VaultCFGetTypeID(); those from vaults to errors are
 * handles.
 */
enum kind {
  kind_none,
  kind_string,
  kind_data,
  kind_number,
  kind_boolean,
  kind_date,
  kind_array,
  kind_dictionary,
  kind_vault,
  kind_item,
  kind_search,
  kind_list,
  kind_url,
  kind_message,
  kind_authentication,
  kind_stream,
  kind_certificate,
  kind_identity,
  kind_policy,
  kind_trust,
  kind_error,
  kind_null,
  kind_uuid,
  kind_allocator,
  kind_key,
  kind_access,
  kind_trusted_application,
  kind_count,
};

struct object {
  /* Tells an object from another address, as far as that can be read. */
  uint32_t mark;
  uint8_t kind;
  /* Owners of a constant are not counted. */
  bool is_constant;
  bool is_mutable;
  atomic_long owners;
  /* The next one of those that end now. */
  struct object *next;
};

#define OBJECT_MARK 0x56434F42u

/* The beginning of a constant object. */
#define CONSTANT_OBJECT(of) {OBJECT_MARK, (of), true, false, 1, NULL}

struct VaultCFString {
  struct object object;
  /* In bytes, and in units of UTF-16. */
  size_t count, length;
  /* `count` bytes and NUL, in the block of the object unless it is a constant or mutable. */
  const char *bytes;
};

struct VaultCFData {
  struct object object;
  size_t count, capacity;
  uint8_t *bytes;
  /* Whether the bytes are the caller's, who frees them. */
  bool is_borrowed;
};

struct VaultCFNumber {
  struct object object;
  bool is_float;
  /* The size in bytes of the type that it was made with. */
  uint8_t size;
  int64_t integer;
  double real;
};

struct VaultCFBoolean {
  struct object object;
  bool value;
};

struct VaultCFDate {
  struct object object;
  double time;
};

struct VaultCFNull {
  struct object object;
};

struct VaultCFAllocator {
  struct object object;
};

struct VaultCFUUID {
  struct object object;
  VaultCFUUIDBytes bytes;
};

struct VaultCFArray {
  struct object object;
  VaultCFArrayCallBacks callbacks;
  size_t count, capacity;
  const void **values;
};

struct VaultCFDictionary {
  struct object object;
  VaultCFDictionaryKeyCallBacks key_callbacks;
  VaultCFDictionaryValueCallBacks value_callbacks;
  size_t count, capacity;
  /* Pairs: a key, and its value. */
  const void **pairs;
};

/* Allocates an object with one owner, all else 0; NULL without memory. */
void *object_make(size_t size, enum kind kind);

/* Returns a pointer if it is an object of a kind; else NULL. */
void *object_of(const void *pointer, enum kind kind);

/* As above, for one that can be changed. */
void *mutable_object_of(const void *pointer, enum kind kind);

/* Wipes bytes before they are freed. */
void object_wipe(void *bytes, size_t count);

/* Handles are odd and negative, as no address is. */
static inline bool is_handle(const void *pointer) {
  return ((uintptr_t)pointer & 1) == 1 && (intptr_t)pointer < 0;
}

/* Returns the one string for a literal of VAULT_CFSTR(); NULL for any other address. */
struct VaultCFString *literal_string(const void *pointer);

/* The ends of objects, without the block itself. */
void array_end(struct VaultCFArray *array);
void dictionary_end(struct VaultCFDictionary *dictionary);

/* Equality and description of collections. */
bool array_equal(const struct VaultCFArray *first, const struct VaultCFArray *second);
bool dictionary_equal(
    const struct VaultCFDictionary *first, const struct VaultCFDictionary *second);

/* Returns whether an array is there, and a range inside it. */
bool array_has_range(const struct VaultCFArray *array, VaultCFRange range);

/* Finds the bytes of a range in units of UTF-16; false if it is not inside, or divides one. */
bool string_find_bytes(VaultCFStringRef string, VaultCFRange range, size_t *start, size_t *end);

/* Writes one character of UTF-8 to 4 bytes and returns how many it took; code is a scalar. */
size_t utf8_put(uint32_t code, char *bytes);

/* Reads one character of `count` bytes of UTF-8; returns its bytes, 0 if it is not valid. */
size_t utf8_get(const uint8_t *bytes, size_t count, uint32_t *code);

/* A text that grows; without memory it fails, and stays empty. */
struct text {
  char *bytes;
  size_t count, capacity;
  bool failed;
};

void text_add(struct text *text, const char *bytes, size_t count);
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a format with its arguments; false for a conversion that it does not know. */
bool text_format(struct text *text, VaultCFStringRef format, va_list *arguments);
void text_free(struct text *text);
/* Returns the text as a string, and frees it; NULL if it failed, or is not text. */
VaultCFStringRef text_end(struct text *text);

/* Adds the description of an object. */
void describe(struct text *text, const void *object, int depth);

/* ---- In Swift ---- */

/* Returns the kind of a valid handle; else kind_none. */
uint8_t cvault_handle_kind(const void *handle);

/* Returns whether two handles are of one item, of one vault, or of one certificate's bytes. */
bool cvault_handles_are_equal(const void *first, const void *second);

/* Returns a number that equal handles share. */
uint64_t cvault_handle_hash(const void *handle);

/* Returns the number of a handle's owners; 0 if it is not valid. */
int64_t cvault_handle_owners(const void *handle);

#endif
