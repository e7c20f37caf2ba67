#ifndef VAULT_CCRYPTO_SHIM_H
#define VAULT_CCRYPTO_SHIM_H

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#endif
