#include "vault_vfs.h"

#include "gathering.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { page_size = 4096 };

struct vault_vfs {
  // First, so that SQLite's pointer is also a pointer to this.
  sqlite3_vfs vfs;
  sqlite3_vfs *below;
  // The references: the owner's, and one for each open file.
  int uses;
  vault_vfs_judge judge;
  void *context;
  // The last page that the judge accepted: usually the next one is the same.
  bool has_accepted;
  unsigned char accepted[page_size];
  // The database's file; NULL while it is not open.
  struct file *database;
  // The backup's new file; NULL except during a backup.
  const char *copy;
  int64_t most_of_copy;
  int failed_read;
  char name[40];
  size_t length;
  char path[];
};

enum role { foreign, database, copy, journal };

struct file {
  sqlite3_file base;
  vault_vfs *vfs;
  enum role role;
  // Whether it is the backup's new file, or the journal of that.
  bool is_of_copy;
  // The pages of a new file that are not written yet; NULL for other files.
  gathering *gathered;
  // In the bytes that follow this structure.
  sqlite3_file *below;
};

#define BELOW(file) (((struct file *)(file))->below)

static void release(vault_vfs *own) {
  if (--own->uses == 0) sqlite3_free(own);
}

// MARK: The first page

// Returns whether two pages are equal, apart from fields that every commit changes and no judge
// reads: the change counter, the page count and the free list, the schema's cookie, and the
// counter's copy. Source: <https://sqlite.org/fileformat2.html#the_database_header>.
static bool is_like(const unsigned char *page, const unsigned char *other) {
  return memcmp(page, other, 24) == 0 && memcmp(page + 44, other + 44, 92 - 44) == 0 &&
         memcmp(page + 96, other + 96, page_size - 96) == 0;
}

static int judge(struct file *file, const unsigned char *page) {
  vault_vfs *own = file->vfs;
  if (own->judge == NULL || (own->has_accepted && is_like(page, own->accepted))) return SQLITE_OK;
  if (!own->judge(own->context, page, file->below)) return vault_vfs_refused_page;
  memcpy(own->accepted, page, page_size);
  own->has_accepted = true;
  return SQLITE_OK;
}

// Judges bytes read from a database's file. SQLite reads pages, the header's 100 bytes, and the
// counters in those.
static int judge_read(struct file *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (count <= 100) return SQLITE_OK;
  if (offset != 0) return count == page_size && offset % page_size == 0 ? SQLITE_OK : vault_vfs_refused_page_size;
  if (count >= page_size) return judge(file, bytes);
  // The header named a smaller page when the file was opened. SQLite reads again once it has seen
  // the current page. This happens after a power failure that tore the page, if a journal has it
  // whole.
  unsigned char page[page_size];
  int status = file->below->pMethods->xRead(file->below, page, page_size, 0);
  if (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ) return status;
  if (memcmp(page, bytes, (size_t)count) != 0) return vault_vfs_refused_page_size;
  return judge(file, page);
}

// MARK: Files

// Writes what was gathered, before the file is looked at.
static int write_gathered(sqlite3_file *file) {
  struct file *own = (struct file *)file;
  return own->gathered == NULL ? SQLITE_OK : gathering_write(own->gathered, own->below);
}

