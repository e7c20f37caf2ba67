#ifndef VAULT_CIDN2_SHIM_H
#define VAULT_CIDN2_SHIM_H

#include <idn2.h>

#endif
