#ifndef SECRET_SERVICE_CRYPTO_SHIM_H
#define SECRET_SERVICE_CRYPTO_SHIM_H

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#endif
