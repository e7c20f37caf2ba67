/* Strings for literals, one for each text; and the other constants. */
#include "object.h"

struct constant {
  struct VaultCFString string;
  struct constant *next;
};

enum { place_count = 256 };

/*
 * Chains that only ever grow at their beginnings, so that they need no lock: a child that fork()
 * made while another thread was here finds them whole.
 */
static _Atomic(struct constant *) places[place_count];

static struct constant *known(struct constant *first, const char *text, size_t count) {
  for (struct constant *entry = first; entry != NULL; entry = entry->next) {
    if (entry->string.count == count && memcmp(entry->string.bytes, text, count) == 0) return entry;
  }
  return NULL;
}

static size_t place_of(const char *text, size_t count) {
  size_t value = 5381;
  for (size_t index = 0; index < count; index += 1) value = value * 33 ^ (uint8_t)text[index];
  return value % place_count;
}

static struct constant *make(const char *text, size_t count) {
  size_t length = 0;
  for (size_t index = 0; index < count;) {
    uint32_t code;
    const size_t size = utf8_get((const uint8_t *)text + index, count - index, &code);
    if (size == 0) return NULL;
    length += code > 0xFFFF ? 2 : 1;
    index += size;
  }
  struct constant *made = calloc(1, sizeof *made);
  char *bytes = malloc(count + 1);
  if (made == NULL || bytes == NULL) {
    free(made);
    free(bytes);
    return NULL;
  }
  memcpy(bytes, text, count + 1);
  made->string.object = (struct object)CONSTANT_OBJECT(kind_string);
  made->string.count = count;
  made->string.length = length;
  made->string.bytes = bytes;
  return made;
}

VaultCFStringRef VaultCFConstantString(const char *text) {
  if (text == NULL) return NULL;
  const size_t count = strlen(text);
  _Atomic(struct constant *) *place = &places[place_of(text, count)];
  struct constant *first = atomic_load_explicit(place, memory_order_acquire);
  struct constant *found = known(first, text, count);
  if (found != NULL) return &found->string;
  struct constant *made = make(text, count);
  if (made == NULL) return NULL;
  do {
    found = known(first, text, count);
    if (found != NULL) {
      free((void *)(uintptr_t)made->string.bytes);
      free(made);
      return &found->string;
    }
    made->next = first;
  } while (!atomic_compare_exchange_weak_explicit(
      place, &first, made, memory_order_acq_rel, memory_order_acquire));
  return &made->string;
}

struct VaultCFString *literal_string(const void *pointer) {
  static const char mark[] = VAULT_CFSTR_MARK;
  /* It ends at the first other byte, so that nothing behind an address of any kind is read. */
  const char *text = pointer;
  for (size_t index = 0; index + 1 < sizeof mark; index += 1) {
    if (text[index] != mark[index]) return NULL;
  }
  return (struct VaultCFString *)(uintptr_t)VaultCFConstantString(text + (sizeof mark - 1));
}

/* ---- Null, and allocators ---- */

const struct VaultCFNull VaultCFNullObject = {CONSTANT_OBJECT(kind_null)};
const struct VaultCFAllocator VaultCFNoAllocator = {CONSTANT_OBJECT(kind_allocator)};

VaultCFTypeID VaultCFNullGetTypeID(void) { return kind_null; }

VaultCFTypeID VaultCFAllocatorGetTypeID(void) { return kind_allocator; }
