#ifndef VAULT_CSQLITE_SHIM_H
#define VAULT_CSQLITE_SHIM_H

#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Swift calls no C variadics, so the sqlite3_db_config verbs that a vault needs stand here. A file
// from elsewhere must not run anything: no triggers, no views, no extensions, no schema writes.
static inline void vault_sqlite3_harden(sqlite3 *db) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

// SQLITE_TRANSIENT is a cast macro, which the Swift importer drops.
static inline int vault_sqlite3_bind_blob_copy(sqlite3_stmt *statement, int index,
                                               const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int vault_sqlite3_bind_text_copy(sqlite3_stmt *statement, int index,
                                               const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// An extended code is a macro expression, which the Swift importer drops.
static const int vault_sqlite3_short_read = SQLITE_IOERR_SHORT_READ;
static const int vault_sqlite3_readonly_rollback = SQLITE_READONLY_ROLLBACK;
static const int vault_sqlite3_readonly_moved = SQLITE_READONLY_DBMOVED;

// SQLite's own handle of the main database, NULL if it has none; it lives as long as the
// connection.
static inline sqlite3_file *vault_sqlite3_file(sqlite3 *db) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return NULL;
  return file;
}

// Whether somebody holds the lock of a writer, asked through that handle.
static inline int vault_sqlite3_is_reserved(sqlite3_file *file, int *is_reserved) {
  if (file == NULL || file->pMethods == NULL) return SQLITE_MISUSE;
  return file->pMethods->xCheckReservedLock(file, is_reserved);
}

// Reads the main database's file through SQLite's own handle: a second descriptor on
// the file would drop this process's POSIX locks when it is closed. Short reads fill with zeros.
static inline int vault_sqlite3_read(sqlite3_file *file, void *bytes, int count, int64_t offset) {
  if (file == NULL || file->pMethods == NULL) return SQLITE_MISUSE;
  return file->pMethods->xRead(file, bytes, count, offset);
}

static inline int vault_sqlite3_file_size(sqlite3_file *file, int64_t *size) {
  if (file == NULL || file->pMethods == NULL) return SQLITE_MISUSE;
  sqlite3_int64 count = 0;
  int status = file->pMethods->xFileSize(file, &count);
  *size = count;
  return status;
}

// Opens a file for reading as SQLite does, without a connection, which would read it; NULL if that fails. SQLite knows
// of it then: closing it drops no lock that a connection of this process has on the same file.
static inline sqlite3_file *vault_sqlite3_open_file(const char *path) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  if (vfs == NULL) return NULL;
  size_t size = (size_t)vfs->szOsFile, length = strlen(path);
  sqlite3_file *file = (sqlite3_file *)sqlite3_malloc64(size + length + 2);
  if (file == NULL) return NULL;
  memset(file, 0, size + length + 2);
  // The file keeps the name, after which SQLite looks for parameters: there are none.
  char *name = (char *)file + size;
  memcpy(name, path, length);
  if (vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL) == SQLITE_OK) return file;
  int number = errno;
  if (file->pMethods != NULL) file->pMethods->xClose(file);
  sqlite3_free(file);
  errno = number;
  return NULL;
}

// Returns the descriptor of a file that `vault_sqlite3_open_file` opened from a path; -1 if it is not known.
// Hidden: the C library exports the names that begin with `vault_`.
#pragma GCC visibility push(hidden)
int vault_sqlite3_descriptor(sqlite3_file *file, const char *path);
#pragma GCC visibility pop

// Takes the lock of a reader: nobody can commit until the file is closed.
static inline int vault_sqlite3_lock_file(sqlite3_file *file) {
  return file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
}

// Ends the file's own lock, too.
static inline void vault_sqlite3_close_file(sqlite3_file *file) {
  file->pMethods->xClose(file);
  sqlite3_free(file);
}

#endif
