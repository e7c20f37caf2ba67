/* What a C program asks of a store of credentials: the vault, or SQLite's and SQLCipher's table. */
#ifndef STORE_H
#define STORE_H

#include <stddef.h>

/* Of the same sizes as in vault-bench: two items on each host, secrets of 20 bytes. */
struct item {
  char server[40], account[24], label[40], secret[24];
};

#define ITEM_REALM "Team Git"
#define ITEM_PATH "/team/repository"
enum { ITEM_PORT = 443 };

/* Every function ends the program if it fails. */
struct store {
  const char *name;
  /* Makes an empty store and leaves it open. */
  void *(*create)(const char *path);
  void *(*open)(const char *path);
  void (*close)(void *store);
  /* Adds all items in one transaction. */
  void (*add_all)(void *store, const struct item *items, size_t count);
  /* Adds an item durably. */
  void (*add)(void *store, const struct item *item);
  /* Finds an item, copies its attributes and its secret; the sum of the secret's bytes. */
  unsigned (*find)(void *store, const struct item *item);
  /* Copies the attributes of all items; their number. */
  size_t (*list)(void *store);
};

extern const struct store vault_store;
/* The key file of every vault, which exists. */
extern const char *vault_key_file;
/* SQLCipher with a key of 32 bytes, and with a passphrase; both the same library. */
extern const struct store raw_store, passphrase_store;
/* Loads SQLCipher. */
void sqlcipher_load(const char *library);

/* Ends the program. */
_Noreturn void fail(const char *doing, const char *reason);

#endif
