/* Counting, comparing and naming objects. */
#define _DEFAULT_SOURCE
#include "object.h"

#include "../include/vault_keychain.h"

void object_wipe(void *bytes, size_t count) {
  if (bytes != NULL) explicit_bzero(bytes, count);
}

void *object_make(size_t size, enum kind kind) {
  struct object *object = calloc(1, size);
  if (object == NULL) return NULL;
  object->mark = OBJECT_MARK;
  object->kind = (uint8_t)kind;
  atomic_init(&object->owners, 1);
  return object;
}

/* Below it there is no memory: such a pointer is a number that a program keeps in a collection. */
enum { least_address = 0x10000 };

/* Returns a pointer if it is an object, and the one string of a literal; else NULL. */
static struct object *object_at(const void *pointer) {
  if ((uintptr_t)pointer < least_address || is_handle(pointer)) return NULL;
  if ((uintptr_t)pointer % _Alignof(struct object) == 0) {
    struct object *object = (struct object *)(uintptr_t)pointer;
    if (object->mark == OBJECT_MARK) return object;
  }
  struct VaultCFString *string = literal_string(pointer);
  return string == NULL ? NULL : &string->object;
}

void *object_of(const void *pointer, enum kind kind) {
  struct object *object = object_at(pointer);
  return object != NULL && object->kind == kind ? object : NULL;
}

void *mutable_object_of(const void *pointer, enum kind kind) {
  struct object *object = object_of(pointer, kind);
  return object != NULL && object->is_mutable ? object : NULL;
}

VaultCFTypeRef VaultCFRetain(VaultCFTypeRef pointer) {
  if (is_handle(pointer)) return VaultRetain(pointer);
  struct object *object = object_at(pointer);
  if (object != NULL && !object->is_constant) {
    atomic_fetch_add_explicit(&object->owners, 1, memory_order_relaxed);
  }
  return pointer;
}

static void end(struct object *object) {
  switch (object->kind) {
    case kind_string: {
      struct VaultCFString *string = (struct VaultCFString *)object;
      object_wipe((void *)(uintptr_t)string->bytes, string->count);
      if (object->is_mutable) free((void *)(uintptr_t)string->bytes);
      break;
    }
    case kind_data: {
      struct VaultCFData *data = (struct VaultCFData *)object;
      if (data->is_borrowed) break;
      object_wipe(data->bytes, data->count);
      free(data->bytes);
      break;
    }
    case kind_array: array_end((struct VaultCFArray *)object); break;
    case kind_dictionary: dictionary_end((struct VaultCFDictionary *)object); break;
    default: break;
  }
  object->mark = 0;
  free(object);
}

/*
 * Ends an object, and then those that it alone owned: one after the other, because values may be
 * nested deeper than a stack is.
 */
static void end_all(struct object *object) {
  static _Thread_local struct object *first;
  static _Thread_local bool is_ending;
  object->next = first;
  first = object;
  if (is_ending) return;
  is_ending = true;
  while (first != NULL) {
    object = first;
    first = object->next;
    end(object);
  }
  is_ending = false;
}

void VaultCFRelease(VaultCFTypeRef pointer) {
  if (is_handle(pointer)) {
    VaultRelease(pointer);
    return;
  }
  struct object *object = object_at(pointer);
  if (object == NULL || object->is_constant) return;
  /* The last owner sees what every other one wrote. */
  if (atomic_fetch_sub_explicit(&object->owners, 1, memory_order_acq_rel) == 1) end_all(object);
}

VaultCFIndex VaultCFGetRetainCount(VaultCFTypeRef pointer) {
  if (is_handle(pointer)) return cvault_handle_owners(pointer);
  struct object *object = object_at(pointer);
  return object == NULL ? 0 : atomic_load_explicit(&object->owners, memory_order_relaxed);
}

