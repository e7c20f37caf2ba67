/*
 * Prints the persistent reference to a service's password, or the password of such a reference.
 *
 *   reference make SERVICE | read REFERENCE | secret REFERENCE
 */
#include <Security/Security.h>
#include <stdio.h>
#include <string.h>

static int make(const char *service) {
  SecKeychainItemRef item = NULL;
  CFDataRef reference = NULL;
  OSStatus status = SecKeychainFindGenericPassword(
      NULL, (UInt32)strlen(service), service, 0, NULL, NULL, NULL, &item);
  if (status == noErr) status = SecKeychainItemCreatePersistentReference(item, &reference);
  if (item != NULL) CFRelease(item);
  if (status != noErr) return 1;
  for (CFIndex i = 0; i < CFDataGetLength(reference); i++) printf("%02x", CFDataGetBytePtr(reference)[i]);
  printf("\n");
  CFRelease(reference);
  return 0;
}

static CFDataRef parse(const char *digits) {
  CFMutableDataRef data = CFDataCreateMutable(NULL, 0);
  unsigned int byte;
  for (; sscanf(digits, "%2x", &byte) == 1; digits += 2) {
    UInt8 one = (UInt8)byte;
    CFDataAppendBytes(data, &one, 1);
  }
  return data;
}

/* By SecKeychain. */
static int show(CFDataRef reference) {
  SecKeychainItemRef item = NULL;
  OSStatus status = SecKeychainItemCopyFromPersistentReference(reference, &item);
  if (status != noErr) return 1;
  UInt32 length = 0;
  void *data = NULL;
  status = SecKeychainItemCopyContent(item, NULL, NULL, &length, &data);
  if (status == noErr) printf("%.*s\n", (int)length, (char *)data);
  SecKeychainItemFreeContent(NULL, data);
  CFRelease(item);
  return status == noErr ? 0 : 1;
}

/* By SecItem. */
static int secret(CFDataRef reference) {
  const void *keys[] = {kSecValuePersistentRef, kSecReturnData};
  const void *values[] = {reference, kCFBooleanTrue};
  CFDictionaryRef query = CFDictionaryCreate(
      NULL, keys, values, 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  CFTypeRef result = NULL;
  OSStatus status = SecItemCopyMatching(query, &result);
  CFRelease(query);
  if (status != errSecSuccess) return 1;
  printf("%.*s\n", (int)CFDataGetLength(result), (const char *)CFDataGetBytePtr(result));
  CFRelease(result);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  if (strcmp(argv[1], "make") == 0) return make(argv[2]);
  CFDataRef reference = parse(argv[2]);
  int status = strcmp(argv[1], "read") == 0 ? show(reference) : secret(reference);
  CFRelease(reference);
  return status;
}
