#include <dlfcn.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store.h"

/* SQLCipher's functions, beside those of Debian's SQLite in the same process. */
static struct {
  int (*open)(const char *, sqlite3 **, int, const char *);
  int (*close)(sqlite3 *);
  int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
  int (*prepare)(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);
  int (*bind_text)(sqlite3_stmt *, int, const char *, int, void (*)(void *));
  int (*bind_blob)(sqlite3_stmt *, int, const void *, int, void (*)(void *));
  int (*bind_int64)(sqlite3_stmt *, int, sqlite3_int64);
  int (*step)(sqlite3_stmt *);
  int (*reset)(sqlite3_stmt *);
  int (*finalize)(sqlite3_stmt *);
  const unsigned char *(*column_text)(sqlite3_stmt *, int);
  const void *(*column_blob)(sqlite3_stmt *, int);
  int (*column_bytes)(sqlite3_stmt *, int);
  const char *(*errmsg)(sqlite3 *);
} api;

void sqlcipher_load(const char *path) {
  /* DEEPBIND: its own functions call each other, and not Debian's of the same names. */
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == NULL) fail("SQLCipher", dlerror());
  const struct {
    const char *name;
    void *place;
  } functions[] = {
    {"sqlite3_open_v2", &api.open}, {"sqlite3_close", &api.close}, {"sqlite3_exec", &api.exec},
    {"sqlite3_prepare_v3", &api.prepare}, {"sqlite3_bind_text", &api.bind_text},
    {"sqlite3_bind_blob", &api.bind_blob}, {"sqlite3_column_blob", &api.column_blob},
    {"sqlite3_bind_int64", &api.bind_int64}, {"sqlite3_step", &api.step},
    {"sqlite3_reset", &api.reset}, {"sqlite3_finalize", &api.finalize},
    {"sqlite3_column_text", &api.column_text}, {"sqlite3_column_bytes", &api.column_bytes},
    {"sqlite3_errmsg", &api.errmsg}};
  for (size_t index = 0; index < sizeof functions / sizeof functions[0]; index++) {
    void *function = dlsym(library, functions[index].name);
    if (function == NULL) fail("SQLCipher", dlerror());
    memcpy(functions[index].place, &function, sizeof function);
  }
}

/* A connection with its statements, which are prepared once. */
struct connection {
  sqlite3 *database;
  sqlite3_stmt *insert, *find, *list;
};

static void check(struct connection *connection, int status) {
  if (status != SQLITE_OK) fail("SQLCipher", api.errmsg(connection->database));
}

static void execute(struct connection *connection, const char *sql) {
  check(connection, api.exec(connection->database, sql, NULL, NULL, NULL));
}

static int note_version(void *seen, int count, char **values, char **names) {
  (void)names;
  *(int *)seen = count == 1 && values[0] != NULL && values[0][0] >= '4';
  return 0;
}

static void prepare(struct connection *connection, const char *sql, sqlite3_stmt **statement) {
  check(connection,
        api.prepare(connection->database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL));
}

/* The journal, the syncs and the wiping of removed rows are those of the vault. */
static struct connection *connect(const char *path, const char *key, int flags) {
  struct connection *connection = calloc(1, sizeof *connection);
  int is_new_enough = 0;
  if (connection == NULL) fail("SQLCipher", "no memory");
  check(connection, api.open(path, &connection->database, SQLITE_OPEN_READWRITE | flags, NULL));
  execute(connection, key);
  /* A library without encryption ignores the key. */
  check(connection, api.exec(connection->database, "PRAGMA cipher_version", note_version,
                             &is_new_enough, NULL));
  if (!is_new_enough) fail("SQLCipher", "not version 4");
  execute(connection, "PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON");
  if (flags != 0) {
    execute(connection,
            "PRAGMA journal_mode = DELETE; CREATE TABLE item ("
            "id INTEGER PRIMARY KEY, account TEXT NOT NULL, realm TEXT NOT NULL, "
            "server TEXT NOT NULL, protocol TEXT NOT NULL, method TEXT NOT NULL, "
            "port INTEGER NOT NULL, path TEXT NOT NULL, label TEXT NOT NULL, "
            "created INTEGER NOT NULL, modified INTEGER NOT NULL, secret BLOB NOT NULL, "
            "UNIQUE (server, port, protocol, realm, account, path, method)) STRICT");
  }
  prepare(connection,
          "INSERT INTO item (account, realm, server, protocol, method, port, path, label, created, "
          "modified, secret) VALUES (?1, ?2, ?3, 'https', 'basic', ?4, ?5, ?6, ?7, ?7, ?8)",
          &connection->insert);
  prepare(connection,
          "SELECT account, realm, server, protocol, method, port, path, label, created, modified, "
          "secret FROM item WHERE server = ?1 AND port = ?2 AND protocol = 'https' AND realm = ?3 "
          "AND account = ?4",
          &connection->find);
  prepare(connection,
          "SELECT account, realm, server, protocol, method, port, path, label, created, modified "
          "FROM item", &connection->list);
  return connection;
}

