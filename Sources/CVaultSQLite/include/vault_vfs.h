#ifndef VAULT_VFS_H
#define VAULT_VFS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

// The C library exports the names that begin with `vault_`, but none of these.
#pragma GCC visibility push(hidden)

// A thin SQLite VFS on top of the process's default one, for one connection. It restricts SQLite to
// opening, checking, replaying and deleting `NAME` and `NAME-journal`, and during a backup one new
// file, a draft (vault_drafts.h): no WAL, no shared memory, no super-journal, no temporary file on
// disk. Everything else passes to the VFS below unchanged: locks, syncs, file controls, sector
// sizes.
//
// Like its connection, it is used by one thread at a time.
typedef struct vault_vfs vault_vfs;

// MARK: Refusals

// Our own extended result codes: SQLite passes them on unchanged, and none of them makes it delete
// a journal or continue. SQLITE_PERM has no extended codes in SQLite itself.
//
// There is a `-wal` beside the file.
static const int vault_vfs_refused_wal = SQLITE_PERM | 64 << 8;
// A journal names another file, or SQLite asks for a file that is neither the vault nor its
// journal.
static const int vault_vfs_refused_name = SQLITE_PERM | 65 << 8;
// The journal is not a regular file that only this user can write.
static const int vault_vfs_refused_journal_file = SQLITE_PERM | 66 << 8;
// The journal's page size or page count is not possible for a vault.
static const int vault_vfs_refused_journal = SQLITE_PERM | 67 << 8;
// A page of the file has a different size from a vault's.
static const int vault_vfs_refused_page_size = SQLITE_PERM | 68 << 8;
// The judge rejected the first page.
static const int vault_vfs_refused_page = SQLITE_PERM | 69 << 8;
// The copy would become larger than it may.
static const int vault_vfs_refused_copy = SQLITE_PERM | 70 << 8;

// MARK: Creation

// Registers a VFS, under its own name and never as the default, for the database at `path`:
// absolute, without symbolic links in its folder. Returns NULL without memory.
vault_vfs *vault_vfs_make(const char *path);
// Returns the name with which a connection opens it.
const char *vault_vfs_name(const vault_vfs *vfs);
// Frees the VFS: its files may still be open, but it opens no more.
void vault_vfs_free(vault_vfs *vfs);

// Judges the 4096 bytes of the file's first page before SQLite gets them, at every read, under its
// lock; false rejects them. `file` is that of the VFS below, for further checks.
typedef bool (*vault_vfs_judge)(void *context, const unsigned char *page, sqlite3_file *file);
void vault_vfs_set_judge(vault_vfs *vfs, vault_vfs_judge judge, void *context);

// Allows one additional file of at most that many bytes, and its journal; `path` must stay valid until it is
// set to NULL.
void vault_vfs_set_copy(vault_vfs *vfs, const char *path, int64_t most);

// Returns the status of the last read that failed, and forgets it; SQLITE_OK if none did. SQLite's own check of a file
// calls a page damaged that it could not read.
int vault_vfs_take_failed_read(vault_vfs *vfs);

// Returns the file below, for reading bytes instead of pages; the file itself if it is not from a
// `vault_vfs`.
sqlite3_file *vault_vfs_below(sqlite3_file *file);

// MARK: Journals

// A journal's bytes. `read` returns SQLITE_OK or an error; missing bytes are zeros.
typedef struct vault_journal {
  int (*read)(void *context, void *bytes, int count, int64_t offset);
  void *context;
  int64_t size;
} vault_journal;

// The current file that a journal is for: its size in bytes, and the page count in its first page.
typedef struct vault_extent {
  int64_t size;
  uint32_t pages;
} vault_extent;

// Judges a journal before any of it is replayed: returns SQLITE_OK, a refusal, or an error of
// reading it.
//
// `vault` is NULL if the file may be changing. If SQLite would not accept the header, the journal
// passes, because SQLite ignores it.
int vault_judge_journal(const vault_journal *journal, const vault_extent *vault);

#pragma GCC visibility pop

#endif
