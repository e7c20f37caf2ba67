/* Keeps a password with references of one type, which cgo sees as integers. */
#define VAULT_INTEGER_REFERENCES
#include <CFNetwork/CFNetwork.h>
#include <Security/Security.h>

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(99); \
    } \
  } while (0)

int main(int count, char **arguments) {
  char path[600];
  EXPECT(count == 2);
  snprintf(path, sizeof path, "%s/integers.vault", arguments[1]);
  SecKeychainRef keychain = 0;
  EXPECT(SecKeychainCreate(path, 8, "password", FALSE, 0, &keychain) == noErr);
  /* One type: each is converted to the others, and compared with 0. */
  CFTypeRef any = keychain;
  EXPECT(any != 0 && CFGetTypeID(any) == SecKeychainGetTypeID());
  CFStringRef service = CFStringCreateWithCString(kCFAllocatorDefault, "api", kCFStringEncodingUTF8);
  const void *keys[] = {
    (const void *)kSecClass, (const void *)kSecAttrService, (const void *)kSecUseKeychain,
  };
  const void *values[] = {
    (const void *)kSecClassGenericPassword, (const void *)service, (const void *)keychain,
  };
  CFDictionaryRef item = CFDictionaryCreate(
      kCFAllocatorDefault, keys, values, 3, &kCFTypeDictionaryKeyCallBacks,
      &kCFTypeDictionaryValueCallBacks);
  EXPECT(item != 0 && SecItemAdd(item, 0) == errSecSuccess);
  EXPECT(SecItemAdd(item, 0) == errSecDuplicateItem && SecItemCopyMatching(item, 0) == errSecSuccess);
  CFRelease(item);
  CFRelease(service);
  CFRelease(any);
  return 0;
}
