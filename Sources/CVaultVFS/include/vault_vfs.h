#ifndef VAULT_VFS_H
#define VAULT_VFS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

// The C library exports what begins with `vault_`, and none of this.
#pragma GCC visibility push(hidden)

// A thin SQLite VFS over the process's default one, of one connection's own. Through it SQLite opens, asks for, replays
// and deletes nothing but `NAME` and `NAME-journal`, and during a backup the one new file that was allowed: no WAL, no
// shared memory, no super-journal, no temporary file on disk. What it lets through goes to the VFS below as it is: locks,
// syncs, file controls, sector sizes.
//
// Used by one thread at a time, as its connection is.
typedef struct vault_vfs vault_vfs;

// MARK: Refusals

// Extended result codes of our own: SQLite hands them on as they are, and takes none of them for a reason to delete a
// journal or to go on. SQLITE_PERM has no extended codes in SQLite itself.
//
// A `-wal` lies beside the file.
static const int vault_vfs_refused_wal = SQLITE_PERM | 64 << 8;
// A journal names a further file, or SQLite asks for one that is neither the vault nor its journal.
static const int vault_vfs_refused_name = SQLITE_PERM | 65 << 8;
// The journal is no plain file of this user's alone.
static const int vault_vfs_refused_journal_file = SQLITE_PERM | 66 << 8;
// The journal's page size or page count is none that a vault's journal has.
static const int vault_vfs_refused_journal = SQLITE_PERM | 67 << 8;
// A page of the file has another size than a vault's.
static const int vault_vfs_refused_page_size = SQLITE_PERM | 68 << 8;
// The judge of the first page refused it.
static const int vault_vfs_refused_page = SQLITE_PERM | 69 << 8;

// MARK: Making one

// Registers a VFS, under a name of its own and never as the default, for the database at `path`: absolute, without
// symbolic links in its folder. NULL without memory.
vault_vfs *vault_vfs_make(const char *path);
// The name under which a connection opens it.
const char *vault_vfs_name(const vault_vfs *vfs);
// Its files may still be open; nothing opens with it any more.
void vault_vfs_free(vault_vfs *vfs);

// Judges the 4096 bytes of the file's first page before SQLite gets them, whenever it reads them, under its lock; false
// refuses. `file` is the VFS's below, for whoever has to look further.
typedef bool (*vault_vfs_judge)(void *context, const unsigned char *page, sqlite3_file *file);
void vault_vfs_set_judge(vault_vfs *vfs, vault_vfs_judge judge, void *context);

// Allows one file more, and its journal; `path` stays valid until it is set to NULL.
void vault_vfs_set_copy(vault_vfs *vfs, const char *path);

// The file below, which a reader of bytes, and not of pages, asks; the file itself if it is not of a `vault_vfs`.
sqlite3_file *vault_vfs_below(sqlite3_file *file);

// MARK: Journals

// A journal's bytes. `read` gives SQLITE_OK or why it cannot; what is missing is zeros.
typedef struct vault_journal {
  int (*read)(void *context, void *bytes, int count, int64_t offset);
  void *context;
  int64_t size;
} vault_journal;

// The file that a journal is for, as it lies there: its size in bytes, and how many pages its first page says it has.
typedef struct vault_extent {
  int64_t size;
  uint32_t pages;
} vault_extent;

// Judges a journal before anything of it is replayed: SQLITE_OK, a refusal, or why it cannot be read.
//
// `vault` is NULL where the file may be changing. A header that SQLite does not take for one is let through: such a
// journal counts for nothing.
int vault_judge_journal(const vault_journal *journal, const vault_extent *vault);

#pragma GCC visibility pop

#endif
