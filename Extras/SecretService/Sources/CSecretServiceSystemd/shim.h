#ifndef SECRET_SERVICE_SYSTEMD_SHIM_H
#define SECRET_SERVICE_SYSTEMD_SHIM_H

#include <sys/eventfd.h>
#include <systemd/sd-bus.h>

#endif
