#ifndef VAULT_CGSS_SHIM_H
#define VAULT_CGSS_SHIM_H

/*
 * GSSAPI (RFC 2744 appendix A, and MIT's extensions), by functions of a library that is loaded when
 * it is first needed: a program that never logs in by it runs without it.
 */

#include <dlfcn.h>
#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct vault_gss_oid {
  uint32_t length;
  void *elements;
} vault_gss_oid;

typedef struct vault_gss_oids {
  size_t count;
  vault_gss_oid *elements;
} vault_gss_oids;

typedef struct vault_gss_buffer {
  size_t length;
  void *value;
} vault_gss_buffer;

typedef struct vault_gss_buffers {
  size_t count;
  vault_gss_buffer *elements;
} vault_gss_buffers;

typedef struct vault_gss_bindings {
  uint32_t initiator_type;
  vault_gss_buffer initiator;
  uint32_t acceptor_type;
  vault_gss_buffer acceptor;
  vault_gss_buffer application;
} vault_gss_bindings;

typedef struct vault_gss_pair {
  const char *key;
  const char *value;
} vault_gss_pair;

typedef struct vault_gss_store {
  uint32_t count;
  vault_gss_pair *elements;
} vault_gss_store;

typedef struct vault_gss {
  uint32_t (*import_name)(uint32_t *, vault_gss_buffer *, vault_gss_oid *, void **);
  uint32_t (*release_name)(uint32_t *, void **);
  uint32_t (*acquire)(uint32_t *, void *, uint32_t, vault_gss_oids *, int, void **, vault_gss_oids **,
                      uint32_t *);
  uint32_t (*acquire_by_password)(uint32_t *, void *, vault_gss_buffer *, uint32_t, vault_gss_oids *,
                                  int, void **, vault_gss_oids **, uint32_t *);
  uint32_t (*acquire_from)(uint32_t *, void *, uint32_t, vault_gss_oids *, int, vault_gss_store *,
                           void **, vault_gss_oids **, uint32_t *);
  uint32_t (*store)(uint32_t *, void *, int, vault_gss_oid *, uint32_t, uint32_t, vault_gss_store *,
                    vault_gss_oids **, int *);
  uint32_t (*limit_mechanisms)(uint32_t *, void *, vault_gss_oids *);
  uint32_t (*inquire_credential)(uint32_t *, void *, void **, uint32_t *, int *, vault_gss_oids **);
  uint32_t (*display_name)(uint32_t *, void *, vault_gss_buffer *, vault_gss_oid **);
  uint32_t (*release_credential)(uint32_t *, void **);
  uint32_t (*start)(uint32_t *, void *, void **, void *, vault_gss_oid *, uint32_t, uint32_t,
                    vault_gss_bindings *, vault_gss_buffer *, vault_gss_oid **, vault_gss_buffer *,
                    uint32_t *, uint32_t *);
  uint32_t (*release_context)(uint32_t *, void **, vault_gss_buffer *);
  uint32_t (*inquire_context)(uint32_t *, void *, vault_gss_oid *, vault_gss_buffers **);
  uint32_t (*release_buffer)(uint32_t *, vault_gss_buffer *);
  uint32_t (*release_buffers)(uint32_t *, vault_gss_buffers **);
  uint32_t (*describe)(uint32_t *, uint32_t, int, vault_gss_oid *, uint32_t *, vault_gss_buffer *);
  /* Of libkrb5, which the library is made of. */
  int32_t (*krb5_begin)(void **);
  void (*krb5_end)(void *);
  int32_t (*krb5_open_cache)(void *, const char *, void **);
  int32_t (*krb5_destroy_cache)(void *, void *);
} vault_gss;

