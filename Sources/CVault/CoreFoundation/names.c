/* The texts of Apple's constants, which their headers have. */
#define VAULT_DEFINES_TEXTS
#include "../include/compat/CFNetwork/CFNetwork.h"
#include "../include/compat/Security/Security.h"
