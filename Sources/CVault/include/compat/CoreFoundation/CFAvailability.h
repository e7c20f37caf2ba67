/*
 * The marks of declarations of Apple's headers, for those of programs. Their compiler checks them;
 * here an enumeration has its names, and the rest is left out.
 */
#ifndef VAULT_COMPAT_CFAVAILABILITY_H
#define VAULT_COMPAT_CFAVAILABILITY_H

#if defined(__cplusplus)
#define CF_EXTERN_C_BEGIN extern "C" {
#define CF_EXTERN_C_END }
#else
#define CF_EXTERN_C_BEGIN
#define CF_EXTERN_C_END
#endif
#define CF_EXPORT extern
#define CF_INLINE static inline

/* CF_ENUM(TYPE, NAME) or CF_ENUM(TYPE), before the braces; a typedef is before the first. */
#define VAULT_ENUM_NAMED(type, name) type name; enum
#define VAULT_ENUM_UNNAMED(type) enum
#define VAULT_ENUM(first, second, macro, ...) macro
#define CF_ENUM(...) \
  VAULT_ENUM(__VA_ARGS__, VAULT_ENUM_NAMED, VAULT_ENUM_UNNAMED, unused)(__VA_ARGS__)
#define CF_CLOSED_ENUM CF_ENUM
#define CF_OPTIONS(type, name) VAULT_ENUM_NAMED(type, name)

#define CF_ASSUME_NONNULL_BEGIN
#define CF_ASSUME_NONNULL_END
#define CF_AVAILABLE(...)
#define CF_AVAILABLE_MAC(...)
#define CF_BRIDGED_TYPE(type)
#define CF_CONSUMED
#define CF_DEPRECATED(...)
#define CF_NOESCAPE
#define CF_REFINED_FOR_SWIFT
#define CF_RELEASES_ARGUMENT
#define CF_RETURNS_NOT_RETAINED
#define CF_RETURNS_RETAINED
#define CF_SWIFT_NAME(name)
#if !defined(__clang__)
#define _Nonnull
#define _Nullable
#define _Null_unspecified
#endif

#endif