VaultCFTypeID VaultCFGetTypeID(VaultCFTypeRef pointer) {
  if (is_handle(pointer)) return cvault_handle_kind(pointer);
  const struct object *object = object_at(pointer);
  return object == NULL ? kind_none : object->kind;
}

static bool numbers_are_equal(
    const struct VaultCFNumber *first, const struct VaultCFNumber *second) {
  if (first->is_float != second->is_float) return first->real == second->real;
  return first->is_float ? first->real == second->real : first->integer == second->integer;
}

/* Collections in collections are compared to this depth, which every stack has room for. */
enum { greatest_depth = 1000 };

static bool collections_are_equal(const struct object *first, const struct object *second) {
  static _Thread_local int depth;
  if (depth == greatest_depth) return false;
  depth += 1;
  const bool is_equal = first->kind == kind_array
      ? array_equal((const void *)first, (const void *)second)
      : dictionary_equal((const void *)first, (const void *)second);
  depth -= 1;
  return is_equal;
}

unsigned char VaultCFEqual(VaultCFTypeRef first, VaultCFTypeRef second) {
  if (first == second) return 1;
  if (is_handle(first) && is_handle(second)) return cvault_handles_are_equal(first, second);
  if (is_handle(first) || is_handle(second)) return 0;
  const struct object *one = object_at(first), *other = object_at(second);
  if (one == NULL || other == NULL || one->kind != other->kind) return 0;
  switch (one->kind) {
    case kind_string: {
      /* Of a literal, the one string. */
      VaultCFStringRef left = (const void *)one, right = (const void *)other;
      return left->count == right->count && memcmp(left->bytes, right->bytes, left->count) == 0;
    }
    case kind_data: {
      VaultCFDataRef left = first, right = second;
      return left->count == right->count &&
          (left->count == 0 || memcmp(left->bytes, right->bytes, left->count) == 0);
    }
    case kind_number: return numbers_are_equal(first, second);
    case kind_uuid: {
      VaultCFUUIDRef left = first, right = second;
      return memcmp(&left->bytes, &right->bytes, sizeof left->bytes) == 0;
    }
    case kind_date: return ((VaultCFDateRef)first)->time == ((VaultCFDateRef)second)->time;
    case kind_array:
    case kind_dictionary: return collections_are_equal(one, other);
    default: return 0;
  }
}

/* FNV-1a, 64 bits. */
static VaultCFHashCode hash(const void *bytes, size_t count) {
  uint64_t value = 0xCBF29CE484222325u;
  for (size_t index = 0; index < count; index += 1) {
    value = (value ^ ((const uint8_t *)bytes)[index]) * 0x100000001B3u;
  }
  return (VaultCFHashCode)value;
}

VaultCFHashCode VaultCFHash(VaultCFTypeRef pointer) {
  if (is_handle(pointer)) return (VaultCFHashCode)cvault_handle_hash(pointer);
  const struct object *object = object_at(pointer);
  switch (object == NULL ? kind_none : object->kind) {
    case kind_string: {
      VaultCFStringRef string = (const void *)object;
      return hash(string->bytes, string->count);
    }
    case kind_data: {
      VaultCFDataRef data = pointer;
      return hash(data->bytes, data->count);
    }
    case kind_number: {
      VaultCFNumberRef number = pointer;
      /* Both zeros are equal. */
      const double real = number->real == 0 ? 0 : number->real;
      return hash(&real, sizeof real);
    }
    case kind_uuid: return hash(&((VaultCFUUIDRef)pointer)->bytes, sizeof(VaultCFUUIDBytes));
    case kind_date: {
      const double time = ((VaultCFDateRef)pointer)->time;
      return hash(&time, sizeof time);
    }
    case kind_array: return (VaultCFHashCode)((VaultCFArrayRef)pointer)->count;
    case kind_dictionary: return (VaultCFHashCode)((VaultCFDictionaryRef)pointer)->count;
    default: return (VaultCFHashCode)(uintptr_t)pointer;
  }
}
