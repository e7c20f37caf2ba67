#ifndef VAULT_CFLEET_POSTGRES_SHIM_H
#define VAULT_CFLEET_POSTGRES_SHIM_H

#include <libpq-fe.h>

#endif
