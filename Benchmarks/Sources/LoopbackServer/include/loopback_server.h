#pragma once
#include <stdint.h>

/// Starts an HTTP server on 127.0.0.1, in threads of this process, one a connection, which it keeps open.
///
/// `/basic` and `/digest` ask for a login by that scheme and take any; it says the same few bytes to each, for a path that ends in `/slow` after 2 ms. Returns the port,
/// or 0 if there is none to be had. It ends with the process.
uint16_t loopback_server_start(void);

/// Starts the same server in a process of its own, whose time is not this one's; no thread may run before.
uint16_t loopback_server_start_apart(void);
