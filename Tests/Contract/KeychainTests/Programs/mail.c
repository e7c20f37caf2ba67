/*
 * Prints the password of a mail account, as mail programs look one up.
 *
 *   mail smtp|imap HOST USER
 */
#include <Security/Security.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *password_get(const char *host, const char *user, SecProtocolType protocol) {
  char *password = NULL;
  void *secret;
  UInt32 length;

  if (SecKeychainFindInternetPassword(
          NULL, (UInt32)strlen(host), host, 0, NULL, (UInt32)strlen(user), user, 0, (char *)NULL, 0,
          protocol, kSecAuthenticationTypeDefault, &length, &secret, NULL) == noErr) {
    password = malloc((size_t)length + 1);
    if (password != NULL) {
      strncpy(password, (char *)secret, (size_t)length);
      password[length] = '\0';
    }
    SecKeychainItemFreeContent(NULL, secret);
  }
  return password;
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  SecProtocolType protocol = strcmp(argv[1], "smtp") == 0 ? kSecProtocolTypeSMTP : kSecProtocolTypeIMAP;
  char *password = password_get(argv[2], argv[3], protocol);
  if (password == NULL) {
    fprintf(stderr, "no password for %s at %s\n", argv[3], argv[2]);
    return 1;
  }
  puts(password);
  free(password);
  return 0;
}
