#ifndef VAULT_CZLIB_SHIM_H
#define VAULT_CZLIB_SHIM_H

#include <zlib.h>

// `inflateInit2` is a macro that passes the version and the size of the structure, which Swift
// does not import. A negative size of the window means raw data, as a zip file holds it.
static inline int vault_inflate_init(z_stream *stream) {
  return inflateInit2(stream, -MAX_WBITS);
}

#endif
