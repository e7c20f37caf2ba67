/*
 * Lists the items of a protocol in several keychains, deletes a user's, and locks the first.
 *
 *   inventory PROTOCOL ACCOUNT PASSPHRASE KEYCHAIN...
 *
 * PROTOCOL is a four-character code, ACCOUNT the user whose items are deleted.
 */
#include <CoreFoundation/CoreFoundation.h>
#include <Security/Security.h>

enum { kMostKeychains = 8 };

static void check(OSStatus status, const char *action) {
  if (status == noErr) return;
  CFStringRef message = SecCopyErrorMessageString(status, NULL);
  fprintf(
      stderr, "%s: %s\n", action,
      message == NULL ? "?" : CFStringGetCStringPtr(message, kCFStringEncodingUTF8));
  if (message != NULL) CFRelease(message);
  exit(1);
}

static void print(const SecKeychainAttribute *attribute) {
  if (attribute->data == NULL) {
    printf(" -");
  } else if (attribute->tag == kSecPortItemAttr) {
    printf(" %u", *(const UInt32 *)attribute->data);
  } else {
    printf(" %.*s", (int)attribute->length, (const char *)attribute->data);
  }
}

static void printItem(SecKeychainItemRef item) {
  UInt32 tags[] = {kSecServerItemAttr, kSecAccountItemAttr, kSecPortItemAttr, kSecPathItemAttr};
  UInt32 formats[] = {
    CSSM_DB_ATTRIBUTE_FORMAT_BLOB, CSSM_DB_ATTRIBUTE_FORMAT_BLOB, CSSM_DB_ATTRIBUTE_FORMAT_UINT32,
    CSSM_DB_ATTRIBUTE_FORMAT_BLOB,
  };
  SecKeychainAttributeInfo info = {4, tags, formats};
  SecKeychainAttributeList *list = NULL;
  UInt32 length = 0;
  void *password = NULL;
  check(
      SecKeychainItemCopyAttributesAndData(item, &info, NULL, &list, &length, &password), "copy");
  printf("item");
  for (UInt32 index = 0; index < list->count; index++) print(&list->attr[index]);
  printf(" (%u)\n", length);
  check(SecKeychainItemFreeAttributesAndData(list, password), "free");
}

int main(int count, char **words) {
  if (count < 5 || count - 4 > kMostKeychains || strlen(words[1]) != 4) return 64;

  SecKeychainRef keychains[kMostKeychains];
  CFIndex keychainCount = count - 4;
  for (CFIndex index = 0; index < keychainCount; index++) {
    check(SecKeychainOpen(words[index + 4], &keychains[index]), "open");
    SecKeychainStatus status = 0;
    check(SecKeychainGetStatus(keychains[index], &status), "status");
    if ((status & kSecUnlockStateStatus) == 0) {
      check(
          SecKeychainUnlock(keychains[index], strlen(words[3]), words[3], TRUE), "unlock");
    }
  }
  CFArrayRef list = CFArrayCreate(
      kCFAllocatorDefault, (const void **)keychains, keychainCount, &kCFTypeArrayCallBacks);

  SecProtocolType protocol = (SecProtocolType)(UInt8)words[1][0] << 24 | (UInt8)words[1][1] << 16 |
      (UInt8)words[1][2] << 8 | (UInt8)words[1][3];
  SecKeychainAttribute attribute = {kSecProtocolItemAttr, sizeof protocol, &protocol};
  SecKeychainAttributeList attributes = {1, &attribute};
  SecKeychainSearchRef search = NULL;
  check(
      SecKeychainSearchCreateFromAttributes(
          list, kSecInternetPasswordItemClass, &attributes, &search),
      "search");
  SecKeychainItemRef item = NULL;
  OSStatus status;
  while ((status = SecKeychainSearchCopyNext(search, &item)) == noErr) {
    printItem(item);
    CFRelease(item);
  }
  if (status != errSecItemNotFound) check(status, "next");
  CFRelease(search);

  while ((status = SecKeychainFindInternetPassword(
              list, 0, NULL, 0, NULL, strlen(words[2]), words[2], 0, NULL, 0, kSecProtocolTypeAny,
              kSecAuthenticationTypeAny, NULL, NULL, &item)) == noErr) {
    check(SecKeychainItemDelete(item), "delete");
    printf("deleted one of %s\n", words[2]);
    CFRelease(item);
  }
  if (status != errSecItemNotFound) check(status, "find");

  check(SecKeychainLock(keychains[0]), "lock");
  status = SecKeychainFindInternetPassword(
      list, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, protocol, kSecAuthenticationTypeAny, NULL, NULL,
      NULL);
  printf("locked: %s\n", status == errSecInteractionNotAllowed ? "yes" : "no");

  CFRelease(list);
  for (CFIndex index = 0; index < keychainCount; index++) CFRelease(keychains[index]);
  return 0;
}
