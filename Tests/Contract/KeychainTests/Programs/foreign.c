/* Uses the keychain with the CoreFoundation of a Swift toolchain, whose header comes first. */
#include <CoreFoundation/CoreFoundation.h>

#include <Security/Security.h>
#include <stdio.h>

int main(void) {
  OSStatus status = SecKeychainFindInternetPassword(
      NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, kSecProtocolTypeAny, kSecAuthenticationTypeAny,
      NULL, NULL, NULL);
  CFStringRef message = SecCopyErrorMessageString(status, NULL);
  char text[128];
  CFStringGetCString(message, text, sizeof text, kCFStringEncodingUTF8);
  CFRelease(message);
  printf("%d: %s\n", (int)status, text);
  return 0;
}
