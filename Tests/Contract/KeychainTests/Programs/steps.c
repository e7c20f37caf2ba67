/*
 * Runs the steps that its arguments name on the default keychain and prints each status:
 * status, lock, unlock, unlock=PASSWORD, stray, find.
 */
#include <Security/Security.h>

int main(int count, char **words) {
  for (int index = 1; index < count; index++) {
    const char *word = words[index];
    OSStatus result;
    SecKeychainStatus status = 0;
    if (strcmp(word, "status") == 0) {
      result = SecKeychainGetStatus(NULL, &status);
      if (result == noErr) result = (OSStatus)status;
    } else if (strcmp(word, "lock") == 0) {
      result = SecKeychainLock(NULL);
    } else if (strcmp(word, "unlock") == 0) {
      result = SecKeychainUnlock(NULL, 0, NULL, FALSE);
    } else if (strncmp(word, "unlock=", 7) == 0) {
      result = SecKeychainUnlock(NULL, strlen(word + 7), word + 7, TRUE);
    } else if (strcmp(word, "stray") == 0) {
      /* A list with an element that is no keychain: searching it must not search the default one. */
      const void *values[] = {&status};
      CFArrayRef list = CFArrayCreate(kCFAllocatorDefault, values, 1, &kCFTypeArrayCallBacks);
      result = SecKeychainFindInternetPassword(
          list, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, kSecProtocolTypeAny,
          kSecAuthenticationTypeAny, NULL, NULL, NULL);
      if (list != NULL) CFRelease(list);
    } else {
      result = SecKeychainFindInternetPassword(
          NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, kSecProtocolTypeAny,
          kSecAuthenticationTypeAny, NULL, NULL, NULL);
    }
    printf("%d\n", (int)result);
  }
  return 0;
}
