/* Arrays. */
#include "object.h"

VaultCFTypeID VaultCFArrayGetTypeID(void) { return kind_array; }

static struct VaultCFArray *make(const VaultCFArrayCallBacks *callbacks, size_t capacity) {
  struct VaultCFArray *array = object_make(sizeof *array, kind_array);
  if (array == NULL) return NULL;
  if (callbacks != NULL) array->callbacks = *callbacks;
  array->capacity = capacity;
  array->values = capacity == 0 ? NULL : calloc(capacity, sizeof *array->values);
  if (array->values == NULL && capacity > 0) {
    VaultCFRelease(array);
    return NULL;
  }
  return array;
}

static void append(struct VaultCFArray *array, const void *value) {
  const VaultCFRetainFunction retain = array->callbacks.retain;
  array->values[array->count] = retain == NULL ? value : retain(NULL, value);
  array->count += 1;
}

VaultCFArrayRef VaultCFArrayCreate(
    VaultCFAllocatorRef allocator, const void **values, VaultCFIndex count,
    const VaultCFArrayCallBacks *callbacks) {
  (void)allocator;
  if (count < 0 || (values == NULL && count > 0)) return NULL;
  struct VaultCFArray *array = make(callbacks, (size_t)count);
  for (VaultCFIndex index = 0; array != NULL && index < count; index += 1) {
    append(array, values[index]);
  }
  return array;
}

VaultCFArrayRef VaultCFArrayCreateCopy(VaultCFAllocatorRef allocator, VaultCFArrayRef array) {
  array = object_of(array, kind_array);
  if (array == NULL) return NULL;
  if (!array->object.is_mutable) return VaultCFRetain(array);
  return VaultCFArrayCreate(
      allocator, array->values, (VaultCFIndex)array->count, &array->callbacks);
}

VaultCFMutableArrayRef VaultCFArrayCreateMutable(
    VaultCFAllocatorRef allocator, VaultCFIndex capacity, const VaultCFArrayCallBacks *callbacks) {
  (void)allocator;
  (void)capacity;
  struct VaultCFArray *array = make(callbacks, 0);
  if (array != NULL) array->object.is_mutable = true;
  return array;
}

VaultCFMutableArrayRef VaultCFArrayCreateMutableCopy(
    VaultCFAllocatorRef allocator, VaultCFIndex capacity, VaultCFArrayRef array) {
  (void)capacity;
  array = object_of(array, kind_array);
  if (array == NULL) return NULL;
  struct VaultCFArray *made = (struct VaultCFArray *)(uintptr_t)VaultCFArrayCreate(
      allocator, array->values, (VaultCFIndex)array->count, &array->callbacks);
  if (made != NULL) made->object.is_mutable = true;
  return made;
}

void VaultCFArrayAppendValue(VaultCFMutableArrayRef array, const void *value) {
  array = mutable_object_of(array, kind_array);
  if (array == NULL) return;
  if (array->count == array->capacity) {
    const size_t capacity = 2 * array->capacity + 4;
    const void **values = realloc(array->values, capacity * sizeof *values);
    if (values == NULL) return;
    array->values = values;
    array->capacity = capacity;
  }
  append(array, value);
}

VaultCFIndex VaultCFArrayGetCount(VaultCFArrayRef array) {
  array = object_of(array, kind_array);
  return array == NULL ? 0 : (VaultCFIndex)array->count;
}

const void *VaultCFArrayGetValueAtIndex(VaultCFArrayRef array, VaultCFIndex index) {
  array = object_of(array, kind_array);
  const bool is_there = array != NULL && index >= 0 && (size_t)index < array->count;
  return is_there ? array->values[index] : NULL;
}

bool array_has_range(const struct VaultCFArray *array, VaultCFRange range) {
  return array != NULL && range.location >= 0 && range.length >= 0 &&
      (size_t)range.location <= array->count &&
      (size_t)range.length <= array->count - (size_t)range.location;
}

void VaultCFArrayGetValues(VaultCFArrayRef array, VaultCFRange range, const void **values) {
  array = object_of(array, kind_array);
  if (values == NULL || !array_has_range(array, range)) return;
  for (VaultCFIndex index = 0; index < range.length; index += 1) {
    values[index] = array->values[range.location + index];
  }
}

/* Merges two sorted runs into `to`; of equal values, the first one stays first. */
static void merge(
    const void **from, const void **to, size_t first, size_t middle, size_t end,
    VaultCFComparatorFunction compare, void *context) {
  size_t left = first, right = middle;
  for (size_t place = first; place < end; place += 1) {
    const bool takes_left = left < middle &&
        (right == end || compare(from[left], from[right], context) <= 0);
    to[place] = takes_left ? from[left++] : from[right++];
  }
}

static size_t least(size_t one, size_t other) { return one < other ? one : other; }

void VaultCFArraySortValues(
    VaultCFMutableArrayRef array, VaultCFRange range, VaultCFComparatorFunction compare,
    void *context) {
  array = mutable_object_of(array, kind_array);
  if (compare == NULL || !array_has_range(array, range) || range.length < 2) return;
  const size_t count = (size_t)range.length;
  const void **values = array->values + range.location;
  const void **other = malloc(count * sizeof *other);
  if (other == NULL) return;
  const void **from = values, **to = other;
  for (size_t size = 1; size < count; size *= 2) {
    for (size_t first = 0; first < count; first += 2 * size) {
      merge(
          from, to, first, least(first + size, count), least(first + 2 * size, count), compare,
          context);
    }
    const void **sorted = to;
    to = from;
    from = sorted;
  }
  if (from != values) memcpy(values, from, count * sizeof *values);
  free(other);
}

void array_end(struct VaultCFArray *array) {
  const VaultCFReleaseFunction release = array->callbacks.release;
  for (size_t index = 0; release != NULL && index < array->count; index += 1) {
    release(NULL, array->values[index]);
  }
  free(array->values);
}

bool array_equal(const struct VaultCFArray *first, const struct VaultCFArray *second) {
  if (first->count != second->count) return false;
  const VaultCFEqualFunction equal = first->callbacks.equal;
  for (size_t index = 0; index < first->count; index += 1) {
    const void *one = first->values[index], *other = second->values[index];
    if (one != other && (equal == NULL || !equal(one, other))) return false;
  }
  return true;
}
