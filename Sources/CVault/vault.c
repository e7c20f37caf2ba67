/* SwiftPM requires a source file for a target; the functions are implemented in VaultC. */
#include "vault.h"

_Static_assert(sizeof(vault_status_t) == sizeof(int32_t), "a status is 32 bits wide");
