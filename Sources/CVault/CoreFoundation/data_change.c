/* Changing bytes. */
#include "object.h"

void VaultCFDataSetLength(VaultCFMutableDataRef data, VaultCFIndex length) {
  data = mutable_object_of(data, kind_data);
  if (data == NULL || length < 0) return;
  const size_t count = (size_t)length;
  if (count <= data->count) {
    object_wipe(data->bytes + count, data->count - count);
    data->count = count;
    return;
  }
  uint8_t *zeros = calloc(1, count - data->count);
  if (zeros == NULL) return;
  VaultCFDataAppendBytes(data, zeros, (VaultCFIndex)(count - data->count));
  free(zeros);
}

uint8_t *VaultCFDataGetMutableBytePtr(VaultCFMutableDataRef data) {
  data = mutable_object_of(data, kind_data);
  return data == NULL ? NULL : data->bytes;
}

void VaultCFDataDeleteBytes(VaultCFMutableDataRef data, VaultCFRange range) {
  data = mutable_object_of(data, kind_data);
  if (data == NULL || range.location < 0 || range.length < 0) return;
  const size_t start = (size_t)range.location, count = (size_t)range.length;
  if (start > data->count || count > data->count - start) return;
  const size_t left = data->count - count;
  memmove(data->bytes + start, data->bytes + start + count, left - start);
  VaultCFDataSetLength(data, (VaultCFIndex)left);
}