static int file_close(sqlite3_file *file) {
  struct file *own = (struct file *)file;
  // Pages are left only if SQLite gave the file up.
  gathering_free(own->gathered);
  int status = own->below->pMethods->xClose(own->below);
  if (own->vfs->database == own) own->vfs->database = NULL;
  release(own->vfs);
  return status;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  struct file *own = (struct file *)file;
  int status = write_gathered(file);
  if (status != SQLITE_OK) return status;
  status = own->below->pMethods->xRead(own->below, bytes, count, offset);
  if (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ) own->vfs->failed_read = status;
  if (own->role != database || (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ)) return status;
  // SQLite treats missing bytes as zeros, and keeps them in its cache. They are judged below only
  // if the file is not a vault yet, or was cut off in its first page.
  if (status == SQLITE_IOERR_SHORT_READ && offset >= page_size) return SQLITE_CORRUPT;
  int refusal = judge_read(own, bytes, count, offset);
  return refusal == SQLITE_OK ? status : refusal;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  // Whatever a journal says, only whole pages are written to a file of pages.
  bool is_page = count == page_size && offset % page_size == 0;
  struct file *own = (struct file *)file;
  if (own->role != journal && !is_page) return vault_vfs_refused_page_size;
  if (own->role == copy && offset + count > own->vfs->most_of_copy) return vault_vfs_refused_copy;
  if (own->gathered != NULL) return gathering_put(own->gathered, own->below, bytes, offset);
  return BELOW(file)->pMethods->xWrite(BELOW(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (((struct file *)file)->role != journal && size % page_size != 0) return vault_vfs_refused_page_size;
  int status = write_gathered(file);
  return status != SQLITE_OK ? status : BELOW(file)->pMethods->xTruncate(BELOW(file), size);
}

// The copy is synchronized once, by its owner, when it is finished and before it gets its name: until
// then a power failure leaves at most an abandoned draft.
static int file_sync(sqlite3_file *file, int flags) {
  int status = write_gathered(file);
  if (status != SQLITE_OK || ((struct file *)file)->is_of_copy) return status;
  return BELOW(file)->pMethods->xSync(BELOW(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  int status = write_gathered(file);
  return status != SQLITE_OK ? status : BELOW(file)->pMethods->xFileSize(BELOW(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return BELOW(file)->pMethods->xLock(BELOW(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return BELOW(file)->pMethods->xUnlock(BELOW(file), level); }

static int file_is_reserved(sqlite3_file *file, int *result) {
  return BELOW(file)->pMethods->xCheckReservedLock(BELOW(file), result);
}

static int file_control(sqlite3_file *file, int verb, void *argument) {
  // A commit says so even if it does not synchronize (`sqlite3PagerSync`).
  int status = verb == SQLITE_FCNTL_SYNC ? write_gathered(file) : SQLITE_OK;
  if (status != SQLITE_OK) return status;
  return BELOW(file)->pMethods->xFileControl(BELOW(file), verb, argument);
}

static int file_sector_size(sqlite3_file *file) { return BELOW(file)->pMethods->xSectorSize(BELOW(file)); }

static int file_characteristics(sqlite3_file *file) {
  return BELOW(file)->pMethods->xDeviceCharacteristics(BELOW(file));
}

// The first page is never fetched (SQLite's `getPageMMap`), so its judge is not bypassed.
static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **page) {
  *page = NULL;
  // What was gathered is in no map of the file.
  if (BELOW(file)->pMethods->iVersion < 3 || offset == 0 || ((struct file *)file)->gathered != NULL) return SQLITE_OK;
  return BELOW(file)->pMethods->xFetch(BELOW(file), offset, count, page);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
  if (BELOW(file)->pMethods->iVersion < 3) return SQLITE_OK;
  return BELOW(file)->pMethods->xUnfetch(BELOW(file), offset, page);
}

// Version 3 for memory maps. There are no methods for shared memory, so SQLite opens no WAL
// (`sqlite3PagerWalSupported`).
static const sqlite3_io_methods file_methods = {
    .iVersion = 3,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xFetch = file_fetch,
    .xUnfetch = file_unfetch,
};

sqlite3_file *vault_vfs_below(sqlite3_file *file) {
  return file != NULL && file->pMethods == &file_methods ? BELOW(file) : file;
}

// MARK: Journals

static uint32_t number(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool is_size(uint32_t size, uint32_t least) {
  return size >= least && size <= 65536 && (size & (size - 1)) == 0;
}

// Source of the following: <https://sqlite.org/fileformat2.html#the_rollback_journal>.
static const unsigned char magic[8] = {0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7};

enum {
  header_size = 28,
  // A page's number, its content and a checksum.
  record_size = 4 + page_size + 4,
  // The offset of the page count in a database's first page.
  pages_offset = 28,
};

// Returns whether SQLite would replay a record (`pager_cksum`).
static bool is_whole(const unsigned char *record, uint32_t nonce) {
  uint32_t sum = nonce;
  for (int offset = page_size - 200; offset > 0; offset -= 200) sum += record[4 + offset];
  return number(record + 4 + page_size) == sum;
}

// Reads the file's page count before the transaction: from its first page in the journal, if SQLite
// replays that (`pager_playback`), else from the current one. On entry, `pages` is the latter.
static int read_pages_before(const vault_journal *journal, uint32_t sector, uint32_t *pages) {
  unsigned char header[header_size], record[record_size];
  for (int64_t start = 0; start + sector <= journal->size;) {
    int status = journal->read(journal->context, header, header_size, start);
    if (status != SQLITE_OK) return status;
    if (memcmp(header, magic, sizeof magic) != 0) return SQLITE_OK;
    // A journal that was never synced says "all records".
    uint32_t records = number(header + 8), nonce = number(header + 12);
    int64_t position = start + sector;
    for (; records > 0; records--, position += record_size) {
      if (position + record_size > journal->size) return SQLITE_OK;
      status = journal->read(journal->context, record, record_size, position);
      if (status != SQLITE_OK) return status;
      if (!is_whole(record, nonce)) return SQLITE_OK;
      if (number(record) != 1) continue;
      *pages = number(record + 4 + pages_offset);
      return SQLITE_OK;
    }
    // A transaction that was synced more than once has another header at the next sector.
    start = (position + sector - 1) / sector * sector;
  }
  return SQLITE_OK;
}

int vault_judge_journal(const vault_journal *journal, const vault_extent *vault) {
  unsigned char header[header_size], tail[sizeof magic];
  if (journal->size >= 16) {
    int status = journal->read(journal->context, tail, sizeof tail, journal->size - (int)sizeof tail);
    if (status != SQLITE_OK) return status;
    // A name, its length and its checksum come before it. It does not matter whether they are
    // correct: no vault writes one.
    if (memcmp(tail, magic, sizeof magic) == 0) return vault_vfs_refused_name;
  }
  int status = journal->read(journal->context, header, header_size, 0);
  if (status != SQLITE_OK) return status;
  if (memcmp(header, magic, sizeof magic) != 0) return SQLITE_OK;
  uint32_t pages = number(header + 16), sector = number(header + 20), page = number(header + 24);
  // SQLite treats these as a header that was not written completely (`readJournalHdr`).
  if (!is_size(sector, 32) || (page != 0 && !is_size(page, 512))) return SQLITE_OK;
  if (page != 0 && page != page_size) return vault_vfs_refused_journal;
  if (vault == NULL) return SQLITE_OK;
  // Each page of the old file is either still there or in the journal.
  int64_t most = (vault->size + page_size - 1) / page_size + journal->size / record_size;
  if (pages == 0 || pages > most) return vault_vfs_refused_journal;
  // The replay truncates the file to this page count: pages cut off by a wrong number would be
  // lost.
  uint32_t before = vault->pages;
  status = read_pages_before(journal, sector, &before);
  if (status != SQLITE_OK) return status;
  return pages < before ? vault_vfs_refused_journal : SQLITE_OK;
}

static int read_file(void *context, void *bytes, int count, int64_t offset) {
  sqlite3_file *file = context;
  int status = file->pMethods->xRead(file, bytes, count, offset);
  return status == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : status;
}

// Judges a journal that SQLite is about to replay: it holds the exclusive lock, so nobody writes
// either file.
static int judge_journal(vault_vfs *own, sqlite3_file *file) {
  unsigned char pages[4] = {0};
  sqlite3_int64 size = 0, journal_size = 0;
  if (own->database == NULL) return vault_vfs_refused_name;
  sqlite3_file *below = own->database->below;
  int status = file->pMethods->xFileSize(file, &journal_size);
  if (status == SQLITE_OK) status = below->pMethods->xFileSize(below, &size);
  if (status == SQLITE_OK) status = read_file(below, pages, sizeof pages, pages_offset);
  if (status != SQLITE_OK) return status;
  vault_journal journal = {read_file, file, journal_size};
  vault_extent vault = {size, number(pages)};
  return vault_judge_journal(&journal, &vault);
}

// Checks the file with a journal's name before it is opened, and returns whether it exists.
static int look_at_journal(const char *path, bool writes, bool *exists) {
  struct stat information;
  *exists = lstat(path, &information) == 0;
  // If this fails, opening fails as well.
  if (!*exists) return SQLITE_OK;
  // Opening a pipe would wait.
  if (!S_ISREG(information.st_mode)) return vault_vfs_refused_journal_file;
  if (!writes) return SQLITE_OK;
  // A second name would cause another file to be overwritten.
  bool is_own = information.st_uid == geteuid() && information.st_nlink == 1 &&
                (information.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return is_own ? SQLITE_OK : vault_vfs_refused_journal_file;
}

// MARK: Names

static bool is_named(const char *path, const char *name, size_t length, const char *suffix) {
  return strncmp(path, name, length) == 0 && strcmp(path + length, suffix) == 0;
}

// Returns whether a path is that of the copy, with a suffix.
static bool is_copy(const vault_vfs *own, const char *path, const char *suffix) {
  return own->copy != NULL && is_named(path, own->copy, strlen(own->copy), suffix);
}

// Returns whether a path is that of the database or of the copy, with a suffix.
static bool is_ours(const vault_vfs *own, const char *path, const char *suffix) {
  if (path == NULL) return false;
  if (is_named(path, own->path, own->length, suffix)) return true;
  return is_copy(own, path, suffix);
}

// Returns the purpose of a file, by its name and by SQLite's flags.
static enum role role(const vault_vfs *own, const char *path, int flags) {
  if (path == NULL || (flags & SQLITE_OPEN_DELETEONCLOSE)) return foreign;
  if (flags & SQLITE_OPEN_MAIN_DB) {
    if (strcmp(path, own->path) == 0) return database;
    return is_copy(own, path, "") ? copy : foreign;
  }
  return (flags & SQLITE_OPEN_MAIN_JOURNAL) && is_ours(own, path, "-journal") ? journal : foreign;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *opened) {
  vault_vfs *own = (vault_vfs *)vfs;
  struct file *new = (struct file *)file;
  memset(new, 0, sizeof *new);
  new->vfs = own;
  new->role = role(own, path, flags);
  if (new->role == foreign) return vault_vfs_refused_name;
  new->is_of_copy = new->role == copy || (new->role == journal && is_copy(own, path, "-journal"));
  bool writes = (flags & SQLITE_OPEN_READWRITE) != 0, creates = (flags & SQLITE_OPEN_CREATE) != 0;
  if (new->role == journal) {
    bool exists;
    int refusal = look_at_journal(path, writes, &exists);
    if (refusal != SQLITE_OK) return refusal;
    // A file that is created there after this check is not opened.
    if (creates && !exists) flags |= SQLITE_OPEN_EXCLUSIVE;
    // Even for reading, SQLite gives an empty main journal the database's mode, and as root its
    // owner (`unixOpen`), but leaves a super-journal alone. If nothing is created, this is the only
    // difference between the two.
    if (!creates) flags ^= SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
  }
  new->below = (sqlite3_file *)(new + 1);
  int status = own->below->xOpen(own->below, path, new->below, flags, opened);
  // Without CREATE, it is opened for writing in order to be replayed.
  if (status == SQLITE_OK && new->role == journal && writes && !creates) status = judge_journal(own, new->below);
  if (status != SQLITE_OK) {
    if (new->below->pMethods != NULL) new->below->pMethods->xClose(new->below);
    return status;
  }
  // Nobody else reads a new file, which has no first page to judge yet, or a copy.
  if (new->role == copy || (new->role == database && own->judge == NULL)) {
    new->gathered = gathering_make();
    if (new->gathered == NULL) {
      new->below->pMethods->xClose(new->below);
      return SQLITE_NOMEM;
    }
  }
  new->base.pMethods = &file_methods;
  own->uses++;
  if (new->role == database) own->database = new;
  return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int synchronizes_folder) {
  vault_vfs *own = (vault_vfs *)vfs;
  if (!is_ours(own, path, "-journal")) return vault_vfs_refused_name;
  // SQLite takes an empty file for a database being created, and its journal for a leftover of
  // that. A vault never is one: all of its content may be in the journal.
  sqlite3_int64 size = 1;
  if (own->judge != NULL && own->database != NULL && own->copy == NULL) {
    own->database->below->pMethods->xFileSize(own->database->below, &size);
  }
  if (size == 0) return vault_vfs_refused_journal;
  return own->below->xDelete(own->below, path, is_copy(own, path, "-journal") ? 0 : synchronizes_folder);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  vault_vfs *own = (vault_vfs *)vfs;
  if (is_ours(own, path, "-journal")) return own->below->xAccess(own->below, path, flags, result);
  // If a super-journal is reported as missing, SQLite ignores its journal.
  if (!is_ours(own, path, "-wal")) return vault_vfs_refused_name;
  struct stat information;
  *result = 0;
  return lstat(path, &information) == 0 ? vault_vfs_refused_wal : SQLITE_OK;
}

// MARK: Creation

vault_vfs *vault_vfs_make(const char *path) {
  sqlite3_vfs *below = sqlite3_vfs_find(NULL);
  size_t length = strlen(path);
  if (below == NULL) return NULL;
  vault_vfs *own = sqlite3_malloc64(sizeof *own + length + 1);
  if (own == NULL) return NULL;
  memset(own, 0, offsetof(struct vault_vfs, path));
  memcpy(own->path, path, length + 1);
  own->length = length;
  own->below = below;
  own->uses = 1;
  snprintf(own->name, sizeof own->name, "vault-%p", (void *)own);
  // Everything that does not concern files is from the VFS below, including its data.
  own->vfs = *below;
  own->vfs.pNext = NULL;
  own->vfs.zName = own->name;
  own->vfs.szOsFile = (int)sizeof(struct file) + below->szOsFile;
  own->vfs.xOpen = vfs_open;
  own->vfs.xDelete = vfs_delete;
  own->vfs.xAccess = vfs_access;
  if (sqlite3_vfs_register(&own->vfs, 0) == SQLITE_OK) return own;
  release(own);
  return NULL;
}

const char *vault_vfs_name(const vault_vfs *vfs) { return vfs->name; }

void vault_vfs_free(vault_vfs *vfs) {
  sqlite3_vfs_unregister(&vfs->vfs);
  release(vfs);
}

void vault_vfs_set_judge(vault_vfs *vfs, vault_vfs_judge judge, void *context) {
  vfs->judge = judge;
  vfs->context = context;
}

void vault_vfs_set_copy(vault_vfs *vfs, const char *path, int64_t most) {
  vfs->copy = path;
  vfs->most_of_copy = most;
}

int vault_vfs_take_failed_read(vault_vfs *vfs) {
  int status = vfs->failed_read;
  vfs->failed_read = SQLITE_OK;
  return status;
}