static const char raw_key[] =
  "PRAGMA key = \"x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'\"";
static const char passphrase_key[] = "PRAGMA key = 'correct horse battery staple'";

static void *create_raw(const char *path) { return connect(path, raw_key, SQLITE_OPEN_CREATE); }
static void *open_raw(const char *path) { return connect(path, raw_key, 0); }
static void *create(const char *path) { return connect(path, passphrase_key, SQLITE_OPEN_CREATE); }
static void *open_with_passphrase(const char *path) { return connect(path, passphrase_key, 0); }

static void close_connection(void *store) {
  struct connection *connection = store;
  api.finalize(connection->insert);
  api.finalize(connection->find);
  api.finalize(connection->list);
  check(connection, api.close(connection->database));
  free(connection);
}

static void bind(sqlite3_stmt *statement, int index, const char *text) {
  api.bind_text(statement, index, text, (int)strlen(text), SQLITE_STATIC);
}

static void add(void *store, const struct item *item) {
  struct connection *connection = store;
  sqlite3_stmt *insert = connection->insert;
  bind(insert, 1, item->account);
  bind(insert, 2, ITEM_REALM);
  bind(insert, 3, item->server);
  api.bind_int64(insert, 4, ITEM_PORT);
  bind(insert, 5, ITEM_PATH);
  bind(insert, 6, item->label);
  api.bind_int64(insert, 7, time(NULL));
  api.bind_blob(insert, 8, item->secret, (int)strlen(item->secret), SQLITE_STATIC);
  if (api.step(insert) != SQLITE_DONE) fail("SQLCipher", api.errmsg(connection->database));
  api.reset(insert);
}

static void add_all(void *store, const struct item *items, size_t count) {
  execute(store, "BEGIN IMMEDIATE");
  for (size_t index = 0; index < count; index++) add(store, &items[index]);
  execute(store, "COMMIT");
}

/* Copies the columns of a row, as a caller would keep them. */
static void copy(sqlite3_stmt *statement, int columns) {
  static char kept[1024];
  size_t used = 0;
  for (int column = 0; column < columns; column++) {
    const unsigned char *text = api.column_text(statement, column);
    size_t count = (size_t)api.column_bytes(statement, column);
    if (used + count > sizeof kept) fail("SQLCipher", "a row of another size");
    memcpy(kept + used, text, count);
    used += count;
  }
}

static unsigned find(void *store, const struct item *item) {
  struct connection *connection = store;
  sqlite3_stmt *select = connection->find;
  bind(select, 1, item->server);
  api.bind_int64(select, 2, ITEM_PORT);
  bind(select, 3, ITEM_REALM);
  bind(select, 4, item->account);
  if (api.step(select) != SQLITE_ROW) fail("SQLCipher", "an item is missing");
  copy(select, 10);
  const unsigned char *secret = api.column_blob(select, 10);
  unsigned sum = 0;
  for (int index = 0; index < api.column_bytes(select, 10); index++) sum += secret[index];
  api.reset(select);
  return sum;
}

static size_t list(void *store) {
  struct connection *connection = store;
  size_t count = 0;
  for (; api.step(connection->list) == SQLITE_ROW; count++) copy(connection->list, 10);
  api.reset(connection->list);
  return count;
}

const struct store raw_store = {
  "SQLCipher", create_raw, open_raw, close_connection, add_all, add, find, list};
const struct store passphrase_store = {
  "SQLCipher with a passphrase", create, open_with_passphrase, close_connection, add_all, add, find,
  list};
