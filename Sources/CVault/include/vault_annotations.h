/* The marks of pointers in the headers of the library: see vault.h. */
#ifndef VAULT_ANNOTATIONS_H
#define VAULT_ANNOTATIONS_H

/*
 * References are pointers, which for cgo are integers of their size: Go's collector takes a pointer
 * for one of its own, and Go's code compares references with 0 and converts each to the others, as
 * on Apple's systems. A type of this name of EGL's, and each that is defined by it, is Go's uintptr.
 */
#if defined(VAULT_INTEGER_REFERENCES)
typedef void *EGLDisplay;
#define VAULT_REFERENCE(type) EGLDisplay
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