/* Loads the library for good; returns 0 if it is missing, or lacks a function. */
static inline int vault_gss_load(vault_gss *gss) {
  void *library = dlopen("libgssapi_krb5.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == NULL) return 0;
  /* POSIX lets a function's address be an object's. */
  struct {
    void **function;
    const char *name;
  } functions[] = {
      {(void **)&gss->import_name, "gss_import_name"},
      {(void **)&gss->release_name, "gss_release_name"},
      {(void **)&gss->acquire, "gss_acquire_cred"},
      {(void **)&gss->acquire_by_password, "gss_acquire_cred_with_password"},
      {(void **)&gss->acquire_from, "gss_acquire_cred_from"},
      {(void **)&gss->store, "gss_store_cred_into"},
      {(void **)&gss->limit_mechanisms, "gss_set_neg_mechs"},
      {(void **)&gss->inquire_credential, "gss_inquire_cred"},
      {(void **)&gss->display_name, "gss_display_name"},
      {(void **)&gss->release_credential, "gss_release_cred"},
      {(void **)&gss->start, "gss_init_sec_context"},
      {(void **)&gss->release_context, "gss_delete_sec_context"},
      {(void **)&gss->inquire_context, "gss_inquire_sec_context_by_oid"},
      {(void **)&gss->release_buffer, "gss_release_buffer"},
      {(void **)&gss->release_buffers, "gss_release_buffer_set"},
      {(void **)&gss->describe, "gss_display_status"},
      {(void **)&gss->krb5_begin, "krb5_init_context"},
      {(void **)&gss->krb5_end, "krb5_free_context"},
      {(void **)&gss->krb5_open_cache, "krb5_cc_resolve"},
      {(void **)&gss->krb5_destroy_cache, "krb5_cc_destroy"},
  };
  for (size_t index = 0; index < sizeof functions / sizeof functions[0]; index++) {
    *functions[index].function = dlsym(library, functions[index].name);
    if (*functions[index].function == NULL) return 0;
  }
  return 1;
}

/* Has this thread's messages in English, whatever the program's language: some are told by their
 * text alone. Returns the locale before. That of C is the C library's own, which needs no release. */
static inline locale_t vault_gss_speak_english(void) {
  return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

/* Restores the thread's locale. */
static inline void vault_gss_speak(locale_t locale) { uselocale(locale); }

/* A file in memory without a name, closed on exec; Swift's Glibc lacks memfd_create(2). */
static inline int vault_gss_memory_file(void) {
  const unsigned int close_on_exec = 1;
  return (int)syscall(SYS_memfd_create, "keytab", close_on_exec);
}

/* Destroys a cache of tickets in memory, and wipes its keys. */
static inline void vault_gss_destroy_cache(const vault_gss *gss, const char *name) {
  void *context = NULL;
  void *cache = NULL;
  if (gss->krb5_begin(&context) != 0) return;
  if (gss->krb5_open_cache(context, name, &cache) == 0) gss->krb5_destroy_cache(context, cache);
  gss->krb5_end(context);
}

/* Identifiers, as DER has them; the library only reads them. */
#define VAULT_GSS_IDENTIFIER(name, bytes)                   \
  static inline vault_gss_oid *vault_gss_##name(void) {     \
    static vault_gss_oid oid = {sizeof bytes - 1, bytes};   \
    return &oid;                                            \
  }                                                         \
  static inline vault_gss_oids *vault_gss_only_##name(void) { \
    static vault_gss_oid oid = {sizeof bytes - 1, bytes};   \
    static vault_gss_oids set = {1, &oid};                  \
    return &set;                                            \
  }
VAULT_GSS_IDENTIFIER(spnego, "\x2b\x06\x01\x05\x05\x02")
VAULT_GSS_IDENTIFIER(kerberos, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02")
VAULT_GSS_IDENTIFIER(ntlm, "\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a")
/* GSS_C_NT_USER_NAME */
VAULT_GSS_IDENTIFIER(user, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x01")
/* GSS_C_NT_HOSTBASED_SERVICE */
VAULT_GSS_IDENTIFIER(service, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04")
/* GSS_KRB5_NT_PRINCIPAL_NAME */
VAULT_GSS_IDENTIFIER(principal, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02\x01")
/* Tells the mechanism of NTLM that its client can make a code of the messages' integrity. */
VAULT_GSS_IDENTIFIER(integrity_code, "\x2b\x06\x01\x04\x01\xb7\x7d\x85\x0f\x01\x02")

static const uint32_t vault_gss_indefinite = 0xFFFFFFFF;
static const uint32_t vault_gss_continue = 1;
static const uint32_t vault_gss_errors = 0xFFFF0000;
static const uint32_t vault_gss_no_mechanism = 0x10000;
static const int vault_gss_initiate = 1;
static const uint32_t vault_gss_mutual = 2;
static const uint32_t vault_gss_integrity = 32;
static const int vault_gss_routine_code = 1;
static const int vault_gss_mechanism_code = 2;

#endif
