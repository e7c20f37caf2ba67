/*
 * Adds, finds, changes and deletes items by SecItem from 8 threads, which share a dictionary, a
 * reference and the constants; in a file, then in memory.
 *
 * Usage: items COUNT FOLDER
 */
#include <Security/Security.h>
#include <pthread.h>

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, vault_last_error()); \
      exit(99); \
    } \
  } while (0)

enum { thread_count = 8 };

static int item_count;
static CFDictionaryRef common;
static CFTypeRef shared;

/* Returns a dictionary of one item, which adds to the common one. */
static CFMutableDictionaryRef item(int number) {
  CFMutableDictionaryRef made = CFDictionaryCreateMutableCopy(NULL, 0, common);
  CFStringRef account = CFStringCreateWithFormat(NULL, NULL, CFSTR("user %d"), number);
  CFDictionarySetValue(made, kSecAttrAccount, account);
  CFRelease(account);
  return made;
}

static void once(int number) {
  CFMutableDictionaryRef query = item(number);
  CFStringRef text = CFStringCreateWithFormat(NULL, NULL, CFSTR("secret %d"), number);
  CFDataRef secret = CFStringCreateExternalRepresentation(NULL, text, kCFStringEncodingUTF8, 0);
  CFDictionarySetValue(query, kSecValueData, secret);
  EXPECT(SecItemAdd(query, NULL) == errSecSuccess);
  EXPECT(SecItemAdd(query, NULL) == errSecDuplicateItem);
  CFDictionaryRemoveValue(query, kSecValueData);

  CFTypeRef result = NULL;
  CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
  EXPECT(SecItemCopyMatching(query, &result) == errSecSuccess && CFEqual(result, secret));
  CFRelease(result);
  CFDictionaryRemoveValue(query, kSecReturnData);
  EXPECT(CFEqual(CFRetain(shared), shared));
  CFRelease(shared);
  EXPECT(CFGetTypeID(shared) == SecKeychainItemGetTypeID());

  const void *key = kSecAttrComment, *value = text;
  CFDictionaryRef changes = CFDictionaryCreate(
      NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  EXPECT(SecItemUpdate(query, changes) == errSecSuccess);
  CFRelease(changes);
  EXPECT(SecItemDelete(query) == errSecSuccess);
  EXPECT(SecItemCopyMatching(query, NULL) == errSecItemNotFound);
  CFRelease(secret);
  CFRelease(text);
  CFRelease(query);
}

static void *run(void *number) {
  for (int index = *(int *)number; index < item_count; index += thread_count) once(index);
  return NULL;
}

static void stress(vault_t *vault) {
  EXPECT(SecKeychainSetDefault(vault) == noErr);
  const void *keys[] = {kSecClass, kSecAttrService};
  const void *values[] = {kSecClassGenericPassword, CFSTR("stress")};
  common = CFDictionaryCreate(
      NULL, keys, values, 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  CFMutableDictionaryRef first = item(-1);
  CFDictionarySetValue(first, kSecReturnRef, kCFBooleanTrue);
  EXPECT(SecItemAdd(first, &shared) == noErr);

  pthread_t threads[thread_count];
  int numbers[thread_count];
  for (int index = 0; index < thread_count; index += 1) {
    numbers[index] = index;
    EXPECT(pthread_create(&threads[index], NULL, run, &numbers[index]) == 0);
  }
  for (int index = 0; index < thread_count; index += 1) pthread_join(threads[index], NULL);

  CFTypeRef left = NULL;
  CFDictionarySetValue(first, kSecMatchLimit, kSecMatchLimitAll);
  CFDictionarySetValue(first, kSecReturnAttributes, kCFBooleanTrue);
  EXPECT(SecItemCopyMatching(first, &left) == noErr && CFArrayGetCount(left) == 1);
  CFRelease(left);
  CFRelease(first);
  CFRelease(shared);
  CFRelease(common);
  EXPECT(SecKeychainSetDefault(NULL) == noErr);
  CFRelease(vault);
}

int main(int count, char **arguments) {
  EXPECT(count == 3);
  item_count = atoi(arguments[1]);
  char path[600];
  snprintf(path, sizeof path, "%s/items.vault", arguments[2]);
  vault_t *vault = NULL;
  EXPECT(vault_create_with_key_file(path, getenv("VAULTCTL_KEY_FILE"), &vault) == VAULT_OK);
  stress(vault);
  EXPECT(vault_open_in_memory(&vault) == VAULT_OK);
  stress(vault);
  return 0;
}
