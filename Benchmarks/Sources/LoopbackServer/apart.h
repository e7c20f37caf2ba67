#pragma once
#include <stdint.h>

/// Serves on 127.0.0.1 in a process of its own, one connection after the other; it ends with this
/// process. Returns the port, or 0.
uint16_t serve_apart(void (*serve)(int client));
