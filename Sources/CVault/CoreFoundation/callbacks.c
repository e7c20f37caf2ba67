/* How collections keep objects. */
#include "object.h"

static const void *retain(VaultCFAllocatorRef allocator, const void *value) {
  (void)allocator;
  /* A pointer that is not an object is kept as it is, and every function says so. */
  VaultCFRetain(value);
  return value;
}

static const void *copy(VaultCFAllocatorRef allocator, const void *value) {
  return VaultCFStringCreateCopy(allocator, value);
}

static void release(VaultCFAllocatorRef allocator, const void *value) {
  (void)allocator;
  VaultCFRelease(value);
}

const VaultCFArrayCallBacks VaultCFTypeArrayCallBacks = {
  0, retain, release, VaultCFCopyDescription, VaultCFEqual,
};

const VaultCFDictionaryValueCallBacks VaultCFTypeDictionaryValueCallBacks = {
  0, retain, release, VaultCFCopyDescription, VaultCFEqual,
};

const VaultCFDictionaryKeyCallBacks VaultCFTypeDictionaryKeyCallBacks = {
  0, retain, release, VaultCFCopyDescription, VaultCFEqual, VaultCFHash,
};

const VaultCFDictionaryKeyCallBacks VaultCFCopyStringDictionaryKeyCallBacks = {
  0, copy, release, VaultCFCopyDescription, VaultCFEqual, VaultCFHash,
};
