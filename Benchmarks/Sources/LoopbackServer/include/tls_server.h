#pragma once
#include <stdint.h>

/// Starts a server with TLS on 127.0.0.1, in a process of its own, which ends with this one.
///
/// It asks for a certificate of the anchor, resumes no session, and closes the connection after each
/// page. All texts are PEM. Returns the port, or 0 if there is none to be had. No thread may run
/// before.
uint16_t tls_server_start(const char *certificates, const char *key, const char *anchor);
