/* Apple's name for vault_keychain_compat.h. */
#include <vault_keychain_compat.h>
