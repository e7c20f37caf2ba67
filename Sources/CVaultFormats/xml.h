#ifndef VAULT_CEXPAT_SHIM_H
#define VAULT_CEXPAT_SHIM_H

#include <expat.h>

#endif
