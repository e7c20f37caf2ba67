#ifndef VAULT_CSYSTEMD_SHIM_H
#define VAULT_CSYSTEMD_SHIM_H

#include <systemd/sd-bus.h>

#endif
