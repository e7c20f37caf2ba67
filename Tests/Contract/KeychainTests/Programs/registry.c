/*
 * Keeps the passwords of registries under a label, as container tools' helpers do.
 *
 *   registry add HOST PATH USER SECRET | get HOST PATH | delete HOST PATH | list
 */
#include <CoreFoundation/CoreFoundation.h>
#include <Security/Security.h>
#include <stdio.h>
#include <string.h>

static const char label[] = "Registry Credentials";

static char *get_error(OSStatus status) {
  char *buf = malloc(128);
  CFStringRef str = SecCopyErrorMessageString(status, NULL);
  int success = CFStringGetCString(str, buf, 128, kCFStringEncodingUTF8);
  if (!success) strncpy(buf, "Unknown error", 128);
  CFRelease(str);
  return buf;
}

static char *keychain_add(char *host, char *path, char *username, char *secret) {
  SecKeychainItemRef item;
  OSStatus status = SecKeychainAddInternetPassword(
      NULL, strlen(host), host, 0, NULL, strlen(username), username, strlen(path), path, 0,
      kSecProtocolTypeHTTPS, kSecAuthenticationTypeDefault, strlen(secret), secret, &item);
  if (status) return get_error(status);

  SecKeychainAttribute attribute;
  SecKeychainAttributeList attributes;
  attribute.tag = kSecLabelItemAttr;
  attribute.data = (char *)label;
  attribute.length = strlen(label);
  attributes.count = 1;
  attributes.attr = &attribute;
  status = SecKeychainItemModifyContent(item, &attributes, strlen(secret), secret);
  CFRelease(item);
  return status ? get_error(status) : NULL;
}

static char *keychain_get(
    char *host, char *path, unsigned int *username_l, char **username, unsigned int *secret_l,
    char **secret) {
  char *tmp;
  SecKeychainItemRef item;
  OSStatus status = SecKeychainFindInternetPassword(
      NULL, strlen(host), host, 0, NULL, 0, NULL, strlen(path), path, 0, kSecProtocolTypeHTTPS,
      kSecAuthenticationTypeDefault, secret_l, (void **)&tmp, &item);
  if (status) return get_error(status);
  *secret = strndup(tmp, *secret_l);
  SecKeychainItemFreeContent(NULL, tmp);

  SecKeychainAttributeList list;
  SecKeychainAttribute attr;
  list.count = 1;
  list.attr = &attr;
  attr.tag = kSecAccountItemAttr;
  status = SecKeychainItemCopyContent(item, NULL, &list, NULL, NULL);
  if (status) return get_error(status);
  *username = strndup(attr.data, attr.length);
  *username_l = attr.length;
  SecKeychainItemFreeContent(&list, NULL);
  CFRelease(item);
  return NULL;
}

static char *keychain_delete(char *host, char *path) {
  SecKeychainItemRef item;
  OSStatus status = SecKeychainFindInternetPassword(
      NULL, strlen(host), host, 0, NULL, 0, NULL, strlen(path), path, 0, kSecProtocolTypeHTTPS,
      kSecAuthenticationTypeDefault, 0, NULL, &item);
  if (status) return get_error(status);
  status = SecKeychainItemDelete(item);
  CFRelease(item);
  return status ? get_error(status) : NULL;
}

static char *CFStringToCharArr(CFStringRef aString) {
  if (aString == NULL) return NULL;
  CFIndex length = CFStringGetLength(aString);
  CFIndex maxSize = CFStringGetMaximumSizeForEncoding(length, kCFStringEncodingUTF8) + 1;
  char *buffer = (char *)malloc((size_t)maxSize);
  if (CFStringGetCString(aString, buffer, maxSize, kCFStringEncodingUTF8)) return buffer;
  free(buffer);
  return NULL;
}

static char *keychain_list(void) {
  CFStringRef labelString = CFStringCreateWithCString(NULL, label, kCFStringEncodingUTF8);
  CFMutableDictionaryRef query = CFDictionaryCreateMutable(NULL, 1, NULL, NULL);
  CFDictionaryAddValue(query, kSecClass, kSecClassInternetPassword);
  CFDictionaryAddValue(query, kSecReturnAttributes, kCFBooleanTrue);
  CFDictionaryAddValue(query, kSecMatchLimit, kSecMatchLimitAll);
  CFDictionaryAddValue(query, kSecAttrLabel, labelString);
  CFTypeRef result = NULL;
  OSStatus status = SecItemCopyMatching(query, &result);
  CFRelease(labelString);
  CFRelease(query);
  if (status) return get_error(status);

  CFIndex numKeys = CFArrayGetCount(result);
  for (CFIndex i = 0; i < numKeys; i++) {
    CFDictionaryRef currKey = CFArrayGetValueAtIndex(result, i);
    CFStringRef protocolTmp = CFDictionaryGetValue(currKey, CFSTR("ptcl"));
    if (protocolTmp == NULL) continue;
    CFStringRef protocolStr = CFStringCreateWithFormat(NULL, NULL, CFSTR("%@"), protocolTmp);
    int isHTTPS = CFStringCompare(protocolStr, CFSTR("htps"), 0) == kCFCompareEqualTo;
    CFRelease(protocolStr);
    if (!isHTTPS) continue;
    CFStringRef serverTmp = CFDictionaryGetValue(currKey, CFSTR("srvr"));
    CFStringRef pathTmp = CFDictionaryGetValue(currKey, CFSTR("path"));
    CFStringRef acctTmp = CFDictionaryGetValue(currKey, CFSTR("acct"));
    CFStringRef url = CFStringCreateWithFormat(
        NULL, NULL, CFSTR("https://%@%@"), serverTmp, pathTmp == NULL ? CFSTR("") : pathTmp);
    char *line = CFStringToCharArr(url), *account = CFStringToCharArr(acctTmp);
    printf("%s %s\n", line, account == NULL ? "(none)" : account);
    free(line);
    free(account);
    CFRelease(url);
  }
  CFRelease(result);
  return NULL;
}

int main(int argc, char **argv) {
  char *error = NULL;
  if (argc == 6 && strcmp(argv[1], "add") == 0) {
    error = keychain_add(argv[2], argv[3], argv[4], argv[5]);
  } else if (argc == 4 && strcmp(argv[1], "get") == 0) {
    unsigned int username_l, secret_l;
    char *username = NULL, *secret = NULL;
    error = keychain_get(argv[2], argv[3], &username_l, &username, &secret_l, &secret);
    if (error == NULL) printf("%s (%u) %s (%u)\n", username, username_l, secret, secret_l);
    free(username);
    free(secret);
  } else if (argc == 4 && strcmp(argv[1], "delete") == 0) {
    error = keychain_delete(argv[2], argv[3]);
  } else if (argc == 2 && strcmp(argv[1], "list") == 0) {
    error = keychain_list();
  } else {
    return 64;
  }
  if (error == NULL) return 0;
  fprintf(stderr, "%s\n", error);
  free(error);
  return 1;
}
