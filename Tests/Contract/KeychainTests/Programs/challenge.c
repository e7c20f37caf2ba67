/*
 * Collects the credentials for an HTTP challenge in a dictionary, first from the keychain and else
 * from the arguments, and saves them, as Apple's guide to CFNetwork describes it.
 *
 *   challenge URL REALM [USER PASSWORD]
 */
#include <CoreFoundation/CoreFoundation.h>
#include <Security/Security.h>

/* CFHTTPAuthentication's names, which are not part of the keychain. */
#define kCFHTTPAuthenticationUsername CFSTR("kCFHTTPAuthenticationUsername")
#define kCFHTTPAuthenticationPassword CFSTR("kCFHTTPAuthenticationPassword")

static char *copyCString(CFStringRef string) {
  CFIndex size = CFStringGetMaximumSizeForEncoding(CFStringGetLength(string), kCFStringEncodingUTF8) + 1;
  char *buffer = malloc((size_t)size);
  CFStringGetCString(string, buffer, size, kCFStringEncodingUTF8);
  return buffer;
}

static OSStatus findCredentials(CFStringRef host, CFStringRef realm, CFMutableDictionaryRef credentials) {
  char *hostBuffer = copyCString(host), *realmBuffer = copyCString(realm);
  void *passwordData = NULL;
  UInt32 passwordLength = 0;
  SecKeychainItemRef itemRef = NULL;
  OSStatus err = SecKeychainFindInternetPassword(
      NULL, (UInt32)strlen(hostBuffer), hostBuffer, (UInt32)strlen(realmBuffer), realmBuffer, 0, NULL,
      0, NULL, 0, kSecProtocolTypeHTTPS, kSecAuthenticationTypeAny, &passwordLength, &passwordData,
      &itemRef);
  free(hostBuffer);
  free(realmBuffer);
  if (err != noErr) return err;

  SecKeychainAttribute attrs[] = {{kSecAccountItemAttr, 0, NULL}};
  SecKeychainAttributeList list = {1, attrs};
  err = SecKeychainItemCopyContent(itemRef, NULL, &list, NULL, NULL);
  if (err == noErr) {
    CFStringRef username = CFStringCreateWithBytes(
        kCFAllocatorDefault, attrs[0].data, attrs[0].length, kCFStringEncodingUTF8, FALSE);
    CFStringRef password = CFStringCreateWithBytes(
        kCFAllocatorDefault, passwordData, passwordLength, kCFStringEncodingUTF8, FALSE);
    CFDictionarySetValue(credentials, kCFHTTPAuthenticationUsername, username);
    CFDictionarySetValue(credentials, kCFHTTPAuthenticationPassword, password);
    CFRelease(username);
    CFRelease(password);
    SecKeychainItemFreeContent(&list, NULL);
  }
  SecKeychainItemFreeContent(NULL, passwordData);
  CFRelease(itemRef);
  return err;
}

static OSStatus saveCredentials(CFStringRef host, CFStringRef realm, CFDictionaryRef credentials) {
  char *hostBuffer = copyCString(host), *realmBuffer = copyCString(realm);
  char *username = copyCString(CFDictionaryGetValue(credentials, kCFHTTPAuthenticationUsername));
  char *password = copyCString(CFDictionaryGetValue(credentials, kCFHTTPAuthenticationPassword));
  CFStringRef label = CFStringCreateWithFormat(NULL, NULL, CFSTR("%@ (%@)"), host, realm);
  char *labelBuffer = copyCString(label);
  SecProtocolType protocol = kSecProtocolTypeHTTPS;
  SecKeychainAttribute attrs[] = {
    {kSecLabelItemAttr, (UInt32)strlen(labelBuffer), labelBuffer},
    {kSecAccountItemAttr, (UInt32)strlen(username), username},
    {kSecServerItemAttr, (UInt32)strlen(hostBuffer), hostBuffer},
    {kSecSecurityDomainItemAttr, (UInt32)strlen(realmBuffer), realmBuffer},
    {kSecProtocolItemAttr, sizeof protocol, &protocol},
  };
  SecKeychainAttributeList attributes = {sizeof attrs / sizeof attrs[0], attrs};
  SecKeychainItemRef item = NULL;
  OSStatus err = SecKeychainItemCreateFromContent(
      kSecInternetPasswordItemClass, &attributes, (UInt32)strlen(password), password, NULL, NULL, &item);
  if (item != NULL) CFRelease(item);
  CFRelease(label);
  free(labelBuffer);
  free(username);
  free(password);
  free(hostBuffer);
  free(realmBuffer);
  return err;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 5) return 64;
  CFStringRef host = CFStringCreateWithCString(NULL, argv[1], kCFStringEncodingUTF8);
  CFStringRef realm = CFStringCreateWithCString(NULL, argv[2], kCFStringEncodingUTF8);
  CFMutableDictionaryRef credentials = CFDictionaryCreateMutable(
      kCFAllocatorDefault, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  OSStatus err = findCredentials(host, realm, credentials);
  if (err == errSecItemNotFound && argc == 5) {
    CFStringRef user = CFStringCreateWithCString(NULL, argv[3], kCFStringEncodingUTF8);
    CFStringRef pass = CFStringCreateWithCString(NULL, argv[4], kCFStringEncodingUTF8);
    CFDictionarySetValue(credentials, kCFHTTPAuthenticationUsername, user);
    CFDictionarySetValue(credentials, kCFHTTPAuthenticationPassword, pass);
    CFRelease(user);
    CFRelease(pass);
    err = saveCredentials(host, realm, credentials);
    printf("saved: %d\n", (int)err);
  }
  if (err == noErr && CFDictionaryContainsKey(credentials, kCFHTTPAuthenticationUsername)) {
    char *user = copyCString(CFDictionaryGetValue(credentials, kCFHTTPAuthenticationUsername));
    char *pass = copyCString(CFDictionaryGetValue(credentials, kCFHTTPAuthenticationPassword));
    printf("%s:%s\n", user, pass);
    free(user);
    free(pass);
  }
  CFRelease(credentials);
  CFRelease(host);
  CFRelease(realm);
  return err == noErr ? 0 : 1;
}
