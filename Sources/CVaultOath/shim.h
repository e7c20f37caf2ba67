#ifndef VAULT_COATH_SHIM_H
#define VAULT_COATH_SHIM_H

#include <liboath/oath.h>

#endif
