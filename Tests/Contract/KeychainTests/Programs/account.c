/*
 * Keeps one account's password in the default keychain, as programs for macOS do.
 *
 *   account store|find|change|forget SERVER ACCOUNT [PASSWORD]
 */
#include <Security/Security.h>
#include <stdio.h>
#include <string.h>

static int report(const char *action, OSStatus status) {
  CFStringRef message = SecCopyErrorMessageString(status, NULL);
  char text[200];
  if (message != NULL && CFStringGetCString(message, text, sizeof text, kCFStringEncodingUTF8)) {
    fprintf(stderr, "%s: %s (%d)\n", action, text, (int)status);
  } else {
    fprintf(stderr, "%s: error %d\n", action, (int)status);
  }
  if (message != NULL) CFRelease(message);
  return 1;
}

static OSStatus find(
    const char *server, const char *account, UInt32 *length, void **password,
    SecKeychainItemRef *item) {
  return SecKeychainFindInternetPassword(
      NULL, strlen(server), server, 0, NULL, strlen(account), account, 0, NULL, 0,
      kSecProtocolTypeHTTPS, kSecAuthenticationTypeDefault, length, password, item);
}

static int store(const char *server, const char *account, const char *password) {
  OSStatus status = SecKeychainAddInternetPassword(
      NULL, strlen(server), server, 0, NULL, strlen(account), account, 0, NULL, 0,
      kSecProtocolTypeHTTPS, kSecAuthenticationTypeDefault, strlen(password), password, NULL);
  if (status == errSecDuplicateItem) {
    SecKeychainItemRef item = NULL;
    status = find(server, account, NULL, NULL, &item);
    if (status != errSecSuccess) return report("find", status);
    status = SecKeychainItemModifyContent(item, NULL, strlen(password), password);
    CFRelease(item);
    if (status == noErr) puts("changed");
  } else if (status == noErr) {
    puts("added");
  }
  return status == noErr ? 0 : report("store", status);
}

static int show(const char *server, const char *account) {
  UInt32 length = 0;
  void *password = NULL;
  SecKeychainItemRef item = NULL;
  OSStatus status = find(server, account, &length, &password, &item);
  if (status != errSecSuccess) return report("find", status);
  printf("%.*s\n", (int)length, (const char *)password);
  SecKeychainItemFreeContent(NULL, password);

  SecKeychainAttribute attributes[] = {
    {kSecLabelItemAttr, 0, NULL},
    {kSecProtocolItemAttr, 0, NULL},
    {kSecAuthenticationTypeItemAttr, 0, NULL},
    {kSecCommentItemAttr, 0, NULL},
  };
  SecKeychainAttributeList list = {sizeof attributes / sizeof attributes[0], attributes};
  SecItemClass itemClass = 0;
  status = SecKeychainItemCopyContent(item, &itemClass, &list, NULL, NULL);
  if (status != noErr) return report("copy", status);
  FourCharCode protocol;
  memcpy(&protocol, attributes[1].data, sizeof protocol);
  printf(
      "%.*s, %s, %.4s, %s\n", (int)attributes[0].length, (const char *)attributes[0].data,
      protocol == kSecProtocolTypeHTTPS ? "https" : "other", (const char *)attributes[2].data,
      attributes[3].data == NULL ? "no comment" : (const char *)attributes[3].data);
  SecKeychainItemFreeContent(&list, NULL);
  CFRelease(item);
  return itemClass == kSecInternetPasswordItemClass ? 0 : 1;
}

static int change(const char *server, const char *account, const char *name) {
  SecKeychainItemRef item = NULL;
  OSStatus status = find(server, account, NULL, NULL, &item);
  if (status != noErr) return report("find", status);
  SecKeychainAttribute attributes[] = {
    {kSecAccountItemAttr, (UInt32)strlen(name), (void *)name},
    {kSecCommentItemAttr, 7, (void *)"renamed"},
  };
  SecKeychainAttributeList list = {2, attributes};
  status = SecKeychainItemModifyAttributesAndData(item, &list, 0, NULL);
  CFRelease(item);
  return status == noErr ? 0 : report("change", status);
}

static int forget(const char *server, const char *account) {
  SecKeychainItemRef item = NULL;
  OSStatus status = find(server, account, NULL, NULL, &item);
  if (status != noErr) return report("find", status);
  status = SecKeychainItemDelete(item);
  CFRelease(item);
  return status == noErr ? 0 : report("forget", status);
}

int main(int count, char **words) {
  if (count < 4) return 64;
  const char *last = count > 4 ? words[4] : "";
  if (strcmp(words[1], "store") == 0) return store(words[2], words[3], last);
  if (strcmp(words[1], "find") == 0) return show(words[2], words[3]);
  if (strcmp(words[1], "change") == 0) return change(words[2], words[3], last);
  if (strcmp(words[1], "forget") == 0) return forget(words[2], words[3]);
  return 64;
}
