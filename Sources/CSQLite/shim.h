#ifndef VAULT_CSQLITE_SHIM_H
#define VAULT_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

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

// The file system's kind, statfs(2)'s f_type, which Swift's Glibc lacks: on a network SQLite's locks and
// the header's first bytes are not to be trusted.
static inline int vault_file_system_kind(const char *path, uint32_t *kind) {
  struct statfs information;
  if (statfs(path, &information) != 0) return -1;
  *kind = (uint32_t)information.f_type;
  return 0;
}

// Renames a file, and fails with EEXIST if there is one of that name; Swift's Glibc lacks renameat2(2).
static inline int vault_rename_new(const char *from, const char *to) {
  // AT_FDCWD and RENAME_NOREPLACE; their headers would take struct stat away from Glibc's module.
  const int here = -100;
  const unsigned int no_replace = 1;
  return (int)syscall(SYS_renameat2, here, from, here, to, no_replace);
}

// Lets two files change their names in one step; Swift's Glibc lacks renameat2(2).
static inline int vault_exchange(const char *one, const char *other) {
  // AT_FDCWD and RENAME_EXCHANGE; see above.
  const int here = -100;
  const unsigned int exchange = 2;
  return (int)syscall(SYS_renameat2, here, one, here, other, exchange);
}

// Lets the disk begin to write a range of a file, without waiting for it; Swift's Glibc lacks sync_file_range(2).
static inline void vault_start_writing(int file, int64_t offset, int64_t count) {
  const unsigned int start = 2;  // SYNC_FILE_RANGE_WRITE
  // Only a hint: fsync(2) reports what goes wrong.
  (void)syscall(SYS_sync_file_range, file, offset, count, start);
}

// An extended code is a macro expression, which the Swift importer drops.
static const int vault_sqlite3_short_read = SQLITE_IOERR_SHORT_READ;
static const int vault_sqlite3_readonly_rollback = SQLITE_READONLY_ROLLBACK;

// SQLite's own handle of the main database, NULL if it has none; it lives as long as the connection.
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

#endif
