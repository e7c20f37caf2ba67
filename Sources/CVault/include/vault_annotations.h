/* The marks of pointers in the headers of the library: see vault.h. */
#ifndef VAULT_ANNOTATIONS_H
#define VAULT_ANNOTATIONS_H

/* Both are checked at run time, so a compiler treats them alike. */
#if defined(__clang__)
#define VAULT_NULLABLE _Nullable
#define VAULT_REQUIRED _Nullable
#else
#define VAULT_NULLABLE
#define VAULT_REQUIRED
#endif

#endif
