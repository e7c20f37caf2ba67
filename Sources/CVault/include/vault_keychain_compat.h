/*
 * Apple's names for the keychain's interface, so that C code limited to it compiles unchanged.
 *
 * A program that includes <Security/Security.h> finds the headers of the folder `compat` with it on
 * its include path. Beside the CoreFoundation of a Swift toolchain, they leave its names alone: see
 * compat/CoreFoundation/CoreFoundation.h.
 */
#ifndef VAULT_KEYCHAIN_COMPAT_H
#define VAULT_KEYCHAIN_COMPAT_H

#include "compat/Security/Security.h"

#endif
