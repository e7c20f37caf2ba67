/* UUIDs, and random bytes. */
#define _DEFAULT_SOURCE
#include "object.h"

#include <errno.h>
#include <sys/random.h>

#include "../include/vault_keychain.h"

int32_t VaultRandomCopyBytes(VaultRandomRef generator, size_t count, void *bytes) {
  (void)generator;
  if (bytes == NULL && count > 0) return errVaultParam;
  for (size_t done = 0; done < count;) {
    const ssize_t got = getrandom((uint8_t *)bytes + done, count - done, 0);
    if (got < 0 && errno != EINTR) return errVaultIO;
    if (got > 0) done += (size_t)got;
  }
  return errVaultSuccess;
}

VaultCFTypeID VaultCFUUIDGetTypeID(void) { return kind_uuid; }

VaultCFUUIDRef VaultCFUUIDCreateFromUUIDBytes(
    VaultCFAllocatorRef allocator, VaultCFUUIDBytes bytes) {
  (void)allocator;
  struct VaultCFUUID *uuid = object_make(sizeof *uuid, kind_uuid);
  if (uuid != NULL) uuid->bytes = bytes;
  return uuid;
}

VaultCFUUIDRef VaultCFUUIDCreateWithBytes(
    VaultCFAllocatorRef allocator, uint8_t byte0, uint8_t byte1, uint8_t byte2, uint8_t byte3,
    uint8_t byte4, uint8_t byte5, uint8_t byte6, uint8_t byte7, uint8_t byte8, uint8_t byte9,
    uint8_t byte10, uint8_t byte11, uint8_t byte12, uint8_t byte13, uint8_t byte14,
    uint8_t byte15) {
  const VaultCFUUIDBytes bytes = {
    byte0, byte1, byte2, byte3, byte4, byte5, byte6, byte7,
    byte8, byte9, byte10, byte11, byte12, byte13, byte14, byte15,
  };
  return VaultCFUUIDCreateFromUUIDBytes(allocator, bytes);
}

VaultCFUUIDRef VaultCFUUIDGetConstantUUIDWithBytes(
    VaultCFAllocatorRef allocator, uint8_t byte0, uint8_t byte1, uint8_t byte2, uint8_t byte3,
    uint8_t byte4, uint8_t byte5, uint8_t byte6, uint8_t byte7, uint8_t byte8, uint8_t byte9,
    uint8_t byte10, uint8_t byte11, uint8_t byte12, uint8_t byte13, uint8_t byte14,
    uint8_t byte15) {
  (void)allocator;
  const VaultCFUUIDBytes bytes = {
    byte0, byte1, byte2, byte3, byte4, byte5, byte6, byte7,
    byte8, byte9, byte10, byte11, byte12, byte13, byte14, byte15,
  };
  /* A list that only ever grows at its beginning, as that of the strings for literals. */
  static _Atomic(struct object *) list;
  struct object *first = atomic_load_explicit(&list, memory_order_acquire), *known = first;
  struct VaultCFUUID *made = NULL;
  for (;;) {
    for (known = first; known != NULL; known = known->next) {
      VaultCFUUIDRef uuid = (const void *)known;
      if (memcmp(&uuid->bytes, &bytes, sizeof bytes) != 0) continue;
      free(made);
      return uuid;
    }
    if (made == NULL) made = object_make(sizeof *made, kind_uuid);
    if (made == NULL) return NULL;
    made->bytes = bytes;
    made->object.is_constant = true;
    made->object.next = first;
    if (atomic_compare_exchange_weak_explicit(
            &list, &first, &made->object, memory_order_acq_rel, memory_order_acquire)) {
      return made;
    }
  }
}

VaultCFUUIDRef VaultCFUUIDCreate(VaultCFAllocatorRef allocator) {
  VaultCFUUIDBytes bytes;
  if (VaultRandomCopyBytes(NULL, sizeof bytes, &bytes) != errVaultSuccess) return NULL;
  /* RFC 9562, section 5.4: a random one. */
  bytes.byte6 = (uint8_t)((bytes.byte6 & 0x0F) | 0x40);
  bytes.byte8 = (uint8_t)((bytes.byte8 & 0x3F) | 0x80);
  return VaultCFUUIDCreateFromUUIDBytes(allocator, bytes);
}

VaultCFUUIDBytes VaultCFUUIDGetUUIDBytes(VaultCFUUIDRef uuid) {
  uuid = object_of(uuid, kind_uuid);
  return uuid == NULL ? (VaultCFUUIDBytes){0} : uuid->bytes;
}

VaultCFStringRef VaultCFUUIDCreateString(VaultCFAllocatorRef allocator, VaultCFUUIDRef uuid) {
  (void)allocator;
  return object_of(uuid, kind_uuid) == NULL ? NULL : VaultCFCopyDescription(uuid);
}

/* Returns the value of a hexadecimal digit; -1 for anything else. */
static int digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  const char small = (char)(letter | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

VaultCFUUIDRef VaultCFUUIDCreateFromString(
    VaultCFAllocatorRef allocator, VaultCFStringRef string) {
  string = object_of(string, kind_string);
  if (string == NULL || string->count != 36) return NULL;
  uint8_t bytes[16];
  size_t count = 0;
  for (size_t index = 0; index < 36;) {
    if (index == 8 || index == 13 || index == 18 || index == 23) {
      if (string->bytes[index] != '-') return NULL;
      index += 1;
      continue;
    }
    const int high = digit(string->bytes[index]), low = digit(string->bytes[index + 1]);
    if (high < 0 || low < 0) return NULL;
    bytes[count++] = (uint8_t)(high << 4 | low);
    index += 2;
  }
  VaultCFUUIDBytes whole;
  memcpy(&whole, bytes, sizeof whole);
  return VaultCFUUIDCreateFromUUIDBytes(allocator, whole);
}
