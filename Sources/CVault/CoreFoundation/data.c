/* Bytes. */
#include "object.h"

VaultCFTypeID VaultCFDataGetTypeID(void) { return kind_data; }

static struct VaultCFData *make(const uint8_t *bytes, VaultCFIndex count, bool is_mutable) {
  if (count < 0 || (bytes == NULL && count > 0)) return NULL;
  struct VaultCFData *data = object_make(sizeof *data, kind_data);
  if (data == NULL) return NULL;
  data->object.is_mutable = is_mutable;
  data->count = (size_t)count;
  data->capacity = (size_t)count + 1;
  data->bytes = malloc(data->capacity);
  if (data->bytes == NULL) {
    data->count = 0;
    VaultCFRelease(data);
    return NULL;
  }
  if (count > 0) memcpy(data->bytes, bytes, (size_t)count);
  return data;
}

VaultCFDataRef VaultCFDataCreate(
    VaultCFAllocatorRef allocator, const uint8_t *bytes, VaultCFIndex count) {
  (void)allocator;
  return make(bytes, count, false);
}

VaultCFDataRef VaultCFDataCreateWithBytesNoCopy(
    VaultCFAllocatorRef allocator, const uint8_t *bytes, VaultCFIndex count,
    VaultCFAllocatorRef deallocator) {
  (void)allocator;
  if (count < 0 || (bytes == NULL && count > 0)) return NULL;
  struct VaultCFData *data = object_make(sizeof *data, kind_data);
  if (data == NULL) return NULL;
  data->count = (size_t)count;
  data->bytes = (uint8_t *)(uintptr_t)bytes;
  data->is_borrowed = deallocator == &VaultCFNoAllocator;
  return data;
}

VaultCFDataRef VaultCFDataCreateCopy(VaultCFAllocatorRef allocator, VaultCFDataRef data) {
  (void)allocator;
  data = object_of(data, kind_data);
  if (data == NULL) return NULL;
  if (!data->object.is_mutable) return VaultCFRetain(data);
  return make(data->bytes, (VaultCFIndex)data->count, false);
}

VaultCFMutableDataRef VaultCFDataCreateMutable(
    VaultCFAllocatorRef allocator, VaultCFIndex capacity) {
  (void)allocator;
  (void)capacity;
  return make(NULL, 0, true);
}

VaultCFMutableDataRef VaultCFDataCreateMutableCopy(
    VaultCFAllocatorRef allocator, VaultCFIndex capacity, VaultCFDataRef data) {
  (void)allocator;
  (void)capacity;
  data = object_of(data, kind_data);
  return data == NULL ? NULL : make(data->bytes, (VaultCFIndex)data->count, true);
}

void VaultCFDataAppendBytes(
    VaultCFMutableDataRef data, const uint8_t *bytes, VaultCFIndex count) {
  data = mutable_object_of(data, kind_data);
  if (data == NULL || bytes == NULL || count <= 0) return;
  const size_t added = (size_t)count;
  if (added > data->capacity - data->count) {
    /* Not realloc(), which would leave a copy of the bytes behind. */
    const size_t capacity = 2 * data->capacity + added;
    uint8_t *larger = malloc(capacity);
    if (larger == NULL) return;
    memcpy(larger, data->bytes, data->count);
    /* The new bytes may be the data's own. */
    memcpy(larger + data->count, bytes, added);
    object_wipe(data->bytes, data->count);
    free(data->bytes);
    data->bytes = larger;
    data->capacity = capacity;
  } else {
    memmove(data->bytes + data->count, bytes, added);
  }
  data->count += added;
}

VaultCFIndex VaultCFDataGetLength(VaultCFDataRef data) {
  data = object_of(data, kind_data);
  return data == NULL ? 0 : (VaultCFIndex)data->count;
}

const uint8_t *VaultCFDataGetBytePtr(VaultCFDataRef data) {
  data = object_of(data, kind_data);
  static const uint8_t none = 0;
  if (data == NULL) return NULL;
  return data->bytes == NULL ? &none : data->bytes;
}

void VaultCFDataGetBytes(VaultCFDataRef data, VaultCFRange range, uint8_t *buffer) {
  data = object_of(data, kind_data);
  if (data == NULL || buffer == NULL || range.location < 0 || range.length < 0) return;
  const size_t start = (size_t)range.location, count = (size_t)range.length;
  if (count == 0 || start > data->count || count > data->count - start) return;
  memcpy(buffer, data->bytes + start, count);
}
