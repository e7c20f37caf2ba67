/* Changing arrays, and calling a function for each value. */
#include "object.h"

static const void *retained(const struct VaultCFArray *array, const void *value) {
  const VaultCFRetainFunction retain = array->callbacks.retain;
  return retain == NULL ? value : retain(NULL, value);
}

static void give_up(const struct VaultCFArray *array, const void *value) {
  const VaultCFReleaseFunction release = array->callbacks.release;
  if (release != NULL) release(NULL, value);
}

VaultCFIndex VaultCFArrayGetFirstIndexOfValue(
    VaultCFArrayRef array, VaultCFRange range, const void *value) {
  array = object_of(array, kind_array);
  if (!array_has_range(array, range)) return -1;
  const VaultCFEqualFunction equal = array->callbacks.equal;
  for (VaultCFIndex index = range.location; index < range.location + range.length; index += 1) {
    const void *known = array->values[index];
    if (known == value || (equal != NULL && equal(known, value))) return index;
  }
  return -1;
}

unsigned char VaultCFArrayContainsValue(
    VaultCFArrayRef array, VaultCFRange range, const void *value) {
  return VaultCFArrayGetFirstIndexOfValue(array, range, value) >= 0;
}

void VaultCFArrayApplyFunction(
    VaultCFArrayRef array, VaultCFRange range, VaultCFArrayApplierFunction function,
    void *context) {
  array = object_of(array, kind_array);
  if (function == NULL || !array_has_range(array, range)) return;
  for (VaultCFIndex index = 0; index < range.length; index += 1) {
    function(array->values[range.location + index], context);
  }
}

void VaultCFArrayInsertValueAtIndex(
    VaultCFMutableArrayRef array, VaultCFIndex index, const void *value) {
  array = mutable_object_of(array, kind_array);
  if (!array_has_range(array, (VaultCFRange){index, 0})) return;
  const size_t count = array->count;
  VaultCFArrayAppendValue(array, value);
  if (array->count == count) return;
  const void **place = array->values + index, *added = array->values[count];
  memmove(place + 1, place, (count - (size_t)index) * sizeof *place);
  *place = added;
}

void VaultCFArraySetValueAtIndex(
    VaultCFMutableArrayRef array, VaultCFIndex index, const void *value) {
  array = mutable_object_of(array, kind_array);
  if (array != NULL && index == (VaultCFIndex)array->count) {
    VaultCFArrayAppendValue(array, value);
    return;
  }
  if (!array_has_range(array, (VaultCFRange){index, 1})) return;
  /* Retained before the old one is released: it may be the same. */
  const void *old = array->values[index];
  array->values[index] = retained(array, value);
  give_up(array, old);
}

void VaultCFArrayRemoveValueAtIndex(VaultCFMutableArrayRef array, VaultCFIndex index) {
  array = mutable_object_of(array, kind_array);
  if (!array_has_range(array, (VaultCFRange){index, 1})) return;
  const void **place = array->values + index, *old = *place;
  array->count -= 1;
  memmove(place, place + 1, (array->count - (size_t)index) * sizeof *place);
  give_up(array, old);
}

void VaultCFArrayRemoveAllValues(VaultCFMutableArrayRef array) {
  array = mutable_object_of(array, kind_array);
  while (array != NULL && array->count > 0) {
    array->count -= 1;
    give_up(array, array->values[array->count]);
  }
}

void VaultCFArrayAppendArray(
    VaultCFMutableArrayRef array, VaultCFArrayRef other, VaultCFRange range) {
  other = object_of(other, kind_array);
  if (!array_has_range(other, range)) return;
  for (VaultCFIndex index = 0; index < range.length; index += 1) {
    VaultCFArrayAppendValue(array, other->values[range.location + index]);
  }
}
