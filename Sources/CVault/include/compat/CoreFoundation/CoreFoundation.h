/* Apple's place for what vault_keychain_compat.h has. */
#include <vault_keychain_compat.h>
