#pragma once
#include <stddef.h>

/// Makes a chain of a leaf for `www.example.com` and for clients, its authority and a root, of P-256. A second call does nothing.
///
/// Returns 0, or -1 if libcrypto fails.
int peer_trust_make(void);

/// Copies one of the three certificates, the leaf first. Returns its length in DER, or 0.
size_t peer_trust_copy(int index, unsigned char *bytes, size_t capacity);

/// Copies the leaf's private key. Returns its length in PKCS #8, or 0.
size_t peer_trust_copy_key(unsigned char *bytes, size_t capacity);

/// Validates the leaf and its authority for the host, with the root as the only anchor.
///
/// The certificates are parsed before, or each time if `parses` is set; the store is made once. Returns 0 if the chain
/// is valid.
int peer_trust_evaluate(int parses);
