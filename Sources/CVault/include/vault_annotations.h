/* The marks of pointers in the headers of the library: see vault.h. */
#ifndef VAULT_ANNOTATIONS_H
#define VAULT_ANNOTATIONS_H

/*
 * References are pointers, or integers of their size for cgo: Go's collector takes a pointer for one
 * of its own, and Go's code compares references with 0 and converts each to the others, as on
 * Apple's systems.
 */
#if defined(VAULT_INTEGER_REFERENCES)
#include <stdint.h>
#define VAULT_REFERENCE(type) uintptr_t
#else
#define VAULT_REFERENCE(type) type *
#endif

/* Both are checked at run time, so a compiler treats them alike. */
#if defined(__clang__) && !defined(VAULT_INTEGER_REFERENCES)
#define VAULT_NULLABLE _Nullable
#define VAULT_REQUIRED _Nullable
#else
#define VAULT_NULLABLE
#define VAULT_REQUIRED
#endif

#endif
