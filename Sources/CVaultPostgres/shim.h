#ifndef VAULT_CPOSTGRES_SHIM_H
#define VAULT_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#endif
