#ifndef VAULT_CCRYPTO_SHIM_H
#define VAULT_CCRYPTO_SHIM_H

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/objects.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Swift does not import macros that combine others. A name as in RFC 2253, in UTF-8.
static const unsigned long vault_name_flags = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;

#endif
